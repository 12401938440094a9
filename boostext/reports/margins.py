"""The distribution of margins as lines of a table, and as a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Bin
from boostext.reports.escape import tsv_number


def margins_tsv(rows: Sequence[MarginRow]) -> Iterator[str]:
    """Lines of margins.tsv; columns as the fields of MarginRow, a bound that is not known empty."""
    yield "theta\tvotes\tvotes_bound\ttanh\ttanh_bound\n"
    for row in rows:
        numbers = (row.theta, row.votes, row.votes_bound, row.tanh, row.tanh_bound)
        yield "\t".join(map(tsv_number, numbers)) + "\n"


def reliability_tsv(bins: Sequence[Bin]) -> Iterator[str]:
    """Lines of reliability.tsv: how often probabilities of each bin came true; empty bins too."""
    yield "low\thigh\tcount\tprobability\tfrequency\n"
    for row in bins:
        means = [None if x != x else x for x in (row.probability, row.frequency)]
        numbers = map(tsv_number, (row.low, row.high, row.count, *means))
        yield "\t".join(numbers) + "\n"
