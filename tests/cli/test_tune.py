"""`boostext tune`, and `train` with a preset or --tune: what is chosen can be repeated by hand."""

import json
import shlex
import signal
import sys
import time

import pytest

import boostext
from boostext.errors import SettingsError
from boostext.model.file import read_model
from boostext.model.model import asked_conditions
from boostext.presets import BRACKET

SHORT = ("--rounds", 15, "--threads", 1)


def ok(done):
    assert done.exit_code == 0, done.stderr
    return done


def test_tune_writes_settings_that_train_takes(run, corpus, tmp_path):
    config, model = tmp_path / "deep" / "t.yaml", tmp_path / "m.boostext"
    told = ok(run("tune", corpus, "-o", config, *SHORT)).stdout.splitlines()
    assert told[0].split() == ["error", "rounds", "terms", "seconds", "settings"]
    assert told[-1].startswith(f"{config}: boostext train ")
    assert config.read_text("utf-8").startswith("# Found by boostext tune: error 0.")
    ok(run("train", corpus, "-o", model, "--config", config, "-q"))
    assert read_model(model).provenance.command == told[-1].split(": ", 1)[1]
    assert list(tmp_path.glob("**/*.trials")) == []


def test_tune_as_json_has_every_trial_with_its_curve(run, corpus, tmp_path):
    told = json.loads(ok(run("tune", corpus, "-o", tmp_path / "t", *SHORT, "--json")).stdout)
    values = [trial["error"] for trial in told["trials"]]
    assert values == sorted(values)
    assert len(values) == BRACKET
    assert told["trials"][0]["curve"][-1][0] <= 15
    assert told["measure"] == "error"


@pytest.mark.parametrize("name", ["readable", "accurate"])
def test_what_a_preset_chose_gives_the_same_model_by_hand(run, corpus, tmp_path, name):
    first, again = tmp_path / "a", tmp_path / "b"
    done = ok(run("train", corpus, "-o", first, "--preset", name, *SHORT))
    (chosen,) = [line for line in done.stderr.splitlines() if line.startswith("chosen: ")]
    model = read_model(first)
    assert chosen == f"chosen: {model.provenance.command}"
    ok(run(*shlex.split(chosen)[2:], corpus, "-o", again, "-q"))
    assert again.read_bytes() == first.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_train_tunes_on_request(run, corpus, tmp_path):
    done = ok(
        run("train", corpus, "-o", tmp_path / "m", "--tune", "--budget", "4s", *SHORT, "--json")
    )
    assert "  rounds  terms  seconds  settings" in done.stderr
    assert done.stderr.index("choices of settings in about ") < done.stderr.index("  rounds  terms")
    assert json.loads(done.stdout)["command"] in done.stderr


def test_readable_keeps_to_the_terms_that_are_asked_for(run, corpus, tmp_path):
    ok(
        run(
            "train",
            corpus,
            "-o",
            tmp_path / "m",
            "--preset",
            "readable",
            "--terms",
            4,
            "-q",
            *SHORT,
        )
    )
    model = read_model(tmp_path / "m")
    assert len(asked_conditions(model)) <= 4
    assert model.boosting.terms == 4


def test_what_is_said_stands_over_the_preset_and_is_not_tried(run, corpus, tmp_path):
    done = ok(
        run(
            "train",
            corpus,
            "-o",
            tmp_path / "m",
            "--preset",
            "accurate",
            "--rarity",
            0.125,
            "--no-abstain",
            *SHORT,
        )
    )
    tried = [line for line in done.stderr.splitlines() if "--reuse" in line]
    assert tried
    assert all("--rarity 0.125" in line and "--abstain" not in line for line in tried)


def test_a_budget_without_tuning_is_a_mistake(run, corpus, tmp_path):
    for more in ((), ("--preset", "paper")):
        done = run("train", corpus, "-o", tmp_path / "m", "--budget", "10m", *more)
        assert done.exit_code == 2
        assert "--budget is for tuning" in done.stderr
    done = run("tune", corpus, "-o", tmp_path / "t", "--preset", "paper")
    assert (done.exit_code, "nothing to tune" in done.stderr) == (2, True)


@pytest.mark.parametrize("text", ["", "ten", "0", "-5", "5 days", "1e9", "10mm"])
def test_a_budget_is_a_time(run, corpus, tmp_path, text):
    done = run("tune", corpus, "-o", tmp_path / "t", "--budget", text)
    assert done.exit_code == 2
    assert "is not a time like 90s, 10m or 2h" in done.stderr


def test_too_few_documents_are_told_before_anything_is_learned(run, tmp_path):
    (tmp_path / "d.jsonl").write_text('{"text": "a", "labels": ["x"]}\n' * 2, encoding="utf-8")
    done = run("tune", tmp_path / "d.jsonl", "-o", tmp_path / "t")
    assert done.exit_code == 2
    assert "too few documents to choose settings by: 2" in done.stderr


def test_the_library_takes_presets_too(corpus, run, tmp_path):
    model = boostext.train([corpus], preset="readable", threads=1, rounds=15).model.content
    path = tmp_path / "m"
    ok(run("train", corpus, "-o", path, "--preset", "readable", *SHORT, "-q"))
    assert read_model(path).provenance.command == model.provenance.command
    with pytest.raises(SettingsError, match="expected one of paper, readable"):
        boostext.train([corpus], preset="quick")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_tuning_that_was_stopped_goes_on(start, run, corpus, tmp_path):
    config, whole = tmp_path / "t.yaml", tmp_path / "whole.yaml"
    few = ("--rounds", 30, "--threads", 1)
    child = start("tune", corpus, "-o", config, *few)
    trials, deadline = tmp_path / "t.yaml.trials", time.monotonic() + 60
    while time.monotonic() < deadline:
        if trials.exists() and trials.read_text("utf-8").count("\n") >= 3:
            break
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    if child.returncode == 0:
        pytest.skip("tuning was done before the signal came")
    assert child.returncode == 130
    assert "--resume continues" in said
    assert not config.exists()
    ok(run("tune", corpus, "-o", config, *few, "--resume", "-q"))
    ok(run("tune", corpus, "-o", whole, *few, "-q"))
    assert config.read_text("utf-8") == whole.read_text("utf-8")
