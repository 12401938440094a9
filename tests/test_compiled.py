"""The factory of compiled kernels: every way a machine can refuse to compile or to cache."""

import os
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from boostext import compiled
from boostext.packs import Code

KERNELS = """
def twice(number):
    return 2 * number

def doubled_total(numbers, count):
    total = 0
    for i in range(count):
        total += twice(numbers[i])
    return total
"""

RUN = """
import sys
import numpy as np
import doubling_kernels
from boostext.compiled import compiled, loaded, notice, on_compile

assert not loaded()
on_compile(lambda: print("compiling"))
fast = compiled(doubling_kernels.doubled_total, "int32[::1], int64")
again = compiled(doubling_kernels.doubled_total, "int32[::1], int64")
assert fast is again
print(fast and fast(np.arange(5, dtype=np.int32), 5))
print(notice())
if fast and "numba" not in sys.modules:
    print("without numba")
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "doubling_kernels.py").write_text(KERNELS, encoding="utf-8")

    def start(script=RUN, **environment):
        inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
        paths = os.pathsep.join([str(tmp_path), *sys.path])
        environment = {
            **inherited,
            "NUMBA_DISABLE_JIT": "0",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PYTHONPATH": paths,
            **environment,
        }
        return subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment,
            encoding="utf-8",
            stdout=subprocess.PIPE,
        )

    def finish(script=RUN, **environment):
        process = start(script, **environment)
        output, _ = process.communicate()
        assert process.returncode == 0
        return output.splitlines()

    finish.start = start
    return finish


def needs_numba():
    pytest.importorskip("numba")


def test_kernel_is_compiled_once_and_then_read_from_the_cache_without_numba(run):
    needs_numba()
    # 2 * (0 + 1 + 2 + 3 + 4) = 20
    assert run() == ["compiling", "20", ""]
    assert run() == ["20", "", "without numba"]


BUILD = """
from pathlib import Path
import doubling_kernels
from boostext import built
from boostext.compiled import file_name
from boostext.machine_code import platform
from boostext.translation import translate

folder = built.FOLDER / platform()
folder.mkdir(parents=True)
kinds = ["int32[::1]", "int64"]
kernel = doubling_kernels.doubled_total
built.keep(folder / file_name(kernel, kinds), translate(kernel, kinds))
"""


def test_a_kernel_that_was_built_with_the_package_is_compiled_without_numba(run, tmp_path):
    needs_numba()
    (tmp_path / "sitecustomize.py").write_text(
        "from pathlib import Path\nfrom boostext import built\n"
        "built.FOLDER = Path(__file__).with_name('built')",
        encoding="utf-8",
    )
    assert run() == ["compiling", "20", ""]
    run(script=BUILD)
    shutil.rmtree(tmp_path / "cache")
    assert run() == ["compiling", "20", "", "without numba"]
    assert run() == ["20", "", "without numba"]
    with (tmp_path / "doubling_kernels.py").open("a", encoding="utf-8") as sources:
        sources.write("# changed\n")
    assert run() == ["compiling", "20", ""]


def test_no_cache_folder_only_costs_time(run, tmp_path):
    needs_numba()
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run(XDG_CACHE_HOME=str(tmp_path / "file")) == ["compiling", "20", ""]


DAMAGE = """
import os
from pathlib import Path
import numpy as np
import doubling_kernels
from boostext import compiled

def total():
    compiled._made.clear()
    compiled.on_compile(lambda: print("compiling"))
    fast = compiled.compiled(doubling_kernels.doubled_total, "int32[::1], int64")
    print(fast(np.arange(5, dtype=np.int32), 5))
    compiled._hooks.clear()

total()
(file,) = Path(os.environ["XDG_CACHE_HOME"]).rglob("doubled_total-*")
whole = file.read_bytes()
for damaged in (b"", whole[:20], whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1])):
    file.write_bytes(damaged)
    total()
    total()
"""


def test_damaged_cache_is_ignored(run):
    """It is compiled once more, and then read from the cache again."""
    needs_numba()
    assert run(script=DAMAGE) == ["compiling", "20", *["compiling", "20", "20"] * 4]


def test_a_kernel_is_compiled_again_after_a_constant_of_another_file_has_changed(run, tmp_path):
    needs_numba()
    kernels, constants = tmp_path / "doubling_kernels.py", tmp_path / "doubling_constants.py"
    text = "from doubling_constants import FACTOR\n" + KERNELS.replace("2 *", "FACTOR *")
    kernels.write_text(text, encoding="utf-8")
    for factor in (2, 3):
        constants.write_text(f"FACTOR = {factor}  # of its items\n", encoding="utf-8")
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        assert run() == ["compiling", str(10 * factor), ""]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no owners and modes like these")
def test_code_that_another_user_may_have_written_is_not_run(tmp_path, monkeypatch):
    path, code = tmp_path / "kernel", Code("name", "int64", (), b"machine code")
    for mode in (0o646, 0o664):
        before = os.umask(0o002)  # as where every user has a group
        try:
            compiled._write(path, code)
        finally:
            os.umask(before)
        assert compiled._read(path) == code
        path.chmod(mode)
        assert compiled._read(path) is None
    path.chmod(0o644)
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    else:
        os.chown(path, 12345, -1)
    assert compiled._read(path) is None
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    assert compiled._read(tmp_path / "pipe") is None
    assert compiled._read(tmp_path) is None


def test_a_cache_folder_that_has_gone_is_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "_cache_folder", lambda: tmp_path / "gone")
    assert not compiled.has_compiled.__wrapped__()


def test_first_runs_at_the_same_time_do_not_harm_each_other(run):
    needs_numba()
    processes = [run.start(), run.start()]
    for process in processes:
        output, _ = process.communicate()
        assert process.returncode == 0
        assert "20" in output.splitlines()


def test_disabled_compiling_gives_no_kernel_and_says_why(run):
    assert run(NUMBA_DISABLE_JIT="1") == [
        "None",
        "NUMBA_DISABLE_JIT is set; the plain code does the same work, slower",
    ]


@pytest.mark.parametrize("error", ["ImportError", "RuntimeError", "SystemError"])
def test_numba_that_fails_to_import_gives_no_kernel_and_says_why(run, tmp_path, error):
    (tmp_path / "numba.py").write_text(f"raise {error}('needs NumPy 1.0')", encoding="utf-8")
    assert run() == [
        "None",
        "numba cannot be imported (needs NumPy 1.0); the plain code does the same work, slower",
    ]


def test_numba_that_compiles_in_another_way_gives_no_kernel_and_says_why(run, tmp_path):
    needs_numba()
    (tmp_path / "sitecustomize.py").write_text(
        "import numba.core.codegen\ndel numba.core.codegen.JITCodeLibrary", encoding="utf-8"
    )
    kernel, reason = run()
    assert kernel == "None"
    assert re.fullmatch(
        r"numba [\d.]+ cannot compile the kernels \(.*JITCodeLibrary.*\); .*", reason
    )


def of_parts(table: Any, numbers: Any, out: Any) -> None:
    rows, row, rest = table[1:9], table[2], numbers[1:]
    out[0], out[1], out[2] = rows[0, 2], len(rows), rows.shape[1]
    out[3], out[4], out[5] = row[1], rest[1], len(rest)
    table[0, 1] += rest[0]


def test_parts_of_arrays_are_those_of_numpy():
    needs_numba()
    signature = "int64[:, ::1], int32[::1], int64[::1]"
    found = []
    for work in (of_parts, compiled.compiled(of_parts, signature)):
        table, out = np.arange(12).reshape(4, 3), np.zeros(6, np.int64)
        work(table, np.array([5, 6, 7], np.int32), out)
        found.append((table.tolist(), out.tolist()))
    assert found[0] == found[1]
