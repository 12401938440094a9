"""Several plain rules a round: one for each label, or the best few as a committee."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Int64
from boostext.boosting.choice import LEAST_GAIN, TIE, first_of_best
from boostext.boosting.growers.ground import Ground, Growth, Stand, helps, masked
from boostext.boosting.growers.search import gains_of
from boostext.boosting.rules import Place


def per_label(ground: Ground, number: int) -> Growth | None:
    """For each label the best condition on that label's weights: k boostings under one model.

    Weights of a label count as if they summed to 1, so that its rules are those of boosting that
    label alone: reuse, too, is counted for each label. A label that no condition helps gets no
    rule.
    Source: Esuli, Fagni & Sebastiani 2006, MP-Boost.
    """
    flat = ground.flat()
    best, own = _best_by_label(ground, flat, number)
    gains = ground.gain(own[..., None])  # (k,)
    totals = flat.sum(axis=0).reshape(2, -1).sum(axis=0)  # (k,)
    chosen = np.where(gains > LEAST_GAIN * totals, best, -1)
    stands = []
    for condition in dict.fromkeys(chosen[chosen >= 0].tolist()):
        votes = np.zeros((3, len(chosen)))
        for label in np.flatnonzero(chosen == condition).tolist():
            W = own[label][..., None] / own[label].sum()
            votes[:, [label]] = ground.vote(W, ground.speaks).votes
        blocks = masked(ground.engine.blocks(condition), ground.speaks)
        stands.append(Stand(Place((), condition), blocks, votes))
    return Growth(tuple(stands), float(gains[chosen >= 0].sum())) if stands else None


def _best_by_label(ground: Ground, flat: Float64, number: int) -> tuple[Int64, Float64]:
    """(k,) condition of greatest gain, of equals the first; its block weights (k, 3, 2)."""
    k = flat.shape[1] // 2
    best, greatest, own = np.zeros(k, np.int64), np.full(k, -np.inf), np.zeros((k, 3, 2))
    preference = ground.preference
    may_win = ground.open_to(number) & (preference > 0)
    for start, W in ground.search.tables(flat, ground.everything()):
        by_label = np.moveaxis(W, 3, 1)  # (c, k, 3, 2)
        gains = ground.gain(by_label[..., None])  # (c, k)
        part = slice(start, start + len(W))
        values = np.where(may_win[part], gains.T * preference[part], -np.inf)  # (k, c)
        for j in range(part.start, part.stop):
            if j in ground.worn:
                values[:, j - start] *= ground.worn[j]
        first = (values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
        here = values[np.arange(k), first]
        wins = here > greatest + TIE
        best[wins], greatest[wins] = start + first[wins], here[wins]
        own[wins] = by_label[first, np.arange(k)][wins]
    return best, own


def committee(ground: Ground, number: int) -> Growth | None:
    """The `rules_per_round` best conditions, each with its votes; the round votes their mean.

    Z of a mean is at most the mean of the Z. Source: Sebastiani, Sperduti & Valdambrini 2000,
    AdaBoost.MH with K rules a round.
    """
    tables = ground.search.tables(ground.flat(), ground.everything())
    (gains,) = gains_of(tables, len(ground.members), [ground.gain])
    values = ground.preferred(gains, ground.open_to(number))
    chosen: list[int] = []
    while len(chosen) < min(ground.settings.rules_per_round, len(values)):
        j = first_of_best(values, ground.preference)
        if not np.isfinite(values[j]) or not helps(float(gains[j])):
            break
        chosen.append(j)
        values[j] = -np.inf
    if not chosen:
        return None
    stands = tuple(_of_committee(ground, j, len(chosen)) for j in chosen)
    return Growth(stands, float(gains[chosen].mean()))


def _of_committee(ground: Ground, condition: int, size: int) -> Stand:
    stand = ground.stand(Place((), condition), ground.engine.blocks(condition), ground.speaks)
    return stand._replace(votes=stand.votes / size, alpha=stand.alpha / size)
