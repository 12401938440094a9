"""Why one label has its score, as JSON of a prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from boostext.corpus.documents import Document
from boostext.features.conditions import NO, UNKNOWN, YES, Occurs, spell_rule
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.model.predict import Contribution, loudest
from boostext.reports.explanations import places_in


class Spoken:
    """The votes on labels of one document, as JSON can hold them."""

    def __init__(self, model: Model, document: Document, rows: Sequence[Contribution]) -> None:
        self._model, self._document, self._rows = model, document, rows
        self._places = places_in(document, ConditionLookup((), model.text, model.data.text))

    def of(self, number: int, score: float, count: int) -> dict[str, Any]:
        """rules: the `count` loudest of what is found; rest: the score without them. absent: the
        loudest of what is not found. sum: what all that is found, not found and unknown adds up
        to; the three add up to the score.
        """
        kinds = {"found": YES, "absent": NO, "unknown": UNKNOWN}
        rows = {
            name: [row for row in self._rows if row.block == block] for name, block in kinds.items()
        }
        loud, missing = (loudest(rows[name], number, count) for name in ("found", "absent"))
        return {
            "rules": [self._found(row, number) for row in loud],
            "rest": score - math.fsum(float(row.votes[number]) for row in loud),
            "absent": [self._rule(row, number) for row in missing],
            "sum": {
                name: math.fsum(float(row.votes[number]) for row in some)
                for name, some in rows.items()
            },
        }

    def _rule(self, row: Contribution, number: int) -> dict[str, Any]:
        fields = len(self._model.data.text)
        return {
            "condition": spell_rule(row.precondition, row.condition, fields),
            "votes": float(row.votes[number]),
            "rounds": list(row.rounds),
        }

    def _found(self, row: Contribution, number: int) -> dict[str, Any]:
        """With the words as they stand in the text, and where: field, start and end."""
        told = self._rule(row, number)
        if isinstance(row.condition, Occurs):
            spans = self._places(row)
            texts = self._document.texts
            told["found"] = [texts.get(field, "")[start:end] for field, start, end in spans]
            told["spans"] = [list(span) for span in spans]
        return told
