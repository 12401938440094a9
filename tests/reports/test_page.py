"""report.html as text: one file, whole, small, and deaf to what the data would like it to be."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from boostext.corpus.documents import Document
from boostext.evaluation.margins import MarginRow
from boostext.features.conditions import Occurs, spell
from boostext.model.predict import decisions
from boostext.reports.coverage import term_facts
from boostext.reports.evidence import evidence_of
from boostext.reports.outliers import outlier_rows
from boostext.reports.page.charts import bar_row, line_chart, ticks_of
from boostext.reports.page.content import Content, Curve, Judged, Limits
from boostext.reports.page.data import script_json
from boostext.reports.page.excerpts import read_term
from boostext.reports.page.render import report_page
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
        labels=LABELS, history=(0.8, 0.9),
    )  # fmt: skip
    where = {
        term("x"): np.arange(0, m, 2, dtype=np.int32),
        term(BREAKOUT): np.arange(0, m, 5, dtype=np.int32),
    }
    corpus = corpus_of(
        [[(i + i // 7) % 2] for i in range(m)], LABELS, ids=[f"{i}{text}" for i in range(m)],
        snippets=[text[:160]] * m,
    )  # fmt: skip
    evidence = evidence_of(model, corpus, lambda c: (where[c], NONE))
    judged = Judged("the documents", corpus, evidence.scores, decisions(evidence.scores, model))
    return Content(
        model, text, evidence, term_facts(evidence, term_rows(model)), judged, judged,
        outlier_rows(model, corpus, evidence.scores, m), "by weight",
        [MarginRow(t / 10, 0.1, None, 0.2, 0.3) for t in range(-10, 11)],
        [Curve(text, ((1, 0.5), (2, 0.25)))],
        lambda wanted: {i: Document(corpus.ids[i], {"text": f"x {text}"}) for i in wanted},
    )  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return report_page(content_of())


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_hostile_names_and_texts_add_no_element(page):
    names = [tag for tag, _ in read(page).elements]
    assert names.count("script") == 3
    assert names.count("b") == names.count("img") == names.count("iframe") == 0
    assert "544439" not in page  # 77777 * 7, were the text a template
    assert not any(
        name.startswith("on") for _, attributes in read(page).elements for name in attributes
    )


def test_what_scripts_read_is_json_and_gives_the_names_back(page):
    outliers, confusions, _ = read(page).scripts
    told = json.loads(outliers)
    assert told["labels"] == list(LABELS)
    assert told["rows"][0]["id"].endswith(BREAKOUT)
    assert json.loads(confusions)["cells"]
    assert not re.search(r"[<>\u2028\u2029]", outliers + confusions)


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
    assert {"calibration", "outliers-section"} <= links
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
    worked = page.split("One document, worked out")[1].split("</section>")[0]
    assert worked.count("<strong>score</strong>") == 2
    assert "<mark" in worked


def test_texts_of_ten_megabytes_stay_small():
    page = report_page(content_of(20, BREAKOUT + "y" * 10_000_000))
    assert len(page.encode()) < 2_000_000


def test_a_model_alone_makes_a_page():
    model = content_of().model
    page = report_page(Content(model, "m"))
    assert "outlier-data" not in page.split("<script>")[0]
    assert 'id="rules"' in page


def test_a_model_without_rules_makes_a_page():
    assert "0 rules for 2 labels" in report_page(Content(model_of(), "m"))


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
    assert row.said == "a +2.00, b -1.00"


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
        Occurs("text", ("person", None, "person")), Occurs("text", ("?", "why")),
        Occurs("text", ("a b",)), Occurs("text", ("a·b",)), Occurs("text", ("a:b",)),
    ],
    ids=spell,
)  # fmt: skip
def test_spelled_terms_are_read_back(condition):
    assert read_term(spell(condition), ("text",)) == condition


def test_spelled_terms_of_several_fields_are_read_back():
    condition = Occurs("subject", ("re:", "free"))
    assert read_term(spell(condition, 2), ("subject", "body")) == condition
