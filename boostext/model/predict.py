"""Predict scores, labels and probabilities of documents, and explain them.

The scores of labels are the sums of votes, unless the labels are coded; then they are decoded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Int8, Int64, Lists, Scores
from boostext.boosting.codings import decode
from boostext.boosting.reach import Find, Reach
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, Condition, Known, Literal
from boostext.features.lookup import ConditionLookup
from boostext.model.calibration import calibrated
from boostext.model.merged import (
    Merged,
    MergedVotes,
    add_guarded,
    by_condition,
    merge_rules,
    merge_votes,
)
from boostext.model.model import Model
from boostext.model.prior import PriorScores

BATCH = 512
BATCH_TEXT = 4 * 1024 * 1024
"""A batch ends after this many characters, which bounds the memory for long documents."""


BATCH_SCORES = 1024 * 1024
"""Maximum number of scores in a batch, unless a single document has more."""


@dataclass(frozen=True, eq=False)
class Contribution:
    """What the rules with one condition and one precondition contribute to a document's scores.

    block: UNKNOWN, NO (not found) or YES (found). votes: (k,), summed over all their rounds.
    A condition of type Known stands for the prior knowledge, which belongs to no round.
    """

    condition: Condition | Known
    block: int
    votes: Float64
    rounds: tuple[int, ...]
    precondition: tuple[Literal, ...] = ()


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of n documents.

    scores: (n, k). yes, unknown: for each document, its conditions in blocks YES and UNKNOWN, as
    ascending indexes into `merged.conditions`. prior: (n, k), the part of the scores that is due to
    prior knowledge, if the model has any.
    """

    documents: Sequence[Document]
    scores: Scores
    yes: Lists
    unknown: Lists
    prior: Scores | None = None


class Predictor:
    """A model prepared for scoring. It stores nothing about the documents."""

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

    def expect(self, characters: int) -> None:
        """Tell how much text is going to be scored in all; compiled code is then used at once."""
        self._lookup.expect(characters)

    def score(self, document: Document) -> Scores:
        """Return (k,): f(x, l). An empty document gets the votes for terms that do not occur."""
        _check_document(document)
        sums = self.merged.score(*self._lookup.blocks(document))
        scores: Scores = self._with_prior(decoded(sums[None], self.model), [document])[0]
        return scores

    def scores(
        self, documents: Iterable[Document], batch: int = BATCH
    ) -> Iterator[tuple[Document, Scores]]:
        """Yield every document with its scores (k,), in order, reading ahead at most `batch`.

        Batch sizes double from 1, so that the first results come early; with batch=1, each document
        is scored before the next is read. If reading fails, the documents read so far are scored
        before the error is raised.
        """
        for found in self.batches(documents, batch):
            yield from zip(found.documents, found.scores, strict=True)

    def batches(self, documents: Iterable[Document], batch: int = BATCH) -> Iterator[Scored]:
        """Like `scores`, but in batches, and with the conditions that the documents meet."""
        labels = max(len(self.model.labels), self.model.width)
        for group in _batches(documents, min(batch, max(BATCH_SCORES // labels, 1))):
            yes, unknown = self._lookup.batch(group, self.threads)
            sums = decoded(self.merged.scores(yes, unknown), self.model)
            prior = None if self.prior is None else self.prior.scores(group)
            yield Scored(group, sums if prior is None else prior + sums, yes, unknown, prior)

    def batch_scores(self, documents: Sequence[Document]) -> Scores:
        """Return the (n, k) scores of n documents held in memory."""
        blocks = self._lookup.batch(documents, self.threads)
        sums = decoded(self.merged.scores(*blocks), self.model)
        return self._with_prior(sums, documents)

    def _with_prior(self, sums: Scores, documents: Sequence[Document]) -> Scores:
        """Return the scores of prior knowledge plus the sums of votes."""
        return sums if self.prior is None else self.prior.scores(documents) + sums

    def contributions(self, document: Document) -> tuple[Contribution, ...]:
        """Return a row for every condition with a nonzero vote, in order of first choice.

        The votes of all rows add up to the document's scores. If labels are coded, they add up to
        the agreement between the sums of the columns and each label's row.
        """
        blocks = np.full(len(self.merged.conditions), NO, np.int8)
        yes, unknown = self._lookup.blocks(document)
        blocks[unknown], blocks[yes] = UNKNOWN, YES
        of_rules = entry_contributions(self._votes, blocks, self.model)
        return of_rules if self.prior is None else (self._known(document, self.prior), *of_rules)

    def _known(self, document: Document, prior: PriorScores) -> Contribution:
        """Return one row for the whole prior knowledge, because its rules are not additive."""
        known = Known(prior.fired(document))
        return Contribution(known, YES, prior.scores([document])[0], ())

    @cached_property
    def _votes(self) -> MergedVotes:
        return merge_votes(self.model)


def entry_contributions(
    merged: MergedVotes, blocks: Int8, model: Model
) -> tuple[Contribution, ...]:
    """Return the contributions of all entries with a nonzero vote. blocks: of `merged.known`."""
    found = merged.entry_blocks(blocks)
    voting = np.flatnonzero((found >= 0) & merged.has_votes[np.arange(len(found)), found])
    votes = toward_labels(merged.votes[voting, found[voting]], model)
    return tuple(
        Contribution(
            merged.conditions[e], block, votes[row], merged.round_tuples[e], merged.preconditions[e]
        )
        for row, (e, block) in enumerate(zip(voting.tolist(), found[voting].tolist(), strict=True))
    )


def contributions(model: Model, document: Document) -> tuple[Contribution, ...]:
    """`Predictor.contributions` for a single document."""
    return Predictor(model).contributions(document)


def strongest(rows: Sequence[Contribution], label: int, count: int) -> tuple[Contribution, ...]:
    """The `count` rows with the largest absolute votes on the label; ties keep their order."""
    voting = [row for row in rows if row.votes[label]]
    return tuple(sorted(voting, key=lambda row: -abs(row.votes[label]))[:count])


def _check_document(document: object) -> None:
    if not isinstance(document, Document):
        raise TypeError(
            f"a {type(document).__name__}; expected a Document, such as "
            "Document('1', {'text': 'my bill'})"
        )


def _batches(documents: Iterable[Document], most: int) -> Iterator[list[Document]]:
    """Yield groups of documents. If reading fails, the error is raised after the last group."""
    size, length, group = 1, 0, []
    reading, failure = iter(documents), None
    while True:
        try:
            document = next(reading)
            _check_document(document)
        except StopIteration:
            break
        except BaseException as error:  # noqa: BLE001 - signals also wait for what was read
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
    scores: Scores, model: Model, threshold: float | None = None, probability: float | None = None
) -> NDArray[np.bool_]:
    """Return (m, k): which labels are assigned to m documents.

    With one label per document, the label with the highest probability is assigned if the model is
    calibrated, otherwise the one with the highest score. Ties go to the higher score, then to the
    first in label order. With several labels, those above the model's thresholds are assigned;
    without thresholds, those with a probability above 1/2 if the model is calibrated, otherwise
    those with a score above 0.

    threshold, probability: assign labels with a score or a probability above this value instead.
    With one label per document, no label is assigned if the best one is not above it.
    """
    if threshold != threshold or probability != probability:
        raise SettingsError("a threshold is nan, which no score is above; expected a number")
    above = None
    if threshold is not None:
        above = scores > threshold
    if probability is not None:
        likely = probabilities(scores, model) > probability
        above = likely if above is None else above & likely
    if not model.multilabel:
        given = greatest(_by_probability(scores, model))
        return given if above is None else given & above
    if above is not None:
        return np.asarray(above)
    if model.calibration and not model.thresholds:
        return np.asarray(probabilities(scores, model) > 0.5)
    return np.asarray(scores > np.array(model.thresholds or [0.0] * scores.shape[1]))


def _by_probability(scores: Scores, model: Model) -> Scores:
    """Return the scores, with -inf for labels that do not have the highest probability."""
    if not model.calibration:
        return scores
    likely = probabilities(scores, model)
    return np.where(likely == likely.max(axis=1, keepdims=True), scores, -np.inf)


def ranked_labels(scores: Scores, model: Model) -> Int64:
    """Return (m, k) label indexes, best first, by probability if calibrated, else by score."""
    if not model.calibration:
        return np.argsort(-scores, axis=1, kind="stable")
    return np.lexsort((-scores, -probabilities(scores, model)), axis=1)


def greatest(scores: Scores) -> NDArray[np.bool_]:
    """Return (m, k): true at the first maximum of each row."""
    return np.asarray(np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None])


def given_numbers(given: NDArray[np.bool_]) -> list[list[int]]:
    """Return the ascending indexes of the assigned labels for each row of `decisions`."""
    rows, numbers = np.nonzero(given)
    ends = np.searchsorted(rows, np.arange(len(given) + 1)).tolist()
    listed = numbers.tolist()
    return [listed[start:stop] for start, stop in itertools.pairwise(ends)]


def decide(scores: Scores, model: Model, threshold: float | None = None) -> tuple[int, ...]:
    """Return the labels assigned to one document with scores (k,), as ascending indexes."""
    return tuple(given_numbers(decisions(scores[None, :], model, threshold))[0])


def has_probabilities(model: Model) -> bool:
    """Whether scores give probabilities; shares of votes do not unless they are calibrated."""
    return bool(model.calibration or link_of(model))


def link_of(model: Model) -> float:
    """Return the factor that converts scores of the model to log odds.

    It is 2 for the exponential loss, 1 for the logistic loss and for AdaBoost_R, and 0 if scores
    are not log odds and have no link_probabilities: shares of votes, losses of codes, and ranks.
    """
    return ALGORITHMS[model.boosting.algorithm].link


def link_probabilities(scores: Scores, link: float) -> Float64:
    """Return 1/(1 + exp(-link f)) for every score: the probability of each label by itself.

    The labels of a document are treated independently, also if each document has one label, so
    their probabilities do not sum to 1. NaN for link 0. link: `link_of`.
    Source: CSS02 for the logistic loss; Friedman, Hastie & Tibshirani 2000 for the exponential;
    NN07 Eqs. 24-25 for AdaBoost_R.
    """
    if not link:
        return np.full(scores.shape, np.nan)
    small = np.abs(scores, dtype=np.float64)
    small *= -link
    np.exp(small, out=small)
    found = np.where(scores >= 0, 1.0, small)
    small += 1
    found /= small
    return np.asarray(found)


def probabilities(scores: Scores, model: Model) -> Float64:
    """Return (m, k) link_probabilities: calibrated if the model is calibrated, else from its link.

    With one label per document, the calibrated probabilities of each document sum to 1.
    """
    if model.calibration:
        return calibrated(scores, model.calibration, model.multilabel)
    return link_probabilities(scores, link_of(model))


# Coded labels --------------------------------------------------------------------------------


def decoded(sums: Scores, model: Model) -> Scores:
    """Return the (m, k) scores for (m, k') sums of votes. Source: SS99 Figure 3."""
    return decode(sums, code_of(model) if model.code else None, model.boosting.decoding)


def toward_labels(votes: Float64, model: Model) -> Float64:
    """Return (..., k) from votes (..., k'): how far they move a document toward each label's row.

    This is the mean of row times vote over the columns of the code, or, without a code, the votes
    themselves.
    """
    return votes @ code_of(model).T / model.width if model.code else votes


def code_rows(code: Int8 | None) -> tuple[str, ...]:
    """Return the rows of the code as strings like "+-+-", the form in which a model keeps them."""
    return (
        ()
        if code is None
        else tuple("".join("+" if sign > 0 else "-" for sign in row) for row in code)
    )


def code_of(model: Model) -> Int8:
    """Return the code of a model as a (k, k') array of +1 and -1."""
    return np.array([[1 if sign == "+" else -1 for sign in row] for row in model.code], np.int8)


# Scores without texts ------------------------------------------------------------------------


def found_in(conditions: Sequence[Condition], yes: Lists, unknown: Lists) -> Find[Condition]:
    """Find documents by condition, given each document's ascending indexes into `conditions`."""
    number = {condition: j for j, condition in enumerate(conditions)}
    met, open_to = (by_condition(lists, len(conditions)) for lists in (yes, unknown))
    return lambda condition: (met[number[condition]], open_to[number[condition]])


def scores_found(
    model: Model, find: Find[Condition], m: int, start: Scores | None = None
) -> Scores:
    """Return the (m, k) scores. find: the documents of a condition. start: added to the votes."""
    merged = merge_rules(model)
    scores = np.tile(merged.base, (m, 1))
    for c, condition in enumerate(merged.conditions):
        yes, unknown = find(condition)
        scores[yes] += merged.yes_delta[c]
        if merged.unknown_delta is not None:
            scores[unknown] += merged.unknown_delta[c]
    if merged.guarded:
        places = merged.conditions
        reach = Reach[int](lambda place: find(places[place]), m)
        add_guarded(scores, merged.guarded, reach)
    return decoded(scores, model) if start is None else start + scores
