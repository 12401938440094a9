"""Excerpts of documents in which the terms of conditions are highlighted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.features.attributes import category
from boostext.features.conditions import YES, Condition, Literal, Occurs, field_prefix
from boostext.features.lookup import ConditionLookup
from boostext.features.tokenizer import Span
from boostext.model.model import Model
from boostext.reports.marks import Mark, Piece, marked_pieces, showable
from boostext.reports.terms import TermRow

READ = 200_000
"""Number of characters of a text that are searched for an excerpt."""

WHOLE = 4_000
"""Maximum number of characters of a full text on the page."""

Weighed = Iterable[tuple[Condition, float]]
"""Conditions with what each adds to a score."""
Known = dict[tuple[int, Condition], list[Span]]
"""Where a condition was found in a document, which is given by its index."""
MOST_SPANS, MOST_KNOWN = 20, 50_000
"""What is kept for further excerpts: results of up to so many spans, and the number of results."""


class Excerpts:
    """Makes excerpts of documents of a corpus.

    documents: the documents that could be read, by index in the corpus. room: approximate length of
    an excerpt, in characters. Only the beginning of the text is available for other documents.
    known: what other excerpts of this corpus have found, to which these add what they find.
    """

    def __init__(
        self,
        model: Model,
        corpus: Corpus,
        documents: Mapping[int, Document],
        room: int,
        known: Known | None = None,
    ) -> None:
        self._known: Known = {} if known is None else known
        self._corpus, self._documents, self._room = corpus, documents, room
        self._lookup = ConditionLookup((), model.text, model.data.text)
        self._fields = model.data.text

    def of(self, example: int, weighed: Weighed) -> list[Piece]:
        """Return an excerpt around the terms of the conditions, or the beginning if none occurs."""
        document = self._documents.get(example)
        if document is None:
            return [Piece(showable(self._corpus.snippets[example]))]
        found = self._marks(example, document, weighed)
        field = max(self._fields, key=lambda name: sum(abs(m.votes) for m in found[name]))
        text = document.texts.get(field, "")[:READ] or attributes_text(document)
        return marked_pieces(text, found[field], self._room)

    def whole(self, example: int, weighed: Weighed) -> list[Piece]:
        """Return the text field with the most evidence, of about WHOLE characters at most.

        The list is empty if `of` already shows the whole text, or if the document could not be
        read.
        """
        document = self._documents.get(example)
        if document is None:
            return []
        found = self._marks(example, document, weighed)
        field = max(self._fields, key=lambda name: sum(abs(m.votes) for m in found[name]))
        text = document.texts.get(field, "")
        return marked_pieces(text, found[field], WHOLE) if len(text) > self._room else []

    def beginning(self, example: int) -> str:
        """Return the beginning of the first nonempty text of a document, or its attributes."""
        document = self._documents.get(example)
        texts = [document.texts.get(name, "") for name in self._fields] if document else []
        attributes = attributes_text(document) if document else ""
        return (next(filter(None, texts), "") or attributes or self._corpus.snippets[example])[
            :READ
        ]

    def _marks(self, example: int, document: Document, weighed: Weighed) -> dict[str, list[Mark]]:
        texts = {name: document.texts.get(name, "")[:READ] for name in self._fields}
        short = Document(document.id, texts)
        found: dict[str, list[Mark]] = {name: [] for name in self._fields}
        for condition, votes in weighed:
            if isinstance(condition, Occurs) and self._lookup.text_field(condition) in found:
                spans = self._known.get((example, condition))
                if spans is None:
                    spans = self._lookup.find(short, condition)[:200]
                    if len(spans) <= MOST_SPANS and len(self._known) < MOST_KNOWN:
                        self._known[example, condition] = spans
                found[self._lookup.text_field(condition)] += [
                    Mark(start, end, votes) for start, end in spans
                ]
        return found


def attributes_text(document: Document) -> str:
    """Return the known attributes of a document as text, such as `age 63, color red`."""
    known = ((n, v) for n, v in document.attributes.items() if v is not None)
    return ", ".join(f"{name} {category(value)}" for name, value in known)


def length_of(document: Document) -> int:
    """Return the total length of the texts of a document, in characters."""
    return sum(map(len, document.texts.values()))


def term_conditions(row: TermRow) -> list[tuple[Condition, float]]:
    """Return the conditions to highlight for a term: its own, and those of its precondition."""
    asked = [row.levels[0].asked, *(c for c, block in _met(row.before) if block == YES)]
    return [(condition, 1.0) for condition in asked]


def _met(literals: Iterable[Literal]) -> Iterable[tuple[Condition, int]]:
    return ((literal.condition, literal.block) for literal in literals)


def weighed_conditions(spelled: Iterable[tuple[str, float]], model: Model) -> Weighed:
    """Convert terms as written in listings to conditions to highlight.

    Names that are not terms, such as those of columns, usually match nothing in the text.
    """
    fields = model.text.term_fields(model.data.text)
    for name, votes in spelled:
        for part in name.split(" & "):
            if not part.startswith("not "):
                yield read_term(part, fields), votes


def read_term(spelled: str, fields: Mapping[str, str]) -> Occurs:
    """Parse a term as written by `spell`, except for a backslash at the end of a token.

    fields: the text fields of the fields of terms.
    read_term("person ? person", {"text": "text"}) is Occurs("text", ("person", None, "person")).
    """
    prefixes = {name: field_prefix(name, len(set(fields.values()))) for name in fields}
    named = [name for name in fields if prefixes[name] and spelled.startswith(prefixes[name])]
    field = max(named, key=len, default=next(iter(fields)))
    spelled = spelled.removeprefix(prefixes[field])
    tokens = (None if word == "?" else _token(word) for word in spelled.split(" "))
    return Occurs(field, tuple(tokens))


def _token(word: str) -> str:
    if word == "\\?":
        return "?"
    return word.replace("\\·", "\0").replace("·", " ").replace("\0", "·")
