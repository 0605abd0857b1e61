"""Files on the command line: which of them a command reads and which it writes, found apart before any work."""

import os

import click


class FilePath(click.Path):
    """A path that shells complete, and what a command does with it; whether it can be used is found out when it is.

    `replaces` is the name of the input that an output may be the same file as; what is written `beside` an output has
    its name and one of these endings.
    """

    def __init__(self, written=False, replaces=None, beside=()):
        super().__init__(readable=False, allow_dash=True)
        self.written, self.replaces, self.beside = written, replaces, beside


INPUT, OUTPUT = FilePath(), FilePath(written=True)


def on_stdout(command, given):
    """What goes to standard output instead of the summary, as it is typed."""
    json = ["--json"] if given.get("as_json") else []
    return json + [f"{_spelt(p)} -" for p in _files(command) if p.type.written and given[p.name] == "-"]


def check_files(command, given):
    """Raise an error unless every file of a command, by the values that its parameters have, has one use."""
    from ..io.atomic import Use, check_apart

    uses = []
    for p in _files(command):
        for path in given[p.name] if p.nargs == -1 else [given[p.name]]:
            if path is None or (p.type.replaces and _is_file(path, given[p.type.replaces])):
                continue
            written = p.type.written
            uses.append(Use(f"{_spelt(p)} {path}", int(written) if path == "-" else path, written))
            uses += [
                Use(f"{path}{ending} (beside {_spelt(p)})", f"{path}{ending}", True)
                for ending in p.type.beside if path != "-"
            ]  # fmt: skip
    if sum(use.path == 0 for use in uses) > 1:
        raise click.UsageError("only one of the files can be standard input")
    taken = on_stdout(command, given)
    if len(taken) > 1:
        raise click.UsageError(f"{' and '.join(taken)} both want standard output; write to a file")
    if not any(use.path == 1 for use in uses):
        uses.append(Use("standard output", 1, True))  # there is a summary
    check_apart(uses)


def _is_file(path, other):
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def _files(command):
    return [p for p in command.params if isinstance(p.type, FilePath)]


def _spelt(parameter):
    return parameter.opts[0] if isinstance(parameter, click.Option) else parameter.metavar.strip("[].")
