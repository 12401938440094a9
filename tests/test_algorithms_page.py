"""docs/algorithms.md says of every algorithm what holds."""

import re
from pathlib import Path

import pytest

from boostext.algorithms import ALGORITHMS, LEARNERS
from boostext.boosting.engines.choose import check_engine
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "algorithms.md").read_text(encoding="utf-8")


def rows(heading):
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_algorithm_has_a_row_and_a_use():
    assert [row[0].strip("`") for row in rows("What each may be given")] == list(ALGORITHMS)
    uses = " ".join(row[1] for row in rows("By what is wanted"))
    named = {*re.findall(r"`([a-z0-9-]+)[ `]", uses)}
    variants = {"adtree-logistic", "logistic-codes"}
    assert named | variants == set(ALGORITHMS)


def engine_of(name, **choices):
    """The fast one where it knows the loss, the votes and the rules."""
    try:
        check_engine("incremental", BoostingSettings(algorithm=name, **choices))
    except SettingsError:
        return "plain"
    return "incremental"


@pytest.mark.parametrize("row", rows("What each may be given"), ids=lambda row: row[0].strip("`"))
def test_what_it_may_be_given_is_what_the_settings_allow(row):
    name, *told, learners, engine, bound = row
    choices = ALGORITHMS[name.strip("`")]
    allowed = (
        not choices.one_label, choices.abstains, choices.balanced, choices.shrinks, choices.prior,
    )  # fmt: skip
    assert [cell == "yes" for cell in told] == list(allowed)
    alone = len(choices.learners) == 1
    names = {"any": LEARNERS, "": choices.learners}.get(learners, tuple(learners.split(", ")))
    assert names == choices.learners
    assert alone == (learners == "")
    assert engine == engine_of(name.strip("`"), abstain=False)
    if choices.abstains:
        silent = engine_of(name.strip("`"), abstain=True)
        assert silent == engine or f"`{name.strip('`')} --abstain`" in PAGE
    if not choices.coded:
        assert bound == choices.bounds
