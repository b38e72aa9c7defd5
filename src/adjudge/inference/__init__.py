"""Chance correction, intervals and tests.

Start with `influence` (what one instance does to an index), `drawn` (how the instances were drawn), `interval` and
`refusals`. `partitions`, `classes`, `forecasts` and `points` say what one instance does to their indices; `chance` has
null distributions, `differences` two models, `data_sets` many data sets, and `clusters` tests of clusters.
"""

from adjudge.exported import exports_of

__getattr__, __dir__ = exports_of(__name__)
