"""A writer of BVGraph files in plain Python, list by list and bit by bit as the format's description has it."""

from itertools import pairwise


def unary(n):
    return "0" * n + "1"


def gamma(n):
    return "0" * (len(f"{n + 1:b}") - 1) + f"{n + 1:b}"


def delta(n):
    binary = f"{n + 1:b}"
    return gamma(len(binary) - 1) + binary[1:]


def zeta(n, k):
    h = (len(f"{n + 1:b}") - 1) // k
    left = 2 ** (h * k)
    # The rest, less than 2^((h + 1)k) - 2^(hk), in minimal binary: the first 2^(hk) numbers take a bit less.
    rest, length = n + 1 - left, h * k + k - 1
    if rest < left:
        return unary(h) + (f"{rest:0{length}b}" if length else "")
    return unary(h) + f"{rest + left:0{length + 1}b}"


CODES = {"UNARY": unary, "GAMMA": gamma, "DELTA": delta, "ZETA": zeta}
USUAL = {"OUTDEGREES": "GAMMA", "REFERENCES": "UNARY", "BLOCK_COUNT": "GAMMA", "BLOCKS": "GAMMA", "INTERVALS": "GAMMA",
         "RESIDUALS": "ZETA", "OFFSETS": "GAMMA"}  # fmt: skip


def signed(v):
    return 2 * v if v >= 0 else -2 * v - 1


def encode(n, code, k=3):
    return CODES[code](n, k) if code == "ZETA" else CODES[code](n)


def packed(bits):
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def blocks_of(copied, reference):
    """Return the lengths of the blocks of a list, by turns copied and skipped, without the last one."""
    lengths, copies = [0], True
    for y in reference:
        if (y in copied) != copies:
            copies = not copies
            lengths.append(0)
        lengths[-1] += 1
    return lengths[:-1]


def intervals_of(nodes, least):
    """Return (left end, length) of every run of at least `least` nodes."""
    runs = []
    for y in nodes:
        if runs and sum(runs[-1]) == y:
            runs[-1][1] += 1
        else:
            runs.append([y, 1])
    return [run for run in runs if least and run[1] >= least]


def list_bits(x, nodes, reference, r, window, least, code):
    """Return the bits of one list, copied in parts from that of x - r unless r is 0."""
    bits = code(len(nodes), "OUTDEGREES")
    if not nodes:
        return bits
    extra = list(nodes)
    if window:
        bits += code(r, "REFERENCES")
    if r:
        copied = set(nodes) & set(reference)
        blocks = blocks_of(copied, reference)
        bits += code(len(blocks), "BLOCK_COUNT")
        bits += "".join(code(length - (i > 0), "BLOCKS") for i, length in enumerate(blocks))
        extra = [y for y in nodes if y not in copied]
    if extra and least:
        intervals = intervals_of(extra, least)
        bits += code(len(intervals), "INTERVALS")
        end = None
        for left, length in intervals:
            bits += code(signed(left - x) if end is None else left - end - 1, "INTERVALS")
            bits += code(length - least, "INTERVALS")
            end = left + length
            extra = [y for y in extra if not left <= y < end]
    if extra:
        bits += code(signed(extra[0] - x), "RESIDUALS")
        bits += "".join(code(b - a - 1, "RESIDUALS") for a, b in pairwise(extra))
    return bits


def graph_files(lists, *, window=7, chain=3, least=4, k=3, flags=None, choose=None):
    """Return bytes of .graph, .properties and .offsets; `choose` takes one of the allowed references, 0 for none."""
    flags, depths, bits, borders = flags or {}, [], [], [0]
    choose = choose or (lambda x, allowed: max(allowed, key=lambda r: r and len(set(lists[x]) & set(lists[x - r]))))

    def code(n, what):
        return encode(n, (USUAL | flags)[what], k)

    for x, nodes in enumerate(lists):
        allowed = [r for r in range(1, min(window, x) + 1) if lists[x - r] and (depths[x - r] < chain or chain < 0)]
        r = choose(x, [0, *allowed]) if nodes else 0
        depths.append(depths[x - r] + 1 if r else 0)
        bits.append(list_bits(x, nodes, lists[x - r], r, window, least, code))
        borders.append(borders[-1] + len(bits[-1]))
    said = {
        "nodes": len(lists), "arcs": sum(map(len, lists)), "windowsize": window, "maxrefcount": chain,
        "minintervallength": least, "zetak": k, "version": 0, "graphclass": "it.unimi.dsi.webgraph.BVGraph",
        "compressionflags": "|".join(f"{what}_{code}" for what, code in flags.items()),
    }  # fmt: skip
    gaps = [0, *(b - a for a, b in pairwise(borders))]
    return packed("".join(bits)), properties(said), packed("".join(code(gap, "OFFSETS") for gap in gaps))


def properties(said):
    return "".join(["#BVGraph properties\n", *(f"{key}={value}\n" for key, value in said.items())]).encode("latin-1")


def write_files(folder, files, name="web"):
    """Put the bytes of `graph_files` in a folder; returns the path of the .graph. None leaves a file out."""
    for ending, data in zip(("graph", "properties", "offsets"), files, strict=True):
        path = folder / f"{name}.{ending}"
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
    return folder / f"{name}.graph"
