"""Compute scores of documents from the conditions that they meet, without their texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boostext.arrays import Lists, Scores
from boostext.boosting.reach import Find, Reach
from boostext.features.conditions import Condition
from boostext.model.decoding import decoded
from boostext.model.merged import add_guarded, by_condition, merge_rules
from boostext.model.model import Model


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
