"""The progress line: live only where a person looks, and then never in the way."""

import io
import os
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from boostext.cli import progress
from boostext.cli.progress import LIVE_SILENT, PLAIN_EVERY, SILENT, Line, Progress, is_live
from boostext.cli.talk import Talk
from boostext.library.watch import now_and_then

from .conftest import records, write_jsonl


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """Time that goes on by `step` whenever somebody looks."""

    def __init__(self, step=0.0):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def moment(number, valid=None):
    """After that round, when the training error is a quarter."""
    made = SimpleNamespace(number=number, z=0.9, bound=0.5)
    return SimpleNamespace(round=made, valid=valid, scores=lambda: None)


def learning(progress):
    """A progress whose run has just begun."""
    progress.line = Line(100, SimpleNamespace(name="error", value=lambda scores: 0.25))
    return progress


@pytest.mark.parametrize(
    ("stream", "mode", "environ", "live"),
    [
        (Terminal(), "auto", {}, True),
        (Terminal(), "on", {}, True),
        (Terminal(), "off", {}, False),
        (Terminal(), "auto", {"CI": "true"}, False),
        (Terminal(), "auto", {"TERM": "dumb"}, False),
        (io.StringIO(), "auto", {}, False),
        (io.StringIO(), "on", {}, False),
        (io.StringIO(), "auto", {"FORCE_COLOR": "1"}, False),
        (None, "auto", {}, False),
    ],
)
def test_the_line_is_live_only_at_a_terminal(stream, mode, environ, live):
    assert is_live(mode, stream, environ) is live


def test_away_from_a_terminal_there_is_a_plain_line_every_few_seconds():
    stream, clock = io.StringIO(), Clock()
    progress = learning(Progress("auto", stream, clock, {}))
    for number in range(1, 41):
        clock.now += 1
        progress.round(moment(number))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 40 // PLAIN_EVERY
    assert lines[0] == (
        "round 5/100  Z 0.9000  bound 0.5  train error 0.2500  1.0 rounds/s  1:35 left"
    )
    assert "\r" not in stream.getvalue()


def test_at_a_terminal_one_line_is_written_over_and_removed_at_the_end():
    stream, clock = Terminal(), Clock()
    progress = learning(Progress("auto", stream, clock, {}))
    for number, valid in ((1, 0.5), (2, None)):
        clock.now += 1
        progress.round(moment(number, valid))
    progress.finish()
    written = stream.getvalue()
    assert "\n" not in written
    first, second, blank = written.split("\r")[1:4]
    assert "valid error 0.5000" in first
    assert len(second) == len(first)  # nothing of a longer line stays
    assert not blank.strip()


def test_reading_tells_how_many_documents_it_has_read():
    stream, clock = Terminal(), Clock(step=0.3)
    progress = Progress("auto", stream, clock, {})
    assert list(progress.documents(range(200))) == list(range(200))
    progress.finish()
    assert "64 documents read" in stream.getvalue()
    assert "192 documents read" in stream.getvalue()
    assert "\n" not in stream.getvalue()


def test_a_long_step_is_said_to_go_on():
    """Such as one record of many megabytes; the documents of this test are a second apart."""
    stream, clock = io.StringIO(), Clock()
    progress = Progress("auto", stream, clock, {})
    clock.now += SILENT
    progress.go_on()
    for _ in progress.documents(range(20)):
        clock.now += 1
        progress.go_on()
    assert stream.getvalue().splitlines() == [
        "still working, 0:08 so far",
        "7 documents read; still working, 0:16 so far",
        "15 documents read; still working, 0:24 so far",
    ]


def test_a_thread_looks_whether_anything_was_told(monkeypatch):
    stream, looked = io.StringIO(), threading.Event()
    monkeypatch.setattr(progress, "SILENT", 0.0)
    monkeypatch.setattr(progress, "LOOK_EVERY", 0.001)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress.Progress, "finish", lambda self: looked.set())
    with progress.watched(Talk()):
        while not stream.getvalue():
            time.sleep(0.001)
    assert stream.getvalue().startswith("still working, 0:00 so far")
    assert looked.is_set()


def test_no_thread_is_needed_to_say_that_work_goes_on(monkeypatch):
    """As where a container limits them."""

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with now_and_then(lambda: None, 1.0):
        pass


def test_off_writes_nothing():
    stream, clock = Terminal(), Clock()
    progress = learning(Progress("off", stream, clock, {}))
    clock.now += 1000
    progress.round(moment(1))
    progress.finish()
    assert stream.getvalue() == ""


def test_measuring_the_training_data_takes_a_small_share_of_the_time():
    clock = Clock()
    progress = Progress("auto", io.StringIO(), clock, {})

    def slow():
        clock.now += 10
        return 0.5

    assert progress.timed(slow) == 0.5
    clock.now += 100
    assert progress.timed(slow) is None
    clock.now += 200
    assert progress.timed(slow) == 0.5


def test_training_writes_plain_lines_into_a_pipe(start, corpus, tmp_path):
    environ = {**os.environ, "FORCE_COLOR": "1"}
    child = start(
        "train", corpus, "-o", tmp_path / "m", "--rounds", 50, "--progress", "on", environ=environ
    )
    _, said = child.communicate()
    assert child.returncode == 0
    assert "\r" not in said
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("environ", "options", "colored"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "0"}, (), False),
        ({"FORCE_COLOR": ""}, (), False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, (), True),
        ({"FORCE_COLOR": "1"}, ("--no-color",), False),
    ],
)
def test_pipes_have_colors_where_they_are_forced(
    run, model, monkeypatch, environ, options, colored
):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TERM", "xterm")
    assert ("\x1b[31m" in run("inspect", model, *options).stdout) is colored


@pytest.mark.parametrize(
    ("talk", "environ", "colored"),
    [
        (Talk(), {}, True),
        (Talk(color=False), {}, False),
        (Talk(), {"NO_COLOR": "1"}, False),
        (Talk(), {"TERM": "dumb"}, False),
    ],
    ids=["plain", "--no-color", "NO_COLOR", "dumb"],
)
def test_colors_are_for_terminals_that_want_them(monkeypatch, talk, environ, colored):
    from rich.text import Text

    stream = Terminal()
    monkeypatch.setattr("sys.stdout", stream)
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    talk.show(Text("word", style="red"))
    assert ("\x1b[31m" in stream.getvalue()) is colored


@pytest.mark.parametrize("name", ["check", "convert", "evaluate"])
def test_whatever_reads_documents_tells_how_many(run, model, corpus, tmp_path, monkeypatch, name):
    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.0)
    rows = [{**row, "id": f"{n}"} for n, row in enumerate([*records()] * 2)]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    arguments = {"convert": (data, tmp_path / "o.csv"), "evaluate": (model, data), "check": (data,)}
    done = run(name, *arguments[name])
    assert done.exit_code == 0
    assert "64 documents read" in done.stderr
    assert "documents read" not in run(name, *arguments[name], "-q", *_again(name)).stderr


def _again(name):
    return ["--force"] if name == "convert" else []


def test_a_model_that_takes_long_to_load_is_said_to_be_worked_on(monkeypatch):
    stream = io.StringIO()

    def load(path, threads):
        while not stream.getvalue():
            time.sleep(0.001)
        return path

    monkeypatch.setattr(progress, "SILENT", 0.0)
    monkeypatch.setattr(progress, "LOOK_EVERY", 0.001)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress.Classifier, "load", load)
    assert progress.load_watched("m.boostext", 1, Talk()) == "m.boostext"
    assert stream.getvalue().startswith("still working")


def test_on_a_terminal_the_line_comes_sooner():
    stream, clock = Terminal(), Clock()
    shown = Progress("auto", stream, clock, {})
    clock.now += LIVE_SILENT
    shown.go_on()
    assert "still working, 0:02 so far" in stream.getvalue()
