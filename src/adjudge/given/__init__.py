"""User input, checked and coded once: labels, points, and the options of both.

Start with `labels` (label vectors as codes) and `alignment` (several of them, with what is left out); `points`,
`probabilities`, `weights` and `units` are the other inputs. `input_kinds` names what a statistic may be made
from, `option_groups` the options that belong together.
"""
