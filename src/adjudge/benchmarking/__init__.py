"""The inputs of a benchmark: labels on many data sets, tables of scores, folders of files, fitted models.

Start with `inputs` (which of these was given) and `collected_scores` (what all of them become). `label_scores` judges
labels, `counted_labels` those that a table's engine counts; `folder` and `store` read and keep files; `runner`, `suite`
and `fitting` fit models.
"""
