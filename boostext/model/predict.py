"""Documents to scores, scores to labels and probabilities, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Int8, Int64, Lists, Scores
from boostext.corpus.documents import Document
from boostext.features.conditions import NO, UNKNOWN, YES, Condition, Known, Literal
from boostext.features.lookup import ConditionLookup
from boostext.model.calibration import calibrated
from boostext.model.decoding import decoded, toward_labels
from boostext.model.merged import Merged, MergedVotes, merge_rules, merge_votes
from boostext.model.model import Model
from boostext.model.prior import PriorScores

BATCH = 512
BATCH_TEXT = 4 * 1024 * 1024
"""Characters after which a batch is closed, so that long documents are not held in numbers."""


BATCH_SCORES = 4 * 1024 * 1024
"""Scores in a batch at most, unless one document alone has more."""


@dataclass(frozen=True, eq=False)
class Contribution:
    """What the rules of one condition, under one precondition, say of one document.

    block: UNKNOWN, NO (not found) or YES (found). votes: (k,), over all its rounds.
    condition: Known is the prior knowledge, in no round.
    """

    condition: Condition | Known
    block: int
    votes: Float64
    rounds: tuple[int, ...]
    precondition: tuple[Literal, ...] = ()


@dataclass(frozen=True, eq=False)
class Scored:
    """n documents; scores: (n, k); yes, unknown: for each, its conditions in block YES, and those
    in block UNKNOWN: ascending numbers of `merged.conditions`. prior: (n, k), the scores of prior
    knowledge among them, if there is any.
    """

    documents: Sequence[Document]
    scores: Scores
    yes: Lists
    unknown: Lists
    prior: Scores | None = None


class Predictor:
    """A model made ready to score documents; nothing of a document is kept."""

    def __init__(self, model: Model, threads: int = 1) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a {type(model).__name__}; expected a model, as boostext.load gives")
        self.model = model
        self.threads = threads
        self.merged: Merged = merge_rules(model)
        self._lookup = ConditionLookup(
            self.merged.conditions, model.text, model.data.text, model.boosting.unknown_categories
        )
        self.prior = (
            PriorScores(model, model.prior, link_of(model), threads)
            if model.prior and model.prior.speaks
            else None
        )

    def score(self, document: Document) -> Scores:
        """(k,): f(x, l). An empty document has the score of absence everywhere."""
        _check_document(document)
        sums = self.merged.score(*self._lookup.blocks(document))
        scores: Scores = self._with_prior(decoded(sums[None], self.model), [document])[0]
        return scores

    def scores(
        self, documents: Iterable[Document], batch: int = BATCH
    ) -> Iterator[tuple[Document, Scores]]:
        """Every document with its scores (k,), in order, reading at most `batch` ahead.

        Batches double from 1, so that first answers come early; batch=1 answers each document
        before it reads the next. Where the reading fails, the documents read until then have their
        scores before the error is raised.
        """
        for found in self.batches(documents, batch):
            yield from zip(found.documents, found.scores, strict=True)

    def batches(self, documents: Iterable[Document], batch: int = BATCH) -> Iterator[Scored]:
        """As `scores`, many documents at a time, with the conditions that they meet."""
        labels = max(len(self.model.labels), self.model.width)
        for group in _batches(documents, min(batch, max(BATCH_SCORES // labels, 1))):
            yes, unknown = self._lookup.batch(group, self.threads)
            sums = decoded(self.merged.scores(yes, unknown), self.model)
            prior = None if self.prior is None else self.prior.scores(group)
            yield Scored(group, sums if prior is None else prior + sums, yes, unknown, prior)

    def batch_scores(self, documents: Sequence[Document]) -> Scores:
        """(n, k) of n documents that are held in memory."""
        blocks = self._lookup.batch(documents, self.threads)
        sums = decoded(self.merged.scores(*blocks), self.model)
        return self._with_prior(sums, documents)

    def _with_prior(self, sums: Scores, documents: Sequence[Document]) -> Scores:
        """The votes and, before them, what people knew."""
        return sums if self.prior is None else self.prior.scores(documents) + sums

    def contributions(self, document: Document) -> tuple[Contribution, ...]:
        """A row for every condition with a vote, in order of first choice.

        The votes of all rows add up to the document's scores; with a code, to how well the sums
        of its columns agree with each label's row.
        """
        blocks = np.full(len(self.merged.conditions), NO, np.int8)
        yes, unknown = self._lookup.blocks(document)
        blocks[unknown], blocks[yes] = UNKNOWN, YES
        said = entries_said(self._votes, blocks, self.model)
        return said if self.prior is None else (self._known(document, self.prior), *said)

    def _known(self, document: Document, prior: PriorScores) -> Contribution:
        """What people knew, as one row: its rules do not simply add up."""
        known = Known(prior.fired(document))
        return Contribution(known, YES, prior.scores([document])[0], ())

    @cached_property
    def _votes(self) -> MergedVotes:
        return merge_votes(self.model)


def entries_said(merged: MergedVotes, blocks: Int8, model: Model) -> tuple[Contribution, ...]:
    """What each entry that has a say says of a document; blocks: of its known conditions."""
    found = merged.entry_blocks(blocks)
    saying = np.flatnonzero((found >= 0) & merged.says[np.arange(len(found)), found])
    votes = toward_labels(merged.votes[saying, found[saying]], model)
    return tuple(
        Contribution(
            merged.conditions[e], block, votes[row], merged.rounds_told[e], merged.preconditions[e]
        )
        for row, (e, block) in enumerate(zip(saying.tolist(), found[saying].tolist(), strict=True))
    )


def contributions(model: Model, document: Document) -> tuple[Contribution, ...]:
    """`Predictor.contributions` for one document alone."""
    return Predictor(model).contributions(document)


def loudest(rows: Sequence[Contribution], label: int, count: int) -> tuple[Contribution, ...]:
    """The `count` rows with the greatest votes on the label, for or against; ties in order."""
    spoken = [row for row in rows if row.votes[label]]
    return tuple(sorted(spoken, key=lambda row: -abs(row.votes[label]))[:count])


def _check_document(document: object) -> None:
    if not isinstance(document, Document):
        raise TypeError(
            f"a {type(document).__name__}; expected a Document, such as "
            "Document('1', {'text': 'my bill'})"
        )


def _batches(documents: Iterable[Document], most: int) -> Iterator[list[Document]]:
    """Groups of documents. What ends the reading early is raised after those that came before."""
    size, length, group = 1, 0, []
    reading, failure = iter(documents), None
    while True:
        try:
            document = next(reading)
            _check_document(document)
        except StopIteration:
            break
        except BaseException as error:  # noqa: BLE001 - signals, too, come after what was read
            failure = error
            break
        group.append(document)
        length += sum(map(len, document.texts.values()))
        if len(group) >= size or length >= BATCH_TEXT:
            yield group
            size, length, group = min(size * 2, most), 0, []
    if group:
        yield group
    if failure is not None:
        raise failure


def decisions(
    scores: Scores, model: Model, threshold: float | None = None, chance: float | None = None
) -> NDArray[np.bool_]:
    """(m, k): which labels are given to m documents.

    One label: the greatest chance where chances are calibrated, else the greatest score; of equals
    the greatest score, then the first in label order. Several labels: those above the model's own
    thresholds; without thresholds a calibrated model gives those whose chance is above 1/2, any
    other those whose score is above 0.
    threshold, chance: what the score or the chance of a label must be above instead; with one
    label, none is given where that is not so.
    """
    above = None
    if threshold is not None:
        above = scores > threshold
    if chance is not None:
        likely = chances(scores, model) > chance
        above = likely if above is None else above & likely
    if not model.multilabel:
        given = greatest(_by_chance(scores, model))
        return given if above is None else given & above
    if above is not None:
        return np.asarray(above)
    if model.calibration and not model.thresholds:
        return np.asarray(chances(scores, model) > 0.5)
    return np.asarray(scores > np.array(model.thresholds or [0.0] * scores.shape[1]))


def _by_chance(scores: Scores, model: Model) -> Scores:
    """The scores that compete for the one label: -inf where the chance is not the greatest."""
    if not model.calibration:
        return scores
    likely = chances(scores, model)
    return np.where(likely == likely.max(axis=1, keepdims=True), scores, -np.inf)


def ranked_labels(scores: Scores, model: Model) -> Int64:
    """(m, k): label numbers by chance where chances are calibrated, else by score, best first."""
    if not model.calibration:
        return np.argsort(-scores, axis=1, kind="stable")
    return np.lexsort((-scores, -chances(scores, model)), axis=1)


def greatest(scores: Scores) -> NDArray[np.bool_]:
    """(m, k): true at the greatest score of each row, of equals the first."""
    return np.asarray(np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None])


def given_numbers(given: NDArray[np.bool_]) -> list[list[int]]:
    """Of each row (k,) of `decisions` the numbers of the labels given, ascending."""
    numbers = range(given.shape[1])
    return [list(compress(numbers, row)) for row in given.tolist()]


def decide(scores: Scores, model: Model, threshold: float | None = None) -> tuple[int, ...]:
    """The label numbers given to one document with scores (k,), in label order: see `decisions`."""
    return tuple(given_numbers(decisions(scores[None, :], model, threshold))[0])


def has_chances(model: Model) -> bool:
    """Whether scores become chances: scores that are shares of votes do not, unless calibrated."""
    return bool(model.calibration or link_of(model))


def link_of(model: Model) -> float:
    """How scores of the model become probabilities: 2 for exponential loss, 1 for logistic loss
    and for AdaBoost_R.

    0 where scores are no log odds, and no probabilities: shares of votes, losses of codes, ranks.
    """
    return ALGORITHMS[model.boosting.algorithm].link


def probabilities(scores: Scores, link: float) -> Float64:
    """1/(1 + exp(-link f)) for every score: the chance of each label by itself. NaN for link 0.

    So for models of one label too: the labels of a document are judged one by one, and their
    probabilities do not sum to one. link: `link_of`.
    Source: CSS02 for the logistic loss; Friedman, Hastie & Tibshirani 2000 for the exponential;
    NN07 Eqs. 24-25 for AdaBoost_R.
    """
    if not link:
        return np.full(scores.shape, np.nan)
    small = np.exp(-link * np.abs(scores))
    return np.asarray(np.where(scores >= 0, 1 / (1 + small), small / (1 + small)))


def chances(scores: Scores, model: Model) -> Float64:
    """(m, k): the chance of each label: calibrated where the model is, else by its link.

    Calibrated chances of a one-label model sum to 1 for each document.
    """
    if model.calibration:
        return calibrated(scores, model.calibration, model.multilabel)
    return probabilities(scores, link_of(model))
