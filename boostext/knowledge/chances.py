"""Rules that fire to probabilities pi(l|x)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.knowledge.knowledge import Knowledge, Told

LEAST = 1e-3
"""Probabilities of knowledge are at least this, and at most 1 less this: people err."""


def label_shares(knowledge: Knowledge, labels: Sequence[str]) -> Float64:
    """(k,): how frequent each label is before a rule fires; what is not said shares the rest."""
    k = len(labels)
    known = {label: share for label, share in knowledge.labels if share is not None}
    given = np.array([known.get(label, np.nan) for label in labels])
    open_to = np.isnan(given)
    rest = max(1 - float(np.nansum(given)), 0.0)
    shares = np.where(open_to, rest / max(int(open_to.sum()), 1), given)
    return np.asarray(np.clip(shares, _least(k), 1 - _least(k)))


def chances(
    knowledge: Knowledge,
    labels: Sequence[str],
    multilabel: bool,
    fired: NDArray[np.bool_],
    before: Float64 | None = None,
) -> Float64:
    """(n, k): pi of n documents, each from LEAST to 1 - LEAST; with one label a text its sum is 1.

    Evidence adds up in log odds, as in naive Bayes. fired (n, r): whether a rule holds. before
    (n, k): probabilities to begin with, as of an older model, in place of the labels' shares.
    """
    shares = label_shares(knowledge, labels)
    add = _evidence(knowledge.rules, labels, shares, multilabel)  # (r, k)
    base = shares[None] if before is None else np.clip(before, _least(len(labels)), 1 - LEAST)
    if multilabel:
        odds = _plus(np.log(base) - np.log1p(-base), fired, add)
        return np.asarray(np.clip(1 / (1 + np.exp(-odds)), LEAST, 1 - LEAST))
    odds = _plus(np.log(base), fired, add)
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    return _kept_apart(odds / odds.sum(axis=1, keepdims=True))


def _plus(odds: Float64, fired: NDArray[np.bool_], add: Float64) -> Float64:
    """(n, k): odds + fired @ add, with the same digits for one document as for many."""
    total = np.broadcast_to(odds, (len(fired), odds.shape[1]))
    for column, row in zip(fired.T, add, strict=True):
        total = total + column[:, None] * row
    return np.asarray(total)


def _evidence(
    rules: Sequence[Told], labels: Sequence[str], shares: Float64, multilabel: bool
) -> Float64:
    """(r, k): what each rule adds to the log odds, or to the log probabilities, of labels.

    A rule that fires alone makes its labels as likely as it says; with one label a text the others
    keep their odds among themselves.
    """
    number = {label: j for j, label in enumerate(labels)}
    add = np.zeros((len(rules), len(labels)))
    for r, told in enumerate(rules):
        where = np.array([number[label] for label, _ in told.then])
        wanted = np.clip([p for _, p in told.then], LEAST, 1 - LEAST)
        own = shares[where]
        if multilabel:
            add[r, where] = np.log(wanted / (1 - wanted)) - np.log(own / (1 - own))
            continue
        rest, rest_before = 1 - float(wanted.sum()), 1 - float(own.sum())
        if len(where) < len(labels):
            add[r] = np.log(max(rest, LEAST) / max(rest_before, LEAST))
        add[r, where] = np.log(wanted / own)
    return add


def _kept_apart(chances: Float64) -> Float64:
    """No probability below the least; the others give what that takes, so that the sum stays 1."""
    least = _least(chances.shape[1])
    kept = chances.copy()
    low = np.zeros(kept.shape, np.bool_)
    while (fallen := (kept < least) & ~low).any():
        low |= fallen
        held = np.where(low, 0.0, chances)
        room = 1 - least * low.sum(axis=1, keepdims=True)
        scale = room / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
        whole = ~low.any(axis=1, keepdims=True)
        kept = np.where(low, least, np.where(whole, chances, held * scale))
    return np.asarray(np.minimum(kept, 1 - LEAST))  # of one label alone


def _least(k: int) -> float:
    """LEAST, or less where labels are so many that a flat guess has no more for each."""
    return min(LEAST, 0.5 / k)
