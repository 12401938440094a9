"""Documents as a model's conditions see them: what reports count, without the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Scores
from boostext.boosting.reach import Find, Reach
from boostext.boosting.tally import Tally
from boostext.corpus.corpus import Corpus
from boostext.evaluation.gold import Gold
from boostext.features.conditions import YES, Condition
from boostext.model.decoding import decoded
from boostext.model.found import scores_found
from boostext.model.model import Model
from boostext.reports.terms import TermRow

POINTS = 60
"""Rounds at which scores are taken for a curve."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """m documents under a model.

    corpus: its labels begin with the model's, in that order. scores: (m, k) of the model.
    find: a condition of the model -> its documents in block YES, and those in block UNKNOWN.
    start: (m, k) scores before any rule votes, of prior knowledge; None where they are 0.
    """

    model: Model
    corpus: Corpus
    scores: Scores
    find: Find[Condition]
    start: Scores | None = None

    @property
    def gold(self) -> Gold:
        return Gold(self.corpus.labels, len(self.model.labels), self.corpus.label_sets)


def evidence_of(
    model: Model, corpus: Corpus, find: Find[Condition], start: Scores | None = None
) -> Evidence:
    """With the scores that the conditions give."""
    return Evidence(model, corpus, scores_found(model, find, len(corpus), start), find, start)


def term_documents(evidence: Evidence, rows: Sequence[TermRow]) -> list[Int32]:
    """For each term its documents, ascending: those that meet its lowest level, where the
    precondition holds.
    """
    reach = Reach[Condition](evidence.find, len(evidence.corpus))
    found = []
    for row in rows:
        if row.before:
            yes = reach.blocks(row.before, row.levels[0].asked)[YES]
        else:
            yes = evidence.find(row.levels[0].asked)[0]
        found.append(np.sort(yes).astype(np.int32))
    return found


def scores_by_round(evidence: Evidence) -> Iterator[tuple[int, Scores]]:
    """(round, scores (m, k) after it) at some POINTS rounds, evenly spaced, the last among them."""
    model, m = evidence.model, len(evidence.corpus)
    last = model.round_count
    wanted = {round(t) for t in np.linspace(1, last, POINTS)} if last else set()
    tally = Tally[Condition](evidence.find, m)
    numbers = list(model.rule_rounds)
    for place, rule in enumerate(model.rules):
        tally.add(rule.votes, rule.condition, rule.precondition)
        ends = place + 1 == len(numbers) or numbers[place + 1] != numbers[place]
        if ends and numbers[place] in wanted:
            sums = decoded(tally.value(), model)
            yield numbers[place], sums if evidence.start is None else evidence.start + sums


def label_matrix(evidence: Evidence) -> Float64:
    """(m, k) 0 or 1: the labels given, of those the model knows."""
    return evidence.gold.matrix.astype(np.float64)
