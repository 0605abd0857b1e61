"""The command `graphcore`: its subcommands, its errors and its exit codes."""

import os
import sys

import click

from .. import __version__
from .cluster import cluster
from .console import Commands, tell
from .demo import demo
from .graphs import build, check, convert, info, knn
from .labels import compare, report
from .predict import predict

# Other tools end by a signal, SIGINT or SIGPIPE, to which shells give these numbers.
BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    examples=[
        ("a first try, on handwritten digits", "graphcore demo"),
        ("what is in a file", "graphcore info edges.txt.gz"),
        ("100 clusters, and a page about them",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --report page.html"),
        ("how far two labellings agree", "graphcore compare labels.tsv classes.tsv"),
    ],
)  # fmt: skip
@click.version_option(__version__, prog_name="graphcore")
def app():
    """Cluster graphs that are too large for spectral clustering.

    `graphcore COMMAND --help` explains a command, with examples. In place of a file, "-" is standard input or output.
    """


for command in (cluster, predict, report, compare, info, convert, knn, build, check, demo):
    app.add_command(command)


def main(arguments=None):
    """Run the command line and leave with its exit code: 0 done, 2 bad input, 130 interrupted, 141 output closed."""
    # A file would be opened under the number of a standard stream that is closed, so the null device gets it. Python's
    # own stream stays None, and a command that needs it says so.
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # under the lowest free number
    code = run(arguments)
    if code == INTERRUPTED:
        # sys.exit would wait for threads at work in compiled loops.
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def tell_notes(error):
    """Print the notes that an exception carries, as on what an interrupted command has kept."""
    for note in getattr(error, "__notes__", ()):
        tell(f"graphcore: {note.replace('resume=True or --resume', '--resume')}")


def run(arguments=None):
    """Run the command line; returns the exit code. A message about bad input is one line on stderr."""
    try:
        return app.main(arguments, prog_name="graphcore", standalone_mode=False) or 0
    except SystemExit as end:
        tell_notes(end)
        # The wrapper, a private class, is that of click once nobody reads the output any more.
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return PIPE_CLOSED
        raise
    except click.exceptions.NoArgsIsHelpError as no_arguments:
        no_arguments.show()
        return BAD_INPUT
    except click.Abort as abort:
        if isinstance(abort.__cause__, EOFError):  # click takes this for a user's Ctrl-D; here it would be a defect
            raise abort.__cause__ from None
        tell("graphcore: interrupted")
        tell_notes(abort.__cause__)
        return INTERRUPTED
    except click.ClickException as error:
        message = error.format_message()
        if isinstance(error, click.UsageError):
            message += f" (see {'graphcore' if error.ctx is None else error.ctx.command_path} --help)"
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
    tell(f"graphcore: {' '.join(message.split())}")
    return BAD_INPUT
