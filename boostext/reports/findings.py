"""Text output of `boostext check`: the contents of a corpus, and problems found in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from boostext.corpus.checks import (
    Column,
    Comparison,
    Findings,
    Group,
    Groups,
    Spread,
    as_listed,
    spelled,
)
from boostext.features.selection import SYMBOLS
from boostext.fields import count
from boostext.knowledge.checking import KnowledgeCheck, RuleFound
from boostext.reports.knowledge import rule_line
from boostext.reports.layout import Page, fit, shorten

MEMBERS = 4
"""Maximum number of documents listed for a group."""
ALIKE = (
    "labels that look alike: they differ in case, spaces, invisible characters or a final "
    "punctuation mark"
)


def knowledge_lines(known: KnowledgeCheck, page: Page) -> Iterator[str]:
    """Yield how often each rule of the prior knowledge applies to the documents, and is right."""
    yield f"knowledge ({count(len(known.knowledge.rules), 'rule')})"
    yield from (f"  {line}" for line in chain(known.unknown_labels(), known.unknown_terms()))
    for found in known.rules():
        yield f"  line {found.rule.line}: {rule_line(found.rule)}"
        yield f"    {rule_words(found, known.documents)}"
        if found.missing:
            yield f"    no document has {', '.join(map(repr, found.missing))}"
        if found.first:
            more = ", ..." if found.against > len(found.first) else ""
            line = f"contradicted by {found.against:,}: {', '.join(found.first)}{more}"
            yield f"    {shorten(line, page.width - 4, page)}"


def rule_words(found: RuleFound, documents: int) -> str:
    """Return how often a rule applies, and the labels of the documents to which it applies.

    An example is "applies to 419 of 2,000 documents; of 419 with labels: Collect 97.1 %".
    """
    line = f"applies to {found.holds:,} of {count(documents, 'document')}"
    if not found.labelled:
        return line
    shares = ", ".join(
        f"{label} {100 * n / found.labelled:.1f} %" for label, n in found.found.items()
    )
    return f"{line}; of {found.labelled:,} with labels: {shares}"


def sections(
    findings: Findings, top: int, page: Page, known: KnowledgeCheck | None = None
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the headings of the sections with their lines; sections without findings are left out.

    top: maximum number of labels, groups and records to list. known: the rules of prior knowledge,
    compared with the documents.
    """
    yield "", summary(findings)
    yield f"labels ({len(findings.labels)})", label_lines(findings, top, page)
    if findings.alike_labels:
        yield (
            ALIKE,
            (
                "  " + ", ".join(f"{spelled(name)} ({number:,})" for name, number in group.items())
                for group in findings.alike_labels
            ),
        )
    if findings.bad_count:
        yield (
            count(findings.bad_count, "bad record"),
            (f"  {place}: {message}" for place, message in findings.bad_records[:top]),
        )
    for name, groups in (
        ("the same id", findings.duplicate_ids),
        ("the same text", findings.same_texts),
        ("the same text with different labels", findings.conflicts),
    ):
        if groups.count:
            yield group_heading(name, groups), group_lines(groups, top, page)
    if findings.comparison is not None:
        yield from comparison_sections(findings.comparison, top, page)
    if known is not None:
        yield "", knowledge_lines(known, page)


def summary(findings: Findings) -> Iterator[str]:
    """Yield the sizes of the corpus, its fields and attributes, and documents without contents."""
    sizes = ", ".join(f"{n}: {c:,}" for n, c in findings.label_set_sizes.items())
    yield f"{count(findings.documents, 'document')}; documents by number of labels: {sizes or '-'}"
    yield f"words per document: {spread(findings.words)}; {findings.words.total:,.0f} in total"
    if findings.weights.least != 1 or findings.weights.greatest != 1:
        yield f"weights: {spread(findings.weights)}"
    if len(findings.text_fields) > 1:
        fields = (f"{name} ({number:,})" for name, number in findings.text_fields.items())
        yield f"text fields: {', '.join(fields)}"
    for name, column in findings.attributes.items():
        yield (
            f"attribute {name}: {column.numbers:,} numbers, {column.categories:,} categories, "
            f"{column.missing:,} missing; {column.values:,} distinct; {taken_for(column)}"
        )
    for name, words in findings.scored_texts.items():
        yield f"scored text {name}: {words:,} distinct words"
    for noun, group in (
        ("no label", findings.unlabelled),
        ("an empty text", findings.empty_texts),
        (f"a text without any token: {SYMBOLS}", findings.tokenless),
    ):
        if group.count:
            yield f"{count(group.count, 'document')} with {noun}: {members(group)}"
    for number, what in (
        (findings.blank_lines, "skipped: blank"),
        (findings.replaced_lines, "with bytes replaced"),
    ):
        if number:
            yield f"{count(number, 'line')} {what}"
    yield from findings.notes


def taken_for(column: Column) -> str:
    """Return how training reads an attribute: as categories or as numbers."""
    if not column.strays:
        return {"category": "categories", "number": "numbers"}.get(column.kind, column.kind)
    return (
        f"read as numbers, {count(column.strays, 'text')} read as unknown, the first at "
        f"{column.first_stray}; --attribute-type NAME=category reads it as categories"
    )


def spread(values: Spread) -> str:
    """Return the range and the median of some values as text."""
    return f"{values.least:g} to {values.greatest:g}, median {values.median:g}"


def members(group: Group) -> str:
    """Return the ids and origins of the first documents of a group as text."""
    line = [f"{m.id} ({m.origin})" for m in group.members[:MEMBERS]]
    return ", ".join(line) + (", ..." if group.count > len(line) else "")


def label_lines(findings: Findings, top: int, page: Page) -> Iterator[str]:
    """Yield the most frequent labels with their numbers of documents, and labels with only one."""
    total = max(findings.documents, 1)
    for name, number in list(findings.labels.items())[:top]:
        share = f"{100 * number / total:.1f} %"
        yield f"  {number:>8,} {share:>8}  {shorten(as_listed(name), page.width - 21, page)}"
    if len(findings.labels) > top:
        yield f"  and {count(len(findings.labels) - top, 'rarer label')}"
    if findings.rare_labels:
        names = ", ".join(map(spelled, findings.rare_labels[:top]))
        more = ", ..." if len(findings.rare_labels) > top else ""
        yield f"  with only one document: {names}{more}"


def group_heading(name: str, groups: Groups) -> str:
    """Return the heading of a section of groups, with the numbers of groups and documents."""
    return f"{name}: {count(groups.count, 'group')} of {count(groups.documents, 'document')}"


def group_lines(groups: Groups, top: int, page: Page) -> Iterator[str]:
    """Yield the text of each group, followed by its first documents with their labels."""
    for group in groups.listed[:top]:
        yield f'  "{shorten(group.snippet, page.width - 4, page)}"'
        for member in group.members[:MEMBERS]:
            labels = " + ".join(member.labels) or "(none)"
            yield "    " + fit(f"{member.id}  {labels}", page.width - 4, page).rstrip()
        if group.count > MEMBERS:
            yield f"    and {group.count - MEMBERS:,} more"
    if groups.count > top:
        yield f"  and {count(groups.count - top, 'more group')}"


def comparison_sections(
    found: Comparison, top: int, page: Page
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the sections on test data, with the labels and texts that it shares with the others."""
    lines = []
    if found.unseen_labels:
        names = (f"{spelled(name)} ({n:,})" for name, n in found.unseen_labels.items())
        lines.append(f"  labels without a training document: {', '.join(names)}")
    for name, known in found.alike_labels.items():
        lines.append(f"  {spelled(name)} looks like {spelled(known)} in the training data")
    if found.untested_labels:
        lines.append(
            f"  labels without a test document: {', '.join(map(spelled, found.untested_labels))}"
        )
    if found.same_ids:
        lines.append(f"  {count(found.same_ids, 'id')} that are also in the training data")
    yield f"test data: {count(found.documents, 'document')}", lines
    if found.same_texts.count:
        heading = group_heading("texts in both sets", found.same_texts)
        yield heading, group_lines(found.same_texts, top, page)
