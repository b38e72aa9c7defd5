"""The verbs, and how they answer.

Start with `evaluate`: its options become one `request`, its input is judged by `evaluate_arrays` or, if it is a table,
by `evaluate_table`. What is judged is a case of a kind (`adjudge.kinds`), which has its statistics made and scores.
`compare` and `gate` are built in the same way, on `compared`.
"""
