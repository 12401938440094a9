"""What a person knows, as written: no label or term is looked up yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class When(NamedTuple):
    """What must be there: any of these terms, if there are some, all of these, none of these."""

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
class Told:
    """Where `when` holds and `unless` does not, labels have these probabilities.

    line: in the file, 0 where it is not known.
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
    """A term that no rule may ask for; with labels, only rules that vote on these."""

    term: str
    labels: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class OneSided:
    """Where the term is there, rules may speak only for the label (sign 1), or against it (-1)."""

    term: str
    label: str
    sign: int
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Knowledge:
    """labels: how frequent they are; None where that is not known. path: of the file."""

    labels: tuple[tuple[str, float | None], ...] = ()
    rules: tuple[Told, ...] = ()
    forbid: tuple[Forbidden, ...] = ()
    only: tuple[OneSided, ...] = ()
    old: str = ""
    path: str = field(default="", compare=False)

    @property
    def believes(self) -> bool:
        """Whether anything is said of labels, or terms are only kept from rules."""
        return bool(self.rules or self.old or any(p is not None for _, p in self.labels))

    @property
    def restrains(self) -> bool:
        """Whether anything is kept from rules."""
        return bool(self.forbid or self.only)

    @property
    def takes_sides(self) -> bool:
        """Whether rules may ask for a term and yet not say all that they would."""
        return bool(self.only or any(forbidden.labels for forbidden in self.forbid))

    def named(self) -> Iterator[tuple[str, int]]:
        """Every label that rules, and what is forbidden, name, with its line."""
        for told in self.rules:
            yield from ((label, told.line) for label, _ in told.then)
        for forbidden in self.forbid:
            yield from ((label, forbidden.line) for label in forbidden.labels)
        yield from ((one.label, one.line) for one in self.only)
