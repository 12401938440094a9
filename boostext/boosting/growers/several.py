"""Weak learners of rules of one condition: a single rule, one for each label, or a committee."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Int64
from boostext.boosting.choice import LEAST_GAIN, TIE, first_of_best
from boostext.boosting.engines.by_label import LabelEngines
from boostext.boosting.engines.tables import gains_of
from boostext.boosting.growers.state import GrowerState, helps
from boostext.boosting.rules import Growth, Place, Placed


def stump(state: GrowerState, number: int) -> Growth | None:
    """Learn the rule whose condition has the largest gain; None if no rule lowers the loss.

    Source: SS99 s4.
    """
    if state.settings.index != "z":
        found = state.best(state.everything(), state.open_to(number), state.criterion)
        growth = None if found is None else state.grown(found[0])
        return growth if growth is not None and helps(growth.gain) else None
    if state.growing and not state.ranges:
        return state.growing.grow(state.preference, lambda: state.ahead(number))
    choice = state.engine.best(state.preference, state.draw(number))
    if choice and not (helps(choice.gain) and state.preference[choice.condition]):
        choice = None
    choice = state.or_restrained(choice, number)
    if choice is None:
        return None
    growth = state.grown(choice.condition)
    # a condition chosen on a sample of the examples may have no gain on all of them
    return growth if helps(growth.gain) or not state.settings.resample else None


def per_label(state: GrowerState, number: int) -> Growth | None:
    """Learn for each label the rule with the largest gain on the weights of that label.

    The result is k boosting runs combined in one model. The weights of each label are normalised to
    sum to 1, and the reuse of conditions is counted for each label, so that the rules for a label
    are those that boosting would learn for that label alone. A label for which no condition has a
    gain gets no rule in the round.
    Source: Esuli, Fagni & Sebastiani 2006 (MP-Boost).
    """
    if isinstance(state.engine, LabelEngines):
        return state.engine.grow(state.preference_for, lambda: state.ahead(number))
    flat = state.flat()
    totals = flat.sum(axis=0).reshape(2, -1).sum(axis=0)  # (k,)
    best, own = _best_by_label(state, flat, totals, number)
    gains = state.gain(own[..., None])  # (k,)
    chosen = np.where(gains > LEAST_GAIN, best, -1)
    rules = []
    for condition in dict.fromkeys(chosen[chosen >= 0].tolist()):
        votes = np.zeros((3, len(chosen)))
        for label in np.flatnonzero(chosen == condition).tolist():
            votes[:, [label]] = state.vote(own[label][..., None], state.speaks).votes
        rules.append(Placed(Place((), condition), votes))
    if not rules:
        return None
    return Growth(tuple(rules), float((gains * totals)[chosen >= 0].sum()))


def _best_by_label(
    state: GrowerState, flat: Float64, totals: Float64, number: int
) -> tuple[Int64, Float64]:
    """Return for each label the condition with the largest gain, and its block weights.

    The conditions are (k,), the first one among equals; the block weights (k, 3, 2) of each label
    sum to 1.
    """
    k = flat.shape[1] // 2
    best, greatest, own = np.zeros(k, np.int64), np.full(k, -np.inf), np.zeros((k, 3, 2))
    preference, labels = state.preference, np.arange(k)
    may_win = state.open_to(number) & (preference > 0)
    for start, W in state.plain.tables.tables(flat, state.everything()):
        by_label = np.moveaxis(W, 3, 1) / totals[:, None, None]  # (c, k, 3, 2)
        gains = state.gain(by_label[..., None])  # (c, k)
        part = slice(start, start + len(W))
        values = np.where(may_win[part], gains.T * preference[part], -np.inf)  # (k, c)
        if state.settings.reuse < 1:
            for j in range(part.start, part.stop):
                if j in state.reuse_factors:
                    values[:, j - start] *= state.reuse_factors[j]
        tie = TIE * preference[part][values.argmax(axis=1)]
        first = (values >= (values.max(axis=1) - tie)[:, None]).argmax(axis=1)
        here = values[labels, first]
        wins = here > greatest + tie
        best[wins], greatest[wins] = start + first[wins], here[wins]
        own[wins] = by_label[first, labels][wins]
    return best, own


def committee(state: GrowerState, number: int) -> Growth | None:
    """Learn the rules of the `rules_per_round` conditions with the largest gains.

    The votes of the round are the mean of theirs, and its Z is at most the mean of their Z.
    Source: Sebastiani, Sperduti & Valdambrini 2000 (AdaBoost.MH^KR).
    """
    tables = state.plain.tables.tables(state.flat(), state.everything())
    (gains,) = gains_of(tables, len(state.members), [state.gain])
    values = state.preferred(gains, state.open_to(number))
    chosen: list[int] = []
    while len(chosen) < min(state.settings.rules_per_round, len(values)):
        j = first_of_best(values, state.preference)
        if not np.isfinite(values[j]) or not helps(float(gains[j])):
            break
        chosen.append(j)
        values[j] = -np.inf
    if not chosen:
        return None
    rules = tuple(rule for j in chosen for rule in state.grown(j).rules)
    return Growth(rules, float(gains[chosen].mean())).scaled(1 / len(chosen))
