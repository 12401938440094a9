"""What a terminal gets: nothing in the data can steer it, hide in it, or turn its lines."""

import json
import os
import re
import select
import subprocess
import sys

import pytest

from boostext.__main__ import main
from tests import forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")

HARMFUL = (
    "\x1b]0;owned\x07 \x9b31m \u202egnihsif\u202c \u2066x\u2069 \u200bzero \ufeffmark \x7f \x08"
)
LABELS = ("a\x1b[31m", "b\u202egninraw", "c\u200b")
STYLE = re.compile(r"\x1b\[[\d;]*[mK]")
UNWANTED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data whose every part is harmful, a model of it, and a configuration."""
    folder = tmp_path_factory.mktemp("harmful")
    rows = [
        {
            "id": f"d{n}\x1b[2J\u202e",
            "text": f"{HARMFUL} word{n % 3} w\u200bw{n % 3} {n}",
            "labels": [LABELS[n % 3]],
            "column\x1b[1m": f"value\u202e{n % 3}",
        }
        for n in range(30)
    ]
    rows[0]["labels"], rows[1]["id"] = [LABELS[1]], rows[2]["id"]
    lines = [json.dumps(row, ensure_ascii=n % 2 == 0) for n, row in enumerate(rows)]
    (folder / "d.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bad = {"id": "b\x1b[1m", "text": "word", "labels": ["a\x1b[32m", "a\x1b[32m", 3.5]}
    (folder / "bad.jsonl").write_text(json.dumps(bad) + '\n{"te\x1bxt": 1\n', encoding="utf-8")
    (folder / "c.yaml").write_text('drop: ["a\\u202Eb"]\n', encoding="utf-8")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "boostext",
            "train",
            "d.jsonl",
            "-o",
            "m",
            "-q",
            "--rounds",
            "20",
            "--attribute",
            "column\x1b[1m",
        ],
        cwd=folder,
        check=True,
    )
    return folder


def on_terminal(folder, *arguments):
    """All that a command writes to a terminal, stdout and stderr."""
    import pty

    leader, follower = pty.openpty()
    child = forked.start(type_in, os.ttyname(follower), folder, arguments)
    written = b""
    while child.is_alive() or select.select([leader], [], [], 0)[0]:
        if select.select([leader], [], [], 0.02)[0]:
            written += os.read(leader, 65536)
    child.join()
    os.close(follower)
    os.close(leader)
    return written.decode("utf-8").replace("\r\n", "\n")


def type_in(terminal, folder, arguments):
    """Run the command in this process, whose stdout and stderr become the terminal."""
    os.environ.update(TERM="xterm", COLUMNS="100")
    os.chdir(folder)
    forked.write_to(terminal, terminal)
    sys.argv = ["boostext", *arguments]
    main()


COMMANDS = {
    "train": ("train", "d.jsonl", "-o", "n", "--rounds", "3"),
    "train that fails": ("train", "bad.jsonl", "-o", "n"),
    "bad records": ("train", "d.jsonl", "bad.jsonl", "--skip-bad", "-o", "n", "--rounds", "2"),
    "the settings": ("train", "d.jsonl", "--config", "c.yaml", "--print-config"),
    "predict": ("predict", "m", "d.jsonl"),
    "predict as csv": ("predict", "m", "d.jsonl", "--output", "csv"),
    "predict as tsv": ("predict", "m", "d.jsonl", "--output", "tsv"),
    "bare labels": ("predict", "m", "d.jsonl", "--output", "labels"),
    "an explanation": ("predict", "m", "d.jsonl", "--explain", "3"),
    "explained jsonl": ("predict", "m", "d.jsonl", "--explain", "3", "--output", "jsonl"),
    "html": ("predict", "m", "d.jsonl", "--output", "html"),
    "evaluate": ("evaluate", "m", "d.jsonl", "--confusions", "5"),
    "evaluate as json": ("evaluate", "m", "d.jsonl", "--json"),
    "inspect": ("inspect", "m", "d.jsonl"),
    "inspect as json": ("inspect", "m", "d.jsonl", "--json"),
    "terms": ("inspect", "m", "d.jsonl", "--grep", "w"),
    "a document": ("inspect", "m", "d.jsonl", "--document", "d3\x1b[2J\u202e"),
    "no such label": ("inspect", "m", "--label", "a\x1b[3m"),
    "dot": ("inspect", "m", "--dot"),
    "check": ("check", "d.jsonl", "bad.jsonl", "--test", "d.jsonl"),
    "check as json": ("check", "d.jsonl", "--json"),
    "convert": ("convert", "d.jsonl", "-", "--to", "jsonl"),
    "crossval": ("crossval", "d.jsonl", "--rounds", "3", "--folds", "2"),
    "no such file": ("check", "no\x1b[31m.jsonl"),
    "no such option": ("check", "--no\x1b[31m"),
    "no such command": ("ch\x1b[31meck",),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_terminal_gets_no_raw_mark_of_the_data(folder, arguments):
    written = STYLE.sub("", on_terminal(folder, *arguments)).replace("\r", "")
    assert written.strip()
    assert "Traceback" not in written
    found = UNWANTED.search(written)
    assert found is None, written[max(found.start() - 60, 0) : found.end() + 60]


def test_a_pipe_gets_results_as_they_are(folder):
    """Programs read them; only what people read is escaped."""
    done = subprocess.run(
        [sys.executable, "-m", "boostext", "predict", "m", "d.jsonl", "--output", "labels"],
        cwd=folder,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert set(done.stdout.splitlines()) <= set(LABELS)
