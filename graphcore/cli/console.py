"""What the command line says while it works: a progress line, warnings, notices. All of it goes to stderr."""

import re
import shlex
import sys
import threading
import time
import warnings
from contextlib import contextmanager

import click

from .._progress import Stages
from ..exceptions import GraphWarning, InputError
from .files import check_files

# A value as messages show it: text between quotes, a pair, a number or a word.
_VALUE = r"""'[^']*'|"[^"]*"|\([^()]*\)|-?[\w.+-]*\w"""
# A name of Python's and the one of the command line: "write_graph (graphcore convert)", "resume=False (no --resume)".
_TWO_NAMES = re.compile(r"[\w.=]+ \(((?:no )?(?:--|graphcore )[^()]*)\)")
_ERASE = "\r\x1b[K"
_ARGUMENTS = "graphcore.arguments"
_BAR = 12
_TICK = 0.5


class _Taught(click.Command):
    """A command with examples in its help: pairs of what is done, and the command that does it.

    `sections` are headings for the help's options, each with names of parameters; the last one gets all others.
    """

    def __init__(self, *args, examples=(), sections=None, **options):
        super().__init__(*args, **options)
        self.examples, self.sections = examples, sections

    def format_options(self, ctx, formatter):
        """Show the options, under their headings if there are any."""
        if not self.sections:
            super().format_options(ctx, formatter)
            return
        records = {p.name: p.get_help_record(ctx) for p in self.get_params(ctx) if isinstance(p, click.Option)}
        for heading, names in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([records.pop(name) for name in names or list(records)])

    def format_epilog(self, ctx, formatter):
        """Show the examples at the end of the help."""
        if self.examples:
            with formatter.section("Examples"):
                for what, command in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}# {what}\n")
                    formatter.write(f"{'':{formatter.current_indent}}{command}\n")
        super().format_epilog(ctx, formatter)


class Jobs(_Taught, click.Group):
    """The commands together."""


class Job(_Taught):
    """A command whose bad input becomes one line that names the option at fault.

    `made_up` returns the values of parameters that are made out of others where they are not given.
    """

    def __init__(self, *args, made_up=None, **options):
        super().__init__(*args, **options)
        self.made_up = made_up

    def make_context(self, info_name, args, parent=None, **extra):
        """Remember what was typed."""
        typed = list(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[_ARGUMENTS] = [info_name, *typed]
        return ctx

    def invoke(self, ctx):
        """Run the command, if all of its files can be told apart."""
        try:
            if self.made_up is not None:
                ctx.params |= self.made_up(ctx.params)
            check_files(self, ctx.params)
            return super().invoke(ctx)
        except InputError as error:
            raise click.ClickException(in_options(str(error), self.params)) from error


def in_options(message, params):
    """A message of the library in the words of a command: ``n_clusters=0`` becomes ``-k 0``.

    Without a value only names with an underscore are taken for parameters; others are English words as well. Of a name
    that has the command line's own in brackets behind it, that one stays.
    """
    message = _TWO_NAMES.sub(r"\1", message)
    options = {p.name: p for p in params if isinstance(p, click.Option)}
    if not options:
        return message

    def spell(found):
        option, value = options[found["name"]], found["value"]
        if value is None:
            return option.opts[0] if "_" in option.name else found[0]
        if option.is_flag:
            return (option.secondary_opts if value == "False" and option.secondary_opts else option.opts)[0]
        if value[0] in "'\"":
            value = shlex.quote(value[1:-1])
        elif value[0] == "(":
            value = value[1:-1].replace(" ", "")
        return f"{option.opts[0]} {'none' if value == 'None' else value}"

    names = "|".join(map(re.escape, options))
    message = message.replace("choose one of None, ", "choose one of ")  # None: left out
    return re.sub(rf"(?<![\w./=-])(?P<name>{names})(?![\w./])(?:=(?P<value>{_VALUE}))?", spell, message)


def typed_command():
    """Return the command that is running, as it could be typed again."""
    return shlex.join(["graphcore", *click.get_current_context().meta.get(_ARGUMENTS, [])])


def tell(text, nl=True):
    """Print on standard error; where that cannot be written, nothing more is said, and the work goes on."""
    try:
        click.echo(text, err=True, nl=nl)
    except OSError:
        sys.stderr = None


class Console:
    """Messages on stderr, none if `quiet`; `n_after` stages of the command itself follow the library's work.

    `stages` measures each stage; on a terminal the running one is shown in a line that goes away again, with its
    seconds and, once :meth:`expect` was called, a bar. `warned` lists the warnings given so far.
    """

    def __init__(self, quiet=False, n_after=0):
        self.quiet = quiet
        self.live = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.stages = Stages(on_stage=self._begin, on_expect=self.expect, on_note=self._note)
        self.warned = []
        self._lock = threading.Lock()
        self._stage, self._since, self._noted = None, 0.0, ""
        self._begun, self._expected, self._n_after = 0, None, n_after

    def expect(self, n_stages):
        """Say how many more stages will begin, those after the library's work left out."""
        self._expected = self._begun + n_stages + self._n_after

    def say(self, text):
        """Print a line on stderr."""
        if not self.quiet:
            with self._lock:
                tell(self._erase() + text)

    def warn(self, text):
        """Print a warning on stderr, and keep it, unless it was given before."""
        if text not in self.warned:
            self.warned.append(text)
            self.say(f"warning: {text}")

    def clear(self):
        """Take the progress line away until the next stage begins, for output that shares the terminal."""
        with self._lock:
            self._stage = None
            tell(self._erase(), nl=False)

    @contextmanager
    def listening(self):
        """Within this context, warnings about the graph and notices of compilation are lines on stderr, each once."""
        from .._compile import compilation_notices

        others = warnings.showwarning
        ctx = click.get_current_context(silent=True)
        params = () if ctx is None else ctx.command.params

        def show(message, category, *where, **more):
            if not issubclass(category, GraphWarning):
                others(message, category, *where, **more)
            else:
                self.warn(in_options(str(message), params))

        try:
            with self._ticking(), warnings.catch_warnings(), compilation_notices(self.say):
                warnings.simplefilter("always", GraphWarning)
                warnings.showwarning = show
                yield
        finally:
            tell(self._erase(), nl=False)

    @contextmanager
    def _ticking(self):
        """Redraw the progress line while a stage runs, from a thread of its own."""
        if not self.live:
            yield
            return
        done = threading.Event()

        def tick():
            while not done.wait(_TICK):
                self._show()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _begin(self, stage):
        self._stage, self._since, self._noted = stage, time.perf_counter(), ""
        self._begun += 1
        self._show()

    def _note(self, text):
        self._noted = text
        self._show()

    def _show(self):
        stage = self._stage
        if self.live and stage is not None:
            parts = [f"{stage} ..."]
            if self._expected:
                filled = min(_BAR, round(_BAR * (self._begun - 1) / self._expected))
                parts.append(f"[{'#' * filled:.<{_BAR}}]")
            seconds = int(time.perf_counter() - self._since)
            if seconds:
                parts.append(f"{seconds} s")
            if self._noted:
                parts.append(f"({self._noted})")
            with self._lock:
                if stage == self._stage:  # otherwise it has gone on meanwhile
                    tell(_ERASE + " ".join(parts), nl=False)

    def _erase(self):
        return _ERASE if self.live else ""
