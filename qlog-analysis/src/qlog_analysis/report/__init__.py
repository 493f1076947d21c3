"""The report: one HTML file that stands alone."""
