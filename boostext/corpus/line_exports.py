"""Read the training data of other programs: Rasa NLU (YAML), Vowpal Wabbit and libsvm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from boostext.corpus.files import numbered_lines, read_text
from boostext.corpus.records import record_documents
from boostext.corpus.roles import shown
from boostext.corpus.sources import Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

Found = tuple[int, dict[str, Any] | DataError]


# Rasa NLU ------------------------------------------------------------------------------------

DEEPEST = 8
"""Maximum depth of YAML below an intent; Rasa's own files have five levels."""
ENTITY = re.compile(r"\[([^\[\]]+)\](?:\([^()]*\)|\{[^{}]*\})")
"""A marked entity: [Berlin](city) or [Berlin]{"entity": "city"}."""


def rasa_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The examples of the intents in Rasa's NLU data, without the markup of entities."""
    return record_documents(_rasa_records(source, settings), source, settings, labelled)


def _rasa_records(source: Source, settings: DataSettings) -> Iterator[Found]:
    events: Iterator[Any] = yaml.parse(read_text(source, settings), Loader=yaml.SafeLoader)
    found = False
    try:
        for key in _top_keys(events, source):
            if key != "nlu":
                _value(events, next(events), source, 0)
                continue
            found = True
            if not isinstance(next(events), yaml.SequenceStartEvent):
                raise source.fault(0, "nlu is not a list; expected a list of intents")
            for event in events:
                if isinstance(event, yaml.SequenceEndEvent):
                    break
                yield from _examples(_value(events, event, source, 0))
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise source.fault(mark.line + 1 if mark else 0, f"not YAML: {problem}") from None
    if not found:
        raise source.fault(0, "is not Rasa NLU data; expected a list of intents under 'nlu:'")
    source.understand("read as Rasa NLU data: text from examples, labels from intent")


def _top_keys(events: Iterator[Any], source: Source) -> Iterator[str]:
    """The keys of the file's mapping. The caller must read the value of each before the next."""
    starts = (yaml.StreamStartEvent, yaml.DocumentStartEvent)
    first = next((event for event in events if not isinstance(event, starts)), None)
    if isinstance(first, yaml.MappingStartEvent):
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                return
            _value(events, event, source, 0)  # a key may itself be a list
            yield str(getattr(event, "value", ""))


def _value(events: Iterator[Any], event: Any, source: Source, depth: int) -> Any:
    """A list, a dictionary, or a scalar as (text, line of its first character)."""
    line = event.start_mark.line + 1
    if isinstance(event, yaml.ScalarEvent):
        return event.value, line + (event.style == "|")
    if isinstance(event, yaml.AliasEvent):
        raise source.fault(line, "aliases (*) are not supported; write the value")
    if depth > DEEPEST:
        raise source.fault(line, "nested too deeply; expected Rasa's intents with examples")
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_value(events, event, source, depth + 1))
        return items
    fields = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = str(getattr(event, "value", ""))
        _value(events, event, source, depth + 1)
        fields[key] = _value(events, next(events), source, depth + 1)
    return fields


def _examples(item: Any) -> Iterator[Found]:
    """The examples of one intent. Synonyms, patterns and lookup tables are not examples."""
    intent = item.get("intent") if isinstance(item, dict) else None
    if not isinstance(intent, tuple):
        return
    examples = item.get("examples", [])
    if isinstance(examples, tuple):
        text, first = examples
        for place, line in enumerate(text.split("\n")):
            if line.lstrip().startswith("- "):
                yield _example(line.lstrip()[2:], first + place, intent[0])
    for example in examples if isinstance(examples, list) else ():
        text = example.get("text") if isinstance(example, dict) else example
        if isinstance(text, tuple):
            yield _example(text[0].lstrip("- "), text[1], intent[0])


def _example(text: str, line: int, intent: str) -> Found:
    return line, {"text": ENTITY.sub(r"\1", text).strip(), "labels": [intent]}


# Vowpal Wabbit -------------------------------------------------------------------------------

NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def vowpal_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """Lines `LABEL [WEIGHT] ['ID] |NAMESPACE word word:value ...`.

    The words of all namespaces together are the text, and those of each namespace a field with its
    name. Words with a value other than 1 are a scored text.
    """
    return record_documents(_vowpal_records(source, settings), source, settings, labelled)


def _vowpal_records(source: Source, settings: DataSettings) -> Iterator[Found]:
    for line, text, error in numbered_lines(source, settings):
        if not error and not text.strip():
            source.bad.blank_lines += 1
            continue
        try:
            yield line, error or _vowpal_record(text, source, line)
        except DataError as fault:
            yield line, fault


def _vowpal_record(text: str, source: Source, line: int) -> dict[str, Any]:
    head, bar, rest = text.partition("|")
    if not bar:
        raise source.fault(line, "no '|'; expected a line like: billing | my bill is wrong")
    record = _vowpal_head(head, source, line)
    words: dict[str, list[str]] = {}
    scored: dict[str, dict[str, float]] = {}
    for part in rest.split("|"):
        names = part.split()
        space = names.pop(0).partition(":")[0] if part[:1].strip() and names else "text"
        for name in names:
            word, colon, value = name.rpartition(":")
            if not colon or not NUMBER.fullmatch(value):
                words.setdefault(space, []).append(name)
            elif float(value) == 1:
                words.setdefault(space, []).append(word)
            else:
                scored.setdefault(f"{space} values", {})[word] = float(value)
    texts = {space: " ".join(found) for space, found in words.items()}
    whole = " ".join(texts.values())
    return {**texts, "text": whole, **record, **({"attributes": scored} if scored else {})}


def _vowpal_head(head: str, source: Source, line: int) -> dict[str, Any]:
    """Label, weight and id. The id begins with ' or is directly before the bar."""
    parts = head.split()
    record: dict[str, Any] = {}
    if parts and (parts[-1].startswith("'") or (len(parts) > 1 and head[-1:].strip())):
        record["id"] = parts.pop().removeprefix("'")
    if any(":" in part for part in parts):
        raise source.fault(
            line, f"{shown(' '.join(parts))} gives costs of labels; expected one label"
        )
    if len(parts) > 1 and NUMBER.fullmatch(parts[1]):
        record["weight"] = float(parts[1])
    if parts:
        record["labels"] = parts[0].split(",")
    return record


# libsvm --------------------------------------------------------------------------------------

VALUES = "values"
"""The name of the scored text that contains the numbers of a line."""


def libsvm_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """Lines `LABEL[,LABEL] INDEX:VALUE ...`, the format of libsvm, svmlight and XGBoost.

    The numbers are a scored text, in which a missing index means an unknown value. The documents
    have no text.
    """
    return record_documents(_libsvm_records(source, settings), source, settings, labelled)


def _libsvm_records(source: Source, settings: DataSettings) -> Iterator[Found]:
    for line, text, error in numbered_lines(source, settings):
        content = text.partition("#")[0].split()
        if not error and not content:
            source.bad.blank_lines += 1
            continue
        try:
            yield line, error or _libsvm_record(content, source, line)
        except DataError as fault:
            yield line, fault


def _libsvm_record(parts: list[str], source: Source, line: int) -> dict[str, Any]:
    labels = [] if ":" in parts[0] else parts.pop(0).split(",")
    values: dict[str, float] = {}
    for part in parts:
        index, colon, value = part.rpartition(":")
        if index == "qid":
            continue
        if not index or not colon or not NUMBER.fullmatch(value):
            raise source.fault(line, f"{shown(part)} is not INDEX:VALUE; expected 1 3:0.5 17:2")
        if index in values:
            raise source.fault(line, f"{shown(index)} occurs twice; expected each index once")
        values[index] = float(value)
    return {"text": "", "labels": labels, "attributes": {VALUES: values}}
