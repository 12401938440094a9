"""Listings of terms, for `boostext inspect --term`, `--grep` and `--terms-where`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.text import Text

from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.features.normalize import normalize
from boostext.features.unicode_classes import class_letters
from boostext.fields import count, nearest
from boostext.library.gathering import Gathered
from boostext.model.model import Model
from boostext.reports.columns import kept, pattern, read_filter
from boostext.reports.coverage import TermFacts, coverage_json, example_documents, term_facts
from boostext.reports.layout import HEAD, QUIET, Page, shorten, signed
from boostext.reports.listings import counted_term_list, marked_text, term_list
from boostext.reports.page.excerpts import Excerpts, term_conditions
from boostext.reports.page.rows import differences
from boostext.reports.terms import TermRow, term_json, term_rows

EXAMPLES, EXCERPT = 5, 200
HELD = 40
"""Number of documents that are kept for each requested term, as possible examples."""


@dataclass(frozen=True)
class Wish:
    """The terms to list: by name, by a pattern, by filters on columns, and by label."""

    term: tuple[str, ...]
    grep: str | None
    where: tuple[str, ...]
    label: tuple[str, ...]
    parts: frozenset[str] = frozenset()
    """The terms in `term` that only contain the given text, or are contained in it."""


@dataclass(frozen=True, eq=False)
class Found:
    """The rows with their statistics, if there is data, and documents that contain the terms."""

    rows: Sequence[TermRow]
    facts: Sequence[TermFacts]
    documents: dict[int, Document]


class TermListing:
    """The terms of a model that meet all conditions, with their statistics on documents."""

    def __init__(self, model: Model, documents: Iterable[Document] | None, wish: Wish) -> None:
        rows = term_rows(model)
        wish = _meant(wish, rows, model)
        named = [row for row in rows if row.term in wish.term]
        gathered, held = _gathered(model, documents, named)
        facts = term_facts(gathered.evidence, rows) if gathered else []
        records = [_record(row, facts[n] if facts else None) for n, row in enumerate(rows)]
        places = _chosen(wish, model, rows, records)
        self.model, self.wish, self.gathered, self.count = model, wish, gathered, len(rows)
        self.found = Found(
            [rows[n] for n in places], [facts[n] for n in places] if facts else [], held
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the listing as values for JSON."""
        found = self.found
        record = (
            _json(self.model, row, n, found, self.gathered) for n, row in enumerate(found.rows)
        )
        return {"terms": list(record)}

    def drawings(self, top: int, page: Page) -> Iterator[Text]:
        """Yield one line for each term, or all details of terms that are requested by name."""
        found = self.found
        listed = found.rows[:top]
        if found.facts:
            yield counted_term_list(listed, found.facts[:top], page)
        else:
            yield term_list(listed, page)
        for n, row in enumerate(found.rows):
            if row.term in self.wish.term and row.term not in self.wish.parts:
                yield from _details(self.model, row, n, found, self.gathered, page)


def _meant(wish: Wish, rows: Sequence[TermRow], model: Model) -> Wish:
    """Return the options with the spelling of the model for the terms that were given.

    If no term is spelled as given, case and spaces are ignored. If terms are sequences of letters,
    a word stands for the terms that it contains, and for those that contain it.
    """
    keys = {row.term: _key(row) for row in rows}
    exact, parts = list[str](), list[str]()
    for typed in wish.term:
        bare = "".join(normalize(typed).split())
        same = [typed] if typed in keys else [name for name, key in keys.items() if key == bare]
        exact += same
        if same:
            continue
        shared = [name for name, key in keys.items() if key and (key in bare or bare in key)]
        if not shared or not _of_letters(model, bare):
            hint = nearest(typed, list(keys)) or "; --grep PATTERN looks for it in all of them"
            raise SettingsError(f"no rule uses {typed!r}{hint}")
        parts += shared
    found = tuple(dict.fromkeys((*exact, *parts)))
    return replace(wish, term=found, parts=frozenset(parts) - frozenset(exact))


def _key(row: TermRow) -> str:
    """Return a term without spaces and in lower case, or "" if it is not a text term."""
    asked = row.levels[0].asked
    if not isinstance(asked, Occurs):
        return ""
    return "".join("".join(token or "" for token in asked.term).lower().split())


def _of_letters(model: Model, typed: str) -> bool:
    """Return whether the given text consists of several terms of letters."""
    letters = (model.text.of_field(field).analyzer == "char" for field in model.data.text)
    return any(letters) or "s" in typed.translate(class_letters())


def _gathered(
    model: Model, documents: Iterable[Document] | None, named: Sequence[TermRow]
) -> tuple[Gathered | None, dict[int, Document]]:
    """Count all documents, and keep some of those that contain a requested term."""
    if documents is None:
        return None, {}
    gathered = Gathered(model)
    asked = {row.levels[0].asked for row in named}
    numbers = [gathered.number(condition) for condition in asked]
    held: dict[int, Document] = {}
    counts = dict.fromkeys(numbers, 0)
    for place, document in enumerate(gathered.watch(documents)):
        for number in numbers:
            if counts[number] < HELD and gathered.has(number):
                counts[number] += 1
                held[place] = document
    return gathered, held


def _record(row: TermRow, fact: TermFacts | None) -> dict[str, Any]:
    """Return the values of the columns for --terms-where."""
    record: dict[str, Any] = {
        "term": row.term,
        "kind": row.kind,
        "column": _column(row),
        "rank": row.rank,
        "rules": row.rules,
        "first_round": row.first_round,
        "levels": len(row.levels),
        "influence": row.influence,
        "strongest_for": row.strongest_for,
        "strongest_against": row.strongest_against,
    }
    if fact is not None:
        record = coverage_json(row, fact)
        names = ("documents", "share", "for_label", "precision", "majority", "majority_share")
        record |= {name: record[name] for name in names}
        record["alike"] = fact.together[0].alike if fact.together else 0.0
    return record


def _column(row: TermRow) -> str:
    """Return the text field or the attribute of a term."""
    asked = row.levels[0].asked
    if isinstance(asked, Occurs):
        return asked.field
    return asked.column if isinstance(asked, Equals | AtLeast) else ""


def _chosen(
    wish: Wish, model: Model, rows: Sequence[TermRow], records: Sequence[dict[str, Any]]
) -> list[int]:
    """Return the indices of the terms that meet all conditions."""
    votes = differences(rows, model.labels)
    labels = [model.labels.index(label) for label in wish.label]
    wanted = pattern(wish.grep) if wish.grep is not None else None
    return [
        n
        for n in kept(records, [read_filter(text) for text in wish.where])
        if (not wish.term or rows[n].term in wish.term)
        and (wanted is None or wanted.search(rows[n].term))
        and (not labels or votes[n, labels].any())
    ]


def _json(
    model: Model, row: TermRow, n: int, found: Found, gathered: Gathered | None
) -> dict[str, Any]:
    record = term_json(row) | {"column": _column(row)}
    if found.facts and gathered:
        fact = found.facts[n]
        shares = zip(model.labels, fact.precisions.tolist(), strict=True)
        record |= coverage_json(row, fact) | {"precisions": dict(shares)}
        record["examples"] = [
            gathered.evidence.corpus.ids[i]
            for i in example_documents(gathered.evidence, fact, EXAMPLES)
        ]
    return record


def _details(
    model: Model, row: TermRow, n: int, found: Found, gathered: Gathered | None, page: Page
) -> Iterable[Text]:
    """Yield the details of a term: its votes, its frequency, and examples."""
    yield Text(f"\n{shorten(row.term, page.width, page)}", style=HEAD)
    votes = differences([row], model.labels)[0]
    fact = found.facts[n] if found.facts else None
    order = sorted(range(len(votes)), key=lambda j: -votes[j])
    for j in order if len(order) <= 24 else order[:12] + order[-12:]:
        share = f"  {fact.precisions[j]:>6.1%} of its documents" if fact else ""
        yield Text(f"  {signed(votes[j])}  {shorten(model.labels[j], 30, page):<30}{share}")
    if fact is None or gathered is None:
        return
    corpus = gathered.evidence.corpus
    yield Text(f"  in {fact.documents:,} of {len(corpus):,} documents ({fact.share:.1%})")
    for other in fact.together:
        name = shorten(other.term, 40, page)
        both = count(other.both, "document")
        yield Text(f"  fires with {name}: {both}, {other.alike:.0%} of either")
    excerpts = Excerpts(model, corpus, found.documents, EXCERPT)
    for i in _examples(gathered, fact, found):
        names = " + ".join(corpus.labels[j] for j in corpus.label_sets[i].tolist())
        yield Text(f"  {shorten(corpus.ids[i], 30, page)} ", QUIET).append(
            shorten(names, 30, page), QUIET
        )
        yield Text("    ").append_text(marked_text(excerpts.of(i, term_conditions(row))))


def _examples(gathered: Gathered, fact: TermFacts, found: Found) -> list[int]:
    """Return the indices of the examples whose texts are available."""
    held = [i for i in fact.where.tolist() if i in found.documents]
    at_hand = replace(fact, where=np.array(held, np.int32))
    return example_documents(gathered.evidence, at_hand, EXAMPLES)
