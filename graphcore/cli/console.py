"""Base of all commands: files that are read and written, errors that name options, a summary, notes on stderr."""

import json
import os
import re
import shlex
import signal
import sys
import warnings
from contextlib import ExitStack, closing, contextmanager
from functools import partial

import click

from ..base.progress import Bar, Stages
from ..exceptions import GraphWarning, InputError, printable, warn_user

TERMINATED = 143


class _Output(click.Path):
    """A file that a command writes, and checks when it does."""


INPUT, OUTPUT = click.Path(exists=True, allow_dash=True), _Output(allow_dash=True)


def examples(*pairs):
    """Return the end of a help: pairs of a purpose and the command for it."""
    return "\b\n" + "\n".join(["Examples:", *(f"  # {purpose}\n  {typed}" for purpose, typed in pairs)])


def adding(*options):
    """Make a decorator that adds several options to a command."""

    def add(function):
        for option in reversed(options):
            function = option(function)
        return function

    return add


class Command(click.Command):
    """A command that ends with a summary, and whose bad input becomes one line that names the option at fault.

    Its function takes a Console, and returns facts for --json and lines of text, which `quiet` leaves out. Where
    `labels_of` is the name of its input, labels have a file of their own without `output`.
    """

    def __init__(self, *args, callback, labels_of=None, **options):
        def told(as_json, quiet, **given):
            console = Console(quiet)
            with console.listening():
                facts, lines = callback(console, **given)
            known = console.stages.facts
            facts = {"warnings": console.warned, "seconds": dict(console.stages.seconds)} | known | facts
            if "columns" in known:
                (first, second), weight = known["columns"]["ends"], known["columns"]["weight"]
                told = f"{first} and {second} (ends), {'no weight' if weight is None else f'{weight} (weight)'}"
                if "repeats" in known:
                    told += f"; {count(known['repeats'], 'line')} repeated or of weight 0"
                lines.insert(1, ("columns", told))
            if as_json or not quiet:
                show(facts, lines, as_json)

        super().__init__(*args, **(options | {"callback": told}))
        self.labels_of = labels_of
        self.params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print the summary as JSON."))
        self.params.append(
            click.Option(["--quiet"], is_flag=True, help="No summary but JSON, no warnings, no progress.")
        )

    def invoke(self, ctx):
        """Run the command, if all of its files can be told apart."""
        taken = None
        try:
            if self.labels_of is not None and ctx.params["output"] is None:
                taken = ctx.params["output"] = _labels_file(self, ctx.params)
            _check_files(self, ctx.params)
            return super().invoke(ctx)
        except InputError as error:
            raise click.ClickException(in_options(str(error), self.params)) from error
        finally:
            if taken not in (None, "-") and os.path.exists(taken) and not os.path.getsize(taken):
                os.unlink(taken)


command = partial(click.command, cls=Command)


# -- files: each has one use, labels are never lost, and nothing is replaced that was not named ------------------------


def _labels_file(command, given):
    """Return INPUT.clusters.tsv in the current folder, which is made now, as it must not be there yet.

    For standard input and pipes: standard output, unless something else goes there.
    """
    from ..files.source import is_stream

    path = given[command.labels_of]
    path = path if isinstance(path, str) else path[0]
    if is_stream(path) and not on_stdout(command, given):
        return "-"
    output = f"{'standard-input' if is_stream(path) else os.path.basename(os.path.abspath(path))}.clusters.tsv"
    try:
        open(output, "x").close()
    except FileExistsError:
        said = f"{output}: is there already; -o {output} replaces it, -o FILE writes elsewhere"
        raise InputError(said) from None
    return output


def on_stdout(command, given):
    """Return the options, as typed, whose output takes the place of the summary on standard output."""
    outputs = [p for p in command.params if isinstance(p.type, _Output) and given[p.name] == "-"]
    return ["--json"] * bool(given.get("as_json")) + [f"{p.opts[0]} -" for p in outputs]


def _check_files(command, given):
    """Raise an error unless every file of a command, by the values that its parameters have, has one use."""
    from ..files.atomic import check_apart
    from ..files.source import parts_of

    uses = []
    for p in command.params:
        written, paths = isinstance(p.type, _Output), given.get(p.name)
        if isinstance(p.type, click.Path) and paths is not None:
            paths = [paths] if isinstance(paths, str) else paths
            files = paths if written else [file for path in paths for file in dict.fromkeys([*parts_of(path), path])]
            name = p.opts[0] if isinstance(p, click.Option) else p.make_metavar(click.get_current_context()).strip(".")
            uses += [(f"{name} {file}", int(written) if file == "-" else file, written) for file in files]
    if sum(path == 0 for _, path, _ in uses) > 1:
        raise click.UsageError("only one of the files can be standard input")
    taken = on_stdout(command, given)
    if len(taken) > 1:
        raise click.UsageError(f"{' and '.join(taken)} both want standard output; write to a file")
    check_apart(uses)


# -- words -------------------------------------------------------------------------------------------------------------

# A parameter in a message, with the value that it is said to have, or of several words.
_NAMED = re.compile(
    r"(?<![\w'./-])([a-z]\w*)=('[^']*'|\([^)]*\)|[\w.+-]*\w|)|(?<![\w'./=-])([a-z]+(?:_[a-z]+)+)(?![\w=.(])"
)


def in_options(message, params):
    """Say a message of the library in the words of a command: ``n_clusters=0`` becomes ``-k 0``.

    Where the command line's own words stand in brackets behind others, as in "write_graph (graphcore convert)", they
    take their place.
    """
    options = {p.name: p for p in params if isinstance(p, click.Option)}

    def spelled(found):
        option, value = options.get(found[1] or found[3]), found[2]
        if option is None:
            return found[0]
        if option.is_flag or not value:
            return ((value == "False" and option.secondary_opts) or option.opts)[0]
        value = value.strip("()").replace("'", "").replace(", ", ",").replace("None", "none")
        return f"{option.opts[0]} {shlex.quote(value)}"

    return _NAMED.sub(spelled, re.sub(r"\S+ \(((?:--|no --|graphcore )[^)]*)\)", r"\1", message))


def is_typed(name):
    """Return whether a parameter of the present command was typed, and has not just its default."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def warn_of_idle(names, purpose):
    """Warn of the options among `names` that were typed and do nothing in this run."""
    idle = [p.opts[0] for p in click.get_current_context().command.params if p.name in names and is_typed(p.name)]
    if idle:
        warn_user(f"{', '.join(idle)} {'does' if len(idle) == 1 else 'do'} nothing here: for {purpose}")


def count(number, noun):
    """Write a number of things, as "1 node" or "2 nodes"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# -- output ------------------------------------------------------------------------------------------------------------


def show(facts, lines, as_json):
    """Print facts as one JSON object, or else lines as a table, on standard error if an output has the other stream."""
    ctx = click.get_current_context()
    width = max(len(heading) for heading, _ in lines)
    table = "\n".join(f"{heading:<{width}}  {text}" for heading, text in lines)
    if as_json:
        click.echo(json.dumps(facts))
    else:
        click.echo(printable(table), err=bool(on_stdout(ctx.command, ctx.params)))


def tell(text):
    """Print on standard error."""
    click.echo(printable(text), err=True)


class Console:
    """Messages on stderr, none if `quiet`.

    `stages` measures each stage; on a terminal they are shown as a bar that goes away again. `warned` lists the
    warnings given so far.
    """

    def __init__(self, quiet=False):
        self.quiet, self.warned = quiet, []
        self._bar = Bar()
        is_shown = not quiet and sys.stderr.isatty()
        shown = {"on_stage": self._bar.begin, "on_expect": self._bar.expect, "on_note": self._bar.note}
        self.stages = Stages(**shown) if is_shown else Stages()

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
        from ..base.loops import compilation_notices, in_main_thread

        others, params = warnings.showwarning, click.get_current_context().command.params

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
