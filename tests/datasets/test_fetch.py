"""Downloads from a local server that breaks off, changes and lies; loaders of folders of files."""

import dataclasses
import functools
import gzip
import hashlib
import http.server
import io
import json
import re
import resource
import threading
import zipfile

import numpy as np
import pytest

import graphcore
from graphcore import FormatError, InputError, ParameterError
from graphcore.cli.app import run
from graphcore.datasets import catalogue, public
from graphcore.datasets.catalogue import CATALOGUE, DataFile
from graphcore.datasets.download import download
from graphcore.datasets.vector_files import read_idx

CONTENT = np.random.default_rng(0).integers(0, 256, 3_000_000, dtype=np.uint8).tobytes()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`; a test sets how it misbehaves."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {"/data.bin": CONTENT}
        self.version = '"one"'
        self.date = None
        self.break_after = []  # bytes after which each request in turn is cut off
        self.errors = []  # status codes that requests in turn get
        self.takes_ranges = True
        self.says_length = True
        self.length = None  # said instead of the true one
        self.redirect = None
        self.requests = []

    def url(self, path="/data.bin"):
        return f"http://127.0.0.1:{self.server_port}{path}"

    @property
    def starts(self):
        return [start for start, _ in self.requests]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        content = server.files.get(self.path)
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked and server.takes_ranges else 0
        if self.headers.get("If-Range") not in (None, server.version, server.date):
            start = 0
        server.requests.append((start, dict(self.headers)))
        if server.redirect is not None:
            self.send_response(302)
            self.send_header("Location", server.redirect)
            return self.end_headers()
        if server.errors:
            return self.send_error(server.errors.pop(0))
        if content is None:
            return self.send_error(404)
        if start >= len(content) > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if server.says_length:
            self.send_header("Content-Length", server.length or str(len(content) - start))
        if server.version:
            self.send_header("ETag", server.version)
        if server.date:
            self.send_header("Last-Modified", server.date)
        self.end_headers()
        sent = content[start:]
        if server.break_after:
            sent = sent[: server.break_after.pop(0)]
        self.wfile.write(sent)
        return None

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


get = functools.partial(download, pause=0)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_and_is_verified(server, tmp_path):
    told = []
    path = tmp_path / "data.bin"
    got = get(server.url(), path, size=len(CONTENT), sha256=SHA256, progress=lambda *step: told.append(step))
    assert path.read_bytes() == CONTENT
    assert (got.size, got.sha256, got.is_verified, got.n_received) == (len(CONTENT), SHA256, True, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert names(tmp_path) == ["data.bin"]
    assert server.requests[0][1]["Accept-Encoding"] == "identity"


def test_without_a_published_checksum_it_is_not_called_verified(server, tmp_path):
    got = get(server.url(), tmp_path / "data.bin")
    assert (got.sha256, got.is_verified) == (SHA256, False)


def test_a_file_that_is_there_is_not_fetched_again(server, tmp_path):
    (tmp_path / "data.bin").write_bytes(CONTENT)
    got = get(server.url(), tmp_path / "data.bin", sha256=SHA256)
    assert (got.n_received, server.requests) == (0, [])
    with pytest.raises(FormatError, match="delete it to fetch it again"):
        get(server.url(), tmp_path / "data.bin", sha256="0" * 64)
    assert (tmp_path / "data.bin").exists()


def test_a_broken_download_is_continued_where_it_broke_off(server, tmp_path):
    server.break_after = [1_000_000, 500_000]
    got = get(server.url(), tmp_path / "data.bin", sha256=SHA256)
    assert server.starts == [0, 1_000_000, 1_500_000]
    assert got.n_received == len(CONTENT)


def test_a_later_call_continues(server, tmp_path):
    server.break_after = [1_000_000, 0, 0, 0]
    path = tmp_path / "data.bin"
    with pytest.raises(OSError, match="1000000 bytes have come and are kept"):
        get(server.url(), path)
    assert names(tmp_path) == ["data.bin.part", "data.bin.part.json"]
    server.break_after = []
    got = get(server.url(), path, sha256=SHA256)
    assert (got.n_received, server.starts[-1]) == (len(CONTENT) - 1_000_000, 1_000_000)
    assert names(tmp_path) == ["data.bin"]


def test_an_interrupt_keeps_what_has_come_and_makes_no_file(server, tmp_path):
    def stop(there, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(server.url(), tmp_path / "data.bin", progress=stop)
    assert names(tmp_path) == ["data.bin.part", "data.bin.part.json"]
    assert get(server.url(), tmp_path / "data.bin", sha256=SHA256).n_received < len(CONTENT)


@pytest.mark.parametrize("by_date", [False, True])
def test_two_versions_are_not_glued_together(server, tmp_path, by_date):
    if by_date:
        server.version, server.date = 'W/"weak"', "Sat, 01 Nov 2025 10:00:00 GMT"
    server.break_after = [1_000_000, 0, 0]
    with pytest.raises(OSError, match="ended early"):
        get(server.url(), tmp_path / "data.bin")
    server.files["/data.bin"] = other = CONTENT[::-1]
    if by_date:
        server.date = "Sun, 02 Nov 2025 10:00:00 GMT"
    else:
        server.version = '"two"'
    server.break_after = []
    get(server.url(), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == other


def test_without_a_version_a_download_starts_again(server, tmp_path):
    server.version = None
    server.break_after = [1_000_000]
    get(server.url(), tmp_path / "data.bin", sha256=SHA256)
    assert server.starts == [0, 0]


def test_a_server_without_ranges(server, tmp_path):
    server.takes_ranges = False
    server.break_after = [1_000_000]
    get(server.url(), tmp_path / "data.bin", sha256=SHA256)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_server_that_does_not_say_how_long_the_file_is(server, tmp_path):
    server.says_length = False
    told = []
    get(server.url(), tmp_path / "data.bin", sha256=SHA256, progress=lambda *step: told.append(step))
    assert told[-1] == (len(CONTENT), None)


@pytest.mark.parametrize("length", [len(CONTENT), len(CONTENT) + 10])
def test_a_beginning_that_is_complete_or_too_long(server, tmp_path, length):
    (tmp_path / "data.bin.part").write_bytes((CONTENT + bytes(10))[:length])
    (tmp_path / "data.bin.part.json").write_text(json.dumps({"url": server.url(), "version": '"one"'}))
    got = get(server.url(), tmp_path / "data.bin", sha256=SHA256)
    assert got.n_received == (0 if length == len(CONTENT) else len(CONTENT))


def test_a_beginning_of_another_url_or_that_nobody_knows_is_thrown_away(server, tmp_path):
    for note in (json.dumps({"url": "http://elsewhere", "version": '"one"'}), "broken", None):
        (tmp_path / "data.bin.part").write_bytes(b"something else")
        if note:
            (tmp_path / "data.bin.part.json").write_text(note)
        get(server.url(), tmp_path / "data.bin", sha256=SHA256)
        (tmp_path / "data.bin").unlink()


@pytest.mark.parametrize("published", [{"sha256": "0" * 64}, {"size": 5}])
def test_a_wrong_file_is_thrown_away(server, tmp_path, published):
    with pytest.raises(FormatError, match="gives another file"):
        get(server.url(), tmp_path / "data.bin", **published)
    assert names(tmp_path) == []


def test_a_body_beyond_the_published_size_is_cut_off(server, tmp_path):
    server.says_length = False
    with pytest.raises(FormatError, match="gives another file: more than the published 5 bytes"):
        get(server.url(), tmp_path / "data.bin", size=5, progress=lambda *_: pytest.fail("took it in"))
    assert names(tmp_path) == []


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/data.bin", "data:,x"])
def test_no_redirection_leads_away_from_http(server, tmp_path, address):
    server.redirect = address
    with pytest.raises(
        (FormatError, OSError), match=f"leads to {address}, which is neither|to url .{address}. is not allowed"
    ):
        get(server.url(), tmp_path / "data.bin")
    assert names(tmp_path) == []


def test_lengths_that_are_no_numbers(server, tmp_path):
    for length in ("abc", "-1", "9" * 5000):
        server.length = length
        with pytest.raises(FormatError, match="which is no size") as caught:
            get(server.url(), tmp_path / "data.bin")
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("note", ["[1]", "3", '{"url": [], "version": {}}', "[" * 100_000])
def test_notes_of_another_kind_are_a_new_beginning(server, tmp_path, note):
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:10])
    (tmp_path / "data.bin.part.json").write_text(note)
    assert get(server.url(), tmp_path / "data.bin", sha256=SHA256).n_received == len(CONTENT)


@pytest.mark.parametrize("version", ['"a"\r\nX-Evil: 1', "\n", '"\u20ac"', "", "x" * 5000, 3, ["a"]])
def test_versions_that_cannot_be_sent_are_a_new_beginning(server, tmp_path, version):
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:10])
    (tmp_path / "data.bin.part.json").write_text(json.dumps({"url": server.url(), "version": version}))
    assert get(server.url(), tmp_path / "data.bin", sha256=SHA256).n_received == len(CONTENT)
    assert "X-Evil" not in server.requests[0][1]


def test_servers_that_refuse(server, tmp_path):
    with pytest.raises(OSError, match=r"answers 404 .* moved"):
        get(server.url("/none"), tmp_path / "none")
    server.errors = [503, 500]
    assert get(server.url(), tmp_path / "data.bin").sha256 == SHA256
    server.errors = [503] * 3
    with pytest.raises(OSError, match="answers 503; 0 bytes have come"):
        get(server.url(), tmp_path / "other")
    with pytest.raises(OSError, match="refused"):
        get("http://127.0.0.1:1/", tmp_path / "nobody")


def test_a_folder_that_cannot_be_written_is_no_matter_of_the_network(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="Not a directory"):
        get(server.url(), tmp_path / "file" / "data.bin")
    assert len(server.requests) <= 1


def test_a_full_disk_is_no_matter_of_the_network(server, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            get(server.url(), tmp_path / "data.bin")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(tmp_path / "data.bin.part")
    assert len(server.starts) == 1  # it is not tried again
    assert get(server.url(), tmp_path / "data.bin").size == len(CONTENT)


# -- the catalogue -----------------------------------------------------------------------------------------------------


def test_what_the_catalogue_says():
    assert len({name.lower() for name in CATALOGUE}) == len(CATALOGUE) == 9
    for name, dataset in CATALOGUE.items():
        assert catalogue.find_dataset(name.upper()) is dataset
        assert dataset.kind in ("graph", "vectors")
        for file in dataset.files:
            assert file.url.startswith("https://")
            assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert (file.sha256 is None) == (file.size is None)
    assert [name for name, dataset in CATALOGUE.items() if dataset.is_verified] == ["MNIST", "PenDigits", "Letter"]
    assert CATALOGUE["HAR"].files[0].name == "UCI HAR Dataset.zip"
    for unknown in ("CIFAR", 3, None):
        with pytest.raises(ParameterError, match="no data set known here; choose one of email-Eu-core"):
            catalogue.find_dataset(unknown)


@pytest.fixture
def small(server, monkeypatch):
    """The data set "Letter", with three rows and on the local server."""
    rows = b"T,2,8\nI,5,12\nT,1,1\n"
    server.files["/letter.data"] = rows
    dataset = dataclasses.replace(
        CATALOGUE["Letter"], files=(DataFile(server.url("/letter.data")),), n_rows=3, n_columns=2, n_classes=2
    )
    monkeypatch.setitem(CATALOGUE, "Letter", dataset)
    return dataset


def test_fetch_and_load(small, tmp_path, monkeypatch):
    told = []
    files = graphcore.datasets.fetch("letter", tmp_path, progress=lambda *step: told.append(step))
    assert [file.path for file in files] == [str(tmp_path / "Letter" / "letter.data")]
    assert told == [("letter.data", 19, 19)]
    for folder in (tmp_path, tmp_path / "Letter"):
        data, labels = graphcore.datasets.load("Letter", folder)
        assert data.tolist() == [[2, 8], [5, 12], [1, 1]]
        assert data.dtype == np.float32
        assert labels.tolist() == [1, 0, 1]
    monkeypatch.setenv("GRAPHCORE_DATASETS", str(tmp_path))
    assert graphcore.datasets.load("Letter").data.shape == (3, 2)


def test_a_file_with_rows_missing_is_refused(small, tmp_path):
    (tmp_path / "letter.data").write_text("T,2,8\nI,5,12\n")
    with pytest.raises(FormatError, match="hold 2 rows, but Letter has 3"):
        graphcore.datasets.load("Letter", tmp_path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="`graphcore fetch MNIST` downloads it"):
        graphcore.datasets.load("mnist", tmp_path)


def test_where_data_sets_go(monkeypatch):
    monkeypatch.delenv("GRAPHCORE_DATASETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert public.default_folder() == "/caches/graphcore"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert public.default_folder().endswith(".cache/graphcore")


def test_the_command(small, tmp_path, capsys):
    assert run(["fetch", "Letter", "--folder", str(tmp_path), "--json"]) == 0
    (fact,) = json.loads(capsys.readouterr().out)["files"]
    assert (fact["bytes"], fact["received"], fact["verified"]) == (19, 19, False)
    assert run(["fetch", "Letter", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr()
    assert "19 bytes" in out.out
    assert "not verified: no checksum is published" in out.out
    assert out.err == ""  # no bar but on a terminal
    assert run(["fetch", "--list"]) == 0
    assert "com-Friendster" in capsys.readouterr().out
    assert run(["fetch", "--list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["datasets"]) == 9
    assert run(["fetch"]) == 2
    assert "--list" in capsys.readouterr().err
    assert run(["fetch", "nothing"]) == 2
    assert "no data set known here" in capsys.readouterr().err


# -- formats -----------------------------------------------------------------------------------------------------------


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(length.to_bytes(4, "big") for length in array.shape)
    return head + array.tobytes()


def test_idx_files(tmp_path):
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    (tmp_path / "plain").write_bytes(idx(array))
    (tmp_path / "packed.gz").write_bytes(gzip.compress(idx(array)))
    for name in ("plain", "packed.gz"):
        np.testing.assert_array_equal(read_idx(tmp_path / name), array)
    (tmp_path / "short").write_bytes(idx(array)[:-1])
    (tmp_path / "other").write_bytes(b"no IDX")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(idx(array))[:20])
    for name, message in (("short", "are not those of an array"), ("other", "no IDX file"), ("cut.gz", "ended")):
        with pytest.raises(FormatError, match=message):
            read_idx(tmp_path / name)


@pytest.mark.parametrize("nested", [False, True])
def test_the_archive_of_activities(tmp_path, monkeypatch, nested):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for side, rows in (("train", " 1.0 -2.5e-1\n 0 3\n"), ("test", "7 8\n")):
            archive.writestr(f"UCI HAR Dataset/{side}/X_{side}.txt", rows)
        archive.writestr("UCI HAR Dataset/train/y_train.txt", "5\n2\n")
        archive.writestr("UCI HAR Dataset/test/y_test.txt", "5\n")
    content = inner.getvalue()
    if nested:
        outer = io.BytesIO()
        with zipfile.ZipFile(outer, "w") as archive:
            archive.writestr("UCI HAR Dataset.zip", content)
        content = outer.getvalue()
    (tmp_path / "UCI HAR Dataset.zip").write_bytes(content)
    monkeypatch.setitem(CATALOGUE, "HAR", dataclasses.replace(CATALOGUE["HAR"], n_rows=3, n_columns=2, n_classes=2))
    data, labels = graphcore.datasets.load("HAR", tmp_path)
    assert data.tolist() == [[1, -0.25], [0, 3], [7, 8]]
    assert labels.tolist() == [1, 0, 1]


# -- real files --------------------------------------------------------------------------------------------------------


def test_real_graphs(shared_data):
    graph, labels = graphcore.datasets.load("email-Eu-core", shared_data / "email-Eu-core")
    assert (graph.n_nodes, graph.n_edges, labels.max()) == (1005, 16_706, 41)
    graph, labels = graphcore.datasets.load("com-DBLP", shared_data)
    assert (graph.n_edges, labels) == (1_049_866, None)


def test_real_vectors(shared_data):
    for name, means in (("PenDigits", 45), ("Letter", 5)):
        data, labels = graphcore.datasets.load(name, shared_data)
        assert data.shape == (CATALOGUE[name].n_rows, 16)
        assert abs(data.mean() - means) < 15
        assert len(np.unique(labels)) == CATALOGUE[name].n_classes
    data, labels = graphcore.datasets.load("MNIST", shared_data)
    assert data.shape == (70_000, 784)
    # The first and the last digits, as everybody knows them.
    assert labels[:5].tolist() == [5, 0, 4, 1, 9]
    assert labels[60_000:60_004].tolist() == [7, 2, 1, 0]
