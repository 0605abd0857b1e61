"""Fixtures shared by all tests."""

import os
from pathlib import Path

import hypothesis
import pytest

# Compiled loops make the first example slow, and shared machines are uneven: no deadline.
hypothesis.settings.register_profile(
    "graphcore", deadline=None, max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "60")), print_blob=True
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "graphcore"))


def _data_folder():
    given = os.environ.get("GRAPHCORE_DATA")
    return Path(given) if given else Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the real data sets, which are no part of the repository."""
    folder = _data_folder()
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set GRAPHCORE_DATA to their folder")
    return folder
