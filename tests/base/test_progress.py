"""Messages of verbose functions, and their receivers."""

import re
import sys

import pytest

from graphcore.base import progress
from tests.cli.test_cluster import process

SETUPS = {
    "no logging": "verbose = 1",
    "a log": "logging.basicConfig(level=logging.INFO)",
    "a log of warnings": "logging.basicConfig(level=logging.WARNING, force=True)",
}
FIT = """
karate = graphcore.datasets.load_karate()
graphcore.CoresetSpectralClustering(2, random_state=0, verbose=verbose).fit(karate.graph)
graphcore.KernelKMeans(2, random_state=0, verbose=verbose).fit([[0.0], [1.0], [5.0], [6.0]])
print("--", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def said():
    """Lines of fits in a process of their own, after each setup of a log in turn."""
    done = process("import logging, sys\nimport graphcore\n" + "".join(f"{line}{FIT}" for line in SETUPS.values()))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    *parts, rest = done.stderr.split("--\n")
    assert rest == ""
    lines = [[line for line in part.splitlines() if "compiling" not in line] for part in parts]
    return dict(zip(SETUPS, lines, strict=True))


@pytest.mark.parametrize(
    ("setup", "beginning"),
    [("no logging", "graphcore: "), ("a log", "INFO:graphcore:"), ("a log of warnings", "graphcore: ")],
)
@pytest.mark.slow
def test_verbose_says_everything_once(said, setup, beginning):
    scores = [line for line in said[setup] if "score: " in line]
    assert len(scores) == 1 and scores[0].startswith(beginning + "score: ")


def test_a_bar_counts_stages_and_lets_lines_through(capsys):
    bar = progress.Bar()
    with bar.hidden():
        print("nothing is shown yet", file=sys.stderr)
    bar.expect(2)
    bar.begin("read")
    bar.note("graphcore: 40%")
    with bar.hidden():
        print("a line", file=sys.stderr)
    stages = progress.Stages(bar.begin, on_note=bar.note)
    with stages("write"), progress.Stages()("moves"):
        pass
    bar.close()
    said = capsys.readouterr().err
    assert re.search(r"read: .* 0 of 2 .*40%", said) and re.search(r"write: .* 1 of 2 .*moves", said)
    assert "\ra line\n" in said


@pytest.mark.parametrize("shape", [(-1, -1), (40, -1)])  # as tqdm counts then
def test_a_terminal_that_says_it_is_0_wide_or_high_shows_the_bar(monkeypatch, capsys, shape):
    monkeypatch.setattr("tqdm.std._screen_shape_wrapper", lambda: lambda stream: shape)
    bar = progress.Bar()
    bar.begin("read")
    bar.begin("write")
    bar.close()
    assert "write: " in capsys.readouterr().err
