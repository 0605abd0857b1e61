"""Node names as plain arrays, which a store can map."""

import numpy as np

from ..exceptions import FormatError
from ..graphs.ids import FIXED_WIDTH


def names_as_arrays(names):
    """Return {"node_names": ...} of fixed width, or the UTF-8 bytes of all names with "node_name_ends".

    Names that are neither numbers nor text become text, because objects could only be pickled.
    """
    if names.dtype.kind != "O":
        return {"node_names": names}
    names = [str(name) for name in names.tolist()]
    if max(map(len, names)) <= FIXED_WIDTH:
        return {"node_names": np.array(names)}
    packed = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum(np.fromiter(map(len, packed), dtype=np.int64, count=len(packed)))
    return {"node_names": np.frombuffer(b"".join(packed), dtype=np.uint8), "node_name_ends": ends}


def names_from_arrays(names, ends):
    """The array of names: mapped as it is, or an array of strings where `ends` (or None) says they are packed."""
    if ends is None:
        return names
    if ends[0] < 0 or ends[-1] != len(names) or (ends[1:] < ends[:-1]).any():
        raise FormatError("node_name_ends.npy is damaged: the names do not end where they should")
    packed, start = names.tobytes(), 0
    out = np.empty(len(ends), dtype=object)
    for i, end in enumerate(ends.tolist()):
        try:
            out[i] = packed[start:end].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"node_names.npy is damaged: the name of node {i} is not UTF-8 ({error.reason})"
            ) from None
        start = end
    return out
