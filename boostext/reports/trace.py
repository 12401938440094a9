"""The run as rows: what each round did, with the measures that were taken there."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from boostext.boosting.rules import Round
from boostext.features.conditions import spell_rule


@dataclass(frozen=True)
class TraceRow:
    """One round. train, valid: measure name -> value, empty where nothing was measured.

    terms: distinct conditions that the rules so far ask for.
    """

    number: int
    condition: str
    gain: float
    z: float
    bound: float
    terms: int = 0
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)


def trace_row(
    made: Round,
    fields: int = 1,
    train: Mapping[str, float] | None = None,
    valid: Mapping[str, float] | None = None,
    terms: int = 0,
) -> TraceRow:
    """What is kept of a round; fields: how many text fields there are."""
    condition = spell_rule(made.rule.precondition, made.rule.condition, fields)
    condition += f"; and {len(made.more)} more" if made.more else ""
    measured = (dict(train or {}), dict(valid or {}))
    return TraceRow(made.number, condition, made.gain, made.z, made.bound, terms, *measured)


def trace_json(row: TraceRow) -> dict[str, object]:
    """As JSON: `train` and `valid` only where they were measured; null for what is not finite."""
    measured = {
        name: {measure: finite(value) for measure, value in values.items()}
        for name, values in (("train", row.train), ("valid", row.valid))
        if values
    }
    return {
        "number": row.number, "condition": row.condition, "gain": finite(row.gain),
        "z": finite(row.z), "bound": finite(row.bound), "terms": row.terms, **measured,
    }  # fmt: skip


def finite(value: float) -> float | None:
    """JSON has no NaN and no infinity."""
    return value if math.isfinite(value) else None


def trace_jsonl(rows: Iterable[TraceRow]) -> Iterator[str]:
    """Lines of trace.jsonl, one round each, in order."""
    for row in rows:
        yield json.dumps(trace_json(row), ensure_ascii=False, allow_nan=False) + "\n"
