"""A linear model of all terms, which is fast to learn and accurate on few documents.

This is logistic regression with a small L2 penalty: softmax over all labels if every document has
one label, otherwise a separate model for each label. As usual for TF-IDF, terms have the weight
ln(m / df) + 1 and documents are normalized to length 1. Boosting chooses one term in each round,
which gives readable rules; but with twenty documents per label, a hundred weak terms together carry
more information than the few that boosting chooses.

Learning uses accelerated gradient steps with restarts, and ends when the held-out documents are no
longer predicted better. Words that nearly all documents have make the loss bend several times as
much in one direction as in any other, and the steps would have to be small because of it; so they
are smaller in this direction only. Arrays of the size of the weights are reused, so that a step
allocates little of that size except the product that SciPy returns.
Sources: Nesterov 1983; O'Donoghue & Candes 2015, s3.2 (gradient restart).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int64, Lists
from boostext.boosting.cuts import Cuts, cuts
from boostext.features.conditions import LOWEST, NO, AtLeast, Literal, spell, spell_literal
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather, joined_lists

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Float32 = NDArray[np.float32]

PENALTY = 0.03
"""Factor of half the squared weights, which is added to the total loss of all documents."""
STEPS = 20
"""Maximum number of steps, if all had to be as small as in the direction of the greatest curvature;
more hardly change the ranking of likely label errors. See `Curvature.reach`."""
ENOUGH = 0.01
"""Relative decrease of the held-out loss that a step needs to count as an improvement."""
ENOUGH_DOCUMENTS = 200
"""Number of documents for each label from which steps are long where the curvature is low. With
fewer, this finds label errors less well: with 50 labels of 25 documents each, of debian-section-en,
the average precision is 0.66 instead of 0.71.
"""
POWER_STEPS = 6
CURVATURE = 1.2
"""Factor of the estimated curvatures, which compensates that they are a little low."""
WEIGHTS = 2_000_000
"""Maximum number of terms x labels. If there are more, the most frequent terms are kept."""
BINS = 16
"""Number of intervals of a numeric column."""


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """The weighted terms of documents. rows: (m, n) float32, each row of length 1 or 0.

    kept: (n,), the meaning of each column: the number of a listed condition or, above these
    numbers, one of the intervals of `numeric`, column by column.
    """

    rows: csr_array
    features: FeatureMatrix
    numeric: tuple[Cuts, ...]
    kept: Int64

    def name(self, column: int, fields: int) -> str:
        """The name of a column for people. fields: number of text fields."""
        number, listed = int(self.kept[column]), len(self.features.yes)
        if number < listed:
            return spell(self.features.names[number], fields)
        ends = listed + np.cumsum([len(cuts) + 1 for cuts in self.numeric])
        place = int(np.searchsorted(ends, number, side="right"))
        asked = self.numeric[place]
        return _interval(asked, number - int(ends[place]) + len(asked) + 1)


def term_matrix(features: FeatureMatrix, label_count: int) -> TermMatrix:
    """The matrix of all conditions that hold for two documents or more, up to the limit."""
    from scipy.sparse import csr_array

    m = features.document_count
    numeric = tuple(cuts(column, bins=BINS) for column in features.numeric)
    lists = joined_lists([features.yes, *map(_parts, numeric)])
    frequencies, room = np.diff(lists.starts), max(WEIGHTS // max(label_count, 1), 1)
    kept = np.flatnonzero(frequencies > 1)
    if len(kept) > room:
        kept = np.sort(kept[np.argsort(-frequencies[kept], kind="stable")[:room]])
    lists, sizes = gather(lists, kept), frequencies[kept]
    weights = (np.log(m / np.maximum(sizes, 1)) + 1).astype(np.float32)
    starts = lists.starts.astype(np.int32) if len(lists.items) < 1 << 31 else lists.starts
    columns = csr_array((np.repeat(weights, sizes), lists.items, starts), shape=(len(kept), m))
    rows = columns.T.tocsr()
    lengths = np.sqrt(np.bincount(lists.items, np.repeat(weights**2, sizes), minlength=m))
    rows.data /= np.repeat(lengths, np.diff(rows.indptr)).astype(np.float32)
    return TermMatrix(rows, features, numeric, kept)


def _parts(column: Cuts) -> Lists:
    """The documents in each interval of a column, which are separated by its thresholds."""
    bounds = np.concatenate([[0], column.first, [len(column.order)]])
    return Lists(bounds.astype(np.int64), column.order)


def _interval(column: Cuts, part: int) -> str:
    """The name of an interval of a column, for people."""
    if not len(column):
        return spell(AtLeast(column.name, LOWEST))
    if part == 0:
        return spell_literal(Literal(AtLeast(column.name, float(column.thresholds[0])), NO))
    name = spell(AtLeast(column.name, float(column.thresholds[part - 1])))
    return f"{name}, < {column.thresholds[part]:.12g}" if part < len(column) else name


@dataclass(frozen=True, eq=False)
class Curvature:
    """How strongly the loss bends: the two greatest eigenvalues of rows.T @ rows, per document.

    direction: (n,) float32, of length 1, the eigenvector of the first; second: the greatest
    eigenvalue in all other directions.
    """

    direction: Float32
    first: float
    second: float

    @property
    def reach(self) -> float:
        """How many of the smallest steps lead as far as one step; t steps of length s lead as far
        as t s^(1/2), since they are accelerated.
        """
        return float((self.first / self.second) ** 0.5) if self.second > 0 else 1.0


def curvature(rows: csr_array, label_count: int) -> Curvature:
    """The curvature by power iteration with two vectors, slightly underestimated.

    If labels have few documents, the same curvature is assumed in all directions.
    """
    m, n = rows.shape
    vectors = np.ones((n, 2), np.float32)
    vectors[1::2, 1] = -1
    for _ in range(POWER_STEPS):
        vectors = np.linalg.qr(rows.T @ (rows @ vectors))[0]
    values, turns = np.linalg.eigh((sides := rows @ vectors).T @ sides)
    # with a single term there is only one direction
    first, second = (float(value) / max(m, 1) for value in [*values[::-1], 0.0][:2])
    if m < ENOUGH_DOCUMENTS * label_count:
        second = first
    return Curvature(np.asarray(vectors @ turns[:, -1], np.float32), first, max(second, 0.0))


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples to learn from. rows: (m, n). given: (m, k), 0 or 1. weights: (m,), with mean 1."""

    rows: csr_array
    given: Float32
    weights: Float32


@dataclass(frozen=True, eq=False)
class TermWeights:
    """A linear model. weights: (n, k). start: (k,), the scores of a document without terms."""

    weights: Float32
    start: Float32

    def scores(self, rows: csr_array) -> Float32:
        """(m, k): the log odds of each label if there may be several; otherwise log probabilities,
        up to a constant for each document.
        """
        found: Float32 = rows @ self.weights
        found += self.start
        return np.asarray(found, np.float32)


def learned_weights(
    learned: Examples, held: Examples, bends: Curvature, multilabel: bool
) -> TermWeights:
    """The weights after the step with the lowest loss on the held-out documents."""
    descent = _Descent(learned, bends, multilabel)
    best, least = descent.now(), np.inf
    for _ in range(round(STEPS / bends.reach)):
        descent.step()
        tried = descent.now()
        loss = _loss(tried.scores(held.rows), held, multilabel)
        if not loss < least * (1 - ENOUGH):
            break
        # subtle: the next step writes into the other buffer, and it may be the last one
        best, least = tried, loss
    return best


class _Descent:
    """Accelerated gradient descent on the penalized loss of some examples."""

    def __init__(self, examples: Examples, bends: Curvature, multilabel: bool) -> None:
        self._examples, self._bends, self._multilabel = examples, bends, multilabel
        self._columns = examples.rows.T.tocsr()
        self._start = _start(examples, multilabel)
        shape = (examples.rows.shape[1], examples.given.shape[1])
        self._here, self._there, self._ahead = (np.zeros(shape, np.float32) for _ in range(3))
        self._pace = 1.0

    def now(self) -> TermWeights:
        return TermWeights(self._here, self._start)

    def step(self) -> None:
        """A gradient step at the extrapolated point, followed by the next extrapolation."""
        examples = self._examples
        probabilities = _probabilities(
            TermWeights(self._ahead, self._start).scores(examples.rows), self._multilabel
        )
        bend = CURVATURE * float((probabilities * (1 - probabilities)).max(axis=1).sum())
        probabilities -= examples.given
        probabilities *= examples.weights[:, None]
        slope = self._columns @ probabilities
        new = self._there
        np.multiply(self._ahead, PENALTY, out=new)
        slope += new
        short, long = (
            1 / (bend * value + PENALTY) for value in (self._bends.first, self._bends.second)
        )
        np.multiply(slope, -long, out=new)
        direction = self._bends.direction
        new += np.outer(direction, np.float32(long - short) * (direction @ slope))
        new += self._ahead
        np.subtract(new, self._here, out=self._ahead)
        if float(np.vdot(slope, self._ahead)) > 0:
            self._pace = 1.0
        pace = (1 + (1 + 4 * self._pace**2) ** 0.5) / 2
        self._ahead *= (self._pace - 1) / pace
        self._ahead += new
        self._here, self._there, self._pace = new, self._here, pace


def _start(examples: Examples, multilabel: bool) -> Float32:
    """(k,): scores from the frequencies of labels, with half an example added for and against."""
    total = examples.weights.sum()
    sums = examples.weights @ examples.given + 0.5
    odds = sums / (total - sums + 1) if multilabel else sums / total
    return np.asarray(np.log(odds), np.float32)


def _probabilities(scores: Float32, multilabel: bool) -> Float32:
    """Probabilities, which overwrite the scores."""
    if multilabel:
        np.clip(scores, -80, 80, out=scores)
        np.exp(np.negative(scores, out=scores), out=scores)
        scores += 1
        np.reciprocal(scores, out=scores)
        return scores
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _loss(scores: Float32, held: Examples, multilabel: bool) -> float:
    """The mean log loss of the given labels."""
    probabilities = _probabilities(scores, multilabel)
    losses = np.where(held.given > 0, probabilities, 1 - probabilities if multilabel else 1)
    sums = np.log(np.maximum(losses, 1e-12)).sum(axis=1, dtype=np.float64)
    return float(-(held.weights * sums).mean())


def given_matrix(sets: Lists, chosen: Int64, label_count: int) -> Float32:
    """(chosen, k): 1 for the labels of each chosen document."""
    part = gather(sets, chosen)
    given = np.zeros((len(chosen), label_count), np.float32)
    given[np.repeat(np.arange(len(chosen)), np.diff(part.starts)), part.items] = 1
    return given


def mean_one(weights: Float64) -> Float32:
    """The weights scaled to mean 1; all 1 if none is above 0."""
    mean = float(weights.mean()) if len(weights) else 0.0
    return (weights / mean if mean > 0 else np.ones(len(weights))).astype(np.float32)


def term_votes(
    matrix: TermMatrix, learned: TermWeights, document: int, dispute: Float32
) -> Sequence[tuple[int, float]]:
    """The columns of a document with their evidence for the labels with dispute +1 against those
    with -1, strongest first.
    """
    rows = matrix.rows
    place = slice(rows.indptr[document], rows.indptr[document + 1])
    columns = rows.indices[place]
    votes = rows.data[place] * (learned.weights[columns] @ dispute)
    order = np.argsort(-votes, kind="stable")
    return [(int(columns[j]), float(votes[j])) for j in order.tolist()]
