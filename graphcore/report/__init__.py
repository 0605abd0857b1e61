"""A clustering on one page: what was clustered, how good it is and how sure, and each cluster."""

from .facts import ReportFacts, gather_facts
from .page import About, write_report

__all__ = ["About", "ReportFacts", "gather_facts", "write_report"]
