"""The command line: reads options, calls the library, prints results. It contains no algorithm."""

import signal


def main(arguments: list[str] | None = None) -> None:
    """Run the command line of this process; until its modules are imported, signals end it without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .app import main as run

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(arguments)


__all__ = ["main"]
