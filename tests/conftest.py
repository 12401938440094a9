"""Where the corpora and golden values beside the project are; tests skip where they are not.

Kernels are compiled before the processes of pytest-xdist start, which would each compile them.
"""

import importlib
import os
import pkgutil
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import hypothesis
import pytest

import boostext
from boostext import built
from boostext.compiled import compiled, kernels_of

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


def pytest_configure(config):
    """Fill the cache with all kernels, from those that were built with the installed package."""
    if not getattr(config.option, "numprocesses", None):  # is None in the other processes as well
        return
    with suppress(metadata.PackageNotFoundError):
        package = metadata.distribution("boostext").locate_file("boostext")
        built.FOLDER = Path(package) / built.FOLDER.name
    for module in pkgutil.walk_packages(boostext.__path__, "boostext."):
        if "kernels" in module.name.rpartition(".")[-1]:
            for kernel, signature in kernels_of(importlib.import_module(module.name)).items():
                compiled(kernel, signature)


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
