"""One pass over all distances: strips of points meet in pairs, and reducers take what they find.

Start with `strips` (how points are cut, and who meets), `distances` and `tiles` (what a meeting computes), `meetings`
(how they are held) and `open_tables`, which gives what is found with whole clusters to the `reducers`; `pair_pass` puts
these together. Then `squared_sums` and `products` for sums, `extremes` and `nearest` for the closest and farthest,
`ranks` and `histogram` for ranks.
"""
