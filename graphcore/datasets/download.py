"""Files from the network: taken up again where they broke off, whole or not there."""

import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass

from ..exceptions import FormatError
from ..io.atomic import naming_file

_PIECE = 1 << 20
_TIMEOUT = 60.0
_LARGEST = r"\d{1,18}"  # no file has more bytes, and Python takes no more than some thousand digits
_VERSION = "[ -~]{1,1000}"  # what can be sent back in a header, and nothing that would begin another one


@dataclass(frozen=True)
class Downloaded:
    """A file that is there."""

    path: str
    size: int  # bytes
    sha256: str
    is_verified: bool  # whether the checksum is the published one; False where none is published
    n_received: int  # bytes that came over the network this time


def download(url, path, *, size=None, sha256=None, progress=None, attempts=3, pause=1.0):
    """Fetch a file; a broken download is continued, by this call or a later one.

    What has come lies in ``path + ".part"``, and beside it what the server calls this version of the file (ETag or
    date). The rest is asked for by a range, on condition that the version is still the same. The file gets its name
    when it is complete, flushed to the disk and checked; one that is not the published one is thrown away. A file there
    already is kept, if it has the published size (bytes) and checksum. What goes beyond the published size is not
    waited for, and no redirection leads away from http and https.

    `progress(there, total)` is called with bytes, total None if the server does not say. `attempts` tries in a row that
    bring nothing are the end of it; before the second one lie `pause` seconds, twice as many before each further one.
    """
    path = os.fspath(path)
    if os.path.exists(path):
        return _checked(path, path, url, size, sha256, 0, remove=False)
    part = _Part(url, path, size)
    most, failures = part.size, 0
    while True:
        try:
            if part.receive(progress):
                break
            reason = "the connection ended early"
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise OSError(
                    f"{url}: the server answers {error.code} ({_line(error.reason)}); see whether the file has moved"
                ) from None
            reason = f"the server answers {error.code}"
        except (OSError, http.client.HTTPException) as error:
            if part.is_local(error):
                raise
            reason = _line(getattr(error, "reason", error)) or type(error).__name__
        failures = 1 if part.size > most else failures + 1
        most = max(most, part.size)
        if failures >= attempts:
            raise OSError(f"{url}: {reason}; {part.size} bytes have come and are kept, so run this again to continue")
        time.sleep(pause * 2 ** (failures - 1))
    out = _checked(part.path, path, url, size, sha256, part.n_received, remove=True)
    part.finish()
    return out


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirection only to where files are published."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        """The request for the new address, or an error."""
        if not newurl.lower().startswith(("http://", "https://")):
            raise FormatError(f"{req.full_url}: the server leads to {_line(newurl)}, which is neither http nor https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_Redirects)


def _line(said):
    """What a server says, as a part of one line of an error."""
    text = " ".join(str(said).split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _sendable(version):
    return version if isinstance(version, str) and re.fullmatch(_VERSION, version) else None


class _Part:
    """An unfinished file and the version that it belongs to."""

    def __init__(self, url, path, limit=None):
        self.url, self.final, self.limit = url, path, limit
        self.path, self.version_path = f"{path}.part", f"{path}.part.json"
        self.n_received = 0
        self.version = None
        with (
            suppress(FileNotFoundError, ValueError, RecursionError),
            open(self.version_path, encoding="utf-8") as stream,
        ):
            kept = json.load(stream)
            if isinstance(kept, dict) and kept.get("url") == url:
                self.version = _sendable(kept.get("version"))

    @property
    def size(self):
        return os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def receive(self, progress):
        """Ask for what is missing; returns whether the file is complete now."""
        if self.version is None:  # nobody knows what the beginning belongs to
            self._restart()
        have = self.size
        # Anything but the bytes themselves would spoil sizes and checksums.
        headers = {"User-Agent": "graphcore", "Accept-Encoding": "identity"}
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": self.version}
        try:
            response = _OPENER.open(urllib.request.Request(self.url, headers=headers), timeout=_TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise
            # Either all is there already, or the file has become shorter.
            total = re.fullmatch(rf"bytes \*/({_LARGEST})", error.headers.get("Content-Range", ""))
            if total and int(total[1]) == have:
                return True
            self._restart()
            return False
        except ValueError as error:  # of an address that cannot be parsed
            raise FormatError(f"{self.url}: the server leads to no address ({_line(error)})") from None
        with response:
            if response.status == http.client.PARTIAL_CONTENT:
                says = response.headers.get("Content-Range", "")
                span = re.fullmatch(rf"bytes ({_LARGEST})-\d+/({_LARGEST}|\*)", says)
                if not span or int(span[1]) != have:
                    self._restart()
                    return False
                total = None if span[2] == "*" else int(span[2])
            elif response.status == http.client.OK:
                self._restart()
                total = self._length(response.headers)
                self._keep_version(response.headers)
            else:
                raise FormatError(f"{self.url}: the server answers {response.status}, which is no file")
            return self._write(response, total, progress)

    def _length(self, headers):
        length = headers.get("Content-Length")
        if length is not None and not re.fullmatch(_LARGEST, length):
            raise FormatError(f"{self.url}: the server says Content-Length: {_line(length)}, which is no size")
        return None if length is None else int(length)

    def _write(self, response, total, progress):
        there, limit = self.size, total if self.limit is None else self.limit
        with open(self.path, "ab") as stream:
            try:
                while piece := response.read(_PIECE):
                    if limit is not None and there + len(piece) > limit:
                        self._restart()
                        raise FormatError(f"{self.url} gives another file: more than the published {limit} bytes")
                    with naming_file(self.path):
                        stream.write(piece)
                    there += len(piece)
                    self.n_received += len(piece)
                    if progress is not None:
                        progress(there, total)
            finally:
                with naming_file(self.path):
                    stream.flush()
                    os.fsync(stream.fileno())
        return total is None or there == total

    def _keep_version(self, headers):
        # A weak ETag does not promise the same bytes.
        tag = headers.get("ETag")
        self.version = _sendable(tag if tag and not tag.startswith("W/") else headers.get("Last-Modified"))
        if self.version is not None:
            with open(self.version_path, "w", encoding="utf-8") as stream:
                json.dump({"url": self.url, "version": self.version}, stream)

    def _restart(self):
        self.version = None
        for path in (self.path, self.version_path):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def is_local(self, error):
        """Whether an error is of the disk and not of the network."""
        return isinstance(error, OSError) and error.filename is not None

    def finish(self):
        os.replace(self.path, self.final)
        with suppress(FileNotFoundError):
            os.unlink(self.version_path)


def _checked(path, name, url, size, sha256, n_received, *, remove):
    found = os.path.getsize(path)
    digest = file_sha256(path)
    wrong = (size is not None and found != size) or (sha256 is not None and digest != sha256)
    if wrong:
        if remove:
            for extra in (path, f"{path}.json"):
                with suppress(FileNotFoundError):
                    os.unlink(extra)
        raise FormatError(
            f"{name}: {found} bytes with sha256 {digest}, but the published file has {size or 'unknown'} bytes and "
            f"sha256 {sha256 or 'unknown'}; "
            + (f"{url} gives another file" if remove else "delete it to fetch it again")
        )
    return Downloaded(name, found, digest, sha256 is not None, n_received)


def file_sha256(path):
    """Checksum of a file, as hexadecimal text."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
