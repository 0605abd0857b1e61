"""Campaigns from the command line."""

import argparse
import sys
import tempfile
from pathlib import Path

from . import __doc__ as about
from .harness import NAMES, load, run, run_one


def main(arguments=None):
    """Run what the arguments say; 1 if anything failed."""
    parser = argparse.ArgumentParser(
        "python -m bench.campaigns", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="only this one, in this process")
    parser.add_argument("--keep", type=Path, default=Path("campaign-failures"), help="folder for what failed")
    given = parser.parse_args(arguments)
    if given.case is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(run_one(given.name, given.seed, given.case, Path(folder), load(given.name).prepare()))
        return 0
    found = run(given.name, given.cases, given.seed, keep=given.keep)
    print(found)
    return int(bool(found.failures))


if __name__ == "__main__":
    sys.exit(main())
