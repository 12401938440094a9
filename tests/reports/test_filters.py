"""Rows picked by their columns."""

import pytest

from boostext.errors import SettingsError
from boostext.reports.columns import kept, pattern, read_filter

ROWS = [
    {"term": "collect", "documents": 318, "kind": "term", "precision": 0.9},
    {"term": "minutes", "documents": 20, "kind": "number", "precision": 0.5},
]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("documents>=20", [0, 1]),
        ("documents > 20", [0]),
        ("documents<20", []),
        ("documents<=20", [1]),
        ("documents=318", [0]),
        ("documents!=318", [1]),
        ("precision<0.9", [1]),
        ("kind=number", [1]),
        ("kind!=number", [0]),
        ("term~^COL", [0]),
        ("term~e", [0, 1]),
    ],
)
def test_filters_keep_what_fits(written, expected):
    assert kept(ROWS, [read_filter(written)]) == expected


def test_all_filters_must_fit():
    assert kept(ROWS, [read_filter("documents>10"), read_filter("kind=term")]) == [0]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("documents", "expected a column"),
        ("document>3", "did you mean 'documents'"),
        ("documents>many", "is a number"),
        ("kind>a", "kind is text"),
        ("term~(", "not a regular expression"),
    ],
)
def test_what_cannot_be_is_told(written, told):
    with pytest.raises(SettingsError, match=told):
        kept(ROWS, [read_filter(written)])


def test_a_pattern_does_not_mind_case():
    assert pattern("ABC").search("xabcx")
