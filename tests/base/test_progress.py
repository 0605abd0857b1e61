"""What verbose functions say, and to whom."""

import re
import sys
from functools import partial
from types import SimpleNamespace

import pytest
import tqdm.auto

import graphcore
from tests.cli.test_cli import process

FIT = """
import logging, sys
import graphcore
{setup}
karate = graphcore.datasets.load_karate()
graphcore.CoresetSpectralClustering(2, random_state=0, verbose={verbose}).fit(karate.graph)
graphcore.KernelKMeans(2, random_state=0, verbose={verbose}).fit([[0.0], [1.0], [5.0], [6.0]])
"""


def said(setup="", verbose=1):
    done = process(code=FIT.format(setup=setup, verbose=verbose))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return [line for line in done.stderr.splitlines() if "compiling" not in line]


def test_verbose_prints_where_no_logging_is_set_up():
    lines = said()
    assert any(line.startswith("graphcore: score: ") and line.endswith(" s") for line in lines)
    assert any(line.startswith("graphcore: kernel") for line in lines)
    assert said(verbose=0) == []


@pytest.mark.parametrize(
    ("setup", "beginning"),
    [
        ("logging.basicConfig(level=logging.INFO)", "INFO:graphcore:score: "),
        ("logging.basicConfig()", "graphcore: score: "),  # a log that would not hear it
    ],
)
def test_verbose_says_everything_once(setup, beginning):
    lines = said(setup)
    assert len([line for line in lines if "score: " in line]) == 1
    assert any(line.startswith(beginning) for line in lines)


def test_the_logger_can_be_silenced():
    assert said("logging.getLogger('graphcore').setLevel(logging.WARNING)") == []


def test_a_notebook_shows_a_bar_instead_of_lines(monkeypatch, capsys):
    shell = SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(tqdm.auto, "tqdm", partial(tqdm.tqdm, mininterval=0))
    karate = graphcore.datasets.load_karate()
    graphcore.CoresetSpectralClustering(2, random_state=0, verbose=1).fit(karate.graph)
    said = capsys.readouterr().err
    assert "graphcore:" not in said
    steps = [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+) \[", said)]
    assert all(done <= total for done, total in steps)
    told = [done for done, _ in steps if done]  # 0 again where the total becomes known
    assert told == sorted(told)
    assert re.search(r"score:? .*\[", said)
    assert re.search(r"done: .* (\d+) of \1 \[", said)
