"""Choosing the number of clusters, or among candidates: sweeps, reference data, stability, structure, and the verdict.

Start with `sweeps` (partitions by their number of clusters), `sweep_scores` and `verdict` (from votes to a number);
`candidates`, `candidate_scores` and `choose_among` do the same for any candidates. `stability`, `structure` and
`calibration` are the evidence, `k_warnings` and `candidate_warnings` what speaks against a choice.
"""
