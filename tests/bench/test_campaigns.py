"""Campaigns: a short run of each with a fixed seed, and what the harness makes of cases that go wrong."""

import pytest

from bench.campaigns.fuzz import CORPUS, TARGETS, replay
from bench.campaigns.harness import NAMES, load, run


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_short_run_finds_nothing(name, tmp_path):
    if name == "sizes":
        pytest.importorskip("pyarrow")  # it lies in tables, too
    found = run(name, load(name).short, seed=1, keep=tmp_path)
    assert found.cases == load(name).short
    assert not found.failures, "\n\n".join(path.read_text() for path in sorted(tmp_path.glob("*/failure.txt")))


@pytest.mark.parametrize("processes", [1, 2])
def test_the_harness_counts_whatever_goes_wrong_and_goes_on(tmp_path, processes):
    found = run("trial", 12, processes=processes, keep=tmp_path)
    assert (found.cases, found.outcomes["accepted"]) == (12, 7)
    origin = "from the campaign"
    kinds = ["hangs", "process ended with -11", f"MemoryError {origin}", "a kind", f"KeyError {origin}"]
    assert found.failures == dict.fromkeys(kinds, 1)
    assert found.first == {kind: number for number, kind in enumerate(kinds)}
    for number in range(5):
        folder = tmp_path / f"trial-0-{number}"
        assert (folder / "input.txt").read_text() == str(number)
        text = (folder / "failure.txt").read_text()
        assert f"-m bench.campaigns trial --seed 0 --case {number}" in text
        assert ("trial.py" in text) == (number not in (2, 3, 4)) or "Traceback" in text


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_fuzzer_found_does_no_harm(name, tmp_path):
    files = sorted((CORPUS / name).iterdir())
    outcomes = [replay(name, file.read_bytes(), tmp_path) for file in files]
    assert {"accepted", "refused"} <= set(outcomes)
