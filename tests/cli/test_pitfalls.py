"""Small ways in which tools like this one fail their users, tried on the commands."""

import csv
import json
import os
import shutil
import sys
import tomllib
from pathlib import Path

import click
import pytest

from boostext.cli import COMMANDS, main
from boostext.settings import TextSettings

from .conftest import write_jsonl

ROOT = Path(__file__).resolve().parents[2]


def predicted(run, model, *arguments):
    done = run("predict", model, *arguments)
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def trained(run, data, path, *options):
    done = run("train", data, "-o", path, "--rounds", 12, *options)
    assert done.exit_code == 0, done.stderr
    return done


def test_the_whole_loop_is_commands():
    assert {"check", "train", "evaluate", "predict", "inspect", "convert"} <= set(COMMANDS)


def test_a_line_of_megabytes_is_one_document(run, model, tmp_path):
    rows = [{"id": "long", "text": "word " * 1_000_000}, {"id": "next", "text": "bill"}]
    results = predicted(run, model, write_jsonl(tmp_path / "d.jsonl", rows))
    assert [row["id"] for row in results] == ["long", "next"]


SEPARATORS = ["a¦b", "a:b", "a,b", "a;b", "a|b", 'a"b', "a\\b", "a\tb", "__label__x b", "# a"]


def test_text_may_hold_any_separator(run, model, tmp_path):
    jsonl = write_jsonl(tmp_path / "d.jsonl", [{"text": text} for text in SEPARATORS])
    with (tmp_path / "d.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in SEPARATORS)])
    scores = [
        [row["scores"] for row in predicted(run, model, path, "--all-scores")]
        for path in (jsonl, tmp_path / "d.csv")
    ]
    assert len(scores[0]) == len(SEPARATORS)
    assert scores[0] == scores[1]


def test_a_lint_holds_that_encodings_are_named():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "PLW1514" in settings["ruff"]["lint"]["select"]
    strict = settings["pytest"]["ini_options"]["filterwarnings"]
    assert any(rule.startswith("error::EncodingWarning") for rule in strict)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
def test_line_ends_and_marks_change_nothing(run, model, tmp_path, end, mark):
    data = tmp_path / "d.csv"
    data.write_bytes((mark + end.join(['"text","id"', "my bill,1", "flat,2", ""])).encode())
    wanted = [predicted(run, model, "--document", text)[0] for text in ("my bill", "flat")]
    found = predicted(run, model, data)
    assert [row["id"] for row in found] == ["1", "2"]
    assert [row["scores"] for row in found] == [row["scores"] for row in wanted]


def test_a_csv_field_may_be_longer_than_128_kilobytes(run, model, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text(f'text\n"{"word " * 100_000}"\n', encoding="utf-8")
    assert len(predicted(run, model, data)) == 1


def test_another_delimiter_is_found_and_told(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("text;labels\nmy bill;billing\nflat;moving\n", encoding="utf-8")
    done = run("train", data, "-o", tmp_path / "m", "--rounds", 2)
    assert done.exit_code == 0
    assert "--delimiter" in done.stderr
    trained(run, data, tmp_path / "n", "--delimiter", ";")


def test_a_ragged_row_is_told_or_skipped(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("text,labels\na,x\nb,y,z\nc,y\n", encoding="utf-8")
    done = run("train", data, "-o", tmp_path / "m")
    assert done.exit_code == 1
    assert f"{data}:3: " in done.stderr
    assert "1 bad record left out" in trained(run, data, tmp_path / "m", "--skip-bad").stderr


def test_wrong_bytes_are_an_error_or_counted(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_bytes(b"text,labels\nM\xf6bel,x\nflat,y\n")
    done = run("train", data, "-o", tmp_path / "m")
    assert done.exit_code == 1
    assert f"{data}:2: " in done.stderr
    replaced = trained(run, data, tmp_path / "m", "--encoding-errors", "replace")
    assert "replaced bytes that are not valid text in 1 line" in replaced.stderr
    trained(run, data, tmp_path / "m", "--encoding", "latin-1")


def test_tokens_of_one_letter_are_kept(run, tmp_path):
    rows = [{"text": "a", "labels": ["x"]}, {"text": "b", "labels": ["y"]}]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    assert "2 tokens" in trained(run, data, tmp_path / "m").stderr
    assert predicted(run, tmp_path / "m", "--document", "a")[0]["labels"] == ["x"]


def test_an_empty_vocabulary_is_told_filter_by_filter(run, corpus, tmp_path):
    done = run("train", corpus, "-o", tmp_path / "m", "--min-df", 1000)
    assert done.exit_code == 2
    said = done.stderr.splitlines()[-1]
    for step in ("documents 60", "tokens ", "different tokens ", "min-df 1000: 0"):
        assert step in said


def test_a_comma_in_a_label_is_part_of_it(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text('text,labels\na,"x,y"\nb,z\n', encoding="utf-8")
    trained(run, data, tmp_path / "m")
    assert predicted(run, tmp_path / "m", "--document", "a")[0]["labels"] == ["x,y"]


def test_letters_are_written_as_letters(run, tmp_path):
    rows = [{"text": "ж", "labels": ["ярлык"]}, {"text": "б", "labels": ["другой"]}]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    trained(run, data, tmp_path / "m")
    for output in ("jsonl", "csv", "tsv", "labels"):
        assert "ярлык" in run("predict", tmp_path / "m", data, "--output", output).stdout
    run("convert", data, tmp_path / "d.csv")
    assert "ярлык" in (tmp_path / "d.csv").read_text(encoding="utf-8")


def test_columns_go_by_any_name_or_by_number(run, tmp_path):
    named, bare = tmp_path / "named.csv", tmp_path / "bare.csv"
    rows = "my bill,billing\nflat,moving\n"
    named.write_text("der Text!,метка 1\n" + rows, encoding="utf-8")
    bare.write_text(rows, encoding="utf-8")
    trained(run, named, tmp_path / "a", "--text", "der Text!", "--label", "метка 1")
    trained(run, bare, tmp_path / "b", "--no-header", "--text", "1", "--label", "2")
    scores = [
        predicted(run, tmp_path / name, "--document", "flat", "--all-scores")[0]["scores"]
        for name in "ab"
    ]
    assert scores[0] == scores[1]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep the limit")
def test_many_terms_and_documents_take_little_memory(start, tmp_path):
    """4,000 documents x 40,000 terms are 1.3 GB as a table of numbers."""
    import resource

    rows = (
        {
            "text": " ".join(f"w{n * 10 + k}" for k in range(10)) + f" l{n % 3}",
            "labels": [str(n % 3)],
        }
        for n in range(4_000)
    )
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    limit = 1_000_000_000

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    environ = {"OPENBLAS_NUM_THREADS": "1"}
    child = start(
        "train",
        data,
        "-o",
        tmp_path / "m",
        "--rounds",
        5,
        "--engine",
        "plain",
        "--threads",
        1,
        environ=environ,
        preexec_fn=bounded,
    )
    _, said = child.communicate()
    assert child.returncode == 0, said


def test_a_model_that_was_moved_explains(run, model, tmp_path):
    moved = tmp_path / "elsewhere.model"
    moved.write_bytes(model.read_bytes())
    done = run("predict", moved, "--document", "my bill", "--explain", 2)
    assert done.exit_code == 0
    assert "bill" in done.stdout


def test_prediction_has_no_options_of_features():
    options = main.get_command(click.Context(main), "predict").params
    names = {name.removeprefix("--") for option in options for name in option.opts}
    features = {field.name.replace("_", "-") for field in TextSettings.options()}
    assert not names & features


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04 rubbish", "damaged"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"__label__x some text\n", "text"),
    ],
    ids=["empty", "zip", "gzip", "text"],
)
def test_what_is_no_model_is_told_as_what_it_is(run, tmp_path, content, said):
    path = tmp_path / "m.boostext"
    path.write_bytes(content)
    done = run("predict", path, "--document", "x")
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_a_warning_is_given_once(run, tmp_path):
    rows = [{"id": "same", "text": f"t{n}", "labels": ["A" if n % 2 else "a"]} for n in range(50)]
    done = trained(run, write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m")
    warned = [line for line in done.stderr.splitlines() if line.startswith("Warning")]
    assert len(warned) == len(set(warned)) == 2


@pytest.mark.parametrize("name", [b"two\nlines.jsonl", b"latin\xe9.jsonl", b"--top.jsonl"])
def test_files_of_unusual_names_are_read(run, model, corpus, tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    try:
        shutil.copy(corpus, path)
    except OSError:
        pytest.skip("the file system has no such names")
    done = run("predict", model, path)
    assert done.exit_code == 0, done.stderr
    done = run("convert", path, tmp_path / "o.csv")
    assert done.exit_code == 0, done.stderr
    assert "\udce9" not in (tmp_path / "o.csv").read_text(encoding="utf-8")


def test_a_loop_of_links_is_an_error_of_one_line(run, model, tmp_path):
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    (tmp_path / "o.csv").write_text("id,text\n", encoding="utf-8")
    for command in (("convert", loop, tmp_path / "o.csv"), ("predict", model, loop)):
        done = run(*command)
        assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
        assert "loop.jsonl: cannot be read: " in done.stderr


@pytest.mark.parametrize("command", ["check", "convert", "predict"])
def test_an_empty_name_is_not_the_current_folder(run, model, tmp_path, command):
    """It is usually a variable of the shell that has no value."""
    rest = {"predict": [model, ""], "convert": ["", tmp_path / "o.csv"], "check": [""]}[command]
    done = run(command, *rest)
    assert done.exit_code == 2
    assert "a file has an empty name" in done.stderr


def test_an_empty_name_of_a_model_or_an_output_is_told(run, model, corpus, tmp_path):
    assert "name of the model is empty" in run("predict", "", corpus).stderr
    done = run("convert", corpus, "")
    assert (done.exit_code, "name of the output is empty" in done.stderr) == (1, True)


def test_a_file_cannot_be_the_folder_of_an_output(run, corpus):
    for command in (("convert", corpus), ("train", corpus, "-o")):
        done = run(*command, corpus / "inner" / "o.csv")
        assert done.exit_code == 1
        assert f"{corpus} is not a folder; name a file in a folder" in done.stderr


@pytest.mark.parametrize("option", ["--threshold", "--threshold-proba"])
def test_a_threshold_is_a_number(run, model, option):
    """No score is above NaN, so that no document would have a label."""
    done = run("predict", model, "--document", "my bill", option, "nan")
    assert done.exit_code == 2
    assert f"{option[2:]} is 'nan'; expected a number" in done.stderr
