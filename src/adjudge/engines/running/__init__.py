"""Who does the work, where, and what is kept if it is interrupted.

`executor` runs tasks in threads and takes their results in order, `workers` sends them elsewhere, `checkpoint` saves.
"""
