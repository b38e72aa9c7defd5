"""User input, checked and coded once: labels, points, and the options of both."""
