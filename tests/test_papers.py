"""The papers' experiments run, on very little data, and print their tables."""

import importlib.util
import random
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from tests import forked

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


def printed(name, *arguments, **environ):
    """What a benchmark prints of very little data: its tables' rows as lists of cells."""
    done = forked.run(BENCHMARKS / f"{name}.py", "--smoke", *arguments, **environ)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture
def table(data_dir):
    return lambda *arguments: printed(*arguments, BOOSTEXT_DATA=str(data_dir))


def module(name, monkeypatch):
    """A script of the papers, imported."""
    monkeypatch.syspath_prepend(str(BENCHMARKS / "papers"))
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / "papers" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, found)  # dataclasses look their module up
    spec.loader.exec_module(found)
    return found


def test_letters_are_told_apart_better_with_confidence(table):
    heads, *rows = table("papers/ss99_letter")
    errors = {(row[1], row[2]): float(row[heads.index("train error %")]) for row in rows}
    assert {method for method, _ in errors} == {"discrete MR", "discrete MH", "real MH"}
    assert errors["real MH", "10"] < errors["discrete MH", "10"] < errors["discrete MH", "1"]


def test_rounds_to_an_error_stand_beside_the_printed_ones(table):
    _, *rows = table("papers/sf12_rounds", "r8")
    assert rows[0] == ["AP titles, Table 9.1", "40", "268", "16,938", "63"]
    ours = [row for row in rows if row[0] == "r8"]
    assert [float(row[1]) for row in ours] == [15, 10, 8, 7, 6, 5]
    assert all(row[2] == "> 20" or float(row[2]) <= 20 for row in ours)


def test_the_first_round_with_an_error_is_found(monkeypatch):
    rounds = module("sf12_rounds", monkeypatch)
    errors = {1: 0.5, 2: 0.3, 3: 0.35, 4: 0.1}

    class Learned:
        def points(self, measured, **settings):
            for number, error in errors.items():
                yield SimpleNamespace(round=number, test=error), None

    assert rounds.first_rounds(Learned(), (0.4, 0.3, 0.2, 0.05), 4, "real") == [2, 2, 4, None]
    assert rounds.row("x", 0.4, 2, 50, 100)[-1] == "25.0"
    assert rounds.row("x", 0.4, 2, None, 100)[-2:] == ["> 100", "> 50"]


def test_codes_are_learned_beside_what_they_were_compared_with(table):
    heads, *rows = table("papers/s97_codes", "glass")
    assert {row[1] for row in rows} == {"stump", "rules", "tree"}
    assert {row[2] for row in rows} == {
        "oc",
        "oc climbed",
        "m2",
        "m1",
        "ecoc",
        "bagging",
        "arc-x4",
        "mh real",
    }
    assert all(0 <= float(row[heads.index("train error %")]) < 100 for row in rows)


def test_noise_raises_errors_and_margins_are_drawn(tmp_path):
    heads, *rows = printed("papers/nn07_noise", "ledeven", "--graphs", tmp_path)
    assert heads == ["set", "method", "noise 0 %", "noise 20 %", "noise 40 %"]
    (best,) = [row for row in rows if row[1] == "best"]
    assert best[2] == "0.0"
    assert [float(cell) for cell in best[2:]] == sorted(float(cell) for cell in best[2:])
    margins = [row for row in rows if row[2] in ("real MH, r = 6", "AdaBoost_R, r = 6", "best")]
    assert [row[1] for row in margins] == ["20"] * 3 + ["40"] * 3
    assert all(0 <= float(cell) <= 100 for row in margins for cell in row[3:])
    for noise in (20, 40):
        root = ElementTree.parse(tmp_path / f"ledeven-{noise}.svg").getroot()
        words = "".join(root.itertext())
        assert all(name in words for name in ("discrete", "real MH", "AdaBoost_R", f"{noise} %"))


def test_generators_give_what_the_paper_says(monkeypatch):
    noise = module("nn07_noise", monkeypatch)
    # half of the digits are even: of two patterns as likely, none tells anything
    assert noise.best_of_display(0.5) == pytest.approx(0.5)
    for document in noise.xd6(0.0, random.Random(1)).train[:50]:
        bits = [value == "yes" for value in document.attributes.values()]
        formula = all(bits[:3]) or all(bits[3:6]) or all(bits[6:9])
        assert (len(bits), document.labels) == (10, ("+" if formula else "-",))
    assert len(noise.display(17, 0.1, random.Random(1)).test[0].attributes) == 24
    for known in (noise.sure_of_display(0.2), noise.sure_of_labels(0.2)):
        assert sum(probability for probability, _ in known) == pytest.approx(1)
        wrong = sum(probability for probability, margin in known if margin < 0)
        assert wrong == pytest.approx(0.2 if len(known) == 2 else noise.best_of_display(0.2))


def test_calls_have_rules_outliers_and_a_curve():
    rows = printed("papers/tab_calls")
    (listed,) = [row for row in rows if row[0] == "60"]
    assert int(listed[2]) <= int(listed[1]) <= 30
    assert [row[0] for row in rows if row[0] == "ece"] == ["ece"]


def test_every_configuration_is_measured():
    heads, *rows = printed("algorithms", "--only", "mh-real", "--only", "oc")
    assert heads == ["algorithm", "calls error %", "calls rounds", "calls CPU s"]
    assert rows[0][:1] + rows[0][2:3] == ["mh-real", "5"]
    assert rows[1] == ["oc", "-", "-", "-"], "calls may have several labels"


def test_confidence_is_compared_on_many_sets(table):
    rows = table("papers/ss99_uci", "iris", "labor")
    wins = [row for row in rows if " : " in row[0]]
    assert [row[0] for row in wins] == ["real MH : discrete MH", "discrete MH : discrete MR"]
    assert all(int(row[2]) + int(row[3]) <= 2 for row in wins)
    assert {row[0] for row in rows if row[1] in ("real MH", "discrete MR")} == {"iris", "labor"}


def test_margins_stand_beside_the_printed_ones(table, tmp_path):
    _, *rows = table("papers/tab_margins", "--depth", "4", "--graphs", tmp_path)
    assert rows[0] == ["C4.5, printed", "5", "0.0", "8.4", "7.7", "0.14"]
    errors = [float(row[2]) for row in rows if row[0].startswith("mh")]
    assert errors == sorted(errors, reverse=True)
    assert (tmp_path / "letter-margins.svg").exists()


def test_heart_disease_is_measured_fold_by_fold(table):
    heads, *rows = table("papers/sf12_heart")
    assert {row[0] for row in rows} >= {"alternating tree", "stumps, real MH", "trees of 2 levels"}
    assert all(0 < float(row[heads.index("test error %")]) < 60 for row in rows)


def test_the_page_of_claims_names_every_program():
    page = (BENCHMARKS.parent / "docs" / "papers.md").read_text(encoding="utf-8")
    programs = {path.name for path in (BENCHMARKS / "papers").glob("*.py")}
    assert set(re.findall(r"\w+\.py", page)) & programs == programs - {"common.py", "graphs.py"}


def test_suggested_documents_are_labeled_beside_random_ones():
    heads, *rows = printed("papers/tab_active", "calls")
    assert heads == [
        "corpus",
        "chosen",
        "random labels",
        "their error",
        "error",
        "labels needed",
        "share",
    ]
    assert [row[1:3] for row in rows] == [
        ["random", "60"],
        ["margin", "60"],
        ["random", "80"],
        ["margin", "80"],
    ]
    assert all(row[3] == row[4] for row in rows if row[1] == "random")
    assert all(rows[i][3] == rows[i + 1][3] for i in (0, 2))  # both have the same goal


def test_labels_needed_lie_between_two_steps(monkeypatch):
    needed = module("tab_active", monkeypatch).labels_needed
    assert needed([100, 150, 200], [0.5, 0.4, 0.2], 0.3) == 175
    assert needed([100, 150], [0.2, 0.1], 0.3) == 100
    assert needed([100, 150], [0.5, 0.4], 0.3) is None


def test_knowledge_is_measured_alone_and_beside_labels():
    heads, *rows = printed("papers/tab_knowledge", "calls")
    assert heads == ["corpus", "labels", "knowledge alone", "data alone", "both"]
    alone, data, both = (float(cell) for cell in rows[0][2:])
    assert both < data  # with forty labels
    (needed,) = [row for row in rows[-1:] if row[0] == "calls"]
    assert alone < float(needed[1])  # the rules alone, without a model that they taught
