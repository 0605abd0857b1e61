"""Metadata of the distribution agree with the package, and are given once."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import graphcore
from graphcore.exceptions import missing_package
from tests import user_script

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DISTRIBUTION = PROJECT["project"]["name"]


@pytest.mark.parametrize("folder", ["graphcore", "docs", "tests"])
def test_extras_are_those_of_the_distribution(folder):
    """Wherever something is to be installed, it is by an extra that exists, and not from an index that has it not."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".rst", ".yaml")]
    texts = [path.read_text(encoding="utf-8") for path in [*files, ROOT / "README.md", ROOT / "pyproject.toml"]]
    extras = PROJECT["project"]["optional-dependencies"]
    named = re.findall(r"(?:[\w-]*graphcore[\w-]*|'\.)\\?\[([a-z]+(?:,[a-z]+)*)\\?\]", "\n".join(texts))
    assert {extra for listed in named for extra in listed.split(",")} <= set(extras)
    assert not re.search(r"pip install '?graphcore", "\n".join(texts).replace("'?graphcore", ""))


def test_messages_about_missing_packages_name_them_and_an_extra_that_has_them():
    extras, seen = PROJECT["project"]["optional-dependencies"], set()
    for path in (ROOT / "graphcore").rglob("*.py"):
        for called in re.findall(r'missing_package\("[^"]+", "([^"]+)", "([^"]+)"\)', path.read_text(encoding="utf-8")):
            package, extra = called
            assert any(re.match(rf"{package}\b", each) for each in extras[extra]) or package == "igraph", called
            seen.add(extra)
    assert {"plot", "parquet"} <= seen
    said = missing_package("this", "that", "plot")
    assert said == "this needs the package that: pip install that (or '.[plot]' in a checkout of graphcore)"


def test_the_conda_recipe_agrees_with_the_project():
    """Dependencies and their bounds are equal; the version is taken from the package."""
    text = (ROOT / "docs" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"^  run:\n((?:    - .*\n)+)", text, re.MULTILINE)[1].split("    - ")[1:]
    wanted = ["python >=3.11", *PROJECT["project"]["dependencies"]]
    assert sorted(line.strip().replace(" ", "") for line in run) == sorted(w.replace(" ", "") for w in wanted)
    assert f"name: {DISTRIBUTION}" in text
    assert re.search(r'^  version: "(.*)"', text, re.MULTILINE)[1] == graphcore.__version__


@pytest.mark.parametrize("package", ["graphcore", "graphcore.datasets", "graphcore.networkx"])
def test_type_checkers_see_the_names_that_are_imported_late(package):
    module = import_module(package)
    folder = Path(module.__file__).parent
    homes = vars(module).get("_PUBLIC") or module._HOMES
    seen = re.findall(r"^from (\S+) import (\w+) as (\w+)$", (folder / "__init__.pyi").read_text(), re.MULTILINE)
    assert {name: None if home == "." else home for home, name, _ in seen} == homes
    assert all(name == again for _, name, again in seen)
    assert (ROOT / "graphcore" / "py.typed").exists()
    assert "tests/user_script.py" in PROJECT["tool"]["mypy"]["files"]


@pytest.mark.slow
def test_the_script_that_is_type_checked_runs(capsys):
    user_script.main()
    assert capsys.readouterr().out.startswith("34 ")
