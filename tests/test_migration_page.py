"""The migration page promises options; they are there."""

import re
from pathlib import Path

from boostext.cli import main
from tests.test_readme import ICSIBOOST_OPTIONS

PAGE = Path(__file__).parents[1] / "docs" / "migrating-from-icsiboost.md"
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def known_options():
    commands = (main.get_command(None, name) for name in main.list_commands(None))
    return {
        name
        for command in commands
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


def test_every_option_named_as_ours_exists():
    rows = [
        line.replace("\\|", "/").split("|")
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    ours = {option for row in rows for option in OPTION.findall(row[2])}
    assert len(rows) > 25
    assert ours <= known_options()


def test_every_option_of_icsiboost_is_spoken_of():
    """Those that its --help lists, but for talk (-V, --version)."""
    short = {"-S", "-n", "-E", "-C", "-o", "-N"}
    shared = {"--drop", "--resume", "--train", "--test", "--names"}
    page = PAGE.read_text("utf-8")
    missing = {option for option in short | shared | ICSIBOOST_OPTIONS if f"`{option}" not in page}
    assert not missing
