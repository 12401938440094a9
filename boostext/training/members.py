"""Apply rules to the training documents by the lists of conditions, without reading texts again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from boostext.arrays import Int8, Scores
from boostext.boosting.membership import Membership
from boostext.boosting.reach import Find
from boostext.boosting.rules import Round
from boostext.features.conditions import NO, UNKNOWN, YES, Condition
from boostext.model.merged import merge_votes
from boostext.model.model import Model
from boostext.model.predict import Contribution, entry_contributions, scores_found


def condition_numbers(rounds: Iterable[Round]) -> dict[Condition, int]:
    """condition of a rule -> its number, as stored in the rounds."""
    numbers: dict[Condition, int] = {}
    for rule, place in (placed for made in rounds for placed in made.placed):
        numbers[rule.condition] = place.condition
        asked = zip(rule.precondition, place.precondition, strict=True)
        numbers |= {literal.condition: number for literal, (number, _) in asked}
    return numbers


def training_scores(
    members: Membership,
    model: Model,
    numbers: dict[Condition, int],
    start: Scores | None = None,
) -> Scores:
    """(m, k): the model's scores of every training document. start: before any rule votes."""
    find = membership_find(members, numbers)
    return scores_found(model, find, members.features.document_count, start)


def membership_find(members: Membership, numbers: dict[Condition, int]) -> Find[Condition]:
    """A function that finds the documents of a condition in the lists of the training data."""
    return lambda condition: (members.yes(numbers[condition]), members.unknown(numbers[condition]))


def training_contributions(
    members: Membership, model: Model, numbers: dict[Condition, int], examples: Sequence[int]
) -> Iterator[tuple[Contribution, ...]]:
    """Like `Predictor.contributions`, for each of these training documents."""
    merged = merge_votes(model)
    blocks = _blocks(members, [numbers[condition] for condition in merged.known], examples)
    for row in blocks:
        yield entry_contributions(merged, row, model)


def _blocks(members: Membership, conditions: Sequence[int], examples: Sequence[int]) -> Int8:
    """(examples, c): the block of each condition that contains each example."""
    wanted = np.asarray(examples, dtype=np.int32)
    blocks = np.full((len(wanted), len(conditions)), NO, np.int8)
    for c, j in enumerate(conditions):
        blocks[np.isin(wanted, members.yes(j)), c] = YES
        blocks[np.isin(wanted, members.unknown(j)), c] = UNKNOWN
    return blocks
