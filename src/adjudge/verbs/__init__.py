"""The verbs, and how they answer.

Start with `evaluate`: its options become one `request`, and the rest what was `Given`, which `evaluated` judges;
columns of a table (`adjudge.tables`) are judged by `evaluate_columns`. A kind (`adjudge.kinds`) makes cases of what
was given: they have their statistics made, and score them (`judged`). `compare` and `gate` are built in the same way,
on `compared`.
"""
