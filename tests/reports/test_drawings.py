"""Drawings keep to their page, show what the rows say, and let no text of a user through raw."""

import dataclasses
import io
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from boostext.evaluation.report import Baseline, ConfusionRow, LabelRow, Report
from boostext.features.conditions import NO, UNKNOWN, YES, AtLeast
from boostext.model.predict import Contribution
from boostext.reports.evaluations import confusion_list, evaluation_summary, label_table
from boostext.reports.explanations import explanation_rows
from boostext.reports.layout import (
    ASCII,
    UNICODE,
    Page,
    bar,
    cells,
    clusters,
    cut_inside,
    fit,
    page_for,
    shorten,
)
from boostext.reports.listings import explanation_list, label_term_list, outlier_list, term_list
from boostext.reports.outliers import Objection, OutlierRow
from boostext.reports.rules import rule_rows
from boostext.reports.tables import heads, rule_table
from boostext.reports.terms import label_terms, term_rows
from tests.reports.models import HOSTILE, calls_model, model_of, rule, term

THAI = "การชำระเงิน"
WIDTHS = (40, 50, 80, 132, 400)


def outlier(**changes):
    values = {
        "rank": 1,
        "example": 0,
        "id": "call-0867",
        "origin": "calls.jsonl:867",
        "given": ("DialForMe",),
        "suggested": ("Collect",),
        "rival": "Collect",
        "kind": "wrong",
        "score": 0.97,
        "margin": -1.7,
        "weight": 8.6,
        "share": 0.004,
        "label_rank": 1,
        "label_count": 9,
        "objections": (Objection("collect", 7.11), Objection("call", 0.8)),
        "snippet": "hello collect call from daniel",
    }
    return OutlierRow(**{**values, **changes})


def report(labels, **changes):
    rows = tuple(LabelRow(label, True, 5, 3, 1, 2, 0.75, 0.6, 2 / 3) for label in labels)
    confusions = tuple(ConfusionRow(a, b, 2) for a in labels for b in labels if a != b)
    values = {
        "examples": 12,
        "unlabelled": 1,
        "without_labels": 2,
        "without_pairs": 2,
        "unknown_examples": 1,
        "unknown_labels": {HOSTILE: 1},
        "alike_labels": {HOSTILE: labels[0]},
        "multilabel": True,
        "measures": {"error": 0.125, "one-error": float("nan"), "micro-f1": 0.5},
        "baseline": Baseline(labels[0], 0.75, 0.25),
        "labels": rows,
        "confusions": confusions,
        "calibration": (),
    }
    return Report(**{**values, **changes})


def contribution(condition, block, *votes):
    return Contribution(condition, block, np.array(votes), (1, 4))


def drawings_of(labels, page):
    """One of each drawing, with these labels and hostile terms, ids and texts."""
    k = len(labels)
    votes = np.linspace(-1, 1, k)
    model = model_of(
        rule(term(HOSTILE), 0.1 * votes, votes, -votes),
        rule(term(THAI, None, "x" * 90), 0 * votes, -votes),
        labels=labels,
        multilabel=True,
    )
    terms = term_rows(model)
    yield rule_table(rule_rows(model), page)
    yield term_list(terms, page)
    found = label_terms(terms, labels, 3), label_terms(terms, labels, 3, against=True)
    yield label_term_list(*found, page)
    objections = (Objection(HOSTILE, 3.0), Objection(THAI * 9, 2.0))
    row = outlier(
        id=HOSTILE,
        given=labels[:1],
        suggested=labels[1:3],
        objections=objections,
        snippet=f"{HOSTILE} {THAI}" * 9,
    )
    yield outlier_list([row, outlier(kind="agrees", given=labels, rank=2)], page, total=2000)
    measured = report(labels)
    yield evaluation_summary(measured, page)
    yield label_table(measured.labels, page)
    yield confusion_list(measured.confusions, page)
    spoken = [
        Contribution(term(HOSTILE), YES, votes, (1,)),
        Contribution(term(THAI), NO, -votes, (2, 3)),
        Contribution(AtLeast("age", 3.0), UNKNOWN, votes, (4,)),
    ]
    yield explanation_list(explanation_rows(spoken, labels, range(k)), page)


LABELS = {
    "two": ("Collect", "Rate"),
    "fifteen": tuple(f"Label{number} of many" for number in range(15)),
    "ninety": tuple(f"label-{number}" for number in range(90)),
    "hostile": (HOSTILE, THAI * 5, "漢字" * 30, "", " "),
}
PAGES = pytest.mark.parametrize("width", WIDTHS)
SETS = pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)


@PAGES
@SETS
def test_no_line_is_wider_than_the_page(labels, width):
    for glyphs in (UNICODE, ASCII):
        for drawing in drawings_of(labels, Page(width, glyphs)):
            assert max(cell_len(line) for line in drawing.plain.split("\n")) <= width


@SETS
def test_no_text_of_a_user_steers_the_terminal(labels):
    for drawing in drawings_of(labels, Page()):
        for char in drawing.plain.replace("\n", ""):
            assert unicodedata.category(char) not in ("Cc", "Cs")
            assert unicodedata.bidirectional(char) not in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI")


def test_markup_in_a_text_stays_text():
    drawing = next(d for d in drawings_of(LABELS["two"], Page()) if "[bold" in d.plain)
    printed = io.StringIO()
    Console(file=printed, width=80).print(drawing, soft_wrap=True)
    assert printed.getvalue().rstrip("\n") == drawing.plain


@SETS
def test_colors_add_nothing_to_the_words(labels):
    for drawing in drawings_of(labels, Page()):
        printed = io.StringIO()
        console = Console(file=printed, force_terminal=True, no_color=True, width=80)
        console.print(drawing.plain, markup=False, highlight=False, soft_wrap=True)
        assert printed.getvalue().rstrip("\n") == drawing.plain


@PAGES
def test_a_page_without_characters_is_ascii(width):
    labels = LABELS["fifteen"]
    model = model_of(rule(term("a"), np.linspace(-1, 1, 15), np.linspace(1, -1, 15)), labels=labels)
    page = Page(width, ASCII)
    assert rule_table(rule_rows(model), page).plain.isascii()
    assert outlier_list([outlier()], page).plain.isascii()
    assert confusion_list(report(labels).confusions, page).plain.isascii()


def test_a_rule_that_speaks_below_a_threshold_alone_is_one_line():
    model = model_of(rule(AtLeast("age", 27.5), [1.5, -1.5], [0.0, 0.0]))
    key, _, line = rule_table(rule_rows(model), Page(80)).plain.split("\n")
    assert "else" not in key
    assert line.split()[1:4] == ["age", "<", "27.5"]


def test_the_rule_table_is_what_it_is_said_to_be():
    labels = ("AreaCode", "Collect", "Rate", *(f"L{number}" for number in range(5)))
    rest = [0.0] * 5
    model = model_of(
        rule(term("collect"), [-0.5, -0.25, 0.01, *rest], [-2.0, 2.0, 1.0, *rest]),
        rule(term("how", None, "is"), [0.0] * 8, [0.5, -1.0, 0.25, *rest]),
        labels=labels,
    )
    lines = rule_table(rule_rows(model), Page(46)).plain.split("\n")
    assert lines == [
        "votes for ██ and against ▓▓;",
        "a full bar is 2.00; else: the term is absent",
        "AC AreaCode  Col Collect  Rat Rate",
        "            AC  Col Rat L0  L1  L2  L3  L4",
        "1 collect   ▓▓▓ ███ ▅▅▅",
        "  else      ░░░ ░░░  ·",
        "2 how ? is  ▃▃▃ ▒▒▒ ▃▃▃",
    ]


def test_few_labels_leave_room_for_the_numbers():
    lines = rule_table(rule_rows(calls_model(), 1), Page(80)).plain.split("\n")
    assert lines[1].split() == ["Collect", "Rate"]
    assert lines[2].split() == ["1", "collect", "██", "+2.00", "▒▒", "-1.00"]


def test_many_labels_are_named_by_the_strongest_votes():
    votes = np.zeros(90)
    votes[[7, 11]] = [1.5, -2.0]
    model = model_of(rule(term("a"), 0 * votes, votes), labels=LABELS["ninety"])
    line = rule_table(rule_rows(model), Page(80)).plain.split("\n")[1]
    assert line.split() == ["1", "a", "██", "+1.50", "label-7", "▓▓", "-2.00", "label-11"]


def test_what_is_unknown_has_its_line_where_it_votes():
    (row,) = [row for row in rule_rows(calls_model()) if row.kind == "number"]
    names = [line.split()[0] for line in rule_table([row], Page(80)).plain.split("\n")[2:]]
    assert names == ["6", "else", "unknown"]


def test_no_rows_are_said_to_be_none():
    page = Page()
    assert rule_table([], page).plain == "No rules."
    assert term_list([], page).plain == "No terms."
    assert label_term_list([], [], page).plain == "No terms."
    assert outlier_list([], page).plain == "No documents."
    assert confusion_list([], page).plain.startswith("No label")
    assert explanation_list([], page).plain.startswith("No condition")


def test_an_outlier_takes_two_lines():
    assert outlier_list([outlier()], Page(80), total=2000).plain.split("\n") == [
        "Likely label errors by boosting weight (weights): 1 of 2,000, of which 1 flagged",
        "rank  score  given → suggested",
        "   1   0.97  DialForMe → Collect  collect +7.11  call +0.80",
        '             call-0867  "hello collect call from daniel"',
    ]


def test_an_outlier_that_is_not_flagged_names_the_next_label():
    row = outlier(kind="agrees", suggested=("Collect",), score=0.4)
    assert "DialForMe (or Collect?)" in outlier_list([row], Page(80)).plain


def test_changes_that_come_again_are_counted_on_top():
    rows = [outlier(rank=rank) for rank in (1, 2)]
    assert "2 x DialForMe → Collect" in outlier_list(rows, Page(80)).plain.split("\n")[1]


def test_an_explanation_sums_to_the_score():
    spoken = [
        contribution(term("collect"), YES, 2.0, -1.0),
        contribution(term("call"), YES, 0.5, 0.25),
        contribution(term("rate"), NO, -0.75, 0.1),
    ]
    rows = explanation_rows(spoken, ("Collect", "Rate"), [0], count=1)
    assert [(row.kind, row.condition, row.conditions, row.votes) for row in rows] == [
        ("found", "collect", 1, 2.0),
        ("other", "", 1, 0.5),
        ("absent", "", 1, -0.75),
    ]
    lines = explanation_list(rows, Page(80)).plain.split("\n")
    assert lines[0] == "Collect"
    assert lines[-1].split() == ["score", "+1.75"]


def test_an_evaluation_says_what_it_left_out_and_what_guessing_gives():
    text = " ".join(evaluation_summary(report(("Collect", "Rate")), Page(80)).plain.split())
    assert "12 documents, several labels each" in text
    assert "left out: 1 record without a label" in text
    assert "1 document with labels that the model lacks" in text
    assert "Collect for every document: one-error 0.7500" in text
    assert "one-error -" in text


def test_labels_unknown_to_the_model_are_marked_in_the_table():
    row = LabelRow("Zebra", False, 2, 0, 0, 2, 0.0, 0.0, 0.0)
    assert "Zebra (not in the model)" in label_table([row], Page(80)).plain


def test_of_very_many_labels_the_table_shows_those_that_occur(monkeypatch):
    monkeypatch.setattr("boostext.reports.evaluations.MOST_LABELS", 2)
    unused = LabelRow("unused", True, 0, 0, 0, 0, 0.0, 0.0, 0.0)
    given = dataclasses.replace(unused, label="given", support=3)
    rows = [unused, given, dataclasses.replace(unused, label="wrong", fp=1)]
    lines = label_table(rows, Page(80)).plain.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["given", "wrong"]
    assert lines[-1] == "and 1 further label; --json lists all"
    assert [line.split()[0] for line in label_table(rows[:2], Page(80)).plain.splitlines()] == [
        *("label", "unused", "given")
    ]


@pytest.mark.parametrize(
    ("vote", "unicode", "ascii"),
    [
        (2.0, "██", "+9"),
        (1.0, "▅▅", "+5"),
        (-1.0, "▒▒", "-5"),
        (-2.0, "▓▓", "-9"),
        (0.1, "· ", ". "),
        (0.0, "  ", "  "),
    ],
)
def test_bars_differ_in_shape_by_sign(vote, unicode, ascii):
    assert bar(vote, 2.0, 2, UNICODE) == unicode
    assert bar(vote, 2.0, 2, ASCII) == ascii


@given(st.lists(st.text(), min_size=1, max_size=30, unique=True), st.integers(2, 8))
def test_heads_fit_and_are_told_apart(labels, width):
    found = heads(labels, width)
    assert len(set(found)) == len(labels)
    assert all(0 < cell_len(head) <= width for head in found)


def test_heads_are_initials_or_beginnings():
    assert heads(["AreaCode", "Collect", "Color"], 2) == ["AC", "Co", "Cl"]
    assert heads(["billing and payment", "Rate"], 7) == ["billing", "Rate"]


@given(st.text(), st.integers(1, 30))
def test_fitted_text_has_exactly_its_width(text, width):
    assert cell_len(fit(text, width, Page())) == width


def test_a_letter_keeps_its_marks():
    assert shorten("ที่นี่นี้", 2, Page()) == "ที่…"
    assert list(clusters("ที่e\u0301👩\u200d🔬")) == ["ที่", "e\u0301", "👩\u200d🔬"]


class Stream(io.StringIO):
    def __init__(self, encoding="utf-8", terminal=False):
        super().__init__()
        self._encoding, self.terminal = encoding, terminal

    encoding = property(lambda self: self._encoding)

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize(
    ("environ", "encoding", "page"),
    [
        ({}, "utf-8", Page(80, UNICODE)),
        ({"COLUMNS": "100"}, "utf-8", Page(100, UNICODE)),
        ({"COLUMNS": "7"}, "utf-8", Page(40, UNICODE)),
        ({"COLUMNS": "wide"}, "utf-8", Page(80, UNICODE)),
        ({"TERM": "dumb"}, "utf-8", Page(80, ASCII)),
        ({}, "cp1252", Page(80, ASCII)),
        ({}, "ascii", Page(80, ASCII)),
    ],
)
def test_the_page_follows_columns_term_and_encoding(environ, encoding, page):
    assert page_for(Stream(encoding), environ) == page


@pytest.mark.parametrize("width", [12, 16, 20])
def test_what_tells_conditions_apart_is_not_cut(width):
    names = [f"installed_size >= {number}" for number in (12000, 24000, 48000)]
    cut = [cut_inside(name, width, Page()) for name in names]
    assert len(set(cut)) == 3
    assert all(cells(name) <= width for name in cut)
    assert cut_inside("short", width, Page()) == "short"


def test_many_labels_are_named_with_their_numbers():
    """Beside more than eight labels a bar alone says little."""
    labels = tuple(f"label-{n}" for n in range(12))
    row = rule_rows(model_of(rule(term("a"), [0.0] * 12, [1.0, -2.0] * 6), labels=labels))
    text = rule_table(row, Page(100)).plain
    assert "+1.00 label-0" in text
    assert "-2.00 label-1" in text
