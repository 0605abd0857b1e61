"""The papers: quick versions of all exhibits, pages that are what the record gives, lemmas and theorems that hold."""

import pytest

from bench import inputs, papers
from bench.papers import claims, lemmas, page, record, theory
from bench.papers.exhibit import MissingData, Settings, grouped

EXHIBITS = [(papers.paper(name), exhibit) for name in papers.NAMES for exhibit in papers.paper(name).exhibits]


@pytest.fixture(scope="module", autouse=True)
def generated(tmp_path_factory):
    """A folder for generated graphs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "CACHE", tmp_path_factory.mktemp("inputs"))
        yield


@pytest.mark.parametrize(
    ("paper", "exhibit"),
    [
        pytest.param(*pair, id=f"{pair[0].name}-{pair[1].name}", marks=[pytest.mark.slow] * pair[1].slow)
        for pair in EXHIBITS if pair[1].measure
    ],
)  # fmt: skip
def test_a_quick_run_shows_what_the_exhibit_is_to_show(paper, exhibit, tmp_path):
    pytest.importorskip("matplotlib")
    try:
        groups = grouped(exhibit, exhibit.measure(Settings(quick=True)))
    except MissingData as missing:
        pytest.skip(str(missing))
    assert groups and all(set(group) <= {*exhibit.by, *exhibit.values} for group in groups)
    assert exhibit.check is None or exhibit.check(groups) is None
    if exhibit.draw:
        page.draw(paper, exhibit, groups, tmp_path)


@pytest.mark.parametrize(("paper", "exhibit"), EXHIBITS, ids=lambda value: value.name)
def test_what_is_on_record_shows_it_too(paper, exhibit):
    entry = record.load(paper.name).get(exhibit.name)
    if entry is None:
        pytest.skip("not measured yet")
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
