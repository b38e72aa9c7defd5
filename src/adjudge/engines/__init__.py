"""Engines reduce data to statistics; none of them knows an index.

Start with `protocols` (what an engine is), `passes` (what it declares before it runs) and `points`, which finds the way
to each statistic. `centroid_pass` makes what centroids suffice for, `pairs` what needs all distances, `reachability`
and `neighbours` what needs the near ones; `frames` counts in the engine of a lazy table, `running` runs the tasks.
"""
