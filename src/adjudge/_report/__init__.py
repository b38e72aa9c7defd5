"""The report: results reduced to one JSON-able dictionary (`build`), rendered as one HTML file (`render`).

Start with `section` (what a part of the page is about) and `build`; the other modules each make one part.
"""
