"""Files on the command line: each has one use, labels are never lost, and nothing is replaced that was not named."""

import os

import click

from ..exceptions import InputError, warn_user


class FilePath(click.Path):
    """A path that shells complete, and its use by a command, which checks the path when it opens it.

    `replaces` is the name of the input that an output may replace.
    """

    def __init__(self, written=False, replaces=None):
        super().__init__(readable=False, allow_dash=True)
        self.written, self.replaces = written, replaces


INPUT, OUTPUT = FilePath(), FilePath(written=True)


def on_stdout(command, given):
    """Return the options, as typed, whose output takes the place of the summary on standard output."""
    json = ["--json"] if given.get("as_json") else []
    return json + [f"{_spelt(p)} -" for p in _files(command) if p.type.written and given[p.name] == "-"]


def check_files(command, given):
    """Raise an error unless every file of a command, by the values that its parameters have, has one use."""
    from ..files._source import files_read, parts_of
    from ..files.atomic import Use, check_apart

    uses = []
    for p in _files(command):
        for path in given[p.name] if p.nargs == -1 else [given[p.name]]:
            written, replaced = p.type.written, p.type.replaces and given[p.type.replaces]
            if path is None or (
                replaced and os.path.exists(path) and os.path.exists(replaced) and os.path.samefile(path, replaced)
            ):
                continue
            for file in [path] if written or path == "-" else [f for part in parts_of(path) for f in files_read(part)]:
                uses.append(Use(f"{_spelt(p)} {file}", int(written) if path == "-" else file, written))
    if sum(use.path == 0 for use in uses) > 1:
        raise click.UsageError("only one of the files can be standard input")
    taken = on_stdout(command, given)
    if len(taken) > 1:
        raise click.UsageError(f"{' and '.join(taken)} both want standard output; write to a file")
    if not any(use.path == 1 for use in uses):
        uses.append(Use("standard output", 1, True))  # there is a summary
    check_apart(uses)


def _files(command):
    return [p for p in command.params if isinstance(p.type, FilePath)]


def _spelt(parameter):
    return parameter.opts[0] if isinstance(parameter, click.Option) else parameter.metavar.strip("[].")


# -- where a command writes --------------------------------------------------------------------------------------------


def labels_target(given):
    """Make up where labels go without -o: to INPUT.clusters.tsv in the current folder, which must not be there yet.

    For standard input and pipes: to standard output, unless something else goes there.
    """
    from ..files._source import is_stream

    if given["output"] is not None:
        return {}
    path = given["input"][0]
    stream = is_stream(path)
    if stream and not on_stdout(click.get_current_context().command, given):
        return {"output": "-"}
    output = f"{'standard-input' if stream else os.path.basename(os.path.abspath(path))}.clusters.tsv"
    if os.path.lexists(output):
        raise InputError(f"{output}: is there already; -o {output} replaces it, -o FILE writes elsewhere")
    return {"output": output}


def check_target(output, in_graph=True):
    """Check, before the work, that labels can be written to `output`; `in_graph`: formats of graphs are allowed."""
    if output_kind(output) == "parquet":
        from ..files.parquet import check_parquet

        check_parquet()
    graphs = (".graphml", ".gexf", ".gml") if in_graph else ()
    where = f", .parquet, or in a graph ({', '.join(graphs)})" if in_graph else " or .parquet"
    _check_ending(output, f"labels are written as text (.tsv, .csv), .npy{where}", ".npy", ".parquet", *graphs)


def check_membership_target(output):
    """Check, before the work, that memberships can be written to `output`."""
    _check_ending(output, "memberships are written as text (.tsv, .csv) or .npz", ".npz")


def _check_ending(path, forms, *own):
    """Raise an error if a path is not writable, or its ending means something that is neither text nor its `own`."""
    from ..files import check_writable
    from ..files.atomic import ending_of
    from ..files.labels import NO_TEXT

    ending, compression = ending_of(path)
    if ending in NO_TEXT and (ending not in own or (ending in (".npz", ".parquet") and compression)):
        raise InputError(f"{path}: {forms}")
    check_writable(path)


def check_names(graph, output):
    """Check, before the work, that the names of nodes and of their attributes can be written to `output`."""
    from ..files.formats import ending_format
    from ..files.labels import check_names as check_lines
    from ..files.markup import check_columns

    kind = output_kind(output)
    if kind == "graph":
        check_columns(graph, {}, ending_format(output)[0])
    elif kind == "text":
        check_lines(graph.node_names, "npy")


def output_kind(output):
    """Return the kind of an output of labels: "text", "npy", "parquet", or "graph" with labels as attributes."""
    from ..files.formats import FORMATS, ending_format

    ending = os.path.splitext(output.lower())[1]
    if ending in (".npy", ".parquet"):
        return ending[1:]
    found = FORMATS.get(ending_format(output)[0])
    return "graph" if found is not None and found.attributes else "text"


def write_clusters(model, output, spreadsheet):
    """Write the labels of a model, with attributes of its nodes where the format has a place for them.

    An attribute gives way to a result of the same name, which is said.
    """
    from ..files import write_graph, write_labels
    from ..files.parquet import write_table

    graph, levels, kind = model.graph_, model.level_labels_, output_kind(output)
    columns = model.to_table() | {f"level_{i}": level for i, level in enumerate(levels[:-1], 1)}
    old = [name for name in graph.attributes if name in columns]
    if old and kind in ("graph", "parquet"):
        several = "s" * (len(old) > 1)
        warn_user(f"attribute{several} {', '.join(old)} of the input not written, as results have the name{several}")
    if kind == "graph":
        write_graph(graph, output, attributes=columns)
    elif kind == "parquet":
        write_table(columns | {name: values for name, values in graph.attributes.items() if name not in old}, output)
    else:
        write_labels(levels.T if len(levels) > 1 else model.labels_, output, graph, spreadsheet=spreadsheet)


def tell_of_missing_pictures(console):
    """Say before the work that a report will have no pictures, if matplotlib is missing."""
    from importlib.util import find_spec

    from ..plot._style import NEEDED

    if find_spec("matplotlib") is None:
        console.say(f"warning: the report will have no pictures: {NEEDED}")
