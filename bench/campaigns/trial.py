"""A campaign whose cases fail in every possible way, to test the harness."""

import os
import signal
import time

from .harness import Campaign, Failure


def case(given):
    """Fail by number: 0 hangs, 1 dies, 2 needs too much memory, 3 fails, 4 raises; the others succeed."""
    (given.folder / "input.txt").write_text(str(given.number))
    if given.number == 0:
        time.sleep(60)
    if given.number == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if given.number == 2:
        bytearray(1 << 30)
    if given.number == 3:
        raise Failure("a kind", "its detail")
    if given.number == 4:
        raise KeyError("foreign")
    return "accepted" if given.rng.random() < 2 else "refused"


CAMPAIGN = Campaign("goes wrong", case, seconds=1.0, megabytes=512)
