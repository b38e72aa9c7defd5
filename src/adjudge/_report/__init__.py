"""The report: results reduced to one JSON-able dictionary (`build`), and that to one HTML file (`render`)."""
