"""Prior knowledge as it is written in a file, before labels and terms are looked up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple


class When(NamedTuple):
    """Terms that a text must contain: any of `any` (unless empty), all of `all`, none of `none`."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        return (*self.any, *self.all, *self.none)

    def __str__(self) -> str:
        parts = [*self.all, *(f"not {term}" for term in self.none)]
        if self.any:
            either = " or ".join(self.any)
            parts.insert(0, f"({either})" if parts and len(self.any) > 1 else either)
        return " & ".join(parts)


@dataclass(frozen=True)
class KnowledgeRule:
    """A rule: if `when` holds and `unless` does not, labels have these probabilities.

    line: in the file; 0 if unknown.
    """

    when: When
    then: tuple[tuple[str, float], ...]
    unless: When | None = None
    line: int = field(default=0, compare=False)

    @property
    def terms(self) -> tuple[str, ...]:
        return self.when.terms + (self.unless.terms if self.unless else ())

    def __str__(self) -> str:
        return f"{self.when} unless {self.unless}" if self.unless else str(self.when)


@dataclass(frozen=True)
class Forbidden:
    """A term that rules must not use; with labels, rules must not vote on these labels for it."""

    term: str
    labels: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class OneSided:
    """If a text has the term, rules may only vote for the label (sign 1) or against it (-1)."""

    term: str
    label: str
    sign: int
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Knowledge:
    """Prior knowledge. labels: their probabilities, None if unknown. path: of the file.

    old: the name of an older model, as written in the file. Models keep that model, not its name.
    """

    labels: tuple[tuple[str, float | None], ...] = ()
    rules: tuple[KnowledgeRule, ...] = ()
    forbid: tuple[Forbidden, ...] = ()
    only: tuple[OneSided, ...] = ()
    old: str = field(default="", compare=False)
    path: str = field(default="", compare=False)

    @property
    def believes(self) -> bool:
        """Whether it has information about labels, and does not only restrict rules."""
        return bool(self.rules or self.old or any(p is not None for _, p in self.labels))

    @property
    def restrains(self) -> bool:
        """Whether it restricts the terms or the votes of rules."""
        return bool(self.forbid or self.only)

    @property
    def takes_sides(self) -> bool:
        """Whether it restricts the votes of rules whose terms are allowed."""
        return bool(self.only or any(forbidden.labels for forbidden in self.forbid))

    @property
    def restrained(self) -> dict[str, int]:
        """The terms that `forbid` and `only` name, with the lines where they come first."""
        each = [(one.term, one.line) for one in self.forbid]
        each += [(one.term, one.line) for one in self.only]
        each.sort(key=itemgetter(1))
        return dict(reversed(dict(reversed(each)).items()))

    def named(self) -> Iterator[tuple[str, int]]:
        """Every label that rules and restrictions name, with its line."""
        for rule in self.rules:
            yield from ((label, rule.line) for label, _ in rule.then)
        for forbidden in self.forbid:
            yield from ((label, forbidden.line) for label in forbidden.labels)
        yield from ((one.label, one.line) for one in self.only)
