"""Read a file of prior knowledge from YAML, with the line of every error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from boostext import fields
from boostext.errors import SettingsError
from boostext.knowledge.knowledge import Forbidden, Knowledge, KnowledgeRule, OneSided, When
from boostext.strict_yaml import Items, Node, Scalar, Table, read_tree

WHAT = "a file of knowledge"
SHORT = 0.9
"""The probability that `then: LABEL` means."""


def read_knowledge(path: str | Path) -> Knowledge:
    """Read prior knowledge; SettingsError gives the line of an error."""
    tree = read_tree(Path(path), WHAT)
    return _Reading(str(path)).knowledge(tree)


class _Reading:
    """Parses the parts of the file at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def knowledge(self, tree: Node | None) -> Knowledge:
        if not isinstance(tree, Table):
            line = tree.line if tree else 1
            raise self._wrong(line, "expected `rules:`, `labels:`, `forbid:`, `only:` or `from:`")
        parts: dict[str, Callable[[Node], Any]] = {
            "labels": self._labels,
            "rules": self._rules,
            "forbid": self._forbid,
            "only": self._only,
            "from": lambda node: self._text(node, "from", "a model file"),
        }
        found = {
            {"from": "old"}.get(key.text, key.text): parts[key.text](node)
            for key, node in self._known(tree, parts, "the file")
        }
        if not found:
            raise self._wrong(1, "nothing is said; expected `rules:` with a list of rules")
        return Knowledge(path=self.path, **found)

    # ---------------------------------------------------------------------------------- parts

    def _labels(self, node: Node) -> tuple[tuple[str, float | None], ...]:
        if isinstance(node, Items):
            return tuple((self._text(item, "labels", "a label"), None) for item in node.values)
        shares: list[tuple[str, float | None]] = []
        for key, value in self._table(node, "labels", "LABEL: its share, or a list of labels"):
            empty = isinstance(value, Scalar) and value.kind == "null"
            share = None if empty else self._probability(value, f"the share of {key.text}")
            shares.append((key.text, share))
        total = math.fsum(share for _, share in shares if share is not None)
        if total > 1 + 1e-9:
            raise self._wrong(
                node.line, f"the shares of labels add up to {total:g}; expected 1 at most"
            )
        return tuple(shares)

    def _rules(self, node: Node) -> tuple[KnowledgeRule, ...]:
        return tuple(map(self._rule, self._list(node, "rules", "a list of `- if:` and `then:`")))

    def _rule(self, node: Node) -> KnowledgeRule:
        parts = dict.fromkeys(("if", "then", "unless"))
        entries = self._table(node, "a rule", "`if:` and `then:`")
        given = {key.text: value for key, value in self._known(entries, parts, "a rule")}
        for part in ("if", "then"):
            if part not in given:
                raise self._wrong(node.line, f"a rule has no `{part}:`")
        unless = self._when(given["unless"], "unless") if "unless" in given else None
        return KnowledgeRule(
            self._when(given["if"], "if"), self._then(given["then"]), unless, node.line
        )

    def _when(self, node: Node, name: str) -> When:
        if isinstance(node, Scalar):
            return When(any=(self._term(node, name),))
        if isinstance(node, Items):
            return When(any=self._terms(node, name))
        parts = dict.fromkeys(When._fields)
        found = {
            key.text: self._terms(value, f"{name}: {key.text}")
            for key, value in self._known(node, parts, f"`{name}:`")
        }
        if not found:
            raise self._wrong(node.line, f"`{name}:` is empty; expected a term")
        return When(**found)

    def _then(self, node: Node) -> tuple[tuple[str, float], ...]:
        if isinstance(node, Scalar):
            return ((self._text(node, "then", "a label"), SHORT),)
        if isinstance(node, Items):
            raise self._wrong(
                node.line, "`then:` is a list; expected LABEL, or {LABEL: 0.6, LABEL: 0.3}"
            )
        shares = tuple(
            (key.text, self._probability(value, f"the probability of {key.text}"))
            for key, value in node.entries
        )
        if not shares:
            raise self._wrong(node.line, "`then:` is empty; expected a label")
        return shares

    def _forbid(self, node: Node) -> tuple[Forbidden, ...]:
        return tuple(map(self._forbidden, self._list(node, "forbid", "a list of terms")))

    def _forbidden(self, node: Node) -> Forbidden:
        if isinstance(node, Scalar):
            return Forbidden(self._term(node, "forbid"), line=node.line)
        parts = dict.fromkeys(("term", "labels"))
        entries = self._table(node, "forbid", "a term, or {term: ..., labels: [...]}")
        given = {key.text: value for key, value in self._known(entries, parts, "forbid")}
        if "term" not in given:
            raise self._wrong(node.line, "forbid names no `term:`")
        labels = self._texts(given["labels"], "labels", "a label") if "labels" in given else ()
        return Forbidden(self._term(given["term"], "term"), labels, node.line)

    def _only(self, node: Node) -> tuple[OneSided, ...]:
        found = []
        for key, value in self._table(node, "only", "TERM: +LABEL, or TERM: -LABEL"):
            for text in self._texts(value, key.text, "+LABEL or -LABEL"):
                if text[:1] not in ("+", "-") or not text[1:].strip():
                    raise self._wrong(
                        value.line,
                        f"only {key.text}: {text!r}; expected +LABEL if the term may only vote "
                        "for the label, or -LABEL",
                    )
                sign = 1 if text[0] == "+" else -1
                found.append(OneSided(key.text, text[1:].strip(), sign, value.line))
        return tuple(found)

    # --------------------------------------------------------------------------------- values

    def _known(
        self, node: Table | Sequence[tuple[Scalar, Node]], known: dict[str, Any], where: str
    ) -> Sequence[tuple[Scalar, Node]]:
        """The entries of a mapping, after checking that their names are known."""
        entries = node.entries if isinstance(node, Table) else node
        for key, _ in entries:
            if key.text not in known:
                near = fields.nearest(key.text, list(known))
                names = ", ".join(known)
                raise self._wrong(
                    key.line, f"{where} has no {key.text!r}{near or f'; expected {names}'}"
                )
        return entries

    def _table(self, node: Node, name: str, wanted: str) -> Sequence[tuple[Scalar, Node]]:
        if not isinstance(node, Table):
            raise self._wrong(node.line, f"{name} is {_kind(node)}; expected {wanted}")
        return node.entries

    def _list(self, node: Node, name: str, wanted: str) -> Sequence[Node]:
        if not isinstance(node, Items):
            raise self._wrong(node.line, f"{name} is {_kind(node)}; expected {wanted}")
        return node.values

    def _terms(self, node: Node, name: str) -> tuple[str, ...]:
        return self._texts(node, name, "a term")

    def _term(self, node: Node, name: str) -> str:
        return self._text(node, name, "a term")

    def _texts(self, node: Node, name: str, wanted: str) -> tuple[str, ...]:
        """A string or a list of strings."""
        if isinstance(node, Items) and node.values:
            return tuple(self._text(value, name, wanted) for value in node.values)
        return (self._text(node, name, wanted),)

    def _text(self, node: Node, name: str, wanted: str) -> str:
        """A string. Numbers such as 555 are words; what YAML reads as a Boolean must be quoted."""
        if not isinstance(node, Scalar) or node.kind in ("bool", "null") or not node.text.strip():
            shown = repr(node.text) if isinstance(node, Scalar) and node.text else _kind(node)
            hint = "; put it in quotes to mean the word" if shown.startswith("'") else ""
            raise self._wrong(node.line, f"{name} is {shown}; expected {wanted}{hint}")
        return node.text.strip()

    def _probability(self, node: Node, name: str) -> float:
        if isinstance(node, Scalar) and node.kind == "number":
            try:
                value = float(node.text)
            except ValueError:
                value = math.nan
            if 0 <= value <= 1:
                return value
        shown = node.text if isinstance(node, Scalar) and node.text else _kind(node)
        raise self._wrong(node.line, f"{name} is {shown}; expected a number from 0 to 1")

    def _wrong(self, line: int, message: str) -> SettingsError:
        return SettingsError(f"{self.path}:{line}: {message}")


def _kind(node: Node) -> str:
    if isinstance(node, Scalar):
        return "empty" if node.kind == "null" or not node.text else "one value"
    return "a list" if isinstance(node, Items) else "a mapping"
