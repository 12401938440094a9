"""Processes that start quickly, because they are forked from one that has imported the program."""

import multiprocessing
import os
import pkgutil
import re
import runpy
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import boostext

FORKS = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows
CONTEXT = multiprocessing.get_context("forkserver" if FORKS else "spawn")
MODULES = [one.name for one in pkgutil.walk_packages(boostext.__path__, "boostext.")]
if FORKS:
    quick = [name for name in MODULES if not re.search("sklearn|translation|distributed", name)]
    CONTEXT.set_forkserver_preload(["scipy.sparse", *quick])


def start(target, *arguments):
    """Call a function of a module in a process of its own. It has no stdin."""
    process = CONTEXT.Process(target=target, args=arguments)
    process.start()
    return process


def run(script, *arguments, **environ):
    """Run a file as `python script argument ...` does: returncode, stdout and stderr."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("stdout", "stderr")]
        process = start(_script, paths, str(script), [str(word) for word in arguments], environ)
        process.join()
        stdout, stderr = (path.read_text(encoding="utf-8") for path in paths)
    return SimpleNamespace(returncode=process.exitcode, stdout=stdout, stderr=stderr)


def write_to(*places):
    """Make stdout and stderr of this process write to these files."""
    for number, (name, place) in enumerate(zip(("stdout", "stderr"), places, strict=True), 1):
        opened = os.open(place, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOCTTY", 0), 0o600)
        os.dup2(opened, number)
        os.close(opened)
        stream = os.fdopen(number, "w", buffering=1, encoding="utf-8", closefd=False)
        setattr(sys, name, stream)


def _script(paths, script, arguments, environ):
    write_to(*paths)
    os.environ.update(environ)
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).parent))
    runpy.run_path(script, run_name="__main__")
