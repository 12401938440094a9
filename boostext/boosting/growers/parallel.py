"""The weak learner that updates the votes of all conditions at once.

Sequential boosting chooses few of many similar terms and gives them large votes. Parallel updates
spread the evidence over all terms, which can be more accurate if labels have few documents.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Int64, Scores
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.gains import apart, confidence
from boostext.boosting.growers.state import GrowerState, helps
from boostext.boosting.losses import Weighing
from boostext.boosting.membership import ALWAYS
from boostext.boosting.rules import Growth, Place, Placed
from boostext.errors import SettingsError
from boostext.features.conditions import YES
from boostext.features.matrix import about_letters
from boostext.features.merge import gather

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SMALL_LOSS = 1e-4
"""Part of the loss that is left when the updates end; from there on, all votes only grow."""
REACH, LAST_REACH = 2.0, 1.0
"""Size of the votes of a round of `parallel`, and of a last round. With 1, a document of mean
length gets the scores that it had during the updates. New documents often have few known terms, so
that the rule without a condition, with which `parallel` begins, would outweigh such votes.
"""
LAST_LOSS = "logistic"
"""The loss that a last round minimises. The exponential loss gives documents that the rules before
get wrong too large weights.
"""
LAST_SMOOTHING = 10.0
"""Smoothing of a last round, as a multiple of 1/m, where m counts the documents by weight."""
MOST_VOTES = 3 << 20
"""Maximum number of votes of a last round, which has as many conditions as there are votes for all
labels.
"""
WORDS = 0.4
"""Share of words in the length of a document of mean lengths, if it also has n-grams of letters,
of which there are many more.
"""
LEAST_FALL = 1e-9
"""Least difference of the logarithm of the loss that counts; below, it is a matter of rounding."""
HALVINGS = 16
"""Number of times that the size of the votes is halved if they do not lower the loss."""
DIGITS = 11
"""Digits of gains that are compared, so that conditions of equal gain keep their order."""
THREADS_PAY = 1 << 24
"""Number of multiplications from which a product is computed by several threads."""
MOST_MEMBERS = 1 << 27
"""Maximum number of pairs of a document and a condition that holds for it."""


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares that conditions have in the documents for which they hold.

    The share is preference / length, so that the shares of a document sum to 1. If there are
    n-grams of letters besides words, the preference of words is multiplied by a factor, so that
    their mean length is WORDS of the total.
    rows: (m, n). columns: its transpose. numbers: (n,), the numbers of the conditions. preference:
    (n,). lengths: (m,), for each document the sum of the preferences of its conditions, or 1 if it
    has none. mean_length: the mean of these, weighted like the documents.
    """

    rows: csr_array
    columns: csr_array
    numbers: Int64
    preference: Float64
    lengths: Float64
    mean_length: float


def parallel(state: GrowerState, number: int) -> Growth | None:
    """Learn one rule for each condition by several updates of all votes at once.

    An update adds 1/2 ln(W+ / W-) to the vote of each condition for each label. W+ and W- are the
    weights of the documents with and without the label for which the condition holds, multiplied
    by the share of the condition. The loss falls with each update, and so it does if all these
    votes are multiplied by a power of 2, the one that lowers it most. At prediction, the votes are
    not divided by the length of the document.
    The first rule has no condition, and votes for frequent labels. The others come in the order of
    gain x preference.
    Source: CSS02 Figure 1 and s5, where M(i, j) is the share of condition j in document i.
    """
    start = _start(state, number)
    shares = _shares(state, number, state.settings.terms)
    growth = _learned(state, shares, start, REACH, state.plain.after)
    return growth and growth._replace(rules=(_rule(ALWAYS, start), *growth.rules))


def last_round(state: GrowerState, number: int) -> Growth | None:
    """Learn a rule for each condition as `parallel` does, starting from the scores so far.

    The updates minimise the logistic loss of log odds, and the votes are made smaller if need be,
    so that the loss of the run falls as well. All terms and categories are eligible, and those
    chosen before have no lower preference; there are too many thresholds of numbers for what they
    say, and conditions whose votes have a range are left out. If the number of different conditions
    is limited, they are those of the rules so far.
    state: with the plain engine of the run, and with the smoothing of a last round.
    """
    engine, settings, problem = state.plain, state.settings, state.plain.problem
    link, labels = ALGORITHMS[settings.algorithm].link, problem.label_count
    pairs, scores = problem.pairs, engine.scores()  # with prior knowledge, these begin with f_0
    here = pairs and pairs._replace(scores=np.zeros_like(scores))
    state = replace(
        state,
        engine=PlainEngine(replace(problem, loss=LAST_LOSS, pairs=here), link * scores),
        settings=replace(settings, term_fraction=1.0),
        preferences=state.preferences.at_first(state.members.listed),
    )
    shares = _shares(state, number, max(MOST_VOTES // labels, 1))
    after = lambda f: engine.after(f / link)  # noqa: E731
    growth = _learned(state, shares, np.zeros(labels), LAST_REACH, after)
    return growth and growth.scaled(1 / link)


def _learned(
    state: GrowerState,
    shares: Shares,
    start: Float64,
    reach: float,
    after: Callable[[Scores], Weighing],
) -> Growth | None:
    """Return the rules that updates of all votes learn; None if they do not lower the loss, or if
    the caller ends the run.

    start: (k,), the scores of all documents at first. reach: the size of the votes. after: returns
    the loss that votes (m, k) lead to.
    """
    votes = _updated(state, shares, start)
    if votes is None:
        return None
    threads = state.plain.problem.threads
    scores = product(shares.rows, votes, threads) * shares.lengths[:, None]
    before = after(np.zeros_like(scores)).log_value
    factor = reach / shares.mean_length
    for _ in range(HALVINGS):
        change = after(start + factor * scores).log_value - before
        gain = -float(np.expm1(min(change, 0.0)))
        if helps(gain):
            break
        factor /= 2
    else:
        return None
    votes *= factor * shares.preference[:, None]
    rules = (_rule(j, row) for j, row in zip(shares.numbers.tolist(), votes, strict=True))
    return Growth(tuple(rules), gain)


def _rule(condition: int, votes: Float64) -> Placed:
    """Return a rule with votes (k,) that abstains where the condition does not hold."""
    table = np.zeros((3, len(votes)))
    table[YES] = votes
    return Placed(Place((), condition), table)


def _shares(state: GrowerState, number: int, most: int) -> Shares:
    """Return the shares of the eligible conditions, in the order of gain x preference.

    most: the number of conditions with the greatest gains that are included, or 0 for all.
    """
    from scipy.sparse import csr_array

    preference = np.where(state.open_to(number), state.preference, 0.0)
    numbers = np.flatnonzero(preference > 0)
    first = int(np.searchsorted(numbers, state.members.listed))
    listed = gather(state.members.features.yes, numbers[:first])
    others = [state.members.yes(j) for j in numbers[first:].tolist()]
    sizes = np.concatenate([np.diff(listed.starts), [len(part) for part in others]])
    if (total := int(sizes.sum())) > MOST_MEMBERS:
        raise SettingsError(
            f"{state.settings.algorithm} would hold {total:,} pairs of a document and a condition "
            f"in memory, and at most {MOST_MEMBERS:,} are allowed; use --min-df or --max-terms, "
            "or --bins if there are numeric columns"
        )
    items = np.concatenate([listed.items, *others])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    shape = (len(numbers), state.example_count)
    holds = csr_array((np.ones(total), items, starts), shape=shape)
    order = _by_gain(state.plain, holds, preference[numbers])
    if most:
        order = order[:most]
    columns, numbers = holds[order], numbers[order]
    features, weights = state.members.features, _of_documents(state.plain.problem)
    is_letters, is_listed = np.zeros(len(numbers), np.bool_), numbers < state.members.listed
    is_letters[is_listed] = about_letters(features.names, numbers[is_listed])
    chosen = preference[numbers]
    of_kinds = [columns.T @ np.where(kind, chosen, 0.0) for kind in (is_letters, ~is_letters)]
    of_letters, of_words = (float(np.average(each, weights=weights)) for each in of_kinds)
    if of_letters and of_words:
        chosen[~is_letters] *= WORDS / (1 - WORDS) * of_letters / of_words
    lengths: Float64 = columns.T @ chosen
    lengths[lengths == 0] = 1
    columns.data *= np.repeat(chosen, np.diff(columns.indptr))
    columns.data /= lengths[columns.indices]
    mean = float(np.average(lengths, weights=weights))
    return Shares(columns.T.tocsr(), columns, numbers, chosen, lengths, mean)


def _of_documents(problem: Problem) -> Float64:
    """Return the weights (m,) of the documents, up to a factor."""
    pairs = problem.pairs
    return problem.start.example if pairs is None else (pairs.negative + pairs.positive).sum(axis=1)


def _by_gain(engine: PlainEngine, holds: csr_array, preference: Float64) -> Int64:
    """Return the order of the rows of `holds` (n, m) by descending gain x preference."""
    by_sign = engine.flat().reshape(holds.shape[1], 2, -1)
    against, in_favor = (holds @ np.ascontiguousarray(by_sign[:, sign]) for sign in (0, 1))
    gains = np.asarray(apart(against, in_favor)).sum(axis=1)
    return np.argsort(-np.round(gains * preference, DIGITS), kind="stable")


def _start(state: GrowerState, number: int) -> Float64:
    """Return the votes (k,) of the rule without a condition: in round 1, the log odds of labels."""
    engine = state.plain
    weights, own = engine.weights(), engine.problem.signs() > 0
    positive, negative = (np.where(side, weights, 0).sum(axis=0) for side in (own, ~own))
    votes = np.asarray(confidence(negative, positive, state.smoothing_of_prior))
    return votes * (2 / ALGORITHMS[state.settings.algorithm].link if number == 1 else 1)


def _updated(state: GrowerState, shares: Shares, start: Float64) -> Float64 | None:
    """Return the votes (n, k) after all updates, for documents whose shares sum to 1.

    start: (k,), the scores of all documents at first. Returns None if the caller ends the run.
    """
    from scipy.sparse import csr_array

    engine, sets = state.plain, state.plain.problem.label_sets
    threads = engine.problem.threads
    shape = (len(sets), len(start))
    votes, scores = np.zeros((len(shares.numbers), len(start))), np.tile(start, (len(sets), 1))
    smoothing = (state.smoothing * shares.preference / shares.mean_length)[:, None]
    owners = np.repeat(np.arange(len(sets)), np.diff(sets.starts))
    now, factor = engine.after(scores), 1.0
    enough = now.log_value + float(np.log(SMALL_LOSS))
    for _ in range(state.settings.updates):
        if state.should_stop():
            return None
        if engine.problem.pairs is None:
            own = csr_array((now.weights[owners, sets.items], sets.items, sets.starts), shape=shape)
            positive = (shares.columns @ own).toarray()
            negative = np.maximum(product(shares.columns, now.weights, threads) - positive, 0)
        else:
            negative, positive = (
                product(shares.columns, part, threads) for part in np.split(now.weights, 2)
            )
        step = np.asarray(confidence(negative, positive, smoothing))
        change = product(shares.rows, step, threads)
        before = now.log_value
        factor, now = _longest(engine, scores, change, factor, enough)
        votes += factor * step
        scores += factor * change
        if not enough < now.log_value < before - LEAST_FALL:
            break
    return votes


def product(matrix: csr_array, dense: Float64, threads: int) -> Float64:
    """Return `matrix @ dense`. Threads compute the sums of different rows, so that the result does
    not depend on their number.
    """
    from scipy.sparse import csr_array

    if threads == 1 or matrix.nnz * dense.shape[1] < THREADS_PAY:
        return np.asarray(matrix @ dense)
    starts, width = matrix.indptr, matrix.shape[1]
    ends = np.searchsorted(starts, np.linspace(0, matrix.nnz, threads + 1)[1:-1])
    cuts = [0, *ends.tolist(), matrix.shape[0]]

    def part(first: int, end: int) -> Float64:
        items = slice(starts[first], starts[end])
        rows = (matrix.data[items], matrix.indices[items], starts[first : end + 1] - starts[first])
        return np.asarray(csr_array(rows, shape=(end - first, width)) @ dense)

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(part, cuts, cuts[1:])))


def _longest(
    engine: PlainEngine, scores: Scores, change: Scores, factor: float, enough: float
) -> tuple[float, Weighing]:
    """Return the power of 2 by which the change of the scores lowers the loss most.

    The search begins at `factor` and does not go on if the loss is not above `enough`. Returns the
    weights after the change as well.
    """
    first, now = factor, engine.after(scores + factor * change)
    for times in (2.0, 0.5):
        if factor > first:
            break  # half of it is what doubling has just left behind
        while now.log_value > enough and factor * times >= 1:
            tried = engine.after(scores + factor * times * change)
            if not tried.log_value < now.log_value - LEAST_FALL:
                break
            factor, now = factor * times, tried
    return factor, now
