"""The program as a whole: quick to start, one line for every failure, documented exit codes."""

import errno
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from boostext.cli import program
from boostext.errors import DataError, ModelError, SettingsError
from boostext.library.watch import Stopped
from boostext.reports.escape import visible

HEAVY = ("numpy", "scipy", "numba", "rich", "yaml")


def modules_after(*arguments):
    """Heavy modules that a run has imported."""
    code = (
        "import sys\nfrom boostext.cli import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return done.stderr.strip()


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["train", "--help"], ["predict", "--help"], ["nonsense"]],
    ids=" ".join,
)
def test_help_imports_nothing_heavy(arguments):
    assert modules_after(*arguments).endswith("[]")


@pytest.mark.parametrize("command", [["export", "m"], ["crossval", "d", "--task", "x"]])
def test_a_message_that_click_writes_in_several_lines_is_one(run, command):
    (line,) = run(*command).stderr.splitlines()
    assert "\\n" not in line
    assert re.search(r"(one of|from:?) .*, .*", line)


def test_importing_the_package_imports_nothing_heavy():
    code = f"import sys, boostext; print([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"


def test_predicting_one_text_imports_neither_numba_nor_scipy(model):
    code = (
        "import sys\nfrom boostext.cli import main\n"
        f"try:\n    main(['predict', {str(model)!r}, '--document', 'a bill'])\n"
        "except SystemExit:\n    pass\n"
        "print([n for n in ('numba', 'scipy') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="CPU time of children is not told there")
def test_help_takes_less_than_a_fifth_of_a_second_of_the_processor():
    import resource

    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    taken = []
    for _ in range(3):
        before = spent()
        subprocess.run(
            [sys.executable, "-m", "boostext", "--help"], capture_output=True, check=True
        )
        taken.append(spent() - before)
    assert min(taken) < 0.2


NO_MEMORY = (
    "Error: not enough memory; for training, boostext train --dry-run estimates what it needs"
)


def raising(error):
    def call():
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (DataError("a.csv", 3, "is bad"), 1, "Error: a.csv:3: is bad"),
        (ModelError("m: is cut"), 1, "Error: m: is cut"),
        (SettingsError("rounds is 0"), 2, "Error: rounds is 0"),
        (MemoryError(), 1, NO_MEMORY),
        (
            ImportError("x.so: failed to map segment from shared object"),
            1,
            NO_MEMORY,
        ),
        (
            RuntimeError("can't start new thread"),
            1,
            "Error: the system gives this process no further thread; add --threads 1",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "Error: No space left on device"),
        (OSError(errno.EIO, "Input/output error", "x.csv"), 1, "Error: x.csv: Input/output error"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 0, ""),
        (KeyboardInterrupt(), 130, "stopped"),
        (Stopped(15, "stopped after round 3"), 143, "stopped after round 3"),
        (Stopped(2), 130, ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_failure_is_one_line_and_a_documented_code(capsys, monkeypatch, error, code, message):
    monkeypatch.setattr(program, "_forget_stdout", lambda: None)
    assert program.exit_code(raising(error), debug=False) == code
    assert capsys.readouterr().err.strip() == message


def test_a_defect_of_the_program_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        program.exit_code(raising(ZeroDivisionError()), debug=False)


def test_debug_shows_where(run, tmp_path):
    plain = run("check", tmp_path / "none.jsonl")
    shown = run("check", tmp_path / "none.jsonl", "--debug")
    assert plain.exit_code == shown.exit_code == 1
    assert "Traceback" not in plain.stderr
    assert "Traceback" in shown.stderr
    assert plain.stderr.startswith("Error: ")


def test_messages_cannot_steer_the_terminal(run, tmp_path):
    done = run("check", tmp_path / "a\x1b[31mb\nc.jsonl")
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert visible("\x9b\u2028é") == "\\x9b\\u2028é"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_closed_pipe_is_silent(start, corpus, model):
    rows = (corpus.read_text(encoding="utf-8") * 100).encode()
    big = corpus.parent / "big.jsonl"
    big.write_bytes(rows)
    child = start("predict", model, big, "--all-scores")
    assert json.loads(child.stdout.readline())["id"]
    child.stdout.close()
    assert child.stderr.read() == ""
    assert child.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_drawing_into_a_closed_pipe_is_silent(start, model):
    read, write = os.pipe()
    os.close(read)
    child = start("inspect", model, stdout=write)
    os.close(write)
    assert child.communicate()[1] == ""
    assert child.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
@pytest.mark.parametrize(
    ("closed", "data", "code", "said"),
    [
        (0, "-", 1, "Error: -: stdin is closed; name a file, or redirect one with < or |\n"),
        (1, "DATA", 0, ""),
        (2, "DATA", 0, ""),
    ],
)
def test_streams_may_be_closed(start, corpus, model, closed, data, code, said):
    """As some services start their programs."""
    child = start(
        "predict",
        model,
        corpus if data == "DATA" else data,
        preexec_fn=lambda: os.close(closed),
    )
    _, err = child.communicate()
    assert (child.returncode, err) == (code, said)


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_on_a_full_disk_does_not_end_training(start, corpus, tmp_path):
    with pathlib.Path("/dev/full").open("w", encoding="utf-8") as full:
        child = start(
            "train",
            corpus,
            "-o",
            tmp_path / "m.boostext",
            "--rounds",
            3,
            "--progress",
            "on",
            stderr=full,
        )
        out, _ = child.communicate()
    assert "3 rules" in out
    assert (tmp_path / "m.boostext").exists()


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(start, corpus, model):
    with pathlib.Path("/dev/full").open("w", encoding="utf-8") as full:
        child = start("predict", model, corpus, stdout=full)
        _, said = child.communicate()
    assert child.returncode == 1
    assert said == "Error: No space left on device\n"


def test_output_is_utf8_whatever_the_locale(start, run, tmp_path):
    rows = '{"text": "ж", "labels": ["ярлык €"]}\n{"text": "x", "labels": ["b"]}\n'
    data = tmp_path / "data.jsonl"
    data.write_text(rows, encoding="utf-8")
    trained = run("train", data, "-o", tmp_path / "m.boostext", "--rounds", 3, "-q")
    assert trained.exit_code == 0, trained.stderr
    environ = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    child = start(
        "predict", tmp_path / "m.boostext", "--document", "ж", "--all-scores", environ=environ
    )
    out, err = child.communicate()
    assert "ярлык €" in json.loads(out)["scores"], err


def test_version_is_told(run):
    import boostext

    assert run("--version").stdout == f"boostext {boostext.__version__}\n"
