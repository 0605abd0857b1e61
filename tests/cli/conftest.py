"""Commands run in this process, and standard input, as tests of the command line need them."""

import io
import json
import sys

import pytest

from graphcore.cli.app import run


@pytest.fixture
def feed(monkeypatch):
    """A function that gives bytes to standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture
def told(capsys):
    """A function that runs a command, which is to end with `code`; returns all that came on (stdout, stderr)."""

    def run_command(command, code=0):
        words = command.split() if isinstance(command, str) else command
        assert run(words) == code, words
        return capsys.readouterr()

    return run_command


@pytest.fixture
def facts_of(told):
    """A function that runs a command and returns the facts that it prints as JSON."""
    return lambda command: json.loads(told(f"{command} --json").out)
