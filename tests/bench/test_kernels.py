"""The cases of kernel k-means in bench/: the generator of images, and each case on a few rows."""

import gzip
import time
from dataclasses import replace

import numpy as np
import pytest

from bench import __main__ as command
from bench import harness, infinite_mnist, vectors
from bench.cases import landmarks, mnist8m, streams


@pytest.fixture
def data(tmp_path):
    """A data folder with small stand-ins for MNIST: bars at ten places."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "data"
    (folder / "mnist").mkdir(parents=True)
    for part, n in (("train", 600), ("t10k", 100)):
        labels = np.arange(n) % 10
        images = np.zeros((n, 28, 28), np.uint8)
        for i, label in enumerate(labels):
            images[i, 3 + 2 * label : 6 + 2 * label, 5:23] = rng.integers(150, 256)
        with gzip.open(folder / "mnist" / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(np.array([2051, n, 28, 28], ">i4").tobytes() + images.tobytes())
        with gzip.open(folder / "mnist" / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(np.array([2049, n], ">i4").tobytes() + labels.astype(np.uint8).tobytes())
    return folder


@pytest.fixture
def options(options, data):
    return replace(options, data=data, quick=True)


# -- images by the million ---------------------------------------------------------------------------------------------


def test_rows_are_images_and_their_deformations(tmp_path, data, limits):
    limits(infinite_mnist, BLOCK=200)
    where, where_labels = infinite_mnist.generate(tmp_path, 1500, data)
    rows = np.memmap(where, np.uint8, "r").reshape(1500, 784)
    labels = np.load(where_labels)
    images, truth = infinite_mnist.load_mnist(data)
    np.testing.assert_array_equal(rows[:600], images)
    np.testing.assert_array_equal(labels, truth[np.arange(1500) % 600])
    moved = np.abs(rows[600:1200].astype(int) - images).mean(axis=1)
    assert (moved > 0.5).all()
    # A deformed image stays nearer to its own than to those of other classes.
    squares = np.square(rows[600:620, None].astype(float) - images[:20]).sum(axis=2)
    assert (squares.argmin(axis=1) % 10 == np.arange(20) % 10).all()
    assert (rows[600:620] != rows[1200:1220]).any(axis=1).all()
    assert infinite_mnist.generate(tmp_path, 1500, data)[0].stat().st_mtime == where.stat().st_mtime
    # A prefix of the rows is the same whatever the size, and another seed is not.
    short = np.fromfile(infinite_mnist.generate(tmp_path / "short", 700, data)[0], np.uint8).reshape(700, 784)
    np.testing.assert_array_equal(short, rows[:700])
    other = np.fromfile(infinite_mnist.generate(tmp_path / "other", 700, data, seed=1)[0], np.uint8)
    assert (other.reshape(700, 784)[600:] != rows[600:700]).any()


def test_displacements_have_the_same_deviation_everywhere():
    basis = infinite_mnist.bumps()
    np.testing.assert_allclose(np.square(basis).sum(axis=0), 1, rtol=1e-5)
    assert np.linalg.matrix_rank(basis) == len(basis)


def test_deformations_are_the_first_order_formula():
    rng = np.random.default_rng(3)
    image = (rng.random((1, 784)) * 255).astype(np.uint8)
    found = infinite_mnist.deform(image, np.random.default_rng(1), infinite_mnist.bumps())
    rng = np.random.default_rng(1)
    weights = infinite_mnist.DISPLACEMENT * rng.standard_normal((2, 1, 36), dtype=np.float32)
    thick = infinite_mnist.THICKNESS * rng.standard_normal((1, 1), dtype=np.float32)
    square = image.reshape(28, 28).astype(float)
    down, right = np.zeros((28, 28)), np.zeros((28, 28))
    down[1:-1] = (square[2:] - square[:-2]) / 2
    right[:, 1:-1] = (square[:, 2:] - square[:, :-2]) / 2
    fields = (weights[:, 0] @ infinite_mnist.bumps()).reshape(2, 28, 28)
    expected = square + fields[0] * down + fields[1] * right + thick * np.hypot(down, right)
    assert np.abs(found.reshape(28, 28) - np.clip(np.rint(expected), 0, 255)).max() <= 1
    noisy = infinite_mnist.deform(image, np.random.default_rng(1), infinite_mnist.bumps(), noise=5)
    assert 0 < np.abs(noisy.astype(int) - found).max() <= 6


def test_full_disks_are_refused_before_anything_is_written(tmp_path, data, limits):
    limits(infinite_mnist, SPARE_BYTES=1 << 60)
    assert infinite_mnist.fitting_rows(tmp_path, 1000) == 0
    with pytest.raises(SystemExit, match="has room for 0"):
        infinite_mnist.generate(tmp_path / "images", 1000, data)
    assert list((tmp_path / "images").iterdir()) == []


# -- cases -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_mnist8m_measures_three_sizes(options, tmp_path, limits):
    limits(mnist8m, LANDMARKS=100)
    options.folder, options.rows, options.seeds = tmp_path / "images", 6000, 1
    report = mnist8m.run(options)
    assert [o.graph for o in report.outcomes] == ["1,000 rows"] * 2 + ["1,500 rows"] * 2 + ["6,000 rows"] * 2
    for o in report.outcomes:
        assert o.median("nmi") > 0.5
        assert o.seconds[0] == pytest.approx(sum(o.parts[0][lap] for lap in ("bandwidth", "features", "k-means")))
        assert o.median("anonymous") > 0
    text = report.markdown()
    assert "extrapolated from 6,000 rows" in text
    assert "868" in text


def test_extrapolation_is_the_line_through_the_last_two_and_scores_are_those_of_the_papers():
    n = np.array([1_000_000, 2_000_000])
    assert mnist8m.extrapolated(n, [3.0, 5.0]) == pytest.approx(5 + 2 * 6.1)
    assert mnist8m.extrapolated(np.array([1_000_000, 8_100_000]), [3.0, 7.0]) == 7.0
    found = vectors.agreement([0, 0, 1, 1], [0, 0, 1, 2])
    # I = log 2, H = log 2 and 1.5 log 2: the geometric mean of the entropies.
    assert found["nmi"] == pytest.approx(1 / np.sqrt(1.5))
    assert found["rand"] == pytest.approx(5 / 6)


@pytest.mark.slow
def test_mnist8m_takes_what_fits(options, tmp_path, monkeypatch, limits):
    limits(mnist8m, LANDMARKS=50)
    monkeypatch.setattr(infinite_mnist, "fitting_rows", lambda folder, rows: min(rows, 700))
    options.folder, options.rows, options.seeds = tmp_path / "images", 900, 1
    limits(mnist8m, RANKS=(20,))
    text = mnist8m.run(options).markdown()
    assert "Rows: 700" in text and "900 were asked for" in text


def test_the_case_says_that_there_is_no_data(options, tmp_path):
    options.data = tmp_path / "nothing"
    options.folder = tmp_path / "images"
    report = mnist8m.run(options)
    assert "Not in the data folder" in report.markdown()
    assert not report.outcomes


@pytest.mark.slow
def test_command_takes_rows_and_folder(tmp_path, data, limits, capsys):
    limits(harness, RESULTS=tmp_path / "results")
    limits(mnist8m, LANDMARKS=90)
    command.main(
        f"run mnist8m --rows 500 --folder {tmp_path}/images --data {data} --peers {tmp_path}/no --threads 1".split()
    )
    assert "# 500 MNIST-like images" in capsys.readouterr().out
    assert len(list((tmp_path / "results").glob("mnist8m-*.json"))) == 1


@pytest.mark.slow
def test_memory_of_a_block_is_seen():
    with vectors.AnonymousMemory() as memory:
        before = memory.peak
        if not before:
            pytest.skip("anonymous memory is read from /proc, which this system does not have")
        block = np.ones(30_000_000)
        time.sleep(0.5)
        del block
    assert memory.peak - before > 150e6


# -- landmarks ---------------------------------------------------------------------------------------------------------


def test_landmarks_are_counted_where_they_are(options, data, limits):
    X, truth = landmarks.rare_clusters()
    some = np.r_[0:15000:50, 15000:15300]
    sets = {landmarks.RARE: lambda _: (X[some], truth[some]), "avila": vectors.avila, "letter": vectors.letter}
    limits(landmarks, LOADERS=sets | {"bank notes": vectors.bank_notes})
    limits(landmarks, METHODS={"rpcholesky": ("rpcholesky", 1), "uniform": ("uniform", 1)})
    (data / "banknotes").mkdir()
    notes = np.random.default_rng(0).normal(size=(60, 4)) + 5 * (np.arange(60) % 2)[:, None]
    np.savetxt(data / "banknotes" / "banknotes.csv", np.column_stack([notes, np.arange(60) % 2]), delimiter=",")
    options.seeds = 1
    report = landmarks.run(options)
    scores = {(each.graph, each.method.title): each.scores[0] for each in report.outcomes}
    pivots, uniform = (scores[landmarks.RARE, f"{name}, 120 landmarks"] for name in ("rpcholesky", "uniform"))
    assert uniform["met"] <= pivots["met"] == 25
    assert pivots["left_out"] < uniform["left_out"]
    assert 0 <= pivots["found"] <= 25
    assert scores["bank notes", "rpcholesky, 20 landmarks"]["nmi"] == 1
    assert scores["bank notes", "rpcholesky, 20 landmarks"]["met"] == 0
    assert "rare clusters met" in report.page
    assert "Not in the data folder" in report.sections[-1]
    assert "avila, letter" in report.sections[-1]


# -- coresets of parts and of streams ----------------------------------------------------------------------------------


def test_streams_and_merges_on_a_few_rows(options, limits):
    limits(streams, SHORT=2000, CHUNK=500, N_JUDGED=1000, N_CANDIDATES=2, N_PARTS=(3,))
    limits(streams, LOADERS={"toy": lambda _: streams.planted(3, 600, 5), "not here": lambda _: None})
    report = streams.run(replace(options, rows=3000))
    assert "Not in the data folder" in report.sections[-1] and "not here" not in report.page
    titles = [outcome.method.title for outcome in report.outcomes]
    assert titles[:3] == ["one, draws", "one, distinct points", "of 3 parts"]
    assert titles[3:] == ["a stream, 2,000 rows", "all in memory, 2,000 rows", "a stream, 3,000 rows"]
    for outcome in report.outcomes[:3]:
        assert abs(outcome.median("weights") - 1) < 0.5 and outcome.median("error") < 0.5
    assert all(outcome.median("ari") > 0.7 for outcome in report.outcomes[3:])
    assert report.json()
