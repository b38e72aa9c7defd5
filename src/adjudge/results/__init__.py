"""What the verbs return: frozen results that print, turn into JSON and into data frames, and compute nothing.

Start with `score` (one value and all that is known about it) and `evaluation`; `comparison`, `gate`, `choice` and
`benchmark` are what the other verbs return.
"""

from adjudge.exported import exports_of

__getattr__, __dir__ = exports_of(__name__)
