"""Files appear whole or not at all, and what cannot be written is told before the work."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from boostext import atomic
from boostext.atomic import (
    NOTHING,
    check_own,
    check_writable,
    remove_leftovers,
    replacing,
    unfinished,
)
from boostext.errors import BoostextError
from boostext.model.file import read_model, write_model
from tests.model.models import same, text_model


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_half(path, failure):
    with replacing(path) as file:
        file.write(b"half")
        raise failure


def test_a_failure_keeps_the_old_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    for failure in (KeyboardInterrupt, ValueError):
        with pytest.raises(failure):
            write_half(path, failure)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["m"]


def test_a_file_has_its_name_only_when_it_is_forced_to_the_disk(tmp_path, monkeypatch):
    path, seen = tmp_path / "m", []

    def forced(descriptor):
        seen.append((os.fstat(descriptor).st_size, path.exists()))

    monkeypatch.setattr(atomic.os, "fsync", forced)
    with replacing(path) as file:
        file.write(b"whole")
    assert seen[0] == (5, False), "the content, before the file has its name"
    assert os.name == "nt" or seen[1][1], "then the folder with the name"


FULL_DISK = """
import resource, signal, sys
from boostext.errors import BoostextError
from boostext.model.file import write_model
from tests.model.models import text_model
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
model = text_model(300)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_model(model, sys.argv[1])
except BoostextError as error:
    print(error)
"""


def test_a_disk_without_room_is_one_clear_error(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "m"
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, encoding="utf-8"
    )
    assert "cannot be written: File too large" in run.stdout, run.stderr
    assert names(tmp_path) == []


def test_the_umask_gives_the_permissions(tmp_path):
    if os.name == "nt":
        pytest.skip("no permission bits here")
    old = os.umask(0o027)
    try:
        write_model(text_model(), tmp_path / "m")
    finally:
        os.umask(old)
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o640


def test_a_link_keeps_pointing_to_its_target(tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "far" / "m")
    for model in (text_model(1), text_model(2)):
        write_model(model, link)
        assert link.is_symlink()
        assert same(read_model(tmp_path / "far" / "m"), model)
    assert names(tmp_path / "far") == ["m"]


def test_a_very_long_name_can_be_written(tmp_path):
    write_model(text_model(), tmp_path / ("m" * 255))
    assert names(tmp_path) == ["m" * 255]


def fifo(path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with a name here")
    os.mkfifo(path)


UNWRITABLE = {
    "is a folder": lambda path: path.mkdir(),
    "is not a regular file": fifo,
    "does not exist; make it first": lambda path: None,
    "is write-protected": lambda path: path.write_bytes(b"") or path.chmod(0o400),
}


@pytest.mark.parametrize("writes", [check_writable, lambda path: write_model(text_model(), path)])
@pytest.mark.parametrize("sentence", UNWRITABLE)
def test_what_cannot_be_written_is_told_and_kept(writes, sentence, tmp_path, monkeypatch):
    path = tmp_path / "m" if "exist" not in sentence else tmp_path / "none" / "m"
    UNWRITABLE[sentence](path)
    if "protected" in sentence:  # the superuser may write everywhere
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    before = names(tmp_path)
    with pytest.raises(BoostextError, match=sentence):
        writes(path)
    assert names(tmp_path) == before


def test_a_pipe_is_not_waited_for(tmp_path):
    fifo(tmp_path / "m")
    with pytest.raises(BoostextError, match="is not a regular file"):
        check_own(tmp_path / "m", NOTHING)


def test_names_that_are_none_are_told(tmp_path):
    for name in ("", f"{tmp_path}/a\0b"):
        with pytest.raises(BoostextError, match="not a file name"):
            check_writable(name)
    with pytest.raises(BoostextError, match="too long"):
        check_writable(tmp_path / ("m" * 300))


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="a folder of Linux")
def test_files_can_be_kept_in_memory_but_devices_are_none():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        with replacing(f"{folder}/a") as file:
            file.write(b"new")
        assert Path(f"{folder}/a").read_bytes() == b"new"
    for path in ("/dev/null", "/dev/fd/1", "/proc/self/fd/1"):
        with pytest.raises(BoostextError, match="is a device, and no file"):
            check_writable(path)


def test_a_folder_that_may_not_be_written_is_found_by_trying(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BoostextError, match="Permission denied; mend that"):
        check_writable(tmp_path / "m")


def test_too_little_space_is_told_before_the_work(tmp_path):
    check_writable(tmp_path / "m")
    with pytest.raises(BoostextError, match="free some space"):
        check_writable(tmp_path / "m", needed=1 << 60)
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (b"new", 0o640)


KILLED = """
import os, sys
from boostext.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print(os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(9)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    folder = unfinished(tmp_path / "a")
    (folder / "label").mkdir(parents=True)
    other = tmp_path / ".boostext-mine.tmp"
    other.write_bytes(b"")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "a")]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        child.stdout.readline()
        with replacing(tmp_path / "b"):
            assert not folder.exists()
            assert len(names(tmp_path)) == 3  # mine, the child's, this one
        child.stdin.close()
    with replacing(tmp_path / "b") as file:
        file.write(b"whole")
    assert names(tmp_path) == [".boostext-mine.tmp", "b"]


def test_a_leftover_of_another_machine_stays_for_a_minute(tmp_path):
    foreign = tmp_path / (".boostext-" + "0" * 16 + ".tmp")
    foreign.write_bytes(b"")
    with replacing(tmp_path / "b"):
        assert foreign.exists()
    os.utime(foreign, (0, 0))
    with replacing(tmp_path / "b"):
        assert not foreign.exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_a_new_file_is_created_again_if_another_process_removes_it_before_it_is_locked(
    tmp_path, monkeypatch
):
    real, calls = atomic.fcntl.flock, []

    def late(descriptor, operation):
        if not calls:
            calls.append(1)
            remove_leftovers(tmp_path)  # as another process would, just before the lock
        real(descriptor, operation)

    monkeypatch.setattr(atomic.fcntl, "flock", late)
    with replacing(tmp_path / "b") as file:
        file.write(b"whole")
    assert (names(tmp_path), (tmp_path / "b").read_bytes()) == (["b"], b"whole")


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_a_complete_file_is_locked_until_it_has_its_name(tmp_path, monkeypatch):
    put = atomic._put

    def between(*arguments):
        remove_leftovers(tmp_path)
        put(*arguments)

    monkeypatch.setattr(atomic, "_put", between)
    with replacing(tmp_path / "b") as file:
        file.write(b"whole")
    assert (tmp_path / "b").read_bytes() == b"whole"
