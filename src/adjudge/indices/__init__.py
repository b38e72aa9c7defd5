"""The indices: pure functions of statistics, one record each.

Start with `record` (what every index says of itself) and `label_record`, `internal_record` and `forecast_record` (what
they read); then any module with indices, such as `pairs`; `catalog` finds and lists them.
"""

from adjudge.exported import exports_of

__getattr__, __dir__ = exports_of(__name__, with_indices=True)
