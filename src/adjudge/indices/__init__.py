"""The indices: pure functions of statistics, one record each."""
