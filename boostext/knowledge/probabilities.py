"""Compute the probabilities pi(l|x) of prior knowledge from the rules that hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.knowledge.knowledge import Knowledge, KnowledgeRule

LEAST = 1e-3
"""Probabilities of prior knowledge are from LEAST to 1 - LEAST, because people make mistakes."""


def label_shares(knowledge: Knowledge, labels: Sequence[str]) -> Float64:
    """(k,): the probability of each label before any rule; labels without one share the rest."""
    k = len(labels)
    known = {label: share for label, share in knowledge.labels if share is not None}
    given = np.array([known.get(label, np.nan) for label in labels])
    open_to = np.isnan(given)
    rest = max(1 - float(np.nansum(given)), 0.0)
    shares = np.where(open_to, rest / max(int(open_to.sum()), 1), given)
    return np.asarray(np.clip(shares, least_probability(k), 1 - least_probability(k)))


def probabilities(
    knowledge: Knowledge,
    labels: Sequence[str],
    multilabel: bool,
    fired: NDArray[np.bool_],
    before: Float64 | None = None,
) -> Float64:
    """(n, k): pi of n documents, from LEAST to 1 - LEAST; with sum 1 if texts have one label.

    Evidence is added in log odds, as in naive Bayes. fired: (n, r), whether each rule holds.
    before: (n, k), initial probabilities, such as those of an older model, instead of the shares of
    labels.
    """
    shares = label_shares(knowledge, labels)
    add = evidence(knowledge.rules, labels, shares, multilabel)  # (r, k)
    base = (
        shares[None]
        if before is None
        else np.clip(before, least_probability(len(labels)), 1 - LEAST)
    )
    if multilabel:
        odds = _plus(np.log(base) - np.log1p(-base), fired, add)
        return np.asarray(np.clip(1 / (1 + np.exp(-odds)), LEAST, 1 - LEAST))
    odds = _plus(np.log(base), fired, add)
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    return _kept_apart(odds / odds.sum(axis=1, keepdims=True))


def _plus(odds: Float64, fired: NDArray[np.bool_], add: Float64) -> Float64:
    """(n, k): odds + fired @ add, rounded alike for one document and for many."""
    total = np.broadcast_to(odds, (len(fired), odds.shape[1]))
    for column, row in zip(fired.T, add, strict=True):
        total = total + column[:, None] * row
    return np.asarray(total)


def evidence(
    rules: Sequence[KnowledgeRule], labels: Sequence[str], shares: Float64, multilabel: bool
) -> Float64:
    """(r, k): what each rule adds to the log odds or log probabilities of labels.

    If only one rule holds, its labels get the probabilities that it states. If texts have one
    label, the ratios between the probabilities of all other labels do not change.
    """
    number = {label: j for j, label in enumerate(labels)}
    add = np.zeros((len(rules), len(labels)))
    for r, rule in enumerate(rules):
        where = np.array([number[label] for label, _ in rule.then])
        wanted = np.clip([p for _, p in rule.then], LEAST, 1 - LEAST)
        own = shares[where]
        if multilabel:
            add[r, where] = np.log(wanted / (1 - wanted)) - np.log(own / (1 - own))
            continue
        rest, rest_before = 1 - float(wanted.sum()), 1 - float(own.sum())
        if len(where) < len(labels):
            add[r] = np.log(max(rest, LEAST) / max(rest_before, LEAST))
        add[r, where] = np.log(wanted / own)
    return add


def _kept_apart(probabilities: Float64) -> Float64:
    """Raise probabilities to the minimum, and lower the others so that the sum remains 1."""
    least = least_probability(probabilities.shape[1])
    kept = probabilities.copy()
    low = np.zeros(kept.shape, np.bool_)
    while (fallen := (kept < least) & ~low).any():
        low |= fallen
        held = np.where(low, 0.0, probabilities)
        room = 1 - least * low.sum(axis=1, keepdims=True)
        scale = room / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
        whole = ~low.any(axis=1, keepdims=True)
        kept = np.where(low, least, np.where(whole, probabilities, held * scale))
    return np.asarray(np.minimum(kept, 1 - LEAST))  # if there is only one label


def least_probability(k: int) -> float:
    """LEAST, or less if there are so many labels that a uniform probability is below it."""
    return min(LEAST, 0.5 / k)
