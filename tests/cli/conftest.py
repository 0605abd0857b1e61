"""Standard input as tests of the command line need it."""

import io
import sys

import pytest


@pytest.fixture
def feed(monkeypatch):
    """A function that gives bytes to standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
