"""The benchmarks run, whatever is installed, and say what they measured."""

import json
from pathlib import Path

import pytest

from tests import forked

RUN = Path(__file__).resolve().parents[1] / "benchmarks" / "run.py"


def figures(*arguments):
    """The machine, and the figures."""
    done = forked.run(RUN, "--smoke", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    about, *rows = map(json.loads, done.stdout.splitlines())
    return about, rows


def test_rounds_of_both_engines_are_compared():
    about, (unmerged, merged) = figures("--only", "rounds-words")
    assert "20newsgroups (generated)" in about["corpora"]
    for row in (unmerged, merged):
        assert row["against"].startswith("plain engine")
        assert row["ratio"] == pytest.approx(row["theirs"] / row["ours"])
        assert row["low"] <= row["ratio"] <= row["high"]
        assert row["runs"] == 1
