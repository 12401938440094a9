"""Files as people hold them: read as the training data were, or refused with what to do.

Each table of this file is one kind of fault, and its rows are the members of the kind.
"""

import ast
import bz2
import gzip
import json
import lzma
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import boostext
from boostext.atomic import replacing
from boostext.cli import COMMANDS, main
from boostext.errors import BoostextError
from boostext.model.file import MODEL_FILE, read_model, write_model

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


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """learned(NAME): the bytes of one of the models that tests read, of which each is learned once.

    m: of `rows`; several: of `rows` with a second label.
    """
    folder = tmp_path_factory.mktemp("learned")
    for name, records, rounds in (("m", rows(), 5), ("several", rows_of_several(), 2)):
        data = folder / f"{name}.jsonl"
        data.write_text(jsonl(records), encoding="utf-8")
        done("train", data, "-o", folder / name, "-q", "--rounds", rounds)
    return lambda name: (folder / name).read_bytes()


def rows_of_several():
    return [{**row, "label": [row["label"], "all"]} for row in rows()]


@pytest.fixture
def folder(tmp_path, monkeypatch, learned):
    """The folder that commands run in; it holds the JSONL of `rows`, and a model of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.jsonl").write_text(jsonl(rows()), encoding="utf-8")
    (tmp_path / "m").write_bytes(learned("m"))
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
}


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
    line = int(re.search(r"truncated or damaged after line (\d+);", result.stderr)[1])
    assert line == len(result.stdout.splitlines()) > 500


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_results_before_a_signal_are_written(folder, number, code):
    os.mkfifo(folder / "pipe.jsonl")
    child = subprocess.Popen(
        [sys.executable, "-m", "boostext", "predict", "m", "pipe.jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with (folder / "pipe.jsonl").open("w", encoding="utf-8") as pipe:  # opens once the command does
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
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    ).stdout.splitlines()
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
        "a.train",
        "".join(f"__label__{r['label']} {r['text']}\n" for r in rows()),
        ["--format", "fasttext"],
    ),
}
ENCODED = {
    "Latin-1": ("cp1252", "ä"),
    "UTF-16": ("utf-16", "ä"),
    "Chinese": ("gb18030", "账单"),
    "Japanese": ("shift_jis", "請求"),
}


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
    assert "new.jsonl: read as UTF-8, although" in result.stderr
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
        "s.tsv: read as tsv because of its ending, without --delimiter ';', with which the "
        "training data were read\n"
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


# Prediction needs the text and the attributes of the model -----------------------------------

UNNEEDED = {
    "label -1": {"label": -1},
    "label null": {"label": None},
    "label of objects": {"label": {"a": 3}},
    "label of spans": {"label": [[0, 2, "X"]]},
    "empty label": {"label": ""},
    "labels of objects": {"labels": [{"id": 1, "name": "bug"}]},
    "label true": {"label": True},
    "weight of words": {"weight": "72kg"},
    "weight n/a": {"weight": "n/a"},
    "weight below 0": {"weight": -1},
    "weight as a list": {"weight": [1]},
    "id as an object": {"id": {"key": 5}},
    "id as a list": {"id": [1]},
    "id true": {"id": True},
    "id as a float": {"id": 1.5},
    "Mongo's id": {"id": {"$oid": "5f"}},
    "attributes as a list": {"attributes": [1, 2]},
    "attributes as text": {"attributes": "none"},
    "attribute as a list": {"attributes": {"tags": ["x"]}},
    "scored text of words": {"attributes": {"tags": {"a": "much"}}},
    "another field": {"note": {"deep": [None]}},
}


@pytest.mark.parametrize("case", UNNEEDED)
def test_prediction_does_not_look_at_what_it_does_not_need(folder, case):
    plain = {"text": "my bill"}
    (folder / "n.jsonl").write_text(jsonl([{**plain, **UNNEEDED[case]}, plain]), encoding="utf-8")
    first, second = map(json.loads, done("predict", "m", "n.jsonl").stdout.splitlines())
    assert first["scores"] == second["scores"]
    assert isinstance(first["id"], str)


TABLES = {
    "weight of words": "text,weight\nmy bill,72kg\n",
    "weight n/a": "text,weight\nmy bill,n/a\n",
    "two notes": "text,note,note\nmy bill,q,r\n",
    "two labels": "text,label,label\nmy bill,q,r\n",
    "two ids": "id,text,id\n1,my bill,2\n",
    "two weights": "weight,text,weight\n1,my bill,2\n",
    "no names": ",text,\n1,my bill,2\n",
}


@pytest.mark.parametrize("case", TABLES)
def test_prediction_does_not_look_at_columns_it_does_not_need(folder, case):
    (folder / "n.csv").write_text(TABLES[case], encoding="utf-8")
    assert labels_of(done("predict", "m", "n.csv")) == [["billing"]]


@pytest.fixture
def attributed(folder):
    """A model that asks for the attribute `n` and not for `unused`."""
    records = [{"text": "x", "label": "ab"[n % 2], "n": n % 2, "unused": "z"} for n in range(20)]
    (folder / "n.jsonl").write_text(jsonl(records), encoding="utf-8")
    done("train", "n.jsonl", "-o", "n", "-q", "--attribute", "n", "--attribute", "unused")


@pytest.mark.usefixtures("attributed")
def test_prediction_reads_the_attributes_that_rules_ask_for(folder):
    (folder / "a.csv").write_text("text,n\nx,0\nx,1\n", encoding="utf-8")
    assert labels_of(done("predict", "n", "a.csv")) == [["a"], ["b"]]
    records = [{"text": "x", "n": 1, "unused": [1]}, {"text": "x", "attributes": {"n": 0}}]
    (folder / "a.jsonl").write_text(jsonl(records), encoding="utf-8")
    assert labels_of(done("predict", "n", "a.jsonl")) == [["b"], ["a"]]


@pytest.mark.usefixtures("attributed")
def test_prediction_misses_an_attribute_that_rules_ask_for(folder):
    (folder / "a.csv").write_text("text,unused\nx,0\n", encoding="utf-8")
    refused = run("predict", "n", "a.csv")
    assert refused.exit_code == 1
    assert "a.csv:1: no column 'n'" in refused.stderr
    (folder / "a.jsonl").write_text('{"text": "x", "n": [1]}\n', encoding="utf-8")
    assert "a.jsonl:1: 'n' is a list" in run("predict", "n", "a.jsonl").stderr


# Names of columns that are there twice -------------------------------------------------------

TWICE = "id,text,label,note,note\n1,my bill,billing,q,r\n2,no signal,tech,q,s\n"
TWICE += "3,my charge,billing,,\n4,my screen,tech,,\n"
COMMANDS_ON_TWICE = {
    "train": ["train", "d.csv", "-o", "t", "-q", "--rounds", 2],
    "train by number": ["train", "d.csv", "--text", 2, "--label", 3, "--id", 1, "-o", "t", "-q"],
    "check": ["check", "d.csv"],
    "convert": ["convert", "d.csv", "-", "--to", "jsonl"],
    "crossval": ["crossval", "d.csv", "--folds", 2, "--rounds", 2],
    "predict": ["predict", "m", "d.csv"],
    "evaluate": ["evaluate", "m", "d.csv"],
    "inspect": ["inspect", "m", "d.csv"],
}


@pytest.mark.parametrize("case", COMMANDS_ON_TWICE)
def test_names_that_nobody_asks_for_may_be_there_twice(folder, case):
    (folder / "d.csv").write_text(TWICE, encoding="utf-8")
    done(*COMMANDS_ON_TWICE[case])


def test_a_name_that_is_asked_for_and_there_twice_is_given_by_number(folder):
    (folder / "d.csv").write_text(TWICE.replace("label", "note", 1), encoding="utf-8")
    refused = run("train", "d.csv", "--label", "note", "-o", "t", "-q")
    assert refused.exit_code == 1
    said = "d.csv:1: the header has 'note' more than once, in columns 3, 4, 5; choose one by number"
    assert said in refused.stderr
    advice = re.search(r"such as (--label \d+)", refused.stderr)[1]
    done("train", "d.csv", *advice.split(), "-o", "t", "-q", "--rounds", 2)


def test_a_header_over_columns_given_by_number_is_told(folder):
    (folder / "a.tsv").write_text(BARE, encoding="utf-8")
    told = done("train", "a.tsv", *COLUMNS, "-o", "t", "--rounds", 2).stderr
    assert "the first row is read as the names of the columns" in told
    assert "--no-header" in told
    told = done("train", "a.tsv", *COLUMNS, "--no-header", "-o", "t", "--rounds", 2).stderr
    assert "the first row is taken" not in told


# What is there is not written over -----------------------------------------------------------

MINE = b"mine\n"
SHORTEST = "0.05s"
"""A budget that is used up by the first trials."""
WRITERS = {
    "train": (["train", "base.jsonl", "--rounds", 2, "-q", "-o"], "x"),
    "checkpoint": (["train", "base.jsonl", "--rounds", 2, "-q", "-o", "y"], "y.checkpoint"),
    "trials": (
        ["train", "base.jsonl", "--tune", "--budget", SHORTEST, "-q", "-o", "y"],
        "y.trials",
    ),
    "prune": (["prune", "m", "--rules", 1, "-o"], "x"),
    "evaluate": (["evaluate", "several", "several.jsonl", "--tune-thresholds", "-o"], "x"),
    "tune": (["tune", "base.jsonl", "--budget", SHORTEST, "-q", "-o"], "x.yaml"),
    "tune's trials": (["tune", "base.jsonl", "--budget", SHORTEST, "-q", "-o", "y"], "y.trials"),
    "report": (
        [
            "train",
            "base.jsonl",
            "--rounds",
            2,
            "-q",
            "-o",
            "y",
            "--outliers",
            "weights",
            "--report",
            "rep",
        ],
        "rep/report.html",
    ),
    "table of a report": (
        [
            "train",
            "base.jsonl",
            "--rounds",
            2,
            "-q",
            "-o",
            "y",
            "--outliers",
            "weights",
            "--report",
            "rep",
        ],
        "rep/rules.tsv",
    ),
    "inspect": (["inspect", "m", "-o", "rep"], "rep/terms.tsv"),
    "inspect a document": (
        ["inspect", "m", "--document", "bill", "-o", "rep"],
        "rep/document.html",
    ),
    "crossval": (
        ["crossval", "base.jsonl", "--folds", 2, "--rounds", 2, "--report", "rep"],
        "rep/curve.tsv",
    ),
    "suggest": (["suggest", "m", "new.jsonl", "-o"], "x.html"),
    "export": (["export", "m", "--to", "python", "-o"], "x.py"),
    "export to JavaScript": (["export", "m", "--to", "javascript", "-o"], "x.mjs"),
    "export to a page": (["export", "m", "--to", "html", "-o"], "x.html"),
    "model to JSON": (["convert", "m.boostext"], "x.json"),
    "model to .shyp": (["convert", "m.boostext"], "x.shyp"),
    "model to model": (["convert", "m.boostext"], "x.boostext"),
    **{
        f"convert to {ending}": (["convert", "base.jsonl"], f"x{ending}")
        for ending in (".jsonl", ".csv", ".tsv", ".ft", ".jsonl.gz", ".data")
    },
}
ANYBODYS = ("suggest", "convert", "model to .shyp")
"""Outputs that cannot be told from what people write or fill in."""


@pytest.fixture
def outputs(folder, learned):
    """What the commands of WRITERS read."""
    (folder / "several.jsonl").write_text(jsonl(rows_of_several()), encoding="utf-8")
    (folder / "several").write_bytes(learned("several"))
    (folder / "new.jsonl").write_text(GOOD, encoding="utf-8")
    (folder / "m.boostext").write_bytes((folder / "m").read_bytes())
    (folder / "rep").mkdir()
    return folder


@pytest.mark.parametrize("case", WRITERS)
def test_a_file_that_is_no_earlier_output_is_replaced_by_force_only(outputs, case):
    command, name = WRITERS[case]
    command = [*command, name] if name.startswith("x") else command
    target = outputs / name
    target.write_bytes(MINE)
    refused = run(*command)
    assert refused.exit_code == 1
    assert f"Error: {name}: is there already" in refused.stderr
    assert "--force" in refused.stderr
    assert target.read_bytes() == MINE
    done(*command, "--force")
    assert not target.exists() or target.read_bytes() != MINE


@pytest.mark.parametrize("case", WRITERS)
def test_an_earlier_output_is_replaced_without_more_ado(outputs, case):
    command, name = WRITERS[case]
    command = [*command, name] if name.startswith("x") else command
    done(*command)
    again = run(*command)
    if case == "suggest" or not case.startswith(ANYBODYS):
        assert again.exit_code == 0, again.stderr
    else:
        assert again.exit_code == 1
        assert "--force" in again.stderr


def test_a_folder_of_texts_is_replaced_by_force_and_only_if_it_is_one(folder):
    done("convert", "base.jsonl", "texts/")
    before = sorted(path.name for path in (folder / "texts").rglob("*"))
    assert "--force" in run("convert", "base.jsonl", "texts/").stderr
    done("convert", "base.jsonl", "texts/", "--force")
    assert sorted(path.name for path in (folder / "texts").rglob("*")) == before
    for inside in ("texts/.git", "texts/billing/deep"):
        (folder / inside).mkdir()
        refused = run("convert", "base.jsonl", "texts/", "--force")
        assert refused.exit_code == 1
        assert "contains more than LABEL/FILE" in refused.stderr
        (folder / inside).rmdir()
    assert not list(folder.glob(".boostext-*"))


def test_an_empty_file_may_be_replaced(folder):
    (folder / "x").touch()
    done("train", "base.jsonl", "-o", "x", "-q", "--rounds", 2)
    (folder / "x.csv").touch()
    done("convert", "base.jsonl", "x.csv")


def test_another_zip_is_no_model(folder):
    with zipfile.ZipFile("x", "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    assert "is not a boostext model" in run("train", "base.jsonl", "-o", "x", "-q").stderr


def test_a_file_that_comes_while_the_output_is_made_is_kept_as_well(folder):
    place = folder / "x"

    def make():
        with replacing(place, MODEL_FILE) as file:
            file.write(b"made")
            place.write_bytes(MINE)

    with pytest.raises(BoostextError, match="is there already") as raised:
        make()
    assert place.read_bytes() == MINE
    [kept] = folder.glob("x.*.new")
    assert kept.read_bytes() == b"made"
    assert str(kept) in str(raised.value)


# Advice that fits ----------------------------------------------------------------------------

READING = [name for name in COMMANDS if name != "export"]
LEARNING = ["train", "tune", "crossval"]
SPEAKERS = {
    "corpus/writers": ["convert"],
    "corpus/table_writer": ["convert"],
    "corpus/folder_writer": ["convert"],
    "corpus/holding": ["convert"],
    "corpus/": READING,
    "boosting": LEARNING,
    "distributed": ["train"],
    "training/trial_log": ["train", "tune"],
    "training/refit": ["prune"],
    "training/": LEARNING,
    "evaluation/folds": LEARNING,
    "text_settings": LEARNING,
    "features/": LEARNING,
    "presets": ["train", "tune"],
    "model/prune": ["prune"],
    "model/description": ["convert"],
    "model/model": ["inspect", "prune"],
    "model/shyp": ["train"],
    "reports/evaluations": ["evaluate"],
    "reports/suggestions": ["suggest"],
    "reports/trees": ["inspect"],
    "library/conversion": ["convert"],
    "library/crossval": ["crossval"],
    "library/judging": ["train"],
    "library/inspection": ["inspect"],
    "library/measuring": ["evaluate"],
    "library/pruning": ["prune"],
    "library/results": ["predict"],
    "library/tasks": ["suggest"],
    "library/term_listing": ["inspect"],
    "library/tuning": ["train", "tune"],
    "library/training": ["train"],
    "library/": ["train", "inspect"],
    "reports/findings": ["check"],
    "settings": LEARNING,
    "knowledge/": ["train", "inspect", "check"],
    "reports/portable": ["export"],
    "errors": ["train", "predict"],
    "cli/program": ["train"],
    **{f"cli/{name}": [name] for name in COMMANDS},
    "cli/options": COMMANDS,
    "fields": COMMANDS,
    "atomic": [
        "train",
        "prune",
        "tune",
        "convert",
        "inspect",
        "crossval",
        "evaluate",
        "suggest",
        "export",
    ],
}
"""beginning of a module's path -> the commands in which its messages are heard"""
ELSEWHERE = re.compile(r"train (?:anew )?(?:with |without )?(--[a-z-]+)")
"""Advice to give an option to train, in whatever command it is heard."""
SHARED = {"cli/options", "fields", "corpus/corrections"}
"""Modules whose messages are heard where the option is there, which not all commands have."""
OPTION = re.compile(r"(?<![\w'\"-])--[a-z][a-z-]*[a-z]")
PACKAGE = Path(boostext.__file__).parent


def said_strings(tree):
    """The texts of a module that are neither docstrings nor the help of an option."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        name = getattr(getattr(node, "func", None), "attr", getattr(node, "func", None))
        if isinstance(node, ast.Call) and getattr(name, "id", name) in ("option", "setting"):
            skipped.update(ast.walk(node))
        for decorator in getattr(node, "decorator_list", []):
            skipped.update(ast.walk(decorator))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.value


def options_of(command):
    found = main.get_command(click.Context(main), command).params
    return {name for p in found for name in (*p.opts, *p.secondary_opts)} | {"--help"}


def test_every_option_in_a_message_is_one_of_the_command_that_says_it():
    known = {command: options_of(command) for command in COMMANDS}
    wrong, seen = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        for text in said_strings(ast.parse(path.read_text(encoding="utf-8"))):
            elsewhere = ELSEWHERE.findall(text)
            for option in OPTION.findall(text):
                seen += 1
                speakers = next(
                    (c for start, c in SPEAKERS.items() if module.startswith(start)), []
                )
                speakers = ["train"] if option in elsewhere else speakers
                has = [option in known[name] for name in speakers]
                shared = module.removesuffix(".py") in SHARED and (any(has) or option == "--no")
                if not has or not (all(has) or shared):
                    wrong.append((module, option, text))
    assert wrong == []
    assert seen > 80


FIELDS = "message,Category,n\nmy bill please,billing,1\nno signal,tech,2\nthe charge,billing,3\n"
FIELDS += "a screen,tech,4\n" + "".join(f"bill {n},billing,1\nscreen {n},tech,2\n" for n in "abcd")
FILES = {
    "m.csv": FIELDS,
    "cap.csv": FIELDS.replace("message", "Text").replace("Category", "Label"),
    "semi.csv": FIELDS.replace("message", "text").replace("Category", "label").replace(",", ";"),
    "tabs.csv": FIELDS.replace("message", "text").replace("Category", "label").replace(",", "\t"),
    "bars.csv": FIELDS.replace("message", "text").replace("Category", "label").replace(",", "|"),
    "blank.csv": FIELDS.replace("message", "text ").replace("Category", " label"),
    "odd.csv": FIELDS.replace("message", "text").replace("Category", "label $1"),
    "excel.csv": "sep=;\n"
    + FIELDS.replace("message", "text").replace("Category", "label").replace(",", ";"),
    "json.csv": jsonl(rows()),
    "n.ft": "my bill please\nno signal\n",
    "two.jsonl": jsonl(list(rows())[:2]),
    "body.jsonl": jsonl({"body": r["text"], "topic": r["label"], "id": r["id"]} for r in rows()),
    "txt.jsonl": jsonl({"txt": r["text"], "lable": r["label"]} for r in rows()),
    "latin.jsonl": jsonl([{**r, "text": r["text"] + " ä"} for r in rows()]).encode("cp1252"),
    "wide.csv": FIELDS.replace("message", "text").replace("Category", "label").encode("utf-16-le"),
    "big.csv": FIELDS.replace("message", "text").replace("Category", "label").encode("utf-16-be"),
    "marked.jsonl": jsonl(rows()).encode("utf-16"),
    "quote.csv": 'text,label\n"my" bill,billing\nno signal,tech\nbill,billing\nscreen,tech\n',
    "export.dat": jsonl(rows()),
    "mine": "mine\n",
    "weights.jsonl": jsonl({**r, "weight": "much"} for r in rows()),
    "lists.jsonl": jsonl({**r, "label": [0, 1]} for r in rows()),
}

TRAIN = "train {} -o t -q --rounds 2"
ADVICE = {
    "predict: no text": ("predict m m.csv", "--text message"),
    "predict: near text": ("predict m cap.csv", "--text Text"),
    "evaluate: labels": ("evaluate m cap.csv --text Text", "--label Label"),
    "inspect: labels": ("inspect m cap.csv --text Text", "--label Label"),
    "check: text": ("check cap.csv", "--text Text"),
    "convert: text": ("convert cap.csv x.jsonl", "--text Text"),
    "JSON in .csv": (TRAIN.format("json.csv"), "--format jsonl"),
    "blanks in names": (TRAIN.format("blank.csv") + " --text 'text '", "--label ' label'"),
    "signs of the shell in names": (TRAIN.format("odd.csv"), "--label 'label $1'"),
    "field of JSONL": (TRAIN.format("txt.jsonl") + " --label lable", "--text txt"),
    "labels of JSONL": (TRAIN.format("txt.jsonl") + " --text txt", "--label lable"),
    "Latin-1": (TRAIN.format("latin.jsonl"), "--encoding cp1252"),
    "UTF-16 without a mark": (TRAIN.format("wide.csv"), "--encoding utf-16-le"),
    "UTF-16, the other way": (TRAIN.format("big.csv"), "--encoding utf-16-be"),
    "UTF-16 with a mark": (TRAIN.format("marked.jsonl"), "--encoding utf-16"),
    "loose quotes": (TRAIN.format("quote.csv"), "--no-quotes"),
    "output": ("train base.jsonl -o mine -q --rounds 2", "--force"),
    "weights": (TRAIN.format("weights.jsonl"), "--weight ''"),
    "numbers as labels": (TRAIN.format("lists.jsonl"), "--literal-labels"),
    "patience": (TRAIN.format("base.jsonl") + " --patience 3", "--valid-fraction 0.3"),
    "too few for folds": ("inspect m two.jsonl -o rep", "--source weights"),
    "model to JSON": ("convert m out", "--to json"),
    "model to .shyp": ("convert m out", "--to shyp"),
    "several labels in a cell": ("convert several.jsonl x.csv", "--label-sep ';'"),
    "what a format cannot hold": ("convert several.jsonl x/", "--lossy"),
    "budget": ("train base.jsonl -o t -q --budget 0.05s", "--tune"),
}
"""case -> a command that is refused, and the option of the message that mends it"""


@pytest.fixture
def files(folder):
    for name, content in FILES.items():
        data = content.encode("utf-8") if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    (folder / "several.jsonl").write_text(jsonl(rows_of_several()), encoding="utf-8")
    return folder


def check_options(command, stderr):
    """Every option that a message names exists in the command."""
    said = set(OPTION.findall(ELSEWHERE.sub("", stderr)))
    assert said <= options_of(command), said - options_of(command)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", ADVICE)
def test_advice_works(case):
    typed, mend = ADVICE[case]
    words = shlex.split(typed)
    refused = run(*words)
    assert refused.exit_code in (1, 2)
    check_options(words[0], refused.stderr)
    option = mend.split()[0] if mend.split()[0] in VALUES else mend
    assert option in refused.stderr
    done(*words, *shlex.split(mend))


VALUES = {
    "--valid-fraction",
    "--encoding",
    "--weight",
    "--label-sep",
    "--source",
    "--to",
    "--text",
    "--literal-labels",
}
"""Options whose value is for the user to know: the message names the option, perhaps examples."""


LEFT_OUT = {
    "too small a fraction": (
        "train two.jsonl -o t -q --rounds 2 --valid-fraction 0.9",
        "--valid-fraction 0.9",
        "leave it out",
    ),
    "crossval of a fraction": (
        "crossval base.jsonl --rounds 2 --valid-fraction 0.2",
        "--valid-fraction 0.2",
        "leave out --valid and --valid-fraction",
    ),
    "characters and punctuation": (
        "train base.jsonl -o t -q --rounds 2 --analyzer char --punctuation",
        "--punctuation",
        "--punctuation",
    ),
    "thresholds of one label": (
        "train base.jsonl -o t -q --rounds 2 --tune-thresholds f1",
        "--tune-thresholds f1",
        "leave out --tune-thresholds",
    ),
}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", LEFT_OUT)
def test_advice_to_leave_an_option_out_works(case):
    typed, needless, said = LEFT_OUT[case]
    refused = run(*shlex.split(typed))
    assert refused.exit_code in (1, 2)
    assert said in refused.stderr
    check_options(typed.split()[0], refused.stderr)
    done(*shlex.split(typed.replace(needless, "")))


@pytest.mark.usefixtures("files")
def test_fasttext_without_labels_shows_how_a_line_begins():
    refused = run("train", "n.ft", "-o", "t", "-q")
    assert refused.exit_code == 1
    assert "no line begins with __label__" in refused.stderr
    assert "'__label__billing my bill is wrong'" in refused.stderr


@pytest.mark.usefixtures("files")
def test_a_model_is_known_by_its_content_whatever_its_name():
    done("convert", "m", "out", "--to", "json")
    done("convert", "out", "back", "--to", "boostext")
    assert Path("back").read_bytes() == Path("m").read_bytes()
    done("convert", "m", "rules.shyp")
    assert Path("rules.names").exists()


def test_excels_mark_is_no_row(folder):
    (folder / "e.csv").write_text(FILES["excel.csv"], encoding="utf-8")
    assert len(done("predict", "m", "e.csv").stdout.splitlines()) == 12


@pytest.mark.parametrize(("sign", "typed"), [(";", "';'"), ("\t", "'\\t'"), ("|", "'|'")])
def test_a_header_that_is_one_cell_is_told_the_delimiter(folder, sign, typed):
    (folder / "s.csv").write_text(FIELDS.replace(",", sign), encoding="utf-8")
    for command in (["train", "s.csv", "-o", "t"], ["predict", "m", "s.csv"], ["check", "s.csv"]):
        refused = run(*command)
        assert refused.exit_code == 1
        assert f"add --delimiter {typed}" in refused.stderr
    names = ["--text", "message", "--label", "Category", "--delimiter", sign]
    done("train", "s.csv", *names, "-o", "t", "-q", "--rounds", 2)
