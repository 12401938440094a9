"""The HTML page of a report, and the values of its sections."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from boostext import __version__
from boostext.corpus.documents import Document
from boostext.evaluation.report import Report, report_of
from boostext.model.model import Model, asked_conditions
from boostext.model.prior import prior_in_short
from boostext.reports.coverage import TermFacts, example_documents, label_matrix_column
from boostext.reports.html import asset, environment, policy, script_json, shown
from boostext.reports.marks import Piece
from boostext.reports.page.charts import line_chart, margin_chart, reliability_chart
from boostext.reports.page.confusion import Confusion, confusion_of
from boostext.reports.page.content import Content, Curve, Judged, Limits, Read
from boostext.reports.page.data import Shown, confusion_data, error_data
from boostext.reports.page.excerpts import READ, Excerpts, Known, length_of, term_conditions
from boostext.reports.page.rows import (
    Example,
    TermLine,
    label_sections,
    rule_lines,
    term_lines,
)
from boostext.reports.page.worked import Worked, worked_document, worked_example
from boostext.reports.portable.box import box_values
from boostext.reports.portable.plain_model import packed
from boostext.reports.rules import rule_rows
from boostext.reports.terms import TermRow, term_rows

MOST_BYTES = 1_900_000
"""Maximum size of the page."""
SCRIPTS = ("report.js", "errors.js", "arguing.js", "predictor.js", "box.js")


def report_page(content: Content) -> str:
    """Return the HTML page of a report.

    The limits on its parts are reduced until the page has at most MOST_BYTES bytes.
    """
    limits, content = Limits(), replace(content, read=_remembered(content.read))
    known: Known = {}
    rows = term_rows(content.model)
    while True:
        page = _rendered(page_values(content, limits, known, rows))
        if len(page.encode("utf-8", "backslashreplace")) <= MOST_BYTES or limits.rules == 1:
            return page
        limits = limits.smaller()


def _remembered(read: Read) -> Read:
    """Return a function that reads each document only once."""
    known: dict[int, Document] = {}
    asked: set[int] = set()

    def remembered(wanted: Collection[int]) -> Mapping[int, Document]:
        if missing := set(wanted) - asked:
            asked.update(missing)
            known.update(read(sorted(missing)))
        return {i: known[i] for i in wanted if i in known}

    return remembered


def _rendered(values: dict[str, Any]) -> str:
    style = asset("report.css")
    script = Markup("").join(map(asset, SCRIPTS))
    template = environment().get_template("report.html")
    return template.render(**values, script=script, style=style, policy=policy([script], [style]))


def page_values(
    content: Content, limits: Limits, known: Known, rows: Sequence[TermRow]
) -> dict[str, Any]:
    """Return the values for report.html; parts without data are empty or None.

    known: what excerpts under larger limits have found. rows: all terms of the model.
    """
    model = content.model
    facts = content.facts
    report = _report(model, content.judged)
    confusion = _confusion(content, limits)
    terms, space = term_lines(rows, facts, model, limits.terms, limits.curves)
    terms, worked, errors = _with_texts(content, terms, limits, known)
    return {
        **_opening(content, report),
        "box": _box(model, limits.predictor_bytes),
        "worked": worked,
        "curves": [c for c in _curves(content) if c],
        "rules": rule_lines(rule_rows(model, limits.rules), len(model.rules)),
        "terms": terms,
        "term_space": space,
        "term_total": len(rows),
        "counted": bool(facts),
        "drop_before": shown(model.text.drop, 400),
        "evidence_size": len(content.evidence.corpus) if content.evidence else 0,
        "labels": label_sections(model, rows, facts, report, limits.labels, limits.label_terms),
        "confusion": confusion,
        "pairs": confusion.pairs[: limits.pairs] if confusion else (),
        "confusion_json": _confusion_json(content, confusion, limits),
        "margins": margin_chart(content.margins) if content.margins else None,
        **_calibration(content, report),
        **_errors(content, errors),
    }


def _report(model: Model, judged: Judged | None) -> Report | None:
    """Measure the documents; their labels may be fewer than those of the model, or others."""
    if judged is None or not len(judged.corpus):
        return None
    count = judged.scores.shape[1]
    labels = judged.corpus.labels[:count]
    if labels != model.labels:
        model = replace(model, labels=labels, thresholds=(), calibration=())
    return report_of(model, judged.scores, judged.gold(count), judged.given)


def _confusion(content: Content, limits: Limits) -> Confusion | None:
    judged = content.judged
    if judged is None or not len(judged.corpus):
        return None
    return confusion_of(judged, len(content.model.labels), limits)


def _confusion_json(content: Content, confusion: Confusion | None, limits: Limits) -> str:
    if confusion is None or content.judged is None:
        return ""
    data = confusion_data(confusion, content.judged.corpus, limits.characters)
    return Markup(script_json(data))


def _with_texts(
    content: Content, terms: list[TermLine], limits: Limits, known: Known
) -> tuple[list[TermLine], Worked | None, dict[str, Any] | None]:
    """Return the parts of the page that show documents, whose texts are read in a single pass.

    These are the terms with examples, the worked example, and the likely label errors.
    """
    evidence = content.evidence
    if evidence is None:
        return terms, None, None
    facts = [line.facts for line in terms if line.facts]
    examples = [example_documents(evidence, fact) for fact in facts]
    worked = worked_document(evidence)
    listed = content.errors.rows[: limits.outliers]
    alike = _places(evidence.corpus.ids, {name for row in listed for name in row.duplicates})
    wanted = {i for some in examples for i in some} | ({worked} if worked is not None else set())
    wanted |= {row.example for row in listed} | set(alike.values())
    documents = content.read(sorted(wanted))
    excerpts = Excerpts(content.model, evidence.corpus, documents, limits.characters, known)
    pieces = _excerpts_by_document(excerpts, terms, examples)
    lines = [
        replace(line, examples=tuple(_examples(content, some, fact)))
        for line, fact, some in zip(terms, facts, pieces, strict=True)
    ]
    errors = error_data(
        content.errors, Shown(content.model, evidence.corpus, excerpts, alike), limits
    )
    done = None
    if worked is not None and worked in documents and length_of(documents[worked]) < READ:
        done = worked_example(content.model, documents[worked])
    return lines or terms, done, errors


def _places(ids: Sequence[str], wanted: Collection[str]) -> dict[str, int]:
    """Return the index of the first document with each of the wanted ids."""
    places: dict[str, int] = {}
    for place, name in enumerate(ids if wanted else ()):
        if name in wanted:
            places.setdefault(name, place)
    return places


def _excerpts_by_document(
    excerpts: Excerpts, terms: Sequence[TermLine], examples: Sequence[Sequence[int]]
) -> list[dict[int, list[Piece]]]:
    """Return for each term the excerpts of its examples, keyed by document, in the given order.

    All excerpts of a document are made together, because only the tokens of the latest document are
    cached.
    """
    wanted = sorted((i, number) for number, some in enumerate(examples) for i in some)
    made = {(i, n): excerpts.of(i, term_conditions(terms[n].row)) for i, n in wanted}
    return [{i: made[i, number] for i in some} for number, some in enumerate(examples)]


def _examples(
    content: Content, pieces_by_document: Mapping[int, list[Piece]], fact: TermFacts
) -> Iterator[Example]:
    assert content.evidence is not None
    corpus = content.evidence.corpus
    given = label_matrix_column(content.evidence, fact.majority)
    for i, pieces in pieces_by_document.items():
        labels = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
        yield Example(corpus.ids[i], labels, bool(given[i]), tuple(pieces))


def _opening(content: Content, report: Report | None) -> dict[str, Any]:
    model, provenance = content.model, content.model.provenance
    facts = {
        "rules": len(model.rules),
        "labels": len(model.labels),
        "documents": provenance.documents,
        "stopped": provenance.stopped,
        "edited": provenance.edited,
        "command": provenance.command,
        "multilabel": model.multilabel,
    }
    return {
        "title": shown(content.title or "boostext report", 80),
        "version": __version__,
        "facts": facts,
        "overview": list(_overview(model)),
        "figures": list(_figures(report)),
        "judged": content.judged,
    }


MEASURED = (
    ("error", "error"),
    ("one-error", "one-error"),
    ("micro-f1", "micro-F1"),
    ("macro-f1", "macro-F1"),
    ("hamming-loss", "Hamming loss"),
    ("average-precision", "average precision"),
)


def _overview(model: Model) -> Iterator[tuple[str, str]]:
    provenance = model.provenance
    yield "algorithm", model.boosting.algorithm
    yield "documents", f"{provenance.documents:,}"
    yield "labels", f"{len(model.labels):,}{', several each' if model.multilabel else ''}"
    if model.prior:
        yield "prior knowledge", prior_in_short(model.prior)
    yield "rules", f"{len(model.rules):,}"
    yield "distinct conditions", f"{len(asked_conditions(model)):,}"
    yield "conditions to choose from", f"{provenance.conditions:,}"


def _box(model: Model, most_bytes: int) -> dict[str, Any] | None:
    """Return the values of the interactive prediction box, or None if it cannot match the model.

    That is the case with custom token patterns.
    """
    if any(model.text.of_field(name).token_pattern for name in model.data.text):
        return None
    return box_values(model, packed(model, most_bytes, unicode_classes=True))


def _figures(report: Report | None) -> Iterator[tuple[str, str]]:
    """Yield the display name and the value of the evaluation measures that are available."""
    for name, label in MEASURED if report else ():
        value = report.measures.get(name, float("nan")) if report else float("nan")
        if value == value:
            yield label, f"{value:.4f}"


def _curves(content: Content) -> Iterator[Any]:
    if content.curves:
        yield line_chart(
            "learning",
            "Learning curves",
            "The measure after each number of rounds.",
            ("rounds", content.measure or "measure"),
            content.curves,
        )
    zs = np.asarray(content.model.history.z, np.float64)
    if len(zs) > 1:
        bounds = np.cumprod(zs)
        points = tuple((float(t), float(b)) for t, b in enumerate(bounds.tolist(), 1))
        each = tuple((float(t), float(z)) for t, z in enumerate(zs.tolist(), 1))
        about = "Z is the factor by which a round lowers the bound on the training error."
        lines = [Curve("product of Z", points), Curve("Z of a round", each)]
        yield line_chart("bound", "Bound and Z", about, ("rounds", "Z"), lines)


def _calibration(content: Content, report: Report | None) -> dict[str, Any]:
    bins = report.calibration if report else ()
    numbers = report.measures if report else {}
    note = ", ".join(
        f"{label} {numbers[name]:.4f}"
        for name, label in (
            ("ece", "expected calibration error"),
            ("brier", "Brier score"),
            ("log-loss", "log loss"),
        )
        if name in numbers and numbers[name] == numbers[name]
    )
    return {
        "reliability": reliability_chart(bins),
        "bins": bins,
        "calibration_note": f"{note[:1].upper()}{note[1:]}." if note else "",
    }


def _errors(content: Content, data: dict[str, Any] | None) -> dict[str, Any]:
    rows = data["rows"] if data else []
    audit = content.errors.audit
    return {
        "error_json": Markup(script_json(data)) if rows else "",
        "error_count": len(rows),
        "error_total": len(content.errors.rows),
        "error_source": content.errors.source,
        "retrain": content.errors.retrain,
        "audit": list(_figures(_report(content.model, audit)))[:1],
        "kinds": sorted({row["kind"] for row in rows}),
    }
