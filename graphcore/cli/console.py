"""Base of all commands: help with examples, errors that name options, a summary, notes on stderr."""

import json
import re
import shlex
import signal
import sys
import warnings
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from importlib import import_module

import click

from ..base.progress import Bar, Stages
from ..exceptions import GraphWarning, InputError, printable
from .files import check_files, on_stdout

TYPED = "graphcore.typed"  # key of the words of a command in click's `meta`
TERMINATED = 143


class _Taught(click.Command):
    """A command with examples in its help: pairs of a purpose and the command for it.

    `headings` are those of the help's options, see :func:`adding`; the last one is also over options without any.
    """

    def __init__(self, *args, examples=(), headings=None, **options):
        super().__init__(*args, **options)
        self.examples, self.headings = examples, headings

    def format_options(self, ctx, formatter):
        """Show the options, under their headings if there are any."""
        if not self.headings:
            super().format_options(ctx, formatter)
            return
        records: dict[str, list] = {heading: [] for heading in self.headings}
        for p in self.get_params(ctx):
            if isinstance(p, click.Option):
                records[getattr(p, "heading", None) or self.headings[-1]].append(p.get_help_record(ctx))
        for heading, rows in records.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def format_epilog(self, ctx, formatter):
        """Show the examples at the end of the help."""
        with formatter.section("Examples"):
            for what, command in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}# {what}\n")
                formatter.write(f"{'':{formatter.current_indent}}{command}\n")


class Commands(_Taught, click.Group):
    """A group of commands."""


class _Json(click.Option):
    heading = "Output"


class Command(_Taught):
    """A command that ends with a summary, and whose bad input becomes one line that names the option at fault.

    Its function takes a Console, and returns facts for --json and lines of text, which `quiet` leaves out. `made_up`
    returns the values of parameters that are made out of others where they are not given. `needs` is the module of
    graphcore that imports whatever the function uses.
    """

    def __init__(self, *args, callback, made_up=None, needs="files", **options):
        def told(as_json, **given):
            with default_actions():
                import_module(f"graphcore.{needs}")
            console = Console(given.get("quiet", False))
            with console.listening():
                facts, lines = callback(console, **given)
            known = console.stages.facts
            facts = {"warnings": console.warned, "seconds": dict(console.stages.seconds)} | known | facts
            if "columns" in known:
                lines.insert(1, ("columns", _columns_line(**known["columns"])))
            if as_json or not console.quiet:
                show(facts, lines, as_json)

        super().__init__(*args, callback=told, **options)
        self.made_up = made_up
        self.params.append(_Json(["--json", "as_json"], is_flag=True, help="Print the summary as one JSON object."))

    def make_context(self, info_name, args, parent=None, **extra):
        """Remember the words of the command, as they could be typed again."""
        typed = ["graphcore", info_name, *args]
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[TYPED] = typed
        return ctx

    def parse_args(self, ctx, args):
        """Parse the words of a command; for an option that it lacks, name one whose help has the option's word."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            word, options = error.option_name.strip("-"), [p for p in self.params if isinstance(p, click.Option)]
            about = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
            found = [p for p in options if p.name == word.replace("-", "_")]  # as the parameter is called in Python
            found = found or [p for p in options if about.search(p.help or "")]
            if len(found) != 1:
                raise
            message = f"No such option '{error.option_name}'. Did you mean {found[0].opts[0]}? {found[0].help}"
            raise click.UsageError(message, ctx) from None

    def invoke(self, ctx):
        """Run the command, if all of its files can be told apart."""
        try:
            if self.made_up is not None:
                ctx.params |= self.made_up(ctx.params)
            check_files(self, ctx.params)
            return super().invoke(ctx)
        except InputError as error:
            message, name, value = str(error), getattr(error, "name", None), getattr(error, "value", None)
            raise click.ClickException(in_options(message, self.params, name, value)) from error


command = partial(click.command, cls=Command)


@contextmanager
def default_actions():
    """End the process on SIGINT at once within this context: extension modules may load long, and no handler runs."""
    from ..base.threads import in_main_thread

    is_pythons = in_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_pythons:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if is_pythons:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def telling_of(path):
    """Note on an interrupt within this context that labels are written already."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as end:
        if path != "-":
            end.add_note(f"the labels are in {path}")
        raise


def adding(*options, heading=None):
    """Make a decorator that adds options to a command, under a heading of its help."""

    def add(function):
        for option in reversed(options):
            function = option(function)
            added = function.__click_params__[-1]
            added.heading = getattr(added, "heading", heading)
        return function

    return add


# A parameter in a message: its name, and the value that it is said to have.
_NAMED = re.compile(r"(?<![\w'./-])([a-z_]\w*)(?:=('[^']*'|\([^)]*\)|[^\s,;:)]*[^\s,;:.)]|))?(?![\w='/-]|\.\w)")


def in_options(message, params, name=None, value=None):
    """Say a message of the library in the words of a command: ``n_clusters=0`` becomes ``-k 0``.

    `name` and `value` are those that the error names. Other names are taken for parameters if they have a value, or at
    least a =, or an underscore, or are joined to one that has; other words are English. Where the command line's own
    name stands in brackets behind another one, as in "write_graph (graphcore convert)", that one stays.
    """
    message = re.sub(r"\S+ \(((?:--|no --|graphcore )[^)]*)\)", r"\1", message)
    options = {p.name: p for p in params if isinstance(p, click.Option)}
    if name in options:
        typed = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        message = message.replace(f"{name}={value!r}", _spelled(options[name], shlex.quote(typed)))

    def spelled(found):
        option, value = options.get(found[1]), found[2]
        before, after = found.string[: found.start()], found.string[found.end() :]
        is_joined = re.match(" (and|or) [a-z]+_", after)
        if option is None or (value is None and "_" not in found[1] and not is_joined):
            return found[0]
        if not value:  # to be given: with the word that the help has for its value
            return f"{option.opts[0]} {option.metavar or ''}".rstrip() if before.endswith("give ") else option.opts[0]
        if value[0] in "('":
            value = shlex.quote(value[1:-1]) if value[0] == "'" else value[1:-1].replace(", ", ",")
        return _spelled(option, value)

    message = message.replace("choose one of None, ", "choose one of ")  # None: left out
    return _NAMED.sub(spelled, re.sub("(choose one of [^;]*), None(?![^,;])", r"\1, none", message))


def _spelled(option, value):
    """Write an option with a value, as it is typed."""
    if option.is_flag:
        return (option.secondary_opts if value == "False" and option.secondary_opts else option.opts)[0]
    return f"{option.opts[0]} {'none' if value == 'None' else value}"


def _columns_line(ends, weight):
    return f"{ends[0]} and {ends[1]} (ends), {'no weight' if weight is None else f'{weight} (weight)'}"


def show(facts, lines, as_json):
    """Print facts as one JSON object, or else lines as a table, on standard error if an output has the other stream."""
    from ..files.atomic import naming_file

    ctx = click.get_current_context()
    width = max(len(heading) for heading, _ in lines)
    table = "\n".join(f"{heading:<{width}}  {text}" for heading, text in lines)
    if not as_json and on_stdout(ctx.command, ctx.params):
        tell(table)
        return
    with naming_file("standard output"):
        click.echo(json.dumps(facts) if as_json else printable(table))


def tell(text):
    """Print on standard error; where that cannot be written, nothing more is said, and the work goes on."""
    try:
        click.echo(printable(text), err=True)
    except OSError:
        sys.stderr = None


class Console:
    """Messages on stderr, none if `quiet`; `n_after` stages of the command itself follow the library's work.

    `stages` measures each stage; on a terminal they are shown as a bar that goes away again. `warned` lists the
    warnings given so far.
    """

    def __init__(self, quiet=False):
        self.quiet, self.warned, self.n_after = quiet, [], 0
        self._bar = Bar()
        is_shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.stages = Stages(self._bar.begin, on_expect=self.expect, on_note=self._bar.note) if is_shown else Stages()

    def expect(self, n_stages):
        """Say how many more stages will begin, those after the library's work left out."""
        self._bar.expect(n_stages + self.n_after)

    def say(self, text):
        """Print a line on stderr."""
        if not self.quiet:
            with self._bar.hidden():
                tell(text)

    @contextmanager
    def listening(self):
        """Print warnings about the graph and notices of compilation on stderr within this context, each once.

        SIGTERM raises SystemExit within it, so that half-written files are removed.
        """
        from ..base.compiling import compilation_notices
        from ..base.threads import in_main_thread

        others = warnings.showwarning
        ctx = click.get_current_context(silent=True)
        params = () if ctx is None else ctx.command.params

        def show(message, category, *where, **more):
            text = in_options(str(message), params)
            if not issubclass(category, GraphWarning):
                others(message, category, *where, **more)
            elif text not in self.warned:
                self.warned.append(text)
                self.say(f"warning: {text}")

        def terminate(_signal, _frame):
            raise SystemExit(TERMINATED)

        with closing(self._bar), warnings.catch_warnings(), compilation_notices(self.say), ExitStack() as stack:
            if in_main_thread():
                stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, terminate))
            warnings.simplefilter("always", GraphWarning)
            warnings.showwarning = show
            yield
