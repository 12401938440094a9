"""Files as people hold them: read as the training data were, or refused with what to do.

Each table of this file is one kind of fault, and its rows are the members of the kind.
"""

import bz2
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from boostext.cli import main

WORDS = {"billing": "bill charge money", "tech": "broken signal screen"}


def run(*arguments, **options):
    try:
        runner = CliRunner(mix_stderr=False)
    except TypeError:  # click 8.2 and later keep them apart anyway
        runner = CliRunner()
    return runner.invoke(main, [str(argument) for argument in arguments], **options)


def done(*arguments, **options):
    result = run(*arguments, **options)
    assert result.exit_code == 0, result.stderr
    return result


def rows():
    """Twelve records of two labels."""
    for number in range(12):
        label = list(WORDS)[number % 2]
        word = WORDS[label].split()[number % 3]
        yield {"id": f"d{number}", "text": f"my {word} please {number}", "label": label}


def jsonl(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def labels_of(result):
    return [json.loads(line)["labels"] for line in result.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that commands run in; it holds the JSONL of `rows`, and a model of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.jsonl").write_text(jsonl(rows()), encoding="utf-8")
    done("train", "base.jsonl", "-o", "m", "-q", "--rounds", 5)
    return tmp_path


# What was read before an error is told -------------------------------------------------------

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
GOOD = '{"text": "my bill"}\n'


def table(good):
    return b"text,n\n" + b"my bill,1\n" * good.count("\n")


FAULTS = {
    "not JSON": ("b.jsonl", lambda good: (good + "{oops\n" + good).encode()),
    "text is a list": ("b.jsonl", lambda good: (good + '{"text": [[1]]}\n').encode()),
    "no text field": ("b.jsonl", lambda good: (good + '{"body": "x"}\n').encode()),
    "bytes that are no text": ("b.jsonl", lambda good: good.encode() + b'{"text": "\xff"}\n'),
    "ragged row": ("b.csv", lambda good: table(good) + b"my bill,1,2\n"),
    "open quote": ("b.csv", lambda good: table(good) + b'"my\n'),
}  # fmt: skip


@pytest.mark.parametrize("count", [0, 1, 10, 1000])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("fault", FAULTS)
def test_results_before_a_bad_record_are_written(folder, fault, threads, count):
    name, content = FAULTS[fault]
    (folder / name).write_bytes(content(GOOD * count))
    result = run("predict", "m", name, "--threads", threads)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {name}")
    assert len(result.stdout.splitlines()) == count


@pytest.mark.parametrize("ending", PACKERS)
def test_results_before_the_damage_of_a_compressed_file_are_written(folder, ending):
    lines = "".join(json.dumps({"text": os.urandom(500).hex()}) + "\n" for _ in range(2000))
    packed = PACKERS[ending](lines.encode())
    (folder / f"b.jsonl{ending}").write_bytes(packed[: len(packed) * 9 // 10])
    result = run("predict", "m", f"b.jsonl{ending}")
    assert result.exit_code == 1
    line = int(re.search(r"cut or damaged after line (\d+);", result.stderr)[1])
    assert line == len(result.stdout.splitlines()) > 500


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_results_before_a_signal_are_written(folder, number, code):
    os.mkfifo(folder / "pipe.jsonl")
    child = subprocess.Popen(
        [sys.executable, "-m", "boostext", "predict", "m", "pipe.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    with (folder / "pipe.jsonl").open("w") as pipe:  # opens once the command does
        pipe.write(GOOD * 100)
        pipe.flush()
        time.sleep(1)  # until it waits for more, with some documents in hand
        child.send_signal(number)
        stdout, stderr = child.communicate(timeout=60)
    assert child.returncode == code
    assert len(stdout.splitlines()) == 100
    assert stderr == "stopped after 100 results\n"


def test_results_are_in_the_log_before_the_error(folder):
    (folder / "b.jsonl").write_text(GOOD + "{oops\n", encoding="utf-8")
    log = subprocess.run(
        [sys.executable, "-m", "boostext", "predict", "m", "b.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    ).stdout.splitlines()  # fmt: skip
    assert len(log) == 2
    assert log[1].startswith("Error: b.jsonl:2: not JSON")
