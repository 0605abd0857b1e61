"""The .properties file of a BVGraph: its size, and the codes of its lists."""

import os
from typing import NamedTuple

from ..exceptions import FormatError
from . import _bit_loops as bits

_LARGEST = 1 << 20
_ANY = 10**18

_CODES = {code: getattr(bits, code) for code in ("UNARY", "GAMMA", "DELTA", "ZETA", "NIBBLE", "GOLOMB")}
_DEFAULTS = {
    "OUTDEGREES": bits.GAMMA, "REFERENCES": bits.UNARY, "BLOCK_COUNT": bits.GAMMA, "BLOCKS": bits.GAMMA,
    "INTERVALS": bits.GAMMA, "RESIDUALS": bits.ZETA, "OFFSETS": bits.GAMMA,
}  # fmt: skip


class Properties(NamedTuple):
    """The values of NAME.properties."""

    n_nodes: int
    n_arcs: int
    window: int
    chain: int  # the longest chain of references, -1 for any length
    least: int  # the shortest interval, 0 for none
    k: int  # of zeta codes; the modulus of Golomb codes
    codes: tuple[int, ...]  # of the numbers in lists, in the order of `_bvgraph_loops.py`
    offsets_code: int


def read_properties(path):
    """Read the Properties in a file, or raise a FormatError."""
    name = os.path.basename(path)
    said = _pairs(path)
    kind = said.get("graphclass", "").removeprefix("class ").strip()
    if not kind:
        raise FormatError(
            f"{name} names no graphclass, as that of a WebGraph graph does; if the .graph beside it is METIS's, pass "
            "format='metis' (--format metis)"
        )
    if kind.rpartition(".")[2] != "BVGraph":
        under = said.get("underlyinggraph")
        remedy = f"give the graph under it, {under[:80]}.graph" if under else "convert it to a BVGraph with WebGraph"
        raise FormatError(
            f"{name} says that it is a {kind[:80]!r}, and of WebGraph's formats BVGraph is read; {remedy}"
        )
    if said.get("version", "0") != "0":
        raise FormatError(
            f"{name} says that it is of version {said['version'][:20]!r}, and 0 is read; store it anew with WebGraph"
        )
    if said.get("endianness", "big").lower() != "big":
        raise FormatError(
            f"{name} has bits in {said['endianness'][:20]!r} order, and 'big' is read; convert it with WebGraph"
        )

    def number(key, default=None, low=0, high=_ANY):
        text = said.get(key, default)
        if text is None:
            raise FormatError(f"{name} does not say {key!r}; take the file that came with the graph")
        digits = text.removeprefix("-")
        if not (digits.isdigit() and digits.isascii() and len(digits) <= 18 and low <= int(text) <= high):
            to = "on" if high == _ANY else f"to {high}"
            raise FormatError(
                f"{name} says {text[:40]!r} for {key!r}, and it is a whole number from {low} {to} in such a file"
            )
        return int(text)

    codes = dict(_DEFAULTS)
    for flag in filter(None, map(str.strip, said.get("compressionflags", "").split("|"))):
        what, _, code = flag.rpartition("_")
        if what not in codes or code not in _CODES:
            raise FormatError(
                f"{name} has the compression flag {flag[:40]!r}, which is not read; of {', '.join(codes)} each may be "
                f"written in {', '.join(_CODES)}: store the graph anew with WebGraph, without that flag"
            )
        codes[what] = _CODES[code]
    *of_lists, of_offsets = codes.values()
    largest_k = 40 if bits.ZETA in codes.values() else (1 << 31) - 1
    return Properties(
        number("nodes"), number("arcs"), number("windowsize"), number("maxrefcount", "-1", -1),
        number("minintervallength"), number("zetak", "3", 1, largest_k), tuple(of_lists), of_offsets,
    )  # fmt: skip


def _pairs(path):
    """Return keys and values of a file of Java properties."""
    with open(path, "rb") as stream:
        text = stream.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise FormatError(f"{os.path.basename(path)} has more than a mebibyte; it is no file of WebGraph's properties")
    found = {}
    for line in map(str.strip, text.decode("latin-1").splitlines()):
        if line and line[0] not in "#!":
            mark = min((at for at in map(line.find, "=:") if at >= 0), default=len(line))
            found[line[:mark].strip()] = line[mark + 1 :].replace("\\", "").strip()
    return found
