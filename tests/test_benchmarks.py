"""The benchmarks run, whatever is installed, and say what they measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "benchmarks" / "run.py"


def benchmark(*arguments):
    return subprocess.run(
        [sys.executable, str(RUN), *arguments], capture_output=True, encoding="utf-8", check=False
    )


def figures(*arguments):
    """The machine, and the figures."""
    done = benchmark("--smoke", "--json", *arguments)
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
