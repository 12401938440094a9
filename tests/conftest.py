"""Where the corpora and golden values beside the project are; tests skip where they are not."""

import os
from pathlib import Path

import hypothesis
import pytest

# How long a draw takes says how busy the machine is, and nothing about the code under test.
hypothesis.settings.register_profile(
    "boostext", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
# The same examples in every run: what is red was made so by a change, and not by the draw.
hypothesis.settings.register_profile(
    "ci", hypothesis.settings.get_profile("boostext"), derandomize=True
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "boostext"))

BESIDE = Path(__file__).resolve().parents[2] / "shared"


def _beside(variable, name):
    folder = Path(os.environ.get(variable) or BESIDE / name)
    if not folder.is_dir():
        pytest.skip(f"no {name} here: set {variable} to its folder")
    return folder


@pytest.fixture(scope="session")
def golden_dir():
    return _beside("BOOSTEXT_GOLDEN", "golden")


@pytest.fixture(scope="session")
def data_dir():
    return _beside("BOOSTEXT_DATA", "data")
