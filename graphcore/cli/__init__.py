"""The command line: reads options, calls the library, prints what came out. No algorithm lives here."""

from .app import main

__all__ = ["main"]
