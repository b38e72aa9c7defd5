"""One pass over all distances: strips of points meet in pairs, and reducers take what they find.

Each two strips meet once, in threads or on workers; a meeting returns what it adds to the tables of both, which have a
line for each cluster. Results are joined in the order of the meetings, so that digits do not depend on who computes.
Each strip meets the others in their order: the lines of whole clusters go to the reducers at once, and only that of a
cluster that goes on in the next strip stays open. A checkpoint is the open lines, what the reducers have found, and the
number of meetings.

Start with `strips` (how points are cut, and who meets), `distances` and `tiles` (what a meeting computes), `meetings`
(how they are held) and `open_tables`, which gives what is found with whole clusters to the `reducers`; `pair_pass` puts
these together. Then `squared_sums` and `products` for sums, `extremes` and `nearest` for the closest and farthest,
`ranks` and `histogram` for ranks.
"""
