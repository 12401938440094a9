"""Ctrl-C and SIGTERM, on a real process."""

import builtins
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from boostext import __main__ as entry
from boostext.library.watch import Stopped, StopRequest, ended_by_sigterm, stop_request
from boostext.model.file import read_model

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
PATIENCE = 60


@pytest.fixture
def learning(start, corpus, tmp_path):
    """A training in the middle of its rounds, and the lines it has written so far."""
    path = tmp_path / "m.boostext"
    child = start(
        "train",
        corpus,
        "-o",
        path,
        "--rounds",
        10_000_000,
        "--engine",
        "plain",
        "--checkpoint-every",
        "0.2",
    )
    checkpoint = tmp_path / "m.boostext.checkpoint"
    deadline = time.monotonic() + PATIENCE
    while not checkpoint.exists() and time.monotonic() < deadline:
        assert child.poll() is None, child.stderr.read()
        time.sleep(0.02)
    yield child, path
    child.kill()
    child.wait()
    child.stdout.close()
    child.stderr.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_ends_the_round_and_saves(learning, number, code, run, tmp_path):
    child, path = learning
    child.send_signal(number)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == code
    assert "stopped after round" in said
    assert "Traceback" not in said
    model = read_model(path)
    assert len(model.rules) > 0
    assert run("predict", path, "--document", "my bill").exit_code == 0
    assert [p.name for p in tmp_path.iterdir()] == ["m.boostext"]


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Texts that tell nothing of their labels, so that cross-validation goes on for a long time."""
    draw = random.Random(1)
    rows = (
        {
            "text": " ".join(f"w{draw.randrange(2000)}" for _ in range(20)),
            "labels": [draw.choice("abc")],
        }
        for _ in range(2000)
    )
    path = tmp_path_factory.mktemp("noise") / "noise.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_report_is_made_keeps_the_model(start, noise, tmp_path, number, code):
    path, report = tmp_path / "m.boostext", tmp_path / "report"
    child = start("train", noise, "-o", path, "--rounds", 3, "--report", report)
    told = iter(child.stderr.readline, "")
    assert any("finding likely label errors" in line for line in told)
    child.send_signal(number)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == code
    assert said.splitlines()[-1] == (
        f"stopped; {path} contains the complete model; the report was not written"
    )
    assert len(read_model(path).rules) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["m.boostext"]


@pytest.fixture(scope="module")
def of_noise(noise, run):
    path = noise.with_name("m.boostext")
    assert run("train", noise, "-o", path, "--rounds", 3, "-q").exit_code == 0
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_an_inspection_that_learns(start, noise, of_noise, tmp_path, number):
    child = start("inspect", of_noise, noise, "-o", tmp_path / "report")
    told = iter(child.stderr.readline, "")
    assert any("finding likely label errors" in line for line in told)
    child.send_signal(number)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 128 + number
    assert said.splitlines()[-1] == "stopped; nothing was written"
    assert list(tmp_path.iterdir()) == []


def test_a_signal_while_reading_stops_with_nothing_written(start, tmp_path):
    read, write = os.pipe()
    path = tmp_path / "m.boostext"
    child = start("train", "-", "-o", path, "--report", tmp_path / "report", stdin=read)
    os.write(write, b'{"text": "a", "labels": ["x"]}\n')
    while "threads" not in child.stderr.readline():
        pass
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    os.close(write)
    os.close(read)
    assert child.returncode == 130
    assert said.splitlines()[-1] == "stopped; nothing was written"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_converting_leaves_nothing_half_written(start, tmp_path, number, code):
    read, write = os.pipe()
    child = start("convert", "-", tmp_path / "calls.csv", "--format", "jsonl", stdin=read)
    os.close(read)
    os.write(write, b'{"text": "a", "labels": ["x"]}\n')
    deadline = time.monotonic() + PATIENCE
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(number)
    _, said = child.communicate(timeout=PATIENCE)
    os.close(write)
    assert (child.returncode, said) == (code, "stopped; nothing was written\n")
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_predicting_is_one_line(start, model):
    child = start("predict", model, "-", stdin=subprocess.PIPE)
    child.stdin.write('{"text": "my bill"}\n')
    child.stdin.flush()
    assert child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    assert said == "stopped after 1 result\n"


def test_the_first_request_only_sets_a_mark_where_the_run_is_patient():
    request = StopRequest()
    request.patient = True
    request.receive(signal.SIGINT, None)
    assert request()
    with pytest.raises(Stopped, match="at once"):
        request.receive(signal.SIGTERM, None)


def test_once_saved_a_request_ends_the_run_also_one_from_before():
    request = StopRequest()
    request.saved("stopped; the model is saved")
    with pytest.raises(Stopped, match="the model is saved"):
        request.receive(signal.SIGINT, None)
    with pytest.raises(Stopped, match="saved now"):
        request.saved("stopped; saved now")


def test_signals_are_heard_as_before_afterwards():
    before = signal.getsignal(signal.SIGINT)
    with stop_request():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_that_ignores_ctrl_c_from_the_start_goes_on_ignoring_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop_request():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_modules_load_is_told_in_a_word(monkeypatch, capsys):
    def interrupted(name, *rest, **more):
        if name == "boostext.cli":
            raise KeyboardInterrupt
        return imported(name, *rest, **more)

    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", interrupted)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "stopped\n"


def test_ctrl_c_before_and_after_the_work_of_a_command_is_no_traceback(monkeypatch, capsys):
    """The handlers of signals are being set, or put back."""

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("boostext.cli.main", interrupted)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "stopped\n")


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("3", "3")])
def test_the_program_starts_no_threads_of_numpy_unless_asked_to(monkeypatch, before, after):
    """They are never used, and OpenBLAS ends the program where it may start none."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", before or "")
    if before is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    monkeypatch.setattr(sys, "argv", ["boostext", "--version"])
    with pytest.raises(SystemExit):
        entry.main()
    assert os.environ["OPENBLAS_NUM_THREADS"] == after


class Cleared:
    """Something that Python clears away when a signal comes."""

    def __init__(self, error):
        self.error = error

    def __del__(self):
        raise self.error


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("error", [Stopped(signal.SIGTERM, "stopped"), KeyboardInterrupt()])
def test_a_signal_while_python_clears_away_is_not_lost(error, capsys):
    def work():
        with ended_by_sigterm():
            Cleared(error)
            for _ in range(500):  # a signal that Python is told of does not end a sleep
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert capsys.readouterr().err == ""
