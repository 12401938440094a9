"""Read the exports of annotation programs: find their texts and labels, and skip rejected answers.

An export is recognized by the fields of its first record. Answers that annotators rejected, skipped
or have not confirmed are not examples of their labels. Such records are left out and counted,
unless the settings ask for all answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from boostext.corpus.roles import Roles, shown
from boostext.corpus.sources import Source
from boostext.settings import DataSettings

Fields = Mapping[str, Any]

REFUSALS: dict[str, frozenset[str]] = {
    "answer": frozenset({"reject", "ignore"}),
    "was_cancelled": frozenset({"true", "1"}),
    "is_confirmed": frozenset({"false", "0"}),
}
"""field -> its values, in lower case, which mean that the label must not be used"""

NOT_SUBMITTED = ("discarded", "draft", "pending")
"""Statuses of responses and records in Argilla that are not answers."""


@dataclass(frozen=True)
class Taken:
    """The content of one record of an export.

    text: None if it is in a field called text. labels: question -> answers; None if they are in
    fields called label or labels. refused: why the record is left out, or "". annotated: whether
    anybody has annotated the record.
    """

    text: str | None = None
    labels: Mapping[str, Any] | None = None
    refused: str = ""
    annotated: bool = True
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """The export format of one program. text, labels: where they are found, for messages."""

    name: str
    text: str
    labels: str
    fits: Callable[[Fields], bool]
    take: Callable[[Fields, bool], Taken]


class ExportReader:
    """Interprets the records of one source according to their export format."""

    def __init__(self, source: Source, settings: DataSettings, roles: Roles) -> None:
        self._source, self._labelled = source, roles.labelled
        self._all = settings.answers == "all"
        used = {*roles.texts, *roles.labels, roles.id, roles.weight, *roles.attributes}
        self._refusals = frozenset() if self._all else REFUSALS.keys() - used
        self._plain = not used - {"text", "label", "labels", "id", "weight"}
        self._export: Export | None = None
        self._begun = False

    def take(self, record: Fields) -> Fields | None:
        """The record with its text and labels in fields of these names; None to leave it out."""
        if not self._begun:
            self._begin(record)
        if not self._refusals.isdisjoint(record) and self.is_refused(record):
            return None
        if self._export is None:
            return record
        taken = self._export.take(record, self._all)
        if "labels" in record and isinstance(record.get("scores"), dict):  # predicted ones
            taken = replace(taken, labels=None, annotated=True)
        if taken.refused and not self._all:
            self._leave_out(taken.refused)
            return None
        if self._labelled and not taken.annotated:
            self._source.bad.left_out["not annotated"] += 1
            return None
        return self._laid_out(record, taken)

    def _begin(self, record: Fields) -> None:
        self._begun = True
        self._export = next((export for export in EXPORTS if export.fits(record)), None)
        if self._export:
            name, where = self._export.name, ""
            if self._plain:
                where = f": text from {self._export.text}, labels from {self._export.labels}"
            self._source.understand(f"read as {name}{where}")

    def refusing(self, names: Iterable[str]) -> list[str]:
        """Those of the fields that can mark a record as rejected."""
        return [name for name in names if name in self._refusals]

    def is_refused(self, record: Fields) -> bool:
        """Whether a field marks the record as rejected; if so, count it as left out."""
        for name in self.refusing(record):
            if reason := refusal(name, record):
                self._leave_out(reason)
                return True
        return False

    def _leave_out(self, reason: str) -> None:
        self._source.bad.left_out[f"{reason}; --answers all reads them"] += 1

    def _laid_out(self, record: Fields, taken: Taken) -> Fields:
        laid_out: dict[str, Any] = {**record, **taken.fields}
        if taken.text is not None:
            laid_out.setdefault("text", taken.text)
        if taken.labels is None:
            return laid_out
        for question, answers in taken.labels.items():
            laid_out.setdefault(question, answers)
        if len(taken.labels) > 1:
            names = ", ".join(map(shown, sorted(taken.labels)))
            self._source.understand(
                f"several questions ({names}) contain labels; choose one with --label"
            )
            laid_out["labels"] = [answer for part in taken.labels.values() for answer in part]
        elif taken.annotated:
            laid_out["labels"] = next(iter(taken.labels.values()), [])
        return laid_out


def refusal(name: str, record: Fields) -> str:
    """Why one of its fields makes a record be left out; "" if it does not."""
    value = record.get(name)
    word = str(value).lower() if isinstance(value, str | bool | int) else ""
    return f"{name} is {word}" if word in REFUSALS[name] else ""


def column_names(names: Sequence[str]) -> dict[str, str]:
    """The columns of an exported table with the text and the labels: text or labels -> column."""
    if set(names) >= LABEL_STUDIO_FIELDS:
        found = _label_studio_question(names)
        return {"labels": found} if found else {}
    return {"text": "data"} if list(names) == ["id", "data", "label"] else {}


# Label Studio --------------------------------------------------------------------------------

LABEL_STUDIO_FIELDS = {"annotation_id", "annotator", "lead_time"}
LABEL_STUDIO_OWN = LABEL_STUDIO_FIELDS | {
    "id",
    "text",
    "created_at",
    "updated_at",
    "label",
    "labels",
}


def _is_label_studio(record: Fields) -> bool:
    lists = (record.get(name) for name in ("annotations", "completions", "predictions"))
    return isinstance(record.get("data"), dict) and any(isinstance(one, list) for one in lists)


def _label_studio(record: Fields, all_answers: bool) -> Taken:
    name = "annotations" if "annotations" in record else "completions"
    given = objects(record.get(name))
    kept = [a for a in given if all_answers or not (a.get("was_cancelled") or a.get("skipped"))]
    labels: dict[str, list[Any]] = {}
    others = False
    for result in (part for one in kept for part in objects(one.get("result"))):
        chosen = _label_studio_answers(result.get("value"))
        others = others or chosen is None
        if chosen is not None:
            labels.setdefault(str(result.get("from_name", "labels")), []).extend(chosen)
    refused = "was_cancelled is true" if given and not kept else ""
    text = main_text(record.get("data"))
    # if only parts of the text were marked, it is not known that no label applies
    return Taken(text, labels, refused, bool(given) and (bool(labels) or not others), {name: kept})


def label_studio_labels(task: Fields) -> list[Any] | None:
    """The labels of a Label Studio task, of all its questions; None if nobody has annotated it."""
    taken = _label_studio(task, all_answers=False)
    if taken.refused or not taken.annotated:
        return None
    return [label for answers in (taken.labels or {}).values() for label in answers]


def _label_studio_answers(value: object) -> list[Any] | None:
    """The labels of one result: choices, paths of a taxonomy, a rating; None for other kinds."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("choices"), list):
        return list(value["choices"])
    if isinstance(value.get("taxonomy"), list):
        paths = value["taxonomy"]
        return ["/".join(map(str, path)) if isinstance(path, list) else path for path in paths]
    return [value["rating"]] if "rating" in value else None


def _is_label_studio_min(record: Fields) -> bool:
    return record.keys() >= LABEL_STUDIO_FIELDS


def _label_studio_min(record: Fields, all_answers: bool) -> Taken:
    question = _label_studio_question(record)
    return Taken(labels={question: record[question]} if question in record else None)


def _label_studio_question(names: Iterable[str]) -> str:
    """The only field other than the text and those that Label Studio adds."""
    rest = [name for name in names if name not in LABEL_STUDIO_OWN]
    return rest[0] if len(rest) == 1 and not {"label", "labels"} & set(names) else ""


# doccano -------------------------------------------------------------------------------------

DOCCANO_OWN = ("annotation_approver", "is_confirmed", "Comments")


def _is_doccano(record: Fields) -> bool:
    annotations = objects(record.get("annotations"))
    numbered = bool(annotations) and all({"label", "user"} <= one.keys() for one in annotations)
    has_data = isinstance(record.get("data"), str) and ("label" in record or "labels" in record)
    slots = isinstance(record.get("cats"), list) and isinstance(record.get("entities"), list)
    return numbered or has_data or slots or any(name in record for name in DOCCANO_OWN)


def _doccano(record: Fields, all_answers: bool) -> Taken:
    text = record.get("data")
    labels = None
    if "annotations" in record and not {"label", "labels"} & record.keys():
        labels = {"labels": [one.get("label") for one in objects(record["annotations"])]}
    elif isinstance(cats := record.get("cats"), list):  # a project of intents and slots
        labels = {"labels": [name for name in cats if isinstance(name, str)]}
    return Taken(text if isinstance(text, str) else None, labels)


# Prodigy, spaCy ------------------------------------------------------------------------------


def _is_prodigy(record: Fields) -> bool:
    return record.get("answer") in ("accept", "reject", "ignore")


def _prodigy(record: Fields, all_answers: bool) -> Taken:
    chosen = record.get("accept")
    return Taken(labels={"labels": chosen} if isinstance(chosen, list) else None)


def _is_spacy(record: Fields) -> bool:
    cats = record.get("cats")
    return isinstance(cats, dict) or (isinstance(cats, list) and bool(objects(cats)))


def _spacy(record: Fields, all_answers: bool) -> Taken:
    """Categories with one number each; a category is a label if its number is at least 0.5."""
    cats = record.get("cats")
    if isinstance(cats, list):
        names = {name: 1 for name in cats if isinstance(name, str)}
        cats = names | {str(one.get("label")): one.get("value", 1) for one in objects(cats)}
    if not isinstance(cats, dict):
        return Taken(annotated=False)
    given = [name for name, value in cats.items() if _is_given(value)]
    return Taken(labels={"labels": given})


def _is_given(value: object) -> bool:
    return isinstance(value, int | float) and value >= 0.5


# Argilla -------------------------------------------------------------------------------------

RESPONSES = ".responses"


def _is_argilla(record: Fields) -> bool:
    first = (
        "annotation" in record and "status" in record and {"prediction", "inputs"} & record.keys()
    )
    later = isinstance(record.get("fields"), dict) and isinstance(
        record.get("responses"), dict | list
    )
    return bool(first) or later or any(name.endswith(RESPONSES) for name in record)


def _argilla(record: Fields, all_answers: bool) -> Taken:
    status = str(record.get("status", "")).lower()
    refused = "status is discarded" if status == "discarded" else ""
    inputs = record.get("inputs", record.get("fields"))
    text = main_text(inputs)
    if "annotation" in record:
        given = record["annotation"]
        return Taken(text, {"labels": given}, refused, given not in (None, []))
    responses = _argilla_responses(record)
    labels: dict[str, list[Any]] = {}
    for question, value, state in responses:
        if all_answers or state not in NOT_SUBMITTED:
            labels.setdefault(question, []).extend(value if isinstance(value, list) else [value])
    if responses and not labels:
        refused = refused or f"status is {responses[0][2]}"
    return Taken(text, labels, refused, bool(responses))


def _argilla_responses(record: Fields) -> list[tuple[str, Any, str]]:
    """(question, value, status) of each, as three generations of Argilla write them."""
    given = record.get("responses")
    found: list[tuple[str, Any, str]] = []
    if isinstance(given, dict):
        for question, answers in given.items():
            found += [(question, one.get("value"), _state(one)) for one in objects(answers)]
    for one in objects(given):
        values = one.get("values")
        for question, answer in values.items() if isinstance(values, dict) else ():
            value = answer.get("value") if isinstance(answer, dict) else answer
            found.append((question, value, _state(one)))
    for name in (name for name in record if name.endswith(RESPONSES)):
        states = record.get(f"{name}.status") or []
        for place, value in enumerate(record[name] or []):
            state = str(states[place]).lower() if place < len(states) else ""
            found.append((name.removesuffix(RESPONSES), value, state))
    return found


def _state(response: Fields) -> str:
    return str(response.get("status", "")).lower()


# Shared --------------------------------------------------------------------------------------


def objects(value: object) -> list[Fields]:
    """The objects in a list; empty if the value is not a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def main_text(data: object) -> str | None:
    """The value of the field called text, or else the only string."""
    if not isinstance(data, dict):
        return None
    texts = [value for value in data.values() if isinstance(value, str)]
    text = data.get("text", texts[0] if len(texts) == 1 else None)
    return text if isinstance(text, str) else None


EXPORTS = (
    Export("a Label Studio export", "data.text", "annotations", _is_label_studio, _label_studio),
    Export(
        "a Label Studio export (JSON_MIN)",
        "text",
        "the question's field",
        _is_label_studio_min,
        _label_studio_min,
    ),
    Export("a Prodigy export", "text", "label or accept", _is_prodigy, _prodigy),
    Export("an Argilla export", "text or fields", "the responses", _is_argilla, _argilla),
    Export("spaCy examples", "text", "cats", _is_spacy, _spacy),
    Export("a doccano export", "text or data", "label, annotations or cats", _is_doccano, _doccano),
)
"""Known export formats. The first one that fits the first record of a source is used."""
