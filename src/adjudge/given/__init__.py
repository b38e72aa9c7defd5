"""Everything that a user may bring, checked and coded once: labels, points, and the options of both."""
