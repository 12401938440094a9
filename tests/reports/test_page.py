"""report.html as text: one file, whole, small, and deaf to what the data would like it to be."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from boostext.corpus.documents import Document
from boostext.evaluation.margins import MarginRow
from boostext.features.conditions import AtLeast, Occurs, spell
from boostext.features.lookup import ConditionLookup
from boostext.model.predict import decisions
from boostext.reports.coverage import evidence_of, term_facts
from boostext.reports.html import script_json
from boostext.reports.outliers import outlier_rows
from boostext.reports.page.charts import bar_row, line_chart, ticks_of
from boostext.reports.page.content import Content, Curve, Judged, Limits, Listing
from boostext.reports.page.excerpts import Excerpts, read_term
from boostext.reports.page.rows import drop_pattern, rule_lines, term_lines
from boostext.reports.page.sections import report_page
from boostext.reports.rules import rule_rows
from boostext.reports.terms import term_rows

from .models import HOSTILE, corpus_of, model_of, rule, term

BREAKOUT = f"</script><script>alert(1)</script>{HOSTILE}'\"&<!--{{{{77777*7}}}}{{% raw %}}\u2028"
LABELS = (f"A{BREAKOUT}", "B")
NONE = np.zeros(0, np.int32)


class Reader(HTMLParser):
    """Elements with their attributes, and the text of scripts."""

    def __init__(self):
        super().__init__()
        self.elements, self.scripts = [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script":
            self.scripts[-1] += data


def content_of(m=40, text=BREAKOUT):
    """Everything a page can show, of documents with hostile names and texts."""
    model = model_of(
        rule(term("x"), [-0.5, 0.5], [2, -1]),
        rule(term(BREAKOUT), [0, 0.1], [-0.3, 1]),
        labels=LABELS,
        history=(0.8, 0.9),
    )
    where = {
        term("x"): np.arange(0, m, 2, dtype=np.int32),
        term(BREAKOUT): np.arange(0, m, 5, dtype=np.int32),
    }
    corpus = corpus_of(
        [[(i + i // 7) % 2] for i in range(m)],
        LABELS,
        ids=[f"{i}{text}" for i in range(m)],
        snippets=[text[:160]] * m,
    )
    evidence = evidence_of(model, corpus, lambda c: (where[c], NONE))
    given = decisions(evidence.scores, model)
    judged = Judged("the documents", "training", corpus, evidence.scores, given)
    listing = Listing(
        outlier_rows(model, corpus, evidence.scores, m),
        "by weight",
        judged,
        f"boostext {text}",
        {text: (LABELS[0],)},
    )
    return Content(
        model,
        text,
        evidence,
        term_facts(evidence, term_rows(model)),
        judged,
        listing,
        [MarginRow(t / 10, 0.1, None, 0.2, 0.3) for t in range(-10, 11)],
        "error",
        [Curve(text, ((1, 0.5), (2, 0.25)))],
        lambda wanted: {i: Document(corpus.ids[i], {"text": f"x {text}"}) for i in wanted},
    )


@pytest.fixture(scope="module")
def page():
    return report_page(content_of())


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_hostile_names_and_texts_add_no_element(page):
    names = [tag for tag, _ in read(page).elements]
    assert names.count("script") == 5
    assert names.count("b") == names.count("img") == names.count("iframe") == 0
    assert "544439" not in page  # 77777 * 7, were the text a template
    assert not any(
        name.startswith("on") for _, attributes in read(page).elements for name in attributes
    )


def test_what_scripts_read_is_json_and_gives_the_names_back(page):
    *_, errors, confusions, _ = read(page).scripts
    told = json.loads(errors)
    assert told["labels"] == list(LABELS)
    assert told["rows"][0]["id"].endswith(BREAKOUT)
    assert json.loads(confusions)["cells"]
    assert told["before"] == [[BREAKOUT, LABELS[0]]]
    assert not re.search(r"[<>\u2028\u2029]", errors + confusions)


def test_the_page_names_no_other_place(page):
    for tag, attributes in read(page).elements:
        assert tag not in ("object", "embed", "base", "form")
        for name in ("src", "href", "action", "srcset", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
    assert "http" not in page.replace("http-equiv", "")
    assert "@import" not in page
    assert "url(" not in page


def test_only_this_script_may_run(page):
    metas = [a for tag, a in read(page).elements if a.get("http-equiv")]
    policy = metas[0]["content"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2


def test_each_section_is_named_and_linked(page):
    elements = read(page).elements
    ids = {a["id"] for _, a in elements if "id" in a}
    links = {a["href"][1:] for tag, a in elements if tag == "a" and a["href"].startswith("#")}
    assert {"overview", "curves", "rules", "terms", "labels", "confusion", "margins"} <= links
    assert {"calibration", "errors"} <= links
    assert links <= ids
    labelled = {a["aria-labelledby"] for _, a in elements if "aria-labelledby" in a}
    assert labelled <= ids


def test_every_chart_says_in_words_what_it_is(page):
    for tag, attributes in read(page).elements:
        if tag == "svg":
            assert attributes.get("aria-hidden") == "true" or attributes.get("role") == "img"


def test_no_direction_is_turned(page):
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", page)


def test_a_document_is_worked_out(page):
    """Two sums, each with its score below the lines."""
    worked = page.split("<h3>Example:")[1].split("</section>")[0]
    assert worked.count("<strong>score</strong>") == 2
    assert "<mark" in worked


def test_texts_of_ten_megabytes_stay_small():
    page = report_page(content_of(20, BREAKOUT + "y" * 10_000_000))
    assert len(page.encode()) < 2_000_000


def test_a_model_alone_makes_a_page():
    model = content_of().model
    page = report_page(Content(model, "m"))
    assert "error-data" not in page.split("<script>")[0]
    assert 'id="rules"' in page


def test_a_model_without_rules_makes_a_page():
    assert "0 rules for 2 labels" in report_page(Content(model_of(), "m"))


def test_a_document_without_a_text_is_told_by_its_attributes():
    """Of tables: what a person needs to judge a label."""
    known = {"age": 63.0, "color": "red", "size": None}
    excerpts = Excerpts(
        model_of(), corpus_of([[0]], LABELS), {0: Document("d", {}, attributes=known)}, 200
    )
    assert "".join(piece.text for piece in excerpts.of(0, [])) == "age 63, color red"
    assert excerpts.beginning(0) == "age 63, color red"


def test_a_page_made_again_under_smaller_limits_does_not_search_texts_again(monkeypatch):
    documents = {0: Document("d", {"text": "please collect this call " * 9})}
    weighed, known = [(Occurs("text", ("collect",)), 1.0)], {}
    shown = [
        Excerpts(model_of(), corpus_of([[0]], LABELS), documents, room, known) for room in (240, 60)
    ]
    first = shown[0].of(0, weighed)
    monkeypatch.setattr(ConditionLookup, "find", None)
    smaller = shown[1].of(0, weighed)
    assert "collect" in [piece.text for piece in smaller if piece.marked]
    assert len("".join(p.text for p in smaller)) < len("".join(p.text for p in first))


def test_every_figure_of_the_model_says_what_it_was_measured_on(page):
    figures = re.findall(r'<dt>([^<]*) <span class="kind">\((.*?)\)</span></dt>', page)
    assert [name for name, _ in figures][:1] == ["error"]
    assert {kind for _, kind in figures} == {"training"}


def test_two_labels_have_one_bar_that_points_to_one_of_them():
    model = model_of(
        rule(term("x"), [-0.5, 0.5 + 1e-12], [2, -2]),
        rule(term("y"), [0, 0], [-1, 1]),
        labels=("A", "B"),
    )
    table = rule_lines(rule_rows(model), 2)
    assert table.space.pair
    assert [list(line.blocks) for line in table.rows] == [["met", "else"], ["met"]]
    assert table.rows[0].blocks["met"].hanging == "M80 3h-80v10H80z"
    assert table.rows[1].blocks["met"].rising == "M80 3h40v10H80z"
    assert table.rows[1].blocks["met"].caption == "B +1.00"


def test_a_numeric_column_is_drawn_in_steps():
    """Below 1 the rules say 0.5 - 1; from 1 on 2 - 1; from 3 on 2 + 4."""
    model = model_of(
        rule(AtLeast("age", 1.0), [0.5, 0], [2, 0]),
        rule(AtLeast("age", 3.0), [-1, 0], [4, 0]),
        labels=("A", "B"),
    )
    (line,), _ = term_lines(term_rows(model), [], model, 5, 5)
    assert [y for _, y in line.steps.traces[0].rows] == ["-0.5", "-0.5", "1", "1", "6", "6"]


def test_what_is_never_to_be_asked_for_is_dropped_by_its_pattern():
    row = term_rows(model_of(rule(Occurs("text", ("a.b", None, "c")), [0, 0], [1, -1])))[0]
    assert re.search(f"^(?:{drop_pattern(row)})$", "a.b#?#c")
    assert not re.search(f"^(?:{drop_pattern(row)})$", "a.b#?#cd")


def test_limits_are_halved_until_nothing_is_left_to_halve():
    limits = Limits()
    for _ in range(20):
        limits = limits.smaller()
    assert (limits.rules, limits.terms, limits.outliers, limits.matrix) == (1, 1, 1, 24)


@pytest.mark.parametrize("value", ["</script>", "<!--", "\u2028", "&amp;", {"</a>": ["<b>"]}])
def test_json_in_a_script_keeps_its_value(value):
    text = script_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


# Drawings ------------------------------------------------------------------------------------


def test_bars_rise_for_and_hang_against():
    row = bar_row(np.array([2.0, -1.0, 0.0]), 2.0, ("a", "b", "c"))
    assert row.rising == "M1 13h10v-11h-10z"
    assert row.hanging == "M13 13h10v5.5h-10z"
    assert row.caption == "a +2.00, b -1.00"


def test_the_last_round_has_a_tick():
    chart = line_chart("n", "t", "a", ("x", "y"), [Curve("c", ((1, 1), (97, 0)))])
    assert [tick.text for tick in chart.x_ticks] == ["20", "40", "60", "80", "97"]
    chart = line_chart("n", "t", "a", ("x", "y"), [Curve("c", ((1, 1), (81, 0)))])
    assert [tick.text for tick in chart.x_ticks] == ["20", "40", "60", "81"]


def test_names_at_the_ends_of_lines_do_not_meet():
    lines = [Curve(name, ((0, 1), (1, 0.5))) for name in "abc"]
    ends = [trace.ends for trace in line_chart("n", "t", "a", ("x", "y"), lines).traces]
    assert np.diff(sorted(ends)).min() >= 15


def test_ticks_are_round_numbers():
    assert ticks_of(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert ticks_of(1, 2000) == pytest.approx([500, 1000, 1500, 2000])
    assert ticks_of(3, 3) != []


def test_a_chart_without_points_is_left_out():
    assert line_chart("n", "t", "a", ("x", "y"), [Curve("c", ((1, float("nan")),))]) is None


def test_points_that_are_not_known_are_left_out_of_a_line():
    chart = line_chart("n", "t", "a", ("x", "y"), [Curve("c", ((1, 1), (2, float("nan")), (3, 0)))])
    assert chart.traces[0].path.count("L") == 1


@pytest.mark.parametrize(
    "condition",
    [
        Occurs("text", ("person", None, "person")),
        Occurs("text", ("?", "why")),
        Occurs("text", ("a b",)),
        Occurs("text", ("a·b",)),
        Occurs("text", ("a:b",)),
    ],
    ids=spell,
)
def test_spelled_terms_are_read_back(condition):
    assert read_term(spell(condition), {"text": "text"}) == condition


def test_spelled_terms_of_several_fields_are_read_back():
    condition = Occurs("subject", ("re:", "free"))
    assert read_term(spell(condition, 2), {"subject": "subject", "body": "body"}) == condition
