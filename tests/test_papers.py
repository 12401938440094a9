"""The papers' experiments run, on very little data, and print their tables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PAPERS = Path(__file__).resolve().parents[1] / "benchmarks" / "papers"


@pytest.fixture
def table(data_dir):
    """The rows that an experiment prints, as lists of cells, heads first."""

    def run(name, *arguments):
        done = subprocess.run(
            [sys.executable, str(PAPERS / f"{name}.py"), "--smoke", *arguments],
            capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "BOOSTEXT_DATA": str(data_dir)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    return run


def test_letters_are_told_apart_better_with_confidence(table):
    heads, *rows = table("ss99_letter")
    errors = {(row[0], row[1]): float(row[heads.index("train error %")]) for row in rows}
    assert {method for method, _ in errors} == {"discrete MR", "discrete MH", "real MH"}
    assert errors["real MH", "10"] < errors["discrete MH", "10"] < errors["discrete MH", "1"]
