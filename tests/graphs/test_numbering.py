"""Numbers of names by the compiled table, against a dictionary; columns of text from every kind of source."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore.graphs.numbering import Numbering, Text, arrow_text, in_turn, text_of

NAMES = st.lists(st.text(alphabet=st.characters(codec=None), max_size=5) | st.sampled_from(["a", "b", "aa", "", "\0"]))


def numbered(values, known):
    """Number values as Numbering does, by a dictionary that is carried along."""
    return [known.setdefault(value, len(known)) for value in values]


@given(st.lists(NAMES, min_size=1, max_size=3))
def test_numbers_are_those_of_a_dictionary(blocks):
    numbering, known = Numbering(), {}
    for values in blocks:
        text = text_of(values)
        assert text.tolist() == values
        assert numbering.of(text).tolist() == numbered(values, known)
    assert numbering.tolist() == list(known)
    assert len(numbering) == len(known)


def test_the_table_grows_with_names_and_with_bytes():
    rng, numbering, known = np.random.default_rng(0), Numbering(), {}
    for values in ([str(i) for i in rng.integers(0, 5000, 20_000)], ["x" * 100_000, "y", "x" * 100_000, "0"]):
        assert numbering.of(text_of(values)).tolist() == numbered(values, known)
    assert numbering.tolist() == list(known)


@given(st.data())
def test_codes_are_numbered_as_the_values_that_they_stand_for(data):
    sides, columns = [], []
    for _ in range(2):
        names = data.draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6))  # some twice, some not used
        codes = data.draw(st.lists(st.integers(0, len(names) - 1), min_size=4, max_size=4))
        columns.append([names[code] for code in codes])
        text = text_of(names)
        is_coded = data.draw(st.booleans())
        sides.append(Text(text.data, text.starts, text.stops, np.array(codes)) if is_coded else text_of(columns[-1]))
    values = [value for row in zip(*columns, strict=True) for value in row]
    text, numbering, known = in_turn(*sides), Numbering(), {}
    assert text.tolist() == values
    assert numbering.of(text).tolist() == numbered(values, known)
    assert numbering.tolist() == list(known)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_columns_of_arrow(kind):
    pa = pytest.importorskip("pyarrow")
    values = ["a", "ß", "", "a", "日本"]
    column = pa.array(values).dictionary_encode() if kind == "dictionary" else pa.array(values, getattr(pa, kind)())
    try:
        column.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        pytest.skip("this pyarrow does not cast views, and tables of them go another way")
    assert arrow_text(column).tolist() == values
    assert arrow_text(column[2:4]).tolist() == values[2:4]
    assert arrow_text(pa.chunked_array([column[1:], column[:0], column])).tolist() == values[1:] + values
    assert arrow_text(column[:0]).tolist() == []
    assert arrow_text(pa.chunked_array([column, pa.nulls(1, column.type)])) is None


def test_what_is_no_text():
    assert text_of([1, "a"]) is None
    assert text_of(np.array([1, 2])) is None
    assert text_of(np.array(["a", None], dtype=object)) is None
    pa = pytest.importorskip("pyarrow")
    assert arrow_text(pa.array([1, 2]).dictionary_encode()) is None
    assert arrow_text(pa.array([b"a"])) is None
