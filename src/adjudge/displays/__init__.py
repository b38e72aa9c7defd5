"""Plots of results with matplotlib, in the style of scikit-learn.

Each display is made by ``from_result``, ``from_predictions`` or ``from_estimator``; its ``plot(ax=None)`` draws it,
returns the display and sets `figure_` and `ax_`. A new figure has the size,
the colours and the text size that matplotlib is set to; pyplot's state is never touched.
``display.plot().figure_.savefig("matrix.pdf")`` writes a file.
"""

from adjudge.exported import exports_of

__getattr__, __dir__ = exports_of(__name__)
