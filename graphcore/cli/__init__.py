"""The command line: reads options, calls the library, prints results. It contains no algorithm."""

from .app import main

__all__ = ["main"]
