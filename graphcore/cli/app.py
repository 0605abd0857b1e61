"""The command `graphcore`: its subcommands, its errors and its exit codes."""

import gc
import os
import sys

import click

from .. import __version__
from .cluster import cluster, predict
from .console import examples, tell
from .demo import demo
from .graphs import convert, info
from .labels import compare, report

BAD_INPUT, INTERRUPTED = 2, 130  # the second as of other tools that end by SIGINT


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        ("a first try, on handwritten digits", "graphcore demo"),
        ("what is in a file", "graphcore info edges.txt.gz"),
        ("100 clusters, and a page about them",
         "graphcore cluster edges.txt.gz -k 100 -o labels.tsv --report page.html"),
        ("how far two labellings agree", "graphcore compare labels.tsv classes.tsv"),
    ),
)  # fmt: skip
@click.version_option(__version__, prog_name="graphcore")
def app():
    """Cluster graphs that are too large for spectral clustering.

    `graphcore COMMAND --help` explains a command, with examples. In place of a file, "-" is standard input or output.
    """


for command in (cluster, predict, report, compare, info, convert, demo):
    app.add_command(command)


def main(arguments=None):
    """Run the command line and leave with its exit code: 0 done, 2 bad input, 130 interrupted."""
    gc.set_threshold(100_000)  # imported modules stay: to look for garbage among them takes a tenth of a short command
    code = run(arguments)
    if code == INTERRUPTED:
        # sys.exit would wait for threads at work in compiled loops.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments=None):
    """Run the command line; returns the exit code. A message about bad input is one line on stderr."""
    typed = ["graphcore", *(sys.argv[1:] if arguments is None else arguments)]
    try:
        return app.main(arguments, prog_name="graphcore", standalone_mode=False, obj=typed) or 0
    except click.exceptions.NoArgsIsHelpError as no_arguments:
        no_arguments.show()
        return BAD_INPUT
    except click.Abort:
        tell("graphcore: interrupted")
        return INTERRUPTED
    except click.ClickException as error:
        message = error.format_message()
        if isinstance(error, click.UsageError):
            message += f" (see {'graphcore' if error.ctx is None else error.ctx.command_path} --help)"
    except MemoryError as error:
        message = f"out of memory: {error}"
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
    tell(f"graphcore: {' '.join(message.split())}")
    return BAD_INPUT
