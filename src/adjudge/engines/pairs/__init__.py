"""One pass over all distances: tiles, tasks, sums, extremes and ranks.

Start with `layout` (how points are cut), `tasks` (how the pass runs) and `tiles` (what one piece computes); then
`sweep`, `squared_sums` and `products` for sums, `extremes` and `nearest` for the closest and farthest, `ranks` and
`histogram` for ranks.
"""
