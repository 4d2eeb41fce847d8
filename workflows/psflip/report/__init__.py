"""Makes report.html."""
