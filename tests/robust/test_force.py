"""A small, seeded part of benchmarks/robust.py; what it found stays here as tests of their own."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.settings import DataSettings
from tests import forked

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "robust.py"
MANY = ("inputs", "texts", "models", "forged models", "same bytes")
FEW = ("kills", "disks", "bombs")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes and limits")


@pytest.mark.parametrize(("kinds", "trials"), [(MANY, 20), (FEW, 1)])
def test_nothing_fails_by_force(kinds, trials):
    only = [word for kind in kinds for word in ("--only", kind)]
    done = forked.run(PROGRAM, "--trials", trials, "--json", *only)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["kind"] for row in rows] == list(kinds), done.stderr
    assert [row["said"] for row in rows if row["failed"]] == []
    assert all(row["tried"] == trials for row in rows)
    assert done.returncode == 0


def test_the_table_is_printed_where_the_run_is_stopped():
    """Also where that comes while a program of a trial runs, which ends as well."""
    command = [sys.executable, str(PROGRAM), "--only", "changes", "--seconds", "300"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, encoding="utf-8") as running:
        assert running.stderr.readline() == "seed 0; Ctrl-C ends the run and prints the table\n"
        time.sleep(0.3)
        running.terminate()
        table = running.communicate(timeout=30)[0].splitlines()
    assert table[0].split()[:3] == ["kind", "tried", "failed"]
    assert [line.split()[0] for line in table[1:]] == ["changes"]


def test_offsets_of_an_arrow_file_that_point_elsewhere_are_refused(tmp_path):
    """pyarrow itself trusts them, and ends the process."""
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / "d.arrow"
    table = pyarrow.table({"text": ["own word", "other"], "label": [["a"], ["b", "c"]]})
    feather.write_feather(table, str(path), compression="uncompressed")
    good, refused = path.read_bytes(), 0
    for place in range(0, len(good), 7):
        path.write_bytes(good[:place] + b"\x30" + good[place + 1 :])
        try:
            list(read_documents([str(path)], DataSettings(), BadRecords()))
        except BoostextError:
            refused += 1
    assert refused > 20
