"""What intervals and tests of every kind are made with: shares, samples, score intervals, outcomes of tests."""
