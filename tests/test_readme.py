"""What the README tells people to type works, and what it shows is what they get.

`python tests/test_readme.py` writes the shown output anew.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus.readers import ENDINGS, read_documents
from boostext.settings import DataSettings
from tests import test_python_page
from tests.cli import conftest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "sample_data" / "README.md"]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
RUNS = re.compile(r"<!-- runs -->\n```\w*\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"(<!-- output: (.*?) -->\n```\w*\n)(.*?)(?=```)", re.DOTALL)
ICSIBOOST_OPTIONS = {
    "--abstaining-stump",
    "--anti-prior",
    "--cutoff",
    "--dev",
    "--display-maxclass",
    "--dryrun",
    "--fmeasure-beta",
    "--ignore",
    "--interruptible",
    "--jobs",
    "--max-fmeasure",
    "--model",
    "--no-unk-ngrams",
    "--no-unknown-stump",
    "--only",
    "--optimal-iterations",
    "--output-weights",
    "--pack-model",
    "--posteriors",
    "--sequence",
    "--test",
    "--train",
}
# Options of other programs, and of benchmarks, that the pages mention.
MADE = {f"reference/{name}.md" for name in ("commands", "settings", "python")}
"""Pages that are made when the site is built."""
OF_BENCHMARKS = {
    option
    for path in (ROOT / "benchmarks").rglob("*.py")
    for option in re.findall(r'"(--[a-z-]+)"', path.read_text(encoding="utf-8"))
}
OF_DASK = {"--nworkers", "--memory-limit"}
FOREIGN_OPTIONS = {"--version", *OF_BENCHMARKS, *OF_DASK, *ICSIBOOST_OPTIONS}


def readme():
    return README.read_text(encoding="utf-8")


def commands():
    """Each block that is marked as one that runs."""
    return [block.strip() for block in RUNS.findall(readme())]


def first_command():
    """Training and inspection as in the README's one line, without making the environment."""
    line = re.search(r"^python3 -m venv.*boostext train.*$", readme(), re.MULTILINE)[0]
    parts = [part for part in line.split(" && ") if "/bin/boostext " in part]
    return " && ".join(part.replace(".venv/bin/", "") for part in parts)


def shell(command, folder):
    """Run as typed, in a folder that looks like a clone; `boostext` is this Python's."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "COLUMNS"},
        "TERM": "xterm",
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def typed(command, folder):
    """As `shell` does it, but in this process for each line that is a `boostext` alone."""
    call = conftest.run.__wrapped__()
    stdout = stderr = ""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        for line in command.replace("\\\n", " ").splitlines():
            if OURS_ALONE(line):
                done = call(*shlex.split(line)[1:])
                code = done.exit_code
            else:
                done = shell(line, folder)
                code = done.returncode
            stdout, stderr = stdout + done.stdout, stderr + done.stderr
            if code:
                break
    return subprocess.CompletedProcess(command, code, stdout, stderr)


QUOTED = r"'[^']*'|\"[^\"$`\\]*\""
OURS_ALONE = re.compile(rf"boostext (?:{QUOTED}|[\w ./:,=+-])*").fullmatch


def prepare(folder):
    """Sample data, settings, and the model that the README's first command makes."""
    for name in ("sample_data", "configs"):
        shutil.copytree(ROOT / name, folder / name)
    install(folder)
    return shell(first_command(), folder)


def install(folder):
    """`boostext` of this Python for `shell`."""
    program = folder / "bin" / "boostext"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m boostext "$@"\n', encoding="utf-8")
    program.chmod(0o755)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    if os.name == "nt" or not shutil.which("bash"):
        pytest.skip("the README's commands are written for a POSIX shell")
    folder = tmp_path_factory.mktemp("clone")
    done = prepare(folder)
    assert done.returncode == 0, done.stderr
    return folder


FEW = 80
"""Documents of each corpus where it only matters whether commands run."""


@pytest.fixture(scope="module")
def small(clone, tmp_path_factory):
    """The clone after its first command, with the first documents of each corpus."""
    folder = tmp_path_factory.mktemp("small") / "clone"
    shutil.copytree(clone, folder)
    for path in (folder / "sample_data").glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:FEW]), encoding="utf-8")
    return folder


def test_the_first_command_writes_model_rules_and_outliers(clone):
    written = {path.name for path in (clone / "out").rglob("*") if path.is_file()}
    assert {"calls.boostext", "rules.tsv", "outliers.tsv"} <= written


def test_most_planted_labels_stand_in_the_first_thirty_outliers(clone):
    """As the README says; 23 of the 30 when this was written."""
    table = (clone / "out" / "report" / "outliers.tsv").read_text(encoding="utf-8").splitlines()
    place = table[0].split("\t").index("id")
    first = {line.split("\t")[place] for line in table[1:31]}
    planted = (ROOT / "sample_data" / "planted.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(first & {line.split("\t")[0] for line in planted}) > 15


@pytest.mark.parametrize("command", commands())
def test_commands_run(command, small):
    done = typed(command, small)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_the_python_example_prints_the_label(clone):
    example = re.search(r"```python\n(.*?)```", readme(), re.DOTALL)[1]
    with contextlib.chdir(clone):
        assert test_python_page.printed(example) == "[('Collect',)]\n"


@pytest.mark.parametrize("shown", SHOWN.findall(readme()), ids=lambda shown: shown[1])
def test_shown_output_is_what_the_command_prints(shown, clone):
    _, command, output = shown
    assert output == printed(command, clone)


def printed(command, folder):
    done = typed(command, folder)
    assert done.returncode == 0, done.stderr
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """Calls with one label each, as some algorithms are about these alone."""
    calls = (ROOT / "sample_data" / "calls.train.jsonl").read_text(encoding="utf-8")
    lines = [line for line in calls.splitlines() if len(json.loads(line)["labels"]) == 1]
    path = tmp_path_factory.mktemp("single") / "single.jsonl"
    path.write_text("\n".join(lines[:600]), encoding="utf-8")
    return path


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.name)
def test_every_configuration_trains(config, single, tmp_path):
    model = tmp_path / "m.boostext"
    words = ["train", single, "-o", model, "--config", config, "--rounds", 5, "-q"]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.stderr
    assert model.is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_options_that_are_mentioned_exist(page):
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page.read_text(encoding="utf-8")))
    assert mentioned - known_options() <= FOREIGN_OPTIONS


def known_options():
    context = click.Context(main)
    subcommands = [main.get_command(context, name) for name in main.list_commands(context)]
    parameters = [p for command in subcommands for p in command.get_params(context)]
    return {name for p in parameters for name in (*p.opts, *p.secondary_opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert set(missing) <= MADE


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_tables_have_a_line_below_their_heads_with_as_many_cells(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    tables = re.findall(r"(?:^|\n)\n((?:\|[^\n]*\n)+)", text)
    for head, line, *_ in (table.splitlines() for table in tables):
        assert re.fullmatch(r"\|(?: ?:?-+:? ?\|)+", line), head
        assert line.count("|") == head.replace("\\|", "").count("|"), head


# What the examples of docs/data-formats.md hold: the labels of each document.
EXAMPLES = {
    "jsonl": [("billing", "complaint"), ("moving",), ()],
    "csv": [("billing",), ("moving",)],
    "fasttext": [("billing", "complaint"), ("moving",)],
    "stem": [("billing",), ("moving",)],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_data_formats_are_read_as_described(name, tmp_path):
    page = (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")
    found = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    blocks = dict(reversed(found))  # the first of each language shows the format itself
    path = tmp_path / "example.data"
    path.write_text(blocks["data" if name == "stem" else name], encoding="utf-8")
    path.with_suffix(".names").write_text(blocks["names"], encoding="utf-8")
    documents = list(read_documents([str(path)], DataSettings(format=name)))
    assert [document.labels for document in documents] == EXAMPLES[name]
    assert [next(iter(d.texts.values()))[:2] for d in documents[:2]] == ["my", "we"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_data_formats_names_every_ending(ending):
    assert f"`{ending}`" in (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")


def refresh():
    """Write the output blocks of the README anew."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = prepare(Path(folder))
        assert done.returncode == 0, done.stderr
        text = SHOWN.sub(lambda m: m[1] + printed(m[2], Path(folder)), readme())
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    refresh()
