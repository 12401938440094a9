"""Check documents that were created in Python. Documents from readers always pass."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from boostext.corpus.cells import GREATEST_WEIGHT
from boostext.corpus.documents import Document
from boostext.errors import BoostextError

GREATEST = sys.float_info.max
"""Larger whole numbers, and NaN and infinity, are no values of attributes."""
WANTED = "expected a Document, such as Document('1', {'text': 'my bill'}, ('billing',))"


def checked(documents: Iterable[object]) -> Iterator[Document]:
    """Pass documents on; TypeError or BoostextError at the first invalid one."""
    for number, document in enumerate(documents):
        if not isinstance(document, Document):
            raise TypeError(f"document {number} is a {type(document).__name__}; {WANTED}")
        if wrong := _wrong_type(document):
            raise TypeError(f"document {number}: {wrong}; {WANTED}")
        if wrong := _wrong_value(document):
            raise BoostextError(f"document {number}, {document.id!r}: {wrong}")
        yield document


def _wrong_type(document: Document) -> str:
    if not isinstance(document.id, str):
        return f"its id {document.id!r} is not a string"
    if not isinstance(document.texts, Mapping):
        return "its texts are not a mapping from fields"
    for name, text in document.texts.items():
        if not isinstance(text, str):
            return f"its text {name!r} is a {type(text).__name__}"
    if isinstance(document.labels, str):
        return f"its labels are one string, {document.labels!r}"
    for label in document.labels:
        if not isinstance(label, str):
            return f"its label {label!r} is not a string"
    if not isinstance(document.weight, int | float):
        return f"its weight {document.weight!r} is not a number"
    for name, value in document.attributes.items():
        if not (value is None or isinstance(value, str | int | float)):
            return f"its attribute {name!r} is a {type(value).__name__}"
    return _wrong_words(document)


def _wrong_words(document: Document) -> str:
    for name, words in document.scored.items():
        if not isinstance(words, Mapping):
            return f"its scored text {name!r} is not a mapping from words to numbers"
        for word, value in words.items():
            if not (isinstance(word, str) and isinstance(value, int | float)):
                return f"its scored text {name!r} has {word!r}: {value!r}, not a word with a number"
    return ""


def _wrong_value(document: Document) -> str:
    if not 0 <= document.weight <= GREATEST_WEIGHT:
        return f"weight is {document.weight}; it must be a number from 0 to {GREATEST_WEIGHT}"
    if "" in document.labels:
        return "an empty label; remove it, or give it a name"
    if len(set(document.labels)) < len(document.labels):
        return "a label is given twice; give each once"
    for name, value in document.attributes.items():
        if isinstance(value, int | float) and not abs(value) <= GREATEST:
            return f"attribute {name!r} is {str(value)[:50]}; use None for a missing value"
    for name, value in document.word_values().items():
        if not abs(value) <= GREATEST:
            return f"the word {name!r} has the value {value}; leave out words without a value"
    return ""
