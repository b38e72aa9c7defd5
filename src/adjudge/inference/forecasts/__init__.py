"""Intervals and tests of probabilities and of decision values."""
