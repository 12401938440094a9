"""The report of a model on labelled data."""

import itertools
import json
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.corpus.documents import Document
from boostext.evaluation import report as module
from boostext.evaluation.decided import MOST_WRONG, confusions
from boostext.evaluation.gold import gold_of
from boostext.evaluation.measures import MEASURES
from boostext.evaluation.report import Baseline, ConfusionRow, LabelRow, evaluate
from boostext.model.model import Model
from boostext.model.plain import json_parts

SINGLE = Model(("a", "b", "c"), False, ())
MULTI = Model(("a", "b", "c"), True, ())


def pairs(*rows):
    """(labels or None, scores) rows as Predictor.scores gives them."""
    for number, (labels, scores) in enumerate(rows):
        document = Document(
            str(number), {"text": "x"}, tuple(labels or ()), labelled=labels is not None
        )
        yield document, np.array(scores, float)


ROWS = (
    (["a"], [2, 1, 0]),
    (["a"], [1, 2, 0]),
    (["a"], [1, 2, 0]),
    (["b"], [0, 2, 1]),
    (["c"], [2, 1, 0]),
    (["new"], [2, 1, 0]),
    ([], [2, 1, 0]),
    (None, [9, 9, 9]),
)


def test_everything_is_counted_and_said():
    found = evaluate(SINGLE, pairs(*ROWS))
    assert (found.examples, found.unlabelled, found.without_labels) == (6, 2, 0)
    assert (found.unknown_examples, found.unknown_labels) == (1, {"new": 1})
    assert found.measures["error"] == 4 / 6
    assert found.measures["one-error"] == 4 / 6
    assert found.labels == (
        # a: right once, missed twice, and given to two others; F1 = 2/(2 + 2 + 2)
        LabelRow("a", True, 3, 1, 2, 2, 1 / 3, 1 / 3, 1 / 3),
        LabelRow("b", True, 1, 1, 2, 0, 1 / 3, 1.0, 1 / 2),
        LabelRow("c", True, 1, 0, 0, 1, 0.0, 0.0, 0.0),
        LabelRow("new", False, 1, 0, 0, 1, 0.0, 0.0, 0.0),
    )
    assert found.confusions == (
        ConfusionRow("a", "b", 2),
        ConfusionRow("c", "a", 1),
        ConfusionRow("new", "a", 1),
    )


def test_documents_without_labels_are_examples_where_there_may_be_several():
    found = evaluate(MULTI, pairs(*ROWS))
    assert (found.examples, found.unlabelled, found.without_labels) == (7, 1, 1)


def test_the_baseline_is_the_most_frequent_label():
    found = evaluate(SINGLE, pairs(*ROWS))
    # 3 of 6 examples with a label have a; given to all 6: precision 3/6, recall 3/6
    assert found.baseline == Baseline("a", 0.5, pytest.approx(0.5))
    assert evaluate(SINGLE, pairs(([], [1, 0, 0]))).baseline is None


def test_the_baseline_of_equal_labels_does_not_depend_on_the_order():
    rows = ((["c"], [1, 0, 0]), (["b"], [1, 0, 0]))
    for case in (rows, rows[::-1]):
        assert evaluate(SINGLE, pairs(*case)).baseline.label == "b"


def test_a_missed_label_is_confused_with_every_wrong_one():
    found = evaluate(
        MULTI, pairs((["a"], [-1, 1, 1]), (["a", "b"], [-1, 1, 1]), (["c"], [-1, -1, -1]))
    )
    assert found.confusions == (ConfusionRow("a", "c", 2), ConfusionRow("a", "b", 1))


def test_only_the_loudest_wrong_labels_of_an_example_are_confusions():
    names = [f"l{j:02}" for j in range(20)]
    scores = np.arange(20.0)[None, :] - 1
    found = confusions(scores, gold_of(names, [["l00"]]), scores > 0)
    assert found == {("l00", f"l{j}"): 1 for j in range(20 - MOST_WRONG, 20)}


def test_calibration_bins_hold_all_pairs():
    found = evaluate(MULTI, pairs((["a"], [0.0, 10.0, -10.0])))
    assert [row.count for row in found.calibration] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert (found.calibration[5].probability, found.calibration[5].frequency) == (0.5, 1.0)


def test_thresholds_of_the_model_and_of_the_call_decide():
    rows = ((["a"], [0.5, 0.2, -1.0]),)
    assert evaluate(MULTI, pairs(*rows)).measures["error"] == 1.0
    assert evaluate(MULTI, pairs(*rows), threshold=0.3).measures["error"] == 0.0
    tuned = Model(("a", "b", "c"), True, (), thresholds=(0.0, 0.3, 0.0))
    assert evaluate(tuned, pairs(*rows)).measures["error"] == 0.0


def test_the_report_does_not_depend_on_the_pieces(monkeypatch):
    whole = evaluate(SINGLE, pairs(*ROWS)).to_dict()
    monkeypatch.setattr(module, "CELLS", 6)  # two documents at a time
    pieces = evaluate(SINGLE, pairs(*ROWS)).to_dict()
    assert pieces["measures"] == pytest.approx(whole["measures"])
    assert {**pieces, "measures": 0, "calibration": 0} == {**whole, "measures": 0, "calibration": 0}


@pytest.mark.parametrize("rows", [ROWS, (), ((None, [1, 2, 3]),), (([], [1, 2, 3]),)])
@pytest.mark.parametrize("model", [SINGLE, MULTI])
def test_a_report_of_any_data_is_plain_json(model, rows):
    plain = evaluate(model, pairs(*rows)).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert list(plain["measures"]) == list(MEASURES)


@given(st.lists(st.tuples(st.floats(-30, 30), st.booleans()), min_size=1, max_size=400))
@settings(max_examples=60, deadline=None)
def test_bins_of_equal_size_hold_every_pair_once_and_about_as_many_each(rows):
    """Two scores in one narrow bin, 1/51 apart, are never parted."""
    model = Model(("a",), True, ())
    scored = pairs(*(([["a"], []][not true], [score]) for score, true in rows))
    found = evaluate(model, scored, bins="equal-size").calibration
    assert sum(row.count for row in found) == len(rows)
    assert sum(row.frequency * row.count for row in found) == pytest.approx(
        sum(true for _, true in rows)
    )
    assert all(a.high == b.low for a, b in itertools.pairwise(found))
    assert all(row.low - 1e-9 <= row.probability <= row.high + 1e-9 for row in found)
    cells = Counter(round(score * 51.2 - 0.5) for score, _ in rows)
    assert max(row.count for row in found) <= len(rows) / 10 + 1 + 3 * max(cells.values())


def test_the_memory_for_very_many_labels_is_that_of_numbers():
    """A label takes the counts of its row, but no row, dict or string until it is written."""
    k = 20_000
    model = Model(tuple(f"l{j:05}" for j in range(k)), False, ())
    scored = list(pairs((["l00003"], np.zeros(k)), (["strange"], np.zeros(k))))
    tracemalloc.start()
    found = evaluate(model, scored)
    held, peak = tracemalloc.get_traced_memory()
    for part in json_parts(found.to_dict(iter)):
        assert len(part) < 10**7
    written = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 16 * k
    assert peak < 110 * k
    assert written < peak + 2**23
    assert len(found.labels) == k + 1
    assert found.labels[-1] == LabelRow("strange", False, 1, 0, 0, 1, 0.0, 0.0, 0.0)
