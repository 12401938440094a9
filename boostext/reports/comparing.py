"""Comparison of two models as text, as JSON and as an HTML page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from rich.text import Text

from boostext import __version__
from boostext.evaluation.comparing import Change, Comparison
from boostext.model.model import Model
from boostext.reports.html import asset, environment, policy, shown
from boostext.reports.layout import HEAD, QUIET, Page, fit, plural, shorten, stack, wrap
from boostext.reports.terms import term_rows

MOST_CHANGES, MOST_TERMS, MOST_LABELS = 2_000, 500, 300
"""Maximum numbers of changes, terms and labels on the page."""


@dataclass(frozen=True)
class TermChange:
    """The influence of a term in both models; None if a model does not use the term."""

    term: str
    first: float | None
    second: float | None

    @property
    def apart(self) -> float:
        return abs((self.second or 0.0) - (self.first or 0.0))


def term_changes(first: Model, second: Model) -> list[TermChange]:
    """Return the terms whose influence differs, in descending order of the difference."""
    before, after = ({row.term: row.influence for row in term_rows(m)} for m in (first, second))
    names = dict.fromkeys((*before, *after))
    rows = [TermChange(name, before.get(name), after.get(name)) for name in names]
    return sorted((row for row in rows if row.apart), key=lambda row: -row.apart)


@dataclass(frozen=True)
class Compared:
    """The result of a comparison.

    names: names of the two models. found: differences of their predictions. terms: as returned by
    `term_changes`.
    """

    names: tuple[str, str]
    found: Comparison
    terms: Sequence[TermChange]

    def measures(self) -> Iterator[tuple[str, float, float]]:
        """Yield the measures that both models have, with both values."""
        after = self.found.second.measures
        for name, value in self.found.first.measures.items():
            if not (math.isnan(value) or math.isnan(after[name])):
                yield name, value, after[name]

    def to_dict(self, rows: Callable[[Iterable[Any]], Any] = list) -> dict[str, Any]:
        """Return all results as a JSON object; the documents are those kept in `found.changes`.

        rows: the form of sequences of rows; `iter` gives iterators, which take no memory.
        """
        found = self.found
        return {
            "models": list(self.names),
            "documents": found.first.examples,
            "changed": found.changed,
            "won": found.won,
            "lost": found.lost,
            "p_value": found.p_value,
            "measures": [
                {"name": name, "first": before, "second": after}
                for name, before, after in self.measures()
            ],
            "labels": rows(dict(vars(row)) for row in found.labels),
            "changes": rows(dict(vars(row)) for row in found.changes),
            "terms": rows(dict(vars(row)) for row in self.terms),
        }

    def summary(self) -> str:
        found = self.found
        other = found.changed - found.won - found.lost
        chance = f"probability of such a difference by chance: {found.p_value:.2g}"
        return (
            f"{plural(found.first.examples, 'document')}: {found.changed:,} with other labels, "
            f"{found.won:,} won, {found.lost:,} lost ({chance}), {other:,} wrong in both"
        )


def comparison_drawing(compared: Compared, top: int, page: Page) -> Text:
    """Draw the measures, and at most `top` changes each of labels, documents and terms."""
    lines = [*_measure_lines(compared, page), Text(""), wrap(compared.summary(), page)]
    lines += _label_lines(compared, top, page)
    for change in compared.found.changes[:top]:
        lines += _change_lines(change, page)
    return stack([*lines, *_term_lines(compared, top, page)])


def _measure_lines(compared: Compared, page: Page) -> Iterator[Text]:
    first, second = (shorten(name, 16, page) for name in compared.names)
    yield Text(f"{'':<18}{first:>17}{second:>17}{'change':>10}", HEAD)
    for name, before, after in compared.measures():
        yield Text(f"{name:<18}{before:>17.4f}{after:>17.4f}{after - before:>+10.4f}")


def _label_lines(compared: Compared, top: int, page: Page) -> Iterator[Text]:
    changed = takewhile(lambda row: row.won or row.lost, compared.found.labels)
    rows = list(islice(changed, top))
    width = min(34, page.width - 36)
    if rows:
        yield Text("")
        yield Text(fit("label", width, page) + "   won  lost  F1 before  F1 after", HEAD)
    for row in rows:
        rates = f"{row.first_f1:>11.3f}{row.second_f1:>10.3f}"
        yield Text(f"{fit(row.label, width, page)}{row.won:>6}{row.lost:>6}{rates}")


def _term_lines(compared: Compared, top: int, page: Page) -> Iterator[Text]:
    rows = compared.terms[:top]
    width = min(40, page.width - 28)
    if rows:
        yield Text("")
        yield Text(fit("term", width, page) + "   influence before    after", HEAD)
    for row in rows:
        sides = f"{_number(row.first):>19}{_number(row.second):>9}"
        yield Text(fit(row.term, width, page) + sides)


def _change_lines(change: Change, page: Page) -> Iterator[Text]:
    arrow = page.glyphs.arrow
    labels = f"{_names(change.first)} {arrow} {_names(change.second)}"
    line = f"{change.verdict:<6}{shorten(change.id, 20, page)}  {labels}"
    yield Text(shorten(line, page.width, page))
    beginning = f"      in the data {_names(change.wanted)}: {change.text}"
    yield Text(shorten(beginning, page.width, page), QUIET)


def _names(labels: Sequence[str]) -> str:
    return " + ".join(labels) or "(none)"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def comparison_page(compared: Compared) -> str:
    """Return the comparison as a self-contained HTML page."""
    script, style = asset("report.js"), asset("report.css")
    return (
        environment()
        .get_template("compare.html")
        .render(
            names=[shown(name, 60) for name in compared.names],
            measures=list(compared.measures()),
            summary=compared.summary(),
            labels=compared.found.labels[:MOST_LABELS],
            changes=compared.found.changes[:MOST_CHANGES],
            changed=compared.found.changed,
            terms=compared.terms[:MOST_TERMS],
            term_total=len(compared.terms),
            version=__version__,
            script=script,
            style=style,
            policy=policy([script], [style]),
        )
    )
