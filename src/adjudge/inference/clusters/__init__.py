"""Are there clusters? Tests against data without clusters, density valleys, differences between clusters."""
