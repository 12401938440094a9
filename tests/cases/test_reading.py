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
from dataclasses import replace

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.model.file import read_model, write_model

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


# Files are read as the training data were ----------------------------------------------------

BARE = "billing\tmy bill, please\ntech\tbroken signal\nbilling\tcharge money\ntech\tno signal\n"
QUOTED = 'billing\tmy "bill" please\ntech\t"broken signal\nbilling\tcharge money\ntech\tscreen\n'
COMMAS = BARE.replace(", ", " ").replace("\t", ",")
NAMED = "label\ttext\n" + BARE
COLUMNS = ["--label", "1", "--text", "2"]

ALIKE = {
    "no header": ("a.tsv", BARE, ["--no-header", *COLUMNS]),
    "no header, CSV": ("a.csv", COMMAS, ["--no-header", *COLUMNS]),
    "quotes are text": ("a.tsv", QUOTED, ["--no-header", "--no-quotes", *COLUMNS]),
    "semicolons": ("a.csv", NAMED.replace("\t", ";"), ["--delimiter", ";"]),
    "tabs in .csv": ("a.csv", NAMED, ["--delimiter", "\\t"]),
    "tabs in .csv by format": ("a.csv", NAMED, ["--format", "tsv"]),
    "CSV in .txt": ("a.txt", "label,text\n" + COMMAS, ["--format", "csv"]),
    "TSV of unknown ending": ("a.export", NAMED, ["--format", "tsv"]),
    "TSV without an ending": ("a", NAMED, ["--format", "tsv", "--no-quotes"]),
    "JSONL in .log": ("a.log", jsonl(rows()), ["--format", "jsonl"]),
    "fastText in .train": (
        "a.train", "".join(f"__label__{r['label']} {r['text']}\n" for r in rows()),
        ["--format", "fasttext"],
    ),
}  # fmt: skip
ENCODED = {
    "Latin-1": ("cp1252", "ä"), "UTF-16": ("utf-16", "ä"), "Chinese": ("gb18030", "账单"),
    "Japanese": ("shift_jis", "請求"),
}  # fmt: skip


WEIGHTS = ["-o", "rep", "--source", "weights"]


def check_alike(name, options, count=4):
    """Every command that is given the model reads the file as training did."""
    done("train", name, *options, "-o", "t", "-q", "--rounds", 5)
    predicted = done("predict", "t", name)
    assert len(predicted.stdout.splitlines()) == count
    assert "read as the training data were" in predicted.stderr
    same = done("predict", "t", name, *[o for o in options if o not in COLUMNS])
    assert same.stdout == predicted.stdout
    assert json.loads(done("evaluate", "t", name, "--json").stdout)["examples"] == count
    assert "not the very documents" not in done("inspect", "t", name).stderr
    assert "not the very documents" not in done("inspect", "t", name, *WEIGHTS).stderr
    done("prune", "t", name, "-o", "p", "--terms", 1)
    assert read_model("p").provenance.digest == read_model("t").provenance.digest
    return predicted


@pytest.mark.parametrize("case", ALIKE)
def test_a_file_like_those_of_training_is_read_as_they_were(folder, case):
    name, content, options = ALIKE[case]
    (folder / name).write_text(content, encoding="utf-8")
    check_alike(name, options, content.count("\n") - content.startswith("label"))


@pytest.mark.parametrize("case", ENCODED)
def test_the_encoding_of_training_is_kept(folder, case):
    encoding, word = ENCODED[case]
    records = [{**row, "text": f"{row['text']} {word}{n % 2}"} for n, row in enumerate(rows())]
    (folder / "a.jsonl").write_bytes(jsonl(records).encode(encoding))
    check_alike("a.jsonl", ["--encoding", encoding], 12)


def test_utf8_is_not_read_in_the_single_bytes_of_the_training_data(folder):
    for name, encoding in (("old.jsonl", "cp1252"), ("new.jsonl", "utf-8")):
        records = [{**row, "text": f"{row['text']} größe"} for row in rows()]
        (folder / name).write_bytes(jsonl(records).encode(encoding))
    done("train", "old.jsonl", "--encoding", "cp1252", "-o", "t", "-q", "--rounds", 5)
    result = done("predict", "t", "new.jsonl")
    assert "new.jsonl: is UTF-8, and read as such" in result.stderr
    scores = [json.loads(line)["scores"] for line in result.stdout.splitlines()]
    old = done("predict", "t", "old.jsonl").stdout.splitlines()
    assert scores == [json.loads(line)["scores"] for line in old]


OTHERS = {
    "a named format": ("n.jsonl", jsonl(rows()), [], 12),
    "the format that is said": ("n.tsv", jsonl(rows()), ["--format", "jsonl"], 12),
    "stdin in the format of training": ("-", BARE, [], 4),
    "a table of another ending": ("n.csv", COMMAS, [], 4),
    "a header that is said": ("n.tsv", NAMED, ["--header"], 4),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_files_are_read_by_their_endings_or_as_is_said(folder, case):
    name, content, options, count = OTHERS[case]
    (folder / "a.tsv").write_text(BARE, encoding="utf-8")
    done("train", "a.tsv", "--format", "tsv", "--no-header", *COLUMNS, "-o", "t", "-q")
    if name != "-":
        (folder / name).write_text(content, encoding="utf-8")
    if content.startswith("{"):
        options = [*options, "--text", "text"]
    result = done("predict", "t", name, *options, input=content)
    assert len(result.stdout.splitlines()) == count


def test_a_file_that_is_not_like_the_training_data_is_told(folder):
    (folder / "s.csv").write_text(NAMED.replace("\t", ";"), encoding="utf-8")
    (folder / "s.tsv").write_text(NAMED, encoding="utf-8")
    done("train", "s.csv", "--delimiter", ";", "-o", "t", "-q", "--rounds", 5)
    told = done("predict", "t", "s.tsv").stderr
    assert told == (
        "s.tsv: read as tsv, by its ending, and not with --delimiter ';' as the training data "
        "were\n"
    )
    assert not done("predict", "t", "s.tsv", "-q").stderr


def test_a_model_of_files_in_several_formats_reads_all_of_them(folder):
    (folder / "s.csv").write_text(NAMED.replace("\t", ";"), encoding="utf-8")
    done("train", "s.csv", "base.jsonl", "--delimiter", ";", "-o", "t", "-q", "--rounds", 5)
    assert len(done("predict", "t", "s.csv", "base.jsonl").stdout.splitlines()) == 16


def test_equal_data_in_formats_read_by_their_endings_gives_equal_models(folder):
    table = "id,text,label\n" + "".join(f"{r['id']},{r['text']},{r['label']}\n" for r in rows())
    (folder / "base.csv").write_text(table, encoding="utf-8")
    done("train", "base.csv", "-o", "c", "-q", "--rounds", 5)
    assert (folder / "c").read_bytes() == (folder / "m").read_bytes()


def test_a_model_that_does_not_know_the_endings_of_its_training_data_reads_alike(folder):
    (folder / "s.csv").write_text(NAMED.replace("\t", ";"), encoding="utf-8")
    done("train", "s.csv", "--delimiter", ";", "-o", "t", "-q", "--rounds", 5)
    model = read_model("t")
    write_model(replace(model, data=replace(model.data, endings=())), "old")
    assert done("predict", "old", "s.csv").stdout == done("predict", "t", "s.csv").stdout
