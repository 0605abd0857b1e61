"""A report on a clustering: one HTML page on the input, the quality, the stability, and each cluster."""

from ..base.validation import suggest_in
from .facts import ReportFacts, gather_facts
from .page import About, write_report

__all__ = ["About", "ReportFacts", "gather_facts", "write_report"]

suggest_in(__name__)
