"""The few compiled loops. Each has a naive twin in tests/naive.py."""
