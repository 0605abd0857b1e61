"""The pages of the papers: quick versions of all exhibits, pages that are what the record gives, generated shapes."""

import re

import numpy as np
import pytest

from bench import inputs, papers, shapes
from bench.__main__ import main
from bench.papers import claims, lemmas, numbers, page, record, theory
from bench.papers.exhibit import PLOT, TEXT, Exhibit, MissingData, Paper, Settings, grouped

EXHIBITS = [(papers.paper(name), exhibit) for name in papers.NAMES for exhibit in papers.paper(name).exhibits]


def named(pairs):
    """Name the parameters by paper and exhibit, and mark slow exhibits."""
    return [
        pytest.param(paper, exhibit, id=f"{paper.name}-{exhibit.name}", marks=[pytest.mark.slow] * exhibit.slow)
        for paper, exhibit in pairs
    ]


@pytest.fixture(scope="module", autouse=True)
def generated(tmp_path_factory):
    """A folder for generated graphs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "CACHE", tmp_path_factory.mktemp("inputs"))
        yield


@pytest.mark.parametrize(("paper", "exhibit"), named(pair for pair in EXHIBITS if pair[1].measure))
def test_a_quick_run_shows_what_the_exhibit_is_to_show(paper, exhibit, tmp_path):
    pytest.importorskip("matplotlib")
    try:
        groups = grouped(exhibit, exhibit.measure(Settings(quick=True)))
    except MissingData as missing:
        pytest.skip(str(missing))
    assert groups
    for group in groups:
        assert set(group) <= {*exhibit.by, *exhibit.values}
        assert set(group) & set(exhibit.values)
    for key in set(exhibit.values) - {"outcome"}:  # said of what did not come to an end
        assert any(key in group for group in (*groups, *exhibit.published)), key
    assert exhibit.check is None or exhibit.check(groups) is None
    if exhibit.draw:
        page.draw(paper, exhibit, groups, tmp_path)
    assert len(page.values_table(exhibit, groups).splitlines()) >= len(groups) + 2


@pytest.mark.parametrize(("paper", "exhibit"), EXHIBITS, ids=lambda value: value.name)
def test_what_is_on_record_shows_it_too(paper, exhibit):
    entry = record.load(paper.name).get(exhibit.name)
    if entry is None:
        pytest.skip("not measured yet")
    assert "--quick" not in entry["command"] and re.search(
        rf"paper {paper.name} --only {exhibit.name}\b", entry["command"]
    )
    assert exhibit.check is None or exhibit.check(entry["rows"]) is None
    if exhibit.draw:
        picture = record.FOLDER / paper.name / f"{exhibit.name}.svg"
        assert page.digest(exhibit, entry["rows"]) in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", papers.NAMES)
def test_the_page_is_what_the_record_gives(name):
    paper, path = papers.paper(name), record.FOLDER / f"{name}.md"
    assert path.read_text(encoding="utf-8") == page.markdown(paper, record.load(name))


def test_the_table_of_claims_is_what_the_theory_pages_say():
    assert claims.TABLE.read_text(encoding="utf-8") == claims.markdown()
    assert {row[3] for name in claims.PAGES for row in claims.claims(name)} <= set(claims.STATUS)


@pytest.mark.parametrize("lemma", [*lemmas.ALL, *theory.ALL], ids=lambda lemma: lemma.__name__)
def test_lemmas_of_the_papers_hold(lemma):
    lemma()


def cited(row):
    """Return the exhibits that a row of claims rests on."""
    return [exhibit for paper, exhibit in EXHIBITS if f"(#{paper.name}-{exhibit.name})" in row[2]]


CLAIMS = [row for name in claims.PAGES for row in claims.claims(name)]
# Others have a test beside the exhibits.
BY_EXHIBITS_ALONE = [row for row in CLAIMS if cited(row) and "`" not in row[2]]


@pytest.mark.parametrize("row", BY_EXHIBITS_ALONE, ids=lambda row: row[0])
def test_claims_that_rest_on_stand_ins_or_models_alone_say_so(row):
    modelled = all(exhibit.modelled for exhibit in cited(row))
    assert (row[3] == "modelled") == modelled
    assert modelled or (row[3] == "on a stand-in") == all(exhibit.stand_in for exhibit in cited(row))


@pytest.mark.parametrize(("paper", "exhibit"), EXHIBITS, ids=lambda value: value.name)
def test_exhibits_are_described(paper, exhibit):
    assert paper.name in papers.NAMES and exhibit.why
    assert (exhibit.measure is None) == bool(exhibit.unavailable)
    for row in exhibit.published:
        assert set(row) <= {*exhibit.by, *exhibit.values, "source"}
        assert row["source"] in (TEXT, PLOT)


TOY = Exhibit(
    name="table-1",
    title="a toy",
    by={"method": "method", "k": "k"},
    values={"ari": "ARI", "outcome": "outcome"},
    measure=lambda settings: (
        {"method": "ours", "k": k, "ari": seed / 10 + k, "outcome": "ok"} for k in (1, 2) for seed in settings.seeds(3)
    ),
    why="Because.",
    published=(
        {"method": "ours", "k": 2, "ari": 2.5, "source": TEXT},
        {"method": "theirs", "k": 2, "ari": "not given", "source": PLOT},
    ),
)
TOY_PAPER = Paper("toy", "A toy", "Nobody.", "Text.", (TOY,))


def test_the_table_has_the_mean_the_deviation_and_the_published_value():
    groups = grouped(TOY, TOY.measure(Settings()))
    assert groups == [
        {"method": "ours", "k": 1, "ari": [1, 1.1, 1.2], "outcome": ["ok"] * 3},
        {"method": "ours", "k": 2, "ari": [2, 2.1, 2.2], "outcome": ["ok"] * 3},
    ]
    assert page.values_table(TOY, groups).splitlines()[2:] == [
        "| ours | 1 | 1.1 ± 0.1 | - | ok | 3 | - |",
        "| ours | 2 | 2.1 ± 0.1 | 2.5 | ok | 3 | text |",
        "| theirs | 2 | - | not given | - | - | read off the plot |",
    ]


def test_a_record_is_kept_and_broken_off_without_loss(tmp_path):
    def stopped(settings):
        yield {"method": "ours", "k": 1, "ari": 0.5}
        raise KeyboardInterrupt

    record.measure(TOY_PAPER, Settings(repetitions=2, seed=4), folder=tmp_path)
    kept = record.load("toy", tmp_path)
    assert kept["table-1"]["command"] == "python -m bench paper toy --only table-1 --repetitions 2 --seed 4"
    assert kept["table-1"]["rows"][0]["ari"] == [1.4, 1.5]
    second = Exhibit("table-2", "broken off", TOY.by, TOY.values, stopped, "Because.")
    absent = Exhibit("table-3", "no data", TOY.by, TOY.values, lambda settings: missing(), "Because.")
    paper = Paper("toy", "A toy", "Nobody.", "Text.", (TOY, second, absent))
    record.measure(paper, Settings(), ["table-2", "table-3"], folder=tmp_path)
    now = record.load("toy", tmp_path)
    assert list(now) == ["table-1", "table-2"] and now["table-1"] == kept["table-1"]
    page.write(paper, tmp_path)
    text = (tmp_path / "toy.md").read_text(encoding="utf-8")
    assert "broken off before all was measured" in text and "**Not measured yet.**" in text


def missing():
    raise MissingData("no data here")
    yield


def test_unknown_exhibits_are_refused_by_name():
    with pytest.raises(SystemExit, match="no exhibit 'figure-99'; there are "):
        main(["paper", "coreset", "--only", "figure-99"])


# -- curves and surfaces: every point lies where the equations say -----------------------------------------------------


def test_trefoil():
    points = shapes.trefoil(2000, random_state=0)
    x, y, z = points.T
    # (sqrt(x^2 + y^2) - 2)^2 + z^2 = 1, and the angle turns two times while the height turns three.
    radius = np.hypot(x, y)
    np.testing.assert_allclose((radius - 2) ** 2 + z**2, 1, atol=1e-12)
    around = np.exp(1j * np.arctan2(y, x)) ** 3
    np.testing.assert_allclose(around, (radius - 2 + 1j * z) ** 2, atol=1e-9)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 * np.sqrt(5 / 2000))


def test_embedded_trefoil():
    points, arcs, knots, tangents = shapes.embedded_trefoil(3000, 5, n_features=7, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(knots, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(tangents, axis=1), 1)
    np.testing.assert_array_equal(np.unique(arcs), np.arange(5))
    # Every arc against Hermite's form of the same cubic: ends, and derivatives equal to the tangents at both.
    t = np.linspace(0, 1, 4001)[:, None]
    for s in range(5):
        p, q, v, w = knots[s], knots[(s + 1) % 5], tangents[s], tangents[(s + 1) % 5]
        curve = (
            (2 * t**3 - 3 * t**2 + 1) * p + (t**3 - 2 * t**2 + t) * v + (3 * t**2 - 2 * t**3) * q + (t**3 - t**2) * w
        )
        gaps = np.square(points[arcs == s][:100, None] - curve).sum(axis=2).min(axis=1)
        assert np.sqrt(gaps.max()) < 1e-3
    outside = shapes.embedded_trefoil(3000, 5, n_features=7, t="normal", random_state=0)[0]
    assert np.linalg.norm(points, axis=1).max() < 1.5
    assert np.linalg.norm(outside, axis=1).max() > 10


def test_sphere_and_cone():
    points = shapes.sphere(5000, 20, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=5 / np.sqrt(20 * 5000))
    np.testing.assert_allclose(points.T @ points / 5000, np.eye(20) / 20, atol=0.005)
    x, y, z = shapes.cone(500, random_state=0).T
    np.testing.assert_allclose(x**2 + y**2, 10 * z**2, atol=1e-12)


def test_labelled_shapes():
    points, labels = shapes.circles(301, (1, 2.5, 10), random_state=0)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), np.array([1, 2.5, 10])[labels])
    assert sorted(np.bincount(labels)) == [100, 100, 101]
    points, labels = shapes.noisy_triangle(300, noise=0, random_state=0)
    # An equilateral triangle in the unit circle has its sides at a distance of a half.
    normals = np.deg2rad([150, 270, 30])[labels]
    np.testing.assert_allclose(points[:, 0] * np.cos(normals) + points[:, 1] * np.sin(normals), 0.5, atol=1e-12)
    points, labels = shapes.cluster_in_cluster(301, random_state=0)
    radius = np.linalg.norm(points, axis=1)
    assert radius[labels == 1].max() < 1.54 and radius[labels == 0].min() > 4.16
    points, labels = shapes.crescent_moon(400, random_state=0)
    radius = np.linalg.norm(points, axis=1)
    assert radius[labels == 1].max() <= 5 and radius[labels == 0].min() >= 10 and points[labels == 0, 1].max() <= 0
    assert np.bincount(labels).tolist() == [300, 100]


# -- numbers of the prose ----------------------------------------------------------------------------------------------


def test_every_number_in_the_prose_has_its_record():
    assert [row for row in numbers.found() if row[-1]] == []


@pytest.mark.parametrize(
    ("prose", "phrases", "faults"),
    [
        ("It is .165 here.", {"is .165": lambda groups: 0.1654}, []),
        ("It is .165 here.", {"is .165": lambda groups: 0.1656}, [numbers.UNLIKE]),
        ("From 1,000 to 2.5 %.", {"1,000 to 2.5 %": lambda groups: [1000, 2.54]}, []),
        ("From 1,000 to 2.5 %.", {"1,000 to 2.5 %": lambda groups: 1000}, [numbers.UNLIKE]),
        ("Within a hundredth.", {"a hundredth": lambda groups: True}, []),
        ("Within a hundredth.", {"a hundredth": lambda groups: False}, [numbers.UNLIKE]),
        ("Within a hundredth, or 3.", {}, [numbers.UNKNOWN] * 2),
        ("A tenth of 5,000 points.", {"5,000 points": "a setting"}, [numbers.UNKNOWN]),
        ("It is .165.", {"is .165": lambda groups: groups[9]}, [numbers.UNKNOWN]),
        ("It is.", {"is .165": lambda groups: 0.165}, [numbers.ABSENT]),
        ("By $2^{1/3}$ and `f(4)`, section 5.1, tables 5 and 6, [it](#a-8), k = 9, 10 and 11; D2, 8M.", {}, []),
        ("Of the 8 x 8 digits.", {}, []),
    ],
)
def test_numbers_of_prose_are_looked_up(prose, phrases, faults):
    groups = [{"data": "8 x 8 digits", "k": 3}]
    found = list(numbers._of_prose(prose, phrases, groups, "here"))
    assert [fault for *_, fault in found if fault] == faults


def test_a_page_is_read_without_its_tables_and_origins():
    text = (
        "# Of 3\n\n(toy-table-1)=\n## Table 1: 5\n\n```{figure} a/1.svg\n:alt: 6\n```\n\nIt is 7.\n\n| 8 |\n\n"
        "*Measured on 9.*\n"
    )
    assert [(name, prose.split()) for name, prose in numbers._sections(text)] == [
        ("", []),
        ("table-1", ["It", "is", "7."]),
    ]


def test_numbers_without_a_record_are_listed_and_fail(monkeypatch, capsys):
    rows = [("a.json x", "is .1", "0.1", ""), ("a.json y", "2 in 'of 2'", "", numbers.UNKNOWN)]
    monkeypatch.setattr(numbers, "found", lambda: rows)
    assert main(["numbers"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["a.json", "x", "ok", "is", ".1:", "0.1"]
    assert "no record" in lines[1] and lines[2] == "1 of 2 have no record, or are unlike it"
