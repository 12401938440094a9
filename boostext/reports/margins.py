"""The distribution of margins, and how often probabilities came true, as lines of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Bin
from boostext.reports.columns import Column, tsv_lines

MARGIN_COLUMNS: tuple[Column[MarginRow], ...] = (
    Column("theta", lambda row: row.theta, "The margin."),
    Column("votes", lambda row: row.votes, "The share of the (document, label) pairs with a margin "
           "of theta or less, where margins are scores over the sum of the rules' greatest votes."),
    Column("votes_bound", lambda row: row.votes_bound, "What bounds that share on the training "
           "data; empty where no bound is known."),
    Column("tanh", lambda row: row.tanh, "The same share of margins that are tanh of half the "
           "score."),
    Column("tanh_bound", lambda row: row.tanh_bound, "What bounds that share; empty where no "
           "bound is known."),
)  # fmt: skip
"""The columns of margins.tsv"""


def _known(value: float) -> float | None:
    return None if value != value else value


BIN_COLUMNS: tuple[Column[Bin], ...] = (
    Column("low", lambda row: row.low, "The least probability of the bin."),
    Column("high", lambda row: row.high, "The greatest probability of the bin."),
    Column("count", lambda row: row.count, "How many (document, label) pairs are in it."),
    Column("probability", lambda row: _known(row.probability), "The mean of their probabilities; "
           "empty where there are none."),
    Column("frequency", lambda row: _known(row.frequency), "The share of them whose label is "
           "given in the data; empty where there are none."),
)  # fmt: skip
"""The columns of reliability.tsv"""


def margins_tsv(rows: Sequence[MarginRow]) -> Iterator[str]:
    """Lines of margins.tsv."""
    yield from tsv_lines(MARGIN_COLUMNS, rows)


def reliability_tsv(bins: Sequence[Bin]) -> Iterator[str]:
    """Lines of reliability.tsv: how often probabilities of each bin came true; empty bins too."""
    yield from tsv_lines(BIN_COLUMNS, bins)
