"""Downloads from a local server that breaks off and lies; loaders of folders of files."""

import dataclasses
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import resource
import sys
import threading
import zipfile

import numpy as np
import pytest

import graphcore
from graphcore import FormatError, InputError, ParameterError
from graphcore.cli.app import run
from graphcore.datasets import catalogue, public
from graphcore.datasets.catalogue import CATALOGUE, DataFile
from graphcore.datasets.public import read_idx

pytest.importorskip("pooch")
CONTENT = np.random.default_rng(0).integers(0, 256, 3_000_000, dtype=np.uint8).tobytes()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`; a test sets how it misbehaves."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {"/data.bin": CONTENT}
        self.break_after = []  # bytes after which each request in turn is cut off
        self.errors = []  # status codes that requests in turn get
        self.headers = {"Content-Length": str(len(CONTENT))}
        self.redirect = None
        self.requests = []

    def file(self, sha256=None, path="/data.bin"):
        return DataFile(f"http://127.0.0.1:{self.server_port}{path}", sha256)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server, content = self.server, self.server.files.get(self.path)
        server.requests.append(dict(self.headers))
        if server.redirect is not None:
            self.send_response(302)
            self.send_header("Location", server.redirect)
            return self.end_headers()
        if server.errors:
            return self.send_error(server.errors.pop(0))
        if content is None:
            return self.send_error(404)
        self.send_response(200)
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: server.break_after.pop(0)] if server.break_after else content)
        return None

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setattr("time.sleep", lambda _: None)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def get(file, path):
    return public._fetched(file, str(path), False)


def test_a_file_arrives_whole_and_is_verified_and_not_fetched_again(server, tmp_path):
    path = tmp_path / "data.bin"
    got = get(server.file(SHA256), path)
    assert path.read_bytes() == CONTENT
    assert (got.size, got.sha256, got.is_verified, got.n_received) == (len(CONTENT), SHA256, True, len(CONTENT))
    assert os.listdir(tmp_path) == ["data.bin"] and path.stat().st_mode & 0o777 == 0o644
    assert server.requests[0]["Accept-Encoding"] == "identity"
    assert (get(server.file(SHA256), path).n_received, len(server.requests)) == (0, 1)
    assert not get(server.file(), path).is_verified
    with pytest.raises(FormatError, match="delete it to fetch it again"):
        get(server.file("0" * 64), path)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("headers", [{"Content-Length": str(len(CONTENT))}, {}])
def test_a_broken_download_starts_again_and_what_broke_off_is_not_kept(server, tmp_path, headers):
    server.headers = headers
    server.break_after = [1_000_000, 0] if headers else []
    assert get(server.file(SHA256), tmp_path / "data.bin").size == len(CONTENT)
    server.headers, server.break_after = {"Content-Length": str(len(CONTENT))}, [1_000_000] * 3
    with pytest.raises(OSError, match=r"data\.bin: .*; run this again, see whether .* or put it into"):
        get(server.file(), tmp_path / "other")
    assert os.listdir(tmp_path) == ["data.bin"]


@pytest.mark.parametrize(
    "answer",
    [{"redirect": to} for to in ("file:///etc/passwd", "ftp://127.0.0.1/data.bin", "data:,x", "http://[")]
    + [{"headers": {"Content-Length": length}} for length in ("abc", "-1", "9" * 5000)],
)
def test_answers_that_lead_away_from_http_or_have_no_length(server, tmp_path, answer):
    vars(server).update(answer)
    try:
        assert get(server.file(SHA256), tmp_path / "data.bin").size == len(CONTENT) and "headers" in answer
    except (OSError, InputError) as error:
        assert len(str(error)) < 600
        assert os.listdir(tmp_path) == []


def test_servers_that_refuse_or_give_another_file_and_an_interrupt(server, tmp_path, monkeypatch):
    with pytest.raises(OSError, match=r"404 .*see whether the file has moved"):
        get(server.file(path="/none"), tmp_path / "none")
    server.errors = [503, 500]
    assert get(server.file(), tmp_path / "data.bin").sha256 == SHA256
    with pytest.raises(OSError, match="refused"):
        get(DataFile("http://127.0.0.1:1/"), tmp_path / "nobody")
    with pytest.raises(FormatError, match="does not match the known hash"):
        get(server.file("0" * 64), tmp_path / "wrong")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tqdm.tqdm.update", stop)
    with pytest.raises(KeyboardInterrupt):
        get(server.file(), tmp_path / "new")
    assert os.listdir(tmp_path) == ["data.bin"]


def test_a_full_disk_is_no_matter_of_the_network(server, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            get(server.file(), tmp_path / "data.bin")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(server.requests) == 1  # it is not tried again
    assert os.listdir(tmp_path) == []


def test_without_pooch_there_is_a_remedy(small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(InputError, match=r"pip install pooch \(or '\.\[datasets\]'"):
        graphcore.datasets.fetch("Letter", tmp_path)


# -- the catalogue -----------------------------------------------------------------------------------------------------


def test_what_the_catalogue_says():
    assert len({name.lower() for name in CATALOGUE}) == len(CATALOGUE) == 9
    for name, dataset in CATALOGUE.items():
        assert catalogue.find_dataset(name.upper()) is dataset
        assert dataset.kind in ("graph", "vectors")
        for file in dataset.files:
            assert file.url.startswith("https://")
            assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
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
    server.headers = {"Content-Length": str(len(rows))}
    dataset = dataclasses.replace(
        CATALOGUE["Letter"], files=(server.file(path="/letter.data"),), n_rows=3, n_columns=2, n_classes=2
    )
    monkeypatch.setitem(CATALOGUE, "Letter", dataset)
    return dataset


def test_fetch_and_load(small, tmp_path, monkeypatch, capsys):
    files = graphcore.datasets.fetch("letter", tmp_path, progress=True)
    assert [file.path for file in files] == [str(tmp_path / "Letter" / "letter.data")]
    assert "letter.data: 100%" in capsys.readouterr().err
    (tmp_path / "Letter").rename(tmp_path / "letter")
    (there,) = graphcore.datasets.fetch("letter", tmp_path)
    assert (there.path, there.n_received) == (
        str(tmp_path / "letter" / "letter.data"), 0,
    )  # fmt: skip
    (tmp_path / "letter").rename(tmp_path / "Letter")
    for folder in (tmp_path, tmp_path / "Letter"):
        data, labels = graphcore.datasets.load("Letter", folder)
        assert data.tolist() == [[2, 8], [5, 12], [1, 1]]
        assert data.dtype == np.float32
        assert labels.tolist() == [1, 0, 1]
    monkeypatch.setenv("GRAPHCORE_DATASETS", str(tmp_path))
    assert graphcore.datasets.load("Letter").data.shape == (3, 2)
    (tmp_path / "Letter" / "letter.data").write_text("T,2,8\nI,5,12\n")
    with pytest.raises(FormatError, match="hold 2 rows, but Letter has 3"):
        graphcore.datasets.load("Letter")
    with pytest.raises(InputError, match="`graphcore fetch PenDigits` downloads it"):
        graphcore.datasets.load("pendigits")
    monkeypatch.delenv("GRAPHCORE_DATASETS")
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
    (tmp_path / "head").write_bytes(idx(array)[:7])
    refused = {"short": "are not those of an array", "other": "no IDX file", "cut.gz": "end", "head": "no IDX file"}
    for name, message in refused.items():
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


@pytest.mark.slow
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
