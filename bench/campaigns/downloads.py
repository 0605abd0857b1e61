"""Downloads from a server that misbehaves in every way: the file is right, or one line gives the reason."""

import hashlib
import socketserver
import threading
import time
from types import SimpleNamespace

from graphcore.datasets import public as module
from graphcore.datasets.catalogue import DataFile
from graphcore.exceptions import InputError

from .harness import Campaign, Failure

_MISSING, _SLOW = "404 Not Found", 0.2
_TOKENS = ["abc", "-1", "", "1e3", "0x10", "9" * 30, "9" * 5000, "\u00e9", "1, 2", "0"]
_ADDRESSES = [
    "file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x", "//", "http://[", "http://127.0.0.1:x/", "",
    "javascript:0", "/data", "http://127.0.0.1:1/", "h" * 3000, "FILE:///etc/passwd",
]  # fmt: skip
_VERSIONS = ['"v1"', 'W/"v1"', "", "x" * 3000, '"\u00e9"', '"\x01"', None]


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        """Answer with the next behaviour of the case for each request, and repeat the last."""
        while self.rfile.readline().strip():
            pass
        plan = self.server.plan
        answer = plan.pop(0) if len(plan) > 1 else plan[0]
        try:
            for piece in answer():
                if piece is None:
                    time.sleep(_SLOW)
                else:
                    self.wfile.write(piece)
        except OSError:
            pass  # the client has gone


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


def prepare():
    """Prepare a server, and downloads that do not wait long."""
    module._TIMEOUT, module._ATTEMPTS, module.time = _SLOW / 2, 2, SimpleNamespace(sleep=lambda _: None)
    server = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _answer(rng, content, url):
    """Return a function from a request's headers to the pieces of an answer."""
    kind = rng.choice(["right", "right", "cut", "long", "status", "redirect", "noise", "slow", "header"])
    body = content
    if kind == "cut":
        body = content[: int(rng.integers(0, len(content) + 1))]
    if kind == "long":
        body = content + rng.bytes(int(rng.integers(1, 100_000)))
    status = "200 OK"
    if kind == "status":
        status = str(rng.choice([_MISSING, "500 x", "503 x", "204 No", "206 Part", "304 x", "999 x", "100 x", "416 x"]))
    extra = {"Content-Length": str(len(content if rng.random() < 0.8 else body)), "ETag": rng.choice(_VERSIONS)}
    if kind == "redirect":
        status = str(rng.choice(["301 x", "302 x", "307 x", "308 x"]))
        extra["Location"] = str(rng.choice([*_ADDRESSES, url]))
    if kind == "header":
        extra[str(rng.choice(["Content-Length", "Content-Encoding", "ETag"]))] = str(rng.choice(_TOKENS))
    if rng.random() < 0.1:
        del extra["Content-Length"]
    if rng.random() < 0.05:
        extra["Transfer-Encoding"] = "chunked"
    noise, slowly = rng.bytes(int(rng.integers(0, 300))), kind == "slow"

    def answer():
        if kind == "noise":
            yield noise
            return
        head = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in extra.items() if value is not None)]
        yield ("\r\n".join(head) + "\r\n\r\n").encode("latin-1", "replace")
        yield body[: len(body) // 2]
        if slowly:
            yield None
        yield body[len(body) // 2 :]

    return answer


def case(given):
    """Run one download from a server of one to four kinds of answers."""
    rng, server = given.rng, given.prepared
    content = rng.bytes(int(rng.integers(0, 60_000)))
    path = given.folder / "data.bin"
    url = f"http://127.0.0.1:{server.server_address[1]}/{given.number}"
    server.plan = [_answer(rng, content, url) for _ in range(int(rng.integers(1, 5)))]
    known = hashlib.sha256(content).hexdigest() if rng.random() < 0.6 else None
    try:
        got = module._fetched(DataFile(url, known), str(path), False)
    except (OSError, InputError) as error:
        message = str(error)
        if "\n" in message or not message.isprintable() or len(message) > 1000:
            raise Failure("message is not one short line", message) from error
        if path.exists():
            raise Failure("a refused file has its name") from error
        return "refused"
    found = path.read_bytes()
    if (got.size, got.sha256) != (len(found), hashlib.sha256(found).hexdigest()):
        raise Failure("says something else than what is there")
    if known is not None and found != content:
        raise Failure("another file taken for the published one")
    if {p.name for p in given.folder.iterdir()} != {"data.bin"}:
        raise Failure("left something behind", str(list(given.folder.iterdir())))
    return "accepted"


CAMPAIGN = Campaign(
    "one download from a server that misbehaves: sizes, redirections, cut bodies, wrong headers, slow",
    case,
    prepare,
    short=300,
)
