"""Rules for all tests."""

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("test_*.py"))


def own_nodes(function):
    """Nodes of a function without those of functions within it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda folder: folder.name)
def test_no_test_ends_early_without_a_word(folder):
    # An example that does not fit is not assumed, a case that does not apply is skipped with a reason.
    for path in folder.glob("test_*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                returns = [node.lineno for node in own_nodes(function) if isinstance(node, ast.Return)]
                assert not returns, f"{path}:{returns[0]}"
