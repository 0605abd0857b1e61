"""Random streams: one per stage, named, so that a change in one stage does not shift another."""

import zlib
from numbers import Integral

import numpy as np

from ..exceptions import ParameterError


class Streams:
    """Independent random generators drawn from one `random_state`.

    An int gives the same streams every time, Streams and a SeedSequence their own. A Generator or RandomState is asked
    for fresh entropy once, so calling twice with the same object gives two different results, as in scikit-learn.
    """

    def __init__(self, random_state=None):
        if isinstance(random_state, Streams):
            random_state = random_state._sequence
        elif isinstance(random_state, np.random.Generator):
            random_state = random_state.integers(0, 2**32, 4).tolist()
        elif isinstance(random_state, np.random.RandomState):
            random_state = random_state.randint(0, 2**31, 4).tolist()
        elif isinstance(random_state, Integral) and random_state >= 0:
            random_state = int(random_state)
        elif not (random_state is None or isinstance(random_state, np.random.SeedSequence)):
            raise ParameterError(
                f"random_state={random_state!r} must be None, a non-negative integer, a numpy Generator or a "
                "RandomState"
            )
        is_sequence = isinstance(random_state, np.random.SeedSequence)
        self._sequence = random_state if is_sequence else np.random.SeedSequence(random_state)

    def child(self, stage, block=0):
        """Return the streams of one named stage (and block), independent of every other name."""
        key = (*self._sequence.spawn_key, zlib.crc32(stage.encode()), int(block))
        return Streams(np.random.SeedSequence(self._sequence.entropy, spawn_key=key))

    def generator(self, stage, block=0):
        """Return the numpy Generator of one named stage (and block)."""
        return np.random.default_rng(self.child(stage, block)._sequence)

    def integer(self, stage):
        """Return a seed below 2**31 for libraries that want an int or a RandomState."""
        return int(self.generator(stage).integers(2**31 - 1))


def draw_by_weight(weights, rng):
    """Return a place drawn with probability in proportion to its weight (not negative); -1 if all are 0."""
    ends = np.cumsum(weights)
    if not ends[-1] > 0:
        return -1
    # The last place of a positive weight also takes what rounding left over.
    place = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    return min(place, int(np.flatnonzero(weights)[-1]))
