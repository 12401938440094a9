"""Outliers as tasks that Label Studio imports: the text to look at, and what is suggested.

Its project needs a text and choices: `<Text name="text" value="$text"/>` and
`<Choices name="label" toName="text">`, with choice="multiple" for several labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from boostext.reports.outliers import OutlierRow


def label_studio(
    rows: Iterable[OutlierRow], texts: Mapping[int, str] | None = None
) -> Iterator[str]:
    """Lines of one JSON list of tasks. texts: by example; the snippet where there is none."""
    yield "["
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + json.dumps(_task(row, texts or {}), ensure_ascii=False)
    yield "\n]\n"


def _task(row: OutlierRow, texts: Mapping[int, str]) -> dict[str, object]:
    """An outlier; the score of its prediction is the doubt in what is given."""
    shown = {
        "text": texts.get(row.example, row.snippet),
        "id": row.id, "origin": row.origin, "kind": row.kind, "rank": row.rank,
        "given": list(row.given), "suggested": list(row.suggested),
        "terms": [spoken.term for spoken in row.objections],
    }  # fmt: skip
    return task_of(shown, row.suggested, row.score)


def task_of(
    shown: Mapping[str, object], labels: Sequence[str], score: float | None
) -> dict[str, object]:
    """data: what is shown; predictions: the labels suggested, with a score where there is one."""
    choices = {"from_name": "label", "to_name": "text", "type": "choices"}
    return {
        "data": dict(shown),
        "predictions": [{
            "model_version": "boostext", **({} if score is None else {"score": score}),
            "result": [{**choices, "value": {"choices": list(labels)}}],
        }],
    }  # fmt: skip
