"""Where a command writes: labels are never lost, and nothing is replaced that was not named."""

import os

from ..exceptions import InputError

__all__ = ["labels_target", "tell_of_missing_pictures"]


def labels_target(source, output, stdout_taken):
    """Return the file that labels go to: `output` if it was given, found out to be writable before the work.

    Otherwise INPUT.clusters.tsv in the current folder, which must not be there yet; for standard input and pipes,
    standard output unless something else goes there.
    """
    from ..io import check_writable
    from ..io._source import is_stream

    if output is None:
        stream = is_stream(source)
        if stream and not stdout_taken:
            return "-"
        output = f"{'standard-input' if stream else os.path.basename(os.path.abspath(source))}.clusters.tsv"
        if os.path.lexists(output):
            raise InputError(f"{output}: is there already; -o {output} replaces it, -o FILE writes elsewhere")
    check_writable(output)
    return output


def tell_of_missing_pictures(console):
    """Say before the work that a report will have no pictures, if matplotlib is missing."""
    from importlib.util import find_spec

    from ..plot._style import NEEDED

    if find_spec("matplotlib") is None:
        console.say(f"warning: the report will have no pictures: {NEEDED}")
