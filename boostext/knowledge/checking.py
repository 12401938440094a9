"""Compare the rules of prior knowledge with documents, for `boostext check --knowledge`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from boostext import fields
from boostext.corpus.documents import Document
from boostext.knowledge.knowledge import Knowledge, KnowledgeRule
from boostext.knowledge.terms import Firing
from boostext.settings import TextSettings

BATCH = 512
MEMBERS = 4
"""Maximum number of listed documents that contradict a rule."""


@dataclass(frozen=True)
class RuleFound:
    """A rule compared with the documents.

    holds: number of documents for which it holds. labelled: number of those that have a label.
    found: label of the rule -> number of the labelled ones that have it. missing: terms of the rule
    that no document has. against: number of labelled ones with none of its labels; first: the first
    of them.
    """

    rule: KnowledgeRule
    holds: int
    labelled: int
    found: dict[str, int]
    missing: tuple[str, ...]
    against: int
    first: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        labels = {
            label: {"probability": probability, "found": self.found[label] / max(self.labelled, 1)}
            for label, probability in self.rule.then
        }
        return {
            "line": self.rule.line,
            "rule": str(self.rule),
            "holds": self.holds,
            "labelled": self.labelled,
            "labels": labels,
            "missing": list(self.missing),
            "against": self.against,
            "first": list(self.first),
        }


class KnowledgeCheck:
    """Counts how often rules hold and how often their labels are right, for a stream of texts."""

    def __init__(
        self, knowledge: Knowledge, settings: TextSettings, text_fields: Sequence[str]
    ) -> None:
        self.knowledge = knowledge
        terms = tuple(knowledge.restrained)
        self._firing = Firing(knowledge.rules, settings, text_fields, terms)
        rules = len(knowledge.rules)
        self._holds, self._labelled = [0] * rules, [0] * rules
        self._found = [Counter[str]() for _ in range(rules)]
        self._against: list[list[str]] = [[] for _ in range(rules)]
        self._wrong = [0] * rules
        self._labels: set[str] = set()
        self._columns: set[str] = set()
        self.documents = 0

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Count each document, and pass it on."""
        group: list[Document] = []
        for document in documents:
            group.append(document)
            yield document
            if len(group) == BATCH:
                self._count(group)
                group = []
        self._count(group)

    def _count(self, group: Sequence[Document]) -> None:
        self.documents += len(group)
        for document, fired in zip(group, self._firing.fired(group), strict=True):
            self._labels.update(document.labels)
            self._columns.update(document.attributes)
            for r in fired.nonzero()[0].tolist():
                self._take(r, document)

    def _take(self, r: int, document: Document) -> None:
        self._holds[r] += 1
        if not document.labels:
            return
        self._labelled[r] += 1
        right = {label for label, _ in self.knowledge.rules[r].then} & {*document.labels}
        self._found[r].update(right)
        if not right:
            self._wrong[r] += 1
            if len(self._against[r]) < MEMBERS:
                self._against[r].append(document.id)

    def rules(self) -> list[RuleFound]:
        """The results for each rule."""
        counts = self._firing.counts
        return [
            RuleFound(
                rule,
                self._holds[r],
                self._labelled[r],
                {label: self._found[r][label] for label, _ in rule.then},
                tuple(term for term in rule.terms if not counts[term]),
                self._wrong[r],
                tuple(self._against[r]),
            )
            for r, rule in enumerate(self.knowledge.rules)
        ]

    def unknown_labels(self) -> Iterator[str]:
        """Messages about labels that neither the knowledge declares nor a document has."""
        known = {*self._labels, *(label for label, _ in self.knowledge.labels)}
        for label, line in self.knowledge.named() if known else ():
            if label not in known:
                yield f"line {line}: no document has the label {label!r}" + fields.nearest(
                    label, sorted(known)
                )

    def unknown_terms(self) -> Iterator[str]:
        """Messages about terms of `forbid` and `only` that no document has."""
        for term, line in self.knowledge.restrained.items():
            if not self._firing.counts[term] and term not in self._columns:
                near = fields.nearest(term, sorted(self._columns))
                yield f"line {line}: no document has {term!r}{near or ''}"

    def to_dict(self) -> dict[str, object]:
        return {
            "rules": [found.to_dict() for found in self.rules()],
            "unknown_terms": list(self.unknown_terms()),
            "unknown_labels": list(self.unknown_labels()),
        }
