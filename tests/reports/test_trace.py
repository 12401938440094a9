"""trace.jsonl."""

import json
import math

import numpy as np

from boostext.boosting.rules import Round, Rule
from boostext.reports.rules import trace_jsonl, trace_row
from tests.reports.models import term


def made(number, bound=0.5):
    return Round(number, Rule(term("collect", "กข"), np.zeros((3, 2))), 0.25, 0.75, bound)


def records(*rows):
    return [json.loads(line) for line in trace_jsonl(rows)]


def test_one_line_per_round_with_what_was_chosen():
    lines = list(trace_jsonl([trace_row(made(1)), trace_row(made(2), terms=2)]))
    assert [line.count("\n") for line in lines] == [1, 1]
    assert json.loads(lines[1]) == {
        "number": 2,
        "condition": "collect กข",
        "gain": 0.25,
        "z": 0.75,
        "bound": 0.5,
        "terms": 2,
    }
    assert "กข" in lines[0]


def test_measures_stand_only_where_they_were_taken():
    first, second = records(
        trace_row(made(1)), trace_row(made(2), train={"error": 0.2}, valid={"error": 0.3})
    )
    assert "valid" not in first
    assert (second["train"], second["valid"]) == ({"error": 0.2}, {"error": 0.3})


def test_what_is_not_finite_is_null():
    row = trace_row(made(1, bound=math.inf), valid={"log-loss": math.nan})
    (record,) = records(row)
    assert record["bound"] is None
    assert record["valid"] == {"log-loss": None}


def test_the_field_is_named_where_there_are_several():
    assert trace_row(made(1), fields=2).condition == "text:collect กข"
