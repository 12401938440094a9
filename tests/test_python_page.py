"""docs/python.md against the code: its examples run, and its table is what commands print."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import boostext
from boostext.cli import main

PAGE = (Path(__file__).parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", PAGE, re.DOTALL)
CALLS = re.findall(r"\| `boostext (\w+)[^|]*--json` \| `(.*?)` \|", PAGE)
DATA = "sample_data/calls.train.jsonl"
QUICK = {"rounds": 2, "threads": 1, "engine": "plain"}
OPTIONS = [word for name, value in QUICK.items() for word in (f"--{name}", str(value))]


def printed(code):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})  # noqa: S102 - our own page
    return out.getvalue()


@pytest.mark.parametrize(("code", "output"), EXAMPLES, ids=lambda part: part[:30].strip())
def test_examples_run_and_print_what_is_shown(code, output):
    if "sklearn" in code:
        pytest.importorskip("sklearn")
    told = printed(code.replace("rounds=100", "rounds=5"))
    assert told
    assert not output or told == output


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Some of the sample calls."""
    path = tmp_path_factory.mktemp("d") / "calls.jsonl"
    lines = Path(DATA).read_text(encoding="utf-8").splitlines()[:120]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def model(data):
    path = Path(data).with_name("calls.boostext")
    boostext.train([data], **QUICK).model.save(path)
    return path


def arguments(command, data, model, of_document):
    """What the command of the table is called with, and the settings of the call."""
    out = str(model.with_name(command))
    return {
        "train": [data, "-o", out, *OPTIONS], "crossval": [data, "--folds", "2", *OPTIONS],
        "tune": [data, "-o", out, "--preset", "readable", *OPTIONS],
        "evaluate": [str(model), data], "compare": [str(model), str(model), data],
        "check": [data],
        "inspect": [str(model), *(["--document", "a collect call"] if of_document else [data])],
    }[command]  # fmt: skip


SETTINGS = {"train": "", "crossval": "folds=2, ", "tune": "preset='readable', "}
VARYING = {"model", "config", "models", "trials", "seconds"}


@pytest.mark.parametrize(("command", "call"), CALLS)
def test_a_call_gives_what_the_command_prints(command, call, data, model, capsys):
    main(
        [command, *arguments(command, data, model, "explain" in call), "--json", "-q"],
        standalone_mode=False,
    )
    by_command = json.loads(capsys.readouterr().out)
    if command in SETTINGS:
        call = call.replace("(data)", f"(data, {SETTINGS[command]}**QUICK)")
    loaded = boostext.load(model)
    names = dict.fromkeys(("model", "old", "new"), loaded)
    names |= {"boostext": boostext, "QUICK": QUICK, "data": [data], "text": "a collect call"}
    by_call = json.loads(json.dumps(eval(call, names)))  # noqa: S307 - our own page
    assert by_command.keys() - by_call.keys() <= {"model", "config"}
    for name in by_call.keys() - VARYING - {"id"}:
        assert by_call[name] == by_command[name], name


def test_results_are_what_predict_prints(data, model, capsys):
    options = ["--top", "2", "--proba", "--explain", "2", "--output", "jsonl"]
    main(["predict", str(model), data, "-q", *options], standalone_mode=False)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    results = boostext.load(model).results([Path(data)], top=2, proba=True, explain=2)
    assert json.loads(json.dumps(results)) == lines


def test_the_table_has_every_command_that_prints_json():
    assert {command for command, _ in CALLS} >= {"train", "crossval", "tune", "evaluate", "compare",
                                                 "check", "inspect"}  # fmt: skip
