"""The steps of a build, from edges as they come in to the arrays of a store."""

import os
from dataclasses import asdict

import numpy as np

from ..exceptions import FormatError, InputError
from ..graphs.ids import count_nodes
from ..graphs.rows import SYMMETRY_TOLERANCE, check_directions, policy_code
from . import _loops
from .arrays import RowWriter, names_as_arrays, write_array
from .buckets import Buckets, Spool, choose_borders
from .folder import put_in_place
from .format import PARTED, ArrayFacts, Meta, array_path, files_of, is_store, read_meta, write_meta
from .journal import need_disk
from .numbering import Same, number_ids
from .parts import cut_into_parts


class Build:
    """The steps of a build; each one notes in the journal what it finished."""

    def __init__(self, journal, given, limit, symmetrize, out, stages, parts):
        self._journal, self._notes, self._given, self._limit = journal, journal.notes, given, limit
        self._symmetrize, self._out, self._stages, self._parts = symmetrize, out, stages, parts
        self._store = os.path.join(journal.folder, "store")
        self._spool = Spool(os.path.join(journal.folder, "edges"), *self._notes.get("read", {}).get("spool", ()))

    def run(self):
        """Do every step that is not done yet."""
        if not self._notes.get("finished") or not (os.path.exists(self._store) or is_store(self._out)):
            os.makedirs(self._store, exist_ok=True)
            if "spread" not in self._notes:
                with self._stages("read"):
                    self._read()
                with self._stages("number"):
                    number = self._number()
                with self._stages("spread"):
                    self._spread(number)
                    del number
            if os.path.exists(self._spool.path):
                os.unlink(self._spool.path)
            with self._stages("sort"):
                self._sort()
        self._place()

    # -- read --------------------------------------------------------------------------------------------------------

    def _read(self):
        read, names = self._notes.get("read"), self._given.names
        if read is None or (names is not None and not read["done"]):  # names are noted only when complete
            self._spool = Spool(self._spool.path)
            read = {"position": [0, 0], "low": None, "high": None, "narrow": True, "weighted": False, "names": None,
                    "done": False}  # fmt: skip
            self._notes["read"] = read
        if read["done"]:
            return
        try:
            for block in self._given.blocks(*read["position"], self._journal.folder):
                self._tell("read", block.share)
                self._take(block, read)
                if names is not None and self._limit.exceeded():
                    raise InputError(
                        f"the names of {len(names):,} nodes fill the memory given, and more may follow; "
                        "give more memory, or number the nodes first"
                    )
                if self._journal.due:
                    self._spool.sync()
                    self._journal.save()
            self._spool.sync()
        finally:
            self._spool.close()
        if names is not None:
            if not names:
                raise FormatError("there are no edges")
            read["names"] = self._write_names(np.array(list(names), dtype=object))
        read["done"] = True
        self._journal.save()

    def _take(self, block, read):
        ends = block.ends
        if len(ends):
            low, high = int(ends.min()), int(ends.max())
            read["low"] = low if read["low"] is None else min(low, read["low"])
            read["high"] = high if read["high"] is None else max(high, read["high"])
            if len(block.weights):
                read["weighted"] = True
                read["narrow"] = read["narrow"] and block.weights.dtype == np.float32
            if ends.dtype != np.int32 and low >= -(2**31) and high < 2**31:
                ends = ends.astype(np.int32)
            self._spool.append(ends, block.weights)
        read["spool"] = [self._spool.n_bytes, self._spool.n_edges]
        read["position"] = list(block.position)

    def _write_names(self, names):
        arrays = names_as_arrays(names)
        return {name: asdict(write_array(self._store, name, array)) for name, array in arrays.items()}

    # -- number and spread -------------------------------------------------------------------------------------------

    def _number(self):
        read = self._notes["read"]
        low, high, n_edges = read["low"], read["high"], self._spool.n_edges
        self._notes["names"] = read["names"] or {}
        if read["names"] is not None:
            return self._checked(Same(len(self._given.names) if self._given.names else high + 1))
        if self._given.compact:
            if n_edges == 0:
                raise FormatError("there are no edges")
            number, facts = number_ids(self._spool, low, high, self._store, self._journal.folder, self._limit.free // 2)
            self._notes["names"] = {} if facts is None else {"node_names": asdict(facts)}
            return self._checked(number)
        low, high = (0, -1) if low is None else (low, high)
        return self._checked(Same(count_nodes(low, high, n_edges, self._given.n_nodes)))

    @staticmethod
    def _checked(number):
        if number.n_nodes > 2**31:
            raise InputError(f"there are {number.n_nodes:,} nodes; a build takes 2**31 at most")
        return number

    @property
    def _kind(self):
        if self._notes["read"]["weighted"]:
            return "file"
        return "ones" if self._symmetrize in ("average", "sum") else "none"

    def _spread(self, number):
        kind, n_edges = self._kind, self._spool.n_edges
        need_disk(self._journal.folder, n_edges * (32 if kind == "file" else 16) + 16 * number.n_nodes)
        borders = choose_borders(self._spool, number, kind, self._limit.free)
        buckets = Buckets(self._journal.folder, len(borders) + 1, kind)
        buckets.fill(self._spool, number, borders, lambda share: self._tell("spread", share))
        self._notes["spread"] = {"borders": borders.tolist(), "n_nodes": number.n_nodes}
        self._journal.save()

    # -- sort --------------------------------------------------------------------------------------------------------

    def _sort(self):
        spread, policy = self._notes["spread"], policy_code(self._symmetrize)
        lasts = [*spread["borders"], spread["n_nodes"]]
        buckets = Buckets(self._journal.folder, len(lasts), self._kind)
        sort = self._notes.setdefault("sort", {"done": 0, "found": [0] * 4, "state": {}})
        rows = RowWriter(self._store, spread["n_nodes"], self._weight_dtype(), sort["state"])
        try:
            found = np.array(sort["found"], dtype=np.int64)
            for bucket in range(sort["done"], len(lasts)):
                self._tell("sort", bucket / len(lasts))
                keys, weights = buckets.load(bucket, self._limit.free)
                length = _loops.merge_entries(keys, weights, policy, SYMMETRY_TOLERANCE, found)
                rows.append(keys[:length], weights[:length], lasts[bucket])
                del keys, weights
                sort |= {"done": bucket + 1, "found": found.tolist(), "state": rows.checkpoint()}
                self._journal.save()
                buckets.drop(bucket)
            both, single, different, loops = found.tolist()
            check_directions(both // 2, single // 2, single + different > 0, self._symmetrize, True)
            self._finish(rows, loops)
        finally:
            rows.abandon()

    def _weight_dtype(self):
        if self._kind == "file":
            return np.float32 if self._notes["read"]["narrow"] else np.float64
        return self._given.ones if self._kind == "ones" else None

    def _finish(self, rows, n_self_loops):
        arrays = rows.finish()
        if rows.all_ones:
            arrays.pop("weights", None)
        arrays |= {name: ArrayFacts(**facts) for name, facts in self._notes["names"].items()}
        n_entries = arrays["indices"].length
        meta = Meta(arrays["degrees"].length, n_entries, n_self_loops, rows.n_isolated, arrays)
        write_meta(self._store, meta if self._parts is None else cut_into_parts(self._store, meta, self._parts))
        self._notes["finished"] = True
        self._journal.save()

    def _place(self):
        if not os.path.exists(self._store):
            return  # interrupted after the renaming
        kept = files_of(read_meta(self._store))
        for path in (array_path(self._store, name) for name in PARTED):
            if os.path.basename(path) not in kept and os.path.exists(path):
                os.unlink(path)  # weights that were all 1, or arrays that are there in parts
        put_in_place(self._store, self._out, os.path.join(self._journal.folder, "replaced"))

    def _tell(self, step, share):
        with self._stages(f"{step} {share:.0%}", total=False):
            pass
