"""docs/python.md against the code: its examples run, and its table is what commands print."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import boostext
from boostext.cli import COMMANDS, main

PAGE = (Path(__file__).parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", PAGE, re.DOTALL)
CALLS = re.findall(r"^\| `boostext (.*?)` \| `(.*?)` \|$", PAGE, re.MULTILINE)
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


RULES = "rules:\n  - if: collect\n    then: Collect\n"
MORE = {
    "train": (OPTIONS, "**QUICK"),
    "train --dry-run": (OPTIONS, "**QUICK"),
    "crossval": (["--folds", "2", *OPTIONS], "folds=2, **QUICK"),
    "tune": (["--preset", "readable", *OPTIONS], "preset='readable', **QUICK"),
}
"""command -> what makes it quick: options of the command, and arguments of the call"""
VARYING = {"config", "model", "models", "peak_memory_mb", "seconds", "target", "output", "trials"}


def objects(printed):
    """What a command printed: one object, or a list where each line is one."""
    lines = [json.loads(line) for line in printed.splitlines()]
    return lines if len(lines) > 1 else lines[0]


@pytest.mark.parametrize(("command", "call"), CALLS, ids=lambda text: text.split("(")[0])
def test_a_call_gives_what_the_command_prints(command, call, data, model, tmp_path, capsys):
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES, encoding="utf-8")
    files = dict.fromkeys(("MODEL", "OLD", "NEW"), str(model)) | {"DATA": data, "RULES": str(rules)}
    files |= {"TERM": "collect", "TEXT": "a collect call"}
    name, *words = command.split()
    if name in ("train", "tune") and "-o" in words:
        files |= {"MODEL": str(tmp_path / "made"), "FILE": str(tmp_path / "made.yaml")}
    made = {word: str(tmp_path / word) for word in ("SMALL", "FILE.jsonl", "FILE.py")}
    words = [{**files, **made}.get(word, word) for word in words]
    options, arguments = MORE.get(f"{name} --dry-run" if "--dry-run" in words else name, ([], ""))
    main([name, *words, *options, "-q"], standalone_mode=False)
    by_command = objects(capsys.readouterr().out)
    loaded = boostext.load(model)
    names = {"boostext": boostext, "QUICK": QUICK, "model": loaded, "old": loaded, "new": loaded}
    names |= {"data": [Path(data)], "DATA": data, "rules": str(rules), "term": "collect"}
    call = call.replace("(data)", f"(data, {arguments})").replace('"FILE', f'"{tmp_path}/by-call')
    call = call.replace('"MODEL"', f'"{model.name}"')
    by_call = eval(call, names | {"text": "a collect call"})  # noqa: S307 - our own page
    assert without(json.loads(json.dumps(by_call))) == without(by_command)


def without(told):
    """What can be the same in two runs: no times, and no names of files."""
    if isinstance(told, list):
        return [without(row) for row in told]
    if isinstance(told, dict):
        return {name: without(value) for name, value in told.items() if name not in VARYING}
    return told


def test_results_are_what_predict_prints(data, model, capsys):
    options = ["--top", "2", "--proba", "--explain", "2", "--output", "jsonl"]
    main(["predict", str(model), data, "-q", *options], standalone_mode=False)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    results = boostext.load(model).results([Path(data)], top=2, proba=True, explain=2)
    assert json.loads(json.dumps(results)) == lines


def test_the_table_has_every_command():
    assert {command.split()[0] for command, _ in CALLS} == set(COMMANDS)
