"""The bench's downloads, from a server of the test's."""

import hashlib
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench import __main__ as command
from bench.fetch import CATALOGUE, fetch

CONTENT = b"T,2,8\nI,5,12\n"


@pytest.fixture
def server(tmp_path):
    """The address of a server that has one file."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a file.data").write_bytes(CONTENT)
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "there")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_files_are_downloaded_once(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(CATALOGUE, "letter", {f"{server}/a%20file.data": hashlib.sha256(CONTENT).hexdigest()})
    path = tmp_path / "letter" / "a file.data"
    command.main(["fetch", "letter", "--data", str(tmp_path)])
    assert capsys.readouterr().out == f"{path}\n" and path.read_bytes() == CONTENT
    (tmp_path / "there" / "a file.data").unlink()
    assert fetch("letter", tmp_path) == [str(path)]


def test_another_file_than_the_published_one_is_not_kept(server, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)  # between attempts
    monkeypatch.setitem(CATALOGUE, "letter", {f"{server}/a%20file.data": "0" * 64})
    with pytest.raises(ValueError, match="does not match the known hash"):
        fetch("letter", tmp_path)
    assert list((tmp_path / "letter").iterdir()) == []


def test_addresses_are_secure_and_checksums_whole():
    for url, sha256 in (item for files in CATALOGUE.values() for item in files.items()):
        assert url.startswith("https://") and re.fullmatch("[0-9a-f]{64}", sha256 or "0" * 64)
