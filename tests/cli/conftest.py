"""A small corpus, a model of it, and the command run in this process or in one of its own."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from boostext.cli import main

WORDS = {
    "billing": ["bill", "charge", "invoice", "wrong amount"],
    "moving": ["moving house", "new address", "relocate", "flat"],
    "repair": ["broken line", "no signal", "dead phone", "repair"],
}
FILLERS = ["please", "hello", "can you help", "about", "today", "thanks"]


def records(count=60):
    """Labelled texts, each with a word that tells its label; the same every time."""
    for number in range(count):
        label = list(WORDS)[number % 3]
        word = WORDS[label][(number // 3) % 4]
        filler = FILLERS[number // 12]
        yield {"id": f"d{number}", "text": f"{filler} {word} {number % 5}", "labels": [label]}


def write_jsonl(path, rows):
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    return write_jsonl(tmp_path_factory.mktemp("corpus") / "calls.jsonl", records())


@pytest.fixture(scope="session")
def several(tmp_path_factory):
    """Documents with one label, two, or none."""
    rows = [
        {"id": f"s{n}", "text": " ".join(words), "labels": [w[0] for w in words]}
        for n, words in enumerate(
            [["apple"], ["bread"], ["apple", "bread"], ["cheese"], [], ["cheese", "bread"]] * 5
        )
    ]
    return write_jsonl(tmp_path_factory.mktemp("several") / "several.jsonl", rows)


@pytest.fixture(scope="session")
def run():
    """run("train", ..., input=...) in this process: exit_code, stdout, stderr."""
    try:
        runner = CliRunner(mix_stderr=False)
    except TypeError:  # click 8.2 and later keep them apart anyway
        runner = CliRunner()

    def call(*arguments, **options):
        return runner.invoke(main, [str(argument) for argument in arguments], **options)

    return call


@pytest.fixture(scope="session")
def model(run, corpus):
    path = corpus.parent / "calls.boostext"
    done = run("train", corpus, "-o", path, "--preset", "paper", "--rounds", 25, "-q")
    assert done.exit_code == 0, done.stderr
    return path


@pytest.fixture(scope="session")
def several_model(run, several):
    path = several.parent / "several.boostext"
    done = run("train", several, "-o", path, "--preset", "paper", "--rounds", 25, "-q")
    assert done.exit_code == 0, done.stderr
    return path


def command(*arguments):
    return [sys.executable, "-m", "boostext", *map(str, arguments)]


@pytest.fixture(scope="session")
def start():
    """start("train", ...) in a process of its own, with pipes for its output."""

    def popen(*arguments, environ=None, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            command(*arguments), encoding="utf-8", env={**os.environ, **(environ or {})}, **options
        )

    return popen
