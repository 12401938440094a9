"""The pages of the site: their commands run, they show what is printed, and each has its place.

`python -m tests.test_site` writes the shown output anew.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli import conftest
from tests.test_readme import MADE, RUNS

run = conftest.run
ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]
SHOWN = re.compile(
    r"```sh\n(boostext [^\n]*)\n```\n\n(<!-- shown(?: from: (.*?))? -->\n```text\n)(.*?)(?=```)",
    re.DOTALL,
)
STEP = re.compile(rf"{SHOWN.pattern}|{RUNS.pattern}|```csv\n(id,label\n.*?)```", re.DOTALL)


def printed(call, command, start=""):
    """What the command prints, from the line on that begins so."""
    done = call(*shlex.split(command)[1:])
    assert done.exit_code == 0, (command, done.stderr)
    lines = [line.rstrip() for line in (done.stdout or done.stderr).splitlines()]
    first = next(n for n, line in enumerate([*lines, start]) if line.startswith(start))
    return "".join(f"{line}\n" for line in lines[first:])


def went_through(page, call):
    """The page with the output that it shows made anew, its commands run in their order.

    A CSV of corrections that it tells people to save is saved.
    """

    def step(found):
        command, mark, start, _, block, corrections = found.groups()
        if command:
            return f"```sh\n{command}\n```\n\n{mark}{printed(call, command, start or '')}"
        if corrections:
            Path("corrections.csv").write_text(corrections, encoding="utf-8")
        else:
            for line in block.strip().splitlines():
                printed(call, line)
        return found[0]

    return STEP.sub(step, page.read_text(encoding="utf-8"))


def furnish(folder, page):
    """What a clone has. A page that shows no output does as well with few documents."""
    (folder / "configs").symlink_to(ROOT / "configs")
    if SHOWN.search(page.read_text(encoding="utf-8")):
        (folder / "sample_data").symlink_to(ROOT / "sample_data")
        return
    (folder / "sample_data").mkdir()
    for path in (ROOT / "sample_data").glob("calls.*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        first = "".join(lines[:FEW] + [line for line in lines[FEW:] if NAMED.search(line)])
        (folder / "sample_data" / path.name).write_text(first, encoding="utf-8")


FEW = 200
NAMED = re.compile("call-0867|call-1011")
"""Documents that pages speak of."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_commands_run_and_show_what_is_printed(page, run, tmp_path, monkeypatch):
    furnish(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert went_through(page, run) == page.read_text(encoding="utf-8")


def test_every_page_has_its_place():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    placed = set(re.findall(r"[\w/-]+\.md", text))
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert placed - written == MADE
    assert written <= placed
    assert yaml.safe_load(text)["strict"]


def refresh():
    """Write the output blocks of all pages anew."""
    import tempfile

    os.environ.pop("COLUMNS", None)
    call = conftest.run.__wrapped__()
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            furnish(Path(folder), page)
            os.chdir(folder)
            page.write_text(went_through(page, call), encoding="utf-8")


if __name__ == "__main__":
    refresh()
