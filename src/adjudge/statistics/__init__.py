"""What the data are reduced to: small, frozen statistics from which every index is computed.

Start with `making` (how a statistic says what it is made from), `contingency` and `pair_counts`; `moments` and
`pair_distances` are those of points, `forecasts` those of probabilities.
"""

from adjudge.exported import exports_of

__getattr__, __dir__ = exports_of(__name__)
