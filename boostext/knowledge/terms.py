"""Convert the terms of prior knowledge to conditions, and find the rules that hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Lists
from boostext.corpus.documents import Document
from boostext.features.conditions import AtLeast, Condition, Equals, Occurs
from boostext.features.lookup import ConditionLookup
from boostext.features.terms import as_term
from boostext.features.tokenizer import Tokenizer
from boostext.knowledge.knowledge import KnowledgeRule, When
from boostext.settings import TextSettings
from boostext.text_settings import field_setting

Bools = NDArray[np.bool_]
_COUNT = re.compile(r"(.*\S) \(>= ([0-9]{1,9})\)")
_COLUMN = re.compile(r"(.*\S) (=|>=) (.+)")
_GAP = re.compile(r"(?:^|(?<=\s))\?(?=\s|$)")


def conditions_of(
    term: str, settings: TextSettings, fields: Sequence[str]
) -> tuple[Condition, ...]:
    """The conditions of a term in any of the text fields; () if the term contains no token.

    Terms are written in the form that `inspect` prints: `refund`, `how much`, `person ? person`,
    `subject:refund`, `refund (>= 2)`, and for attributes `color = red`, `age >= 30`. They are split
    into tokens like texts.
    """
    count = _COUNT.fullmatch(term)
    words, at_least = (count[1], int(count[2])) if count else (term, 1)
    if not count and (asked := _COLUMN.fullmatch(term)):
        return (_of_column(*asked.groups()),)
    field, colon, rest = words.partition(":")
    if colon and field in fields:
        words, fields = rest, (field,)
    found = ((name, _tokens(words, settings.of_field(name))) for name in fields)
    return tuple(Occurs(name, tokens, max(at_least, 1)) for name, tokens in found if tokens)


def _of_column(column: str, operator: str, value: str) -> Condition:
    if operator == ">=":
        try:
            return AtLeast(column, float(value))
        except ValueError:
            pass
    return Equals(column, value)


def _tokens(words: str, settings: TextSettings) -> tuple[str | None, ...]:
    """The tokens of a term. A single `?` is a gap, and n-grams of characters are one token."""
    tokenizer = Tokenizer(settings)
    if settings.analyzer == "char":
        return as_term(tuple(tokenizer.tokens(words)[1:-1]), True) if words.strip() else ()
    tokens: list[str | None] = []
    for part in _GAP.split(words):
        tokens += [*([None] if tokens else []), *tokenizer.tokens(part)]
    while tokens and tokens[-1] is None:
        tokens.pop()
    return tuple(tokens)


class Firing:
    """Finds the rules that hold for documents.

    others: further terms, which are only counted. conditions: term -> its conditions. documents:
    number of documents so far. counts: term or rule -> number of those for which it holds.
    """

    def __init__(
        self,
        rules: Sequence[KnowledgeRule],
        settings: TextSettings,
        fields: Sequence[str],
        others: Sequence[str] = (),
    ) -> None:
        terms = dict.fromkeys([*(term for rule in rules for term in rule.terms), *others])
        self.rules = tuple(rules)
        self.conditions = {term: conditions_of(term, settings, fields) for term in terms}
        known = tuple(dict.fromkeys(c for found in self.conditions.values() for c in found))
        number = {condition: j for j, condition in enumerate(known)}
        self._numbers = {t: [number[c] for c in found] for t, found in self.conditions.items()}
        self.lookup = ConditionLookup(known, of_any_length(settings), fields)
        self.documents, self.counts = 0, Counter[str | KnowledgeRule]()

    def fired(self, documents: Sequence[Document], threads: int = 1) -> Bools:
        """(n, r): whether each rule holds for each document."""
        yes, _ = self.lookup.batch(documents, threads)
        found = _table(yes, len(self.lookup.conditions))
        met: dict[str, Bools] = {
            term: np.asarray(found[:, numbers].any(axis=1))
            for term, numbers in self._numbers.items()
        }
        holds = {rule: _holds(rule, met, len(documents)) for rule in self.rules}
        self.documents += len(documents)
        self.counts.update({term: int(rows.sum()) for term, rows in met.items()})
        self.counts.update({rule: int(rows.sum()) for rule, rows in holds.items()})
        fired = np.zeros((len(documents), len(self.rules)), np.bool_)
        for r, rule in enumerate(self.rules):
            fired[:, r] = holds[rule]
        return fired


def of_any_length(settings: TextSettings) -> TextSettings:
    """The same settings for tokens, with terms of any length that people write."""
    others = (g for g in settings.per_field if field_setting(g)[1].name not in ("ngrams", "expert"))
    return replace(settings, ngrams=(1, 32), expert="ngram", per_field=tuple(others))


def _holds(rule: KnowledgeRule, met: dict[str, Bools], n: int) -> Bools:
    holds = _meets(rule.when, met, n)
    return holds & ~_meets(rule.unless, met, n) if rule.unless else holds


def _meets(when: When, met: dict[str, Bools], n: int) -> Bools:
    holds = np.ones(n, np.bool_)
    if when.any:
        holds = np.any([met[term] for term in when.any], axis=0)
    for term in when.all:
        holds = holds & met[term]
    for term in when.none:
        holds = holds & ~met[term]
    return holds


def _table(yes: Lists, count: int) -> Bools:
    """(n, c): whether each document meets each condition."""
    table = np.zeros((len(yes), count), np.bool_)
    rows = np.repeat(np.arange(len(yes)), np.diff(yes.starts))
    table[rows, yes.items] = True
    return table
