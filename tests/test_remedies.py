"""Remedies in messages can be followed: the names exist, in Python and on the command line."""

import ast
import builtins
import importlib
import inspect
import re
from dataclasses import fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from sklearn import neighbors

import graphcore
from graphcore.cli.app import app
from graphcore.cli.console import in_options

ROOT = Path(graphcore.__file__).parent
RAISING = re.compile(r"(Error|Warning|warn_user|warn|say|UsageError|BadParameter|ClickException|fail)$")
# Modules of others that remedies name; of the second ones they are not installed for the tests.
OTHERS, ABSENT = {"numpy", "scipy", "sklearn", "networkx", "pandas", "distributed"}, {"scanpy"}
# Names that stand for the user's own object.
OWN = {"model", "X", "block", "cluster"}


def text_of(node):
    """The text of an expression; what is filled in is {...}."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "{...}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    if isinstance(node, ast.IfExp):
        return f"{text_of(node.body)} {text_of(node.orelse)}"
    return ""


@cache
def messages():
    """(where, text) of all messages in the package."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and RAISING.search(ast.unparse(node.func)):
                found += [(f"{path.relative_to(ROOT)}:{node.lineno}", text) for a in node.args if (text := text_of(a))]
    return found


@cache
def callables():
    """All functions and classes of the package, with the methods of the classes."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        for name, value in vars(module).items():
            if getattr(value, "__module__", "").startswith("graphcore") and callable(value):
                found.setdefault(name, value)
                if inspect.isclass(value):
                    found |= {f"{name}.{own}": each for own, each in inspect.getmembers(value)}
    return found


@cache
def parameters():
    """Names of all parameters of functions and classes, and of fields."""
    names = set()
    for value in callables().values():
        try:
            names |= set(inspect.signature(value).parameters)
        except (TypeError, ValueError):
            continue
        if hasattr(value, "__dataclass_fields__"):
            names |= {field.name for field in fields(value)}
    return names


@cache
def documented():
    return "\n".join(doc for value in callables().values() if isinstance(doc := getattr(value, "__doc__", None), str))


def commands():
    return {
        name: {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
        for name, command in app.commands.items()
    }


def resolved(name):
    """Look up a dotted name, or a class of scikit-learn's neighbours; None if it does not exist."""
    first, *rest = name.split(".")
    if first not in OTHERS | {"graphcore"}:
        return getattr(neighbors, name, None)
    value = pytest.importorskip(first)
    for i, part in enumerate(rest):
        if not hasattr(value, part) and find_spec(".".join([first, *rest[: i + 1]])) is None:
            return None
        value = getattr(value, part, None) or importlib.import_module(".".join([first, *rest[: i + 1]]))
    return value


def exists(name):
    """Whether a dotted name is something of graphcore's, or of a library that remedies may name."""
    if name.split(".")[0] in OWN | ABSENT or hasattr(builtins, name) or resolved(name) is not None:
        return True
    return name in callables() or any(each.endswith(f".{name}") for each in callables())


def keywords_of_others(text):
    """Names of the parameters of all functions and classes of other libraries that a message names."""
    named = [value for name in re.findall(r"[A-Za-z_][\w.]*\w", text) if callable(value := resolved(name))]
    return {keyword for value in named for keyword in inspect.signature(value).parameters}


@pytest.mark.slow
def test_the_search_finds_messages():
    assert len(messages()) > 500
    assert len(parameters()) > 200


@pytest.mark.slow
def test_parameters_that_messages_name_exist():
    wrong = [
        (where, name)
        for where, text in messages()
        for name in re.findall(r"(?<![\w.{<])([a-z_]{2,})=", text)
        if name not in parameters() | keywords_of_others(text)
    ]
    assert wrong == []


@pytest.mark.slow
def test_words_that_messages_recommend_are_among_those_that_a_parameter_takes():
    wrong = []
    for where, text in messages():
        for name, value in re.findall(r"(?<![\w.])([a-z_]{2,})='([a-z0-9_+-]+)'", text):
            if (
                name not in keywords_of_others(text) | {"encoding"}
                and f'"{value}"' not in documented()
                and f"'{value}'" not in documented()
            ):
                wrong.append((where, name, value))
    assert wrong == []


def test_functions_and_attributes_that_messages_name_exist():
    wrong = []
    for where, text in messages():
        named = re.findall(r"(?<![\w./'{-])([A-Za-z_][\w.]*[a-z]\w*)\((?!s\))", text)  # calls
        named += re.findall(r"(?<![\w./])((?:graphcore|numpy|scipy|sklearn|Graph)\.[a-z]\w*(?:\.\w+)*)", text)
        wrong += [(where, name) for name in named if not exists(name)]
        for name in re.findall(r"(?<![\w.])([a-z][a-z_]*_)(?![\w{])", text):  # attributes of fitted models
            if not re.search(rf"\b{name}\b", documented()):
                wrong.append((where, name))
    assert wrong == []


def test_options_and_commands_that_messages_name_exist():
    known, wrong = commands(), []
    every = set().union(*known.values()) | {"--help"}
    for where, text in messages():
        wrong += [(where, option) for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text) if option not in every]
        for command in re.findall(r"(?:`|\(|^|with |use )graphcore ([a-z-]+)(?=[ `)])", text):
            wrong += [] if command in known else [(where, command)]
    assert wrong == []


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("if lines are vectors, use knn_graph (--vectors)", "if lines are vectors, use --vectors"),
        ("use write_graph (graphcore convert)", "use graphcore convert"),
        ("start over with resume=False (no --resume)", "start over with no --resume"),
        ("pass any_size=True (--any-size) if they are meant", "pass --any-size if they are meant"),
        ("12 of 40 nodes (30 %) are isolated", "12 of 40 nodes (30 %) are isolated"),
    ],
)
def test_the_command_line_keeps_its_own_names(message, spelled):
    assert in_options(message, app.commands["cluster"].params) == spelled
    assert in_options(message, [click.Argument(["input"])]) == spelled


KARATE = graphcore.datasets.load_karate().graph
EDGES = [[0, 1], [2, 3], [1, 4], [5, 2]]


def fit_predict(X, n_clusters, **given):
    return graphcore.CoresetSpectralClustering(n_clusters, **given).fit_predict(X)


CALLS = {
    "pairs": (fit_predict, EDGES, {"n_clusters": 2}),
    "one size too small": (fit_predict, KARATE, {"n_clusters": None}),
    "contracted": (graphcore.coreset_spectral_clustering, KARATE, {"n_clusters": 3, "eps": 1.0}),
    "power": (
        graphcore.coreset_spectral_clustering, KARATE,
        {"n_clusters": 3, "coreset_degrees": "weights", "coreset_graph": "induced"},
    ),
    "diagonal": (graphcore.coreset_spectral_clustering, KARATE, {"n_clusters": 2, "self_loop": 0}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:eps=:graphcore.GraphWarning")
@pytest.mark.parametrize("case", CALLS)
def test_a_remedy_that_a_message_spells_out_works(case):
    call, graph, given = CALLS[case]
    with pytest.raises(graphcore.InputError) as caught:
        call(graph, random_state=0, **given)
    said = str(caught.value)
    remedies = re.findall(r"(\w+)=(?:'([\w-]+)'|(\d+\.\d+|\d+)|(True))", said)
    remedies = [(name, word or (number and float(number)) or True) for name, word, number, _ in remedies]
    tried = [(name, value) for name, value in remedies if given.get(name, "auto") != value]
    assert tried, said
    assert call(graph, random_state=0, **given | dict(tried[-1:])) is not None, said
