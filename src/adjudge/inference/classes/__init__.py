"""Intervals and tests of predicted classes, by class and as averages; several labels; raters."""
