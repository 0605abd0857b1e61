"""What the command line says while it works: a status line, warnings, notices. All of it goes to stderr."""

import re
import sys
import warnings
from contextlib import contextmanager

import click

from .._progress import Stages
from ..exceptions import GraphWarning, InputError

__all__ = ["Console", "Job"]

_ERASE = "\r\x1b[K"


class Job(click.Command):
    """A command whose bad input becomes one line that names the option at fault."""

    def invoke(self, ctx):
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise click.ClickException(str(error) + self._option_of(str(error))) from error

    def _option_of(self, message):
        name = re.match(r"(\w+)=", message)
        options = [p.opts[0] for p in self.params if isinstance(p, click.Option) and name and p.name == name[1]]
        return f" (option {options[0]})" if options else ""


class Console:
    """Messages on stderr.

    Parameters
    ----------
    quiet : bool
        Say nothing at all.

    Attributes
    ----------
    stages : Stages
        Seconds of each stage; on a terminal the running stage is shown in a line that goes away again.
    warned : list of str
        Warnings given so far.
    """

    def __init__(self, quiet=False):
        self.quiet = quiet
        self.live = not quiet and sys.stderr.isatty()
        self.stages = Stages(on_stage=self._show)
        self.warned = []

    def say(self, text):
        """Print a line on stderr."""
        if not self.quiet:
            click.echo(self._erase() + text, err=True)

    @contextmanager
    def listening(self):
        """Within this context, warnings about the graph and notices of compilation are lines on stderr, each once."""
        from .._compile import compilation_notices

        others = warnings.showwarning

        def show(message, category, *where, **more):
            if not issubclass(category, GraphWarning):
                others(message, category, *where, **more)
            elif str(message) not in self.warned:
                self.warned.append(str(message))
                self.say(f"warning: {message}")

        try:
            with warnings.catch_warnings(), compilation_notices(self.say):
                warnings.simplefilter("always", GraphWarning)
                warnings.showwarning = show
                yield
        finally:
            click.echo(self._erase(), err=True, nl=False)

    def _show(self, stage):
        if self.live:
            click.echo(f"{_ERASE}{stage} ...", err=True, nl=False)

    def _erase(self):
        return _ERASE if self.live else ""
