"""The verbs, and how they answer.

Start with `evaluate`: its options become one `request`, and the rest what was `Given`, which `evaluated` judges; the
columns of a table are read by `evaluate_table`. A kind (`adjudge.kinds`) makes cases of what was given: they have their
statistics made, and score them (`judged`). `compare` and `gate` are built in the same way, on `compared`.
"""
