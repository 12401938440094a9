"""docs/algorithms.md says of every algorithm what holds."""

import re
from pathlib import Path

import pytest

from boostext.algorithms import ALGORITHMS, LEARNERS
from boostext.boosting.engines.choose import fastest
from boostext.settings import BoostingSettings

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "algorithms.md").read_text(encoding="utf-8")


def rows(heading):
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_algorithm_has_a_row_and_a_use():
    assert [row[0].strip("`") for row in rows("What each algorithm supports")] == list(ALGORITHMS)
    uses = " ".join(row[1] for row in rows("By what is wanted"))
    named = {*re.findall(r"`([a-z0-9-]+)[ `]", uses)}
    variants = {"adtree-logistic", "logistic-codes"}
    assert named | variants == set(ALGORITHMS)


@pytest.mark.parametrize(
    "row", rows("What each algorithm supports"), ids=lambda row: row[0].strip("`")
)
def test_what_it_may_be_given_is_what_the_settings_allow(row):
    name, *told, learners, engine, bound = row
    choices = ALGORITHMS[name.strip("`")]
    allowed = (
        not choices.one_label,
        choices.abstains,
        choices.balanced,
        choices.shrinks,
        choices.prior,
    )
    assert [cell == "yes" for cell in told] == list(allowed)
    alone = len(choices.learners) == 1
    names = {"any": LEARNERS, "": choices.learners}.get(learners, tuple(learners.split(", ")))
    assert names == choices.learners
    assert alone == (learners == "")
    assert engine == fastest(BoostingSettings(algorithm=name.strip("`"), abstain=False))
    if choices.abstains:
        silent = fastest(BoostingSettings(algorithm=name.strip("`"), abstain=True))
        assert silent == engine or f"`{name.strip('`')} --abstain`" in PAGE
    if not choices.coded:
        assert bound == choices.bounds


# Sources -------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[1]
SOURCES = rows("Sources")
SHORT = {name for name, _ in SOURCES if not re.search(r" \d{4}$", name)}
LONG = {name for name, _ in SOURCES} - SHORT | {
    told.split(", *")[0] for name, told in SOURCES if name in SHORT and re.search(r"\d{4},", told)
}
SURNAMES = {word for name in LONG for word in re.findall(r"[A-Z][\w'-]+", name)}


def texts():
    """Every file that may cite a paper; line ends and marks of comments are blanks."""
    for folder in ("boostext", "benchmarks", "configs", "docs", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".js", ".yaml", ".md"} and path.name != Path(__file__).name:
                text = path.read_text(encoding="utf-8")
                yield path, re.sub(r"\n[ \t]*(?:#|//)?[ \t]*(?=\S)", " ", text)


def test_papers_are_cited_by_the_names_in_the_table():
    found, wrong = set(), []
    for path, text in texts():
        short = set(re.findall(r"\b(?:[A-Z]{2,}\d\d(?:-\d)?|S\d\d)\b", text))
        wrong += [(path.name, name) for name in short - SHORT]
        found |= short
        for cited in re.finditer(r"([A-Z][\w'-]+)(?: et al\.)? \(?(?:19|20)\d\d\b", text):
            if cited[1] in SURNAMES:
                before = text[max(cited.start() - 80, 0) : cited.end()]
                found |= {name for name in LONG if before.endswith(name)}
                wrong += [(path.name, cited[0])] * (not before.endswith(tuple(LONG)))
    assert wrong == [], "not in the table"
    assert found | {"TAB", "icsiboost"} >= SHORT | LONG, "in the table, and cited nowhere"


def test_what_is_named_as_a_source_is_in_the_table():
    known = re.compile("|".join(map(re.escape, (*SHORT, *LONG, "`adtree`"))))
    clauses = [
        (path.name, clause)
        for path, text in texts()
        for clause in re.findall(r"(?<!class )(?<!-> )\bSources?: (\S.*?)(?:\n|\"\"\"|$)", text)
        if path.suffix != ".md" and "tests" not in path.parts
    ]
    assert len(clauses) > 80
    assert [(name, clause) for name, clause in clauses if not known.search(clause)] == []
