"""The report: results reduced to one JSON-able dictionary (`build`), rendered as one HTML file (`render`)."""
