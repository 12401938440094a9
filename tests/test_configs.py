"""There is a commented file of settings for every algorithm, and it says what it sets."""

from pathlib import Path

import pytest

from boostext.algorithms import ALGORITHMS
from boostext.boosting.growers import GROWERS
from boostext.library.config import read_config
from boostext.settings import ALL_GROUPS, BoostingSettings

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.yaml"))


def settings_of(path):
    return read_config(path, ALL_GROUPS)


def test_every_algorithm_has_one():
    assert {settings_of(path)["algorithm"] for path in CONFIGS} == set(ALGORITHMS)


def test_every_grower_is_in_the_table():
    assert {row.learners[0] for row in ALGORITHMS.values()} == {*GROWERS}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_its_settings_go_together(path):
    names = {field.name for field in BoostingSettings.fields()}
    values = {name: value for name, value in settings_of(path).items() if name in names}
    BoostingSettings(**values)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_it_says_what_it_is_and_how_to_use_it(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    head = lines[: next(n for n, line in enumerate(lines) if not line.startswith("#"))]
    assert len(head) >= 5
    assert any(f"--config configs/{path.name}" in line for line in head)
