"""What the data are reduced to: small, frozen statistics from which every index is computed."""
