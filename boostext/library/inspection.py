"""A model looked at: its first rules, the strongest terms of each label, and doubtful labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from boostext.evaluation.margins import MarginRow
from boostext.library.data_outliers import DataOutliers
from boostext.library.report_page import page_reports
from boostext.library.reporting import EXPLAINED, model_reports
from boostext.model.model import Model, asked_conditions
from boostext.model.prior_form import prior_to_plain
from boostext.reports.label_studio import label_studio
from boostext.reports.margins import margins_tsv
from boostext.reports.outliers import OutlierRow, outlier_json, outliers_tsv
from boostext.reports.page.content import Content
from boostext.reports.rules import RuleRow, rule_json, rule_rows
from boostext.reports.terms import LabelTerm, label_terms, term_rows


@dataclass(frozen=True, eq=False)
class Inspection:
    """What is shown of a model. found: the outliers of documents, where there are any; outliers:
    the first of them.
    """

    model: Model
    rules: Sequence[RuleRow]
    speaking_for: Sequence[LabelTerm]
    speaking_against: Sequence[LabelTerm]
    outliers: Sequence[OutlierRow]
    found: DataOutliers | None
    margins: Sequence[MarginRow] = ()

    @staticmethod
    def of(
        model: Model,
        found: DataOutliers | None = None,
        labels: Sequence[str] = (),
        top: int = 10,
        margins: Sequence[MarginRow] = (),
    ) -> Inspection:
        """labels: the only ones to tell of, if any. top: of each kind."""
        chosen = frozenset(labels or model.labels)
        terms = term_rows(model)
        wanted = [number for number, label in enumerate(model.labels) if label in chosen]
        speaking_for, speaking_against = (
            [row for row in label_terms(terms, model.labels, top, against) if row.label in chosen]
            for against in (False, True)
        )
        rows = [] if found is None else [row for row in found.rows if concerns(row, labels)]
        rules = rules_of(model, wanted, top)
        return Inspection(model, rules, speaking_for, speaking_against, rows[:top], found, margins)

    def to_dict(self) -> dict[str, Any]:
        """As `boostext inspect --json` prints it."""

        def told(rows: Sequence[LabelTerm]) -> list[dict[str, Any]]:
            return [{"label": row.label, "term": row.term, "votes": row.votes} for row in rows]

        result: dict[str, Any] = {
            "model": facts_of(self.model),
            "rules": [rule_json(row) for row in self.rules],
            "terms_for": told(self.speaking_for),
            "terms_against": told(self.speaking_against),
        }
        if self.found is not None:
            result["source"] = self.found.source
            result["outliers"] = [outlier_json(row) for row in self.outliers]
            result["margins"] = self.found.margins
        if self.margins:
            result["margin_distribution"] = [asdict(row) for row in self.margins]
        return result


def inspection_reports(
    model: Model, title: str, content: Content | None, found: DataOutliers | None
) -> dict[str, Iterable[str]]:
    """The tables, and the page; what needs documents only where there are any.

    content: of the page of a model and documents; None without these.
    """
    shown = Content(model, title) if content is None else content
    reports = model_reports(model, shown.facts)
    if found is not None:
        reports["outliers.tsv"] = outliers_tsv(found.rows, found.source)
        reports["outliers.label-studio.json"] = label_studio(found.rows[:EXPLAINED])
        reports["margins.tsv"] = margins_tsv(shown.margins)
    return reports | page_reports(shown)


def rules_of(model: Model, wanted: Sequence[int], top: int) -> list[RuleRow]:
    """The first rules that vote on any of the labels, with their votes on these alone."""
    labels = tuple(model.labels[number] for number in wanted)
    chosen = np.array(wanted)
    rows = []
    for row in rule_rows(model):
        unknown, no, yes = (block[chosen] for block in (row.unknown, row.no, row.yes))
        if unknown.any() or no.any() or yes.any():
            rows.append(replace(row, labels=labels, unknown=unknown, no=no, yes=yes))
        if len(rows) == top:
            break
    return rows


def concerns(row: OutlierRow, labels: Sequence[str]) -> bool:
    """Whether a label is given or suggested; every row where none was asked for."""
    return not labels or bool({*labels} & {*row.given, *row.suggested})


def facts_of(model: Model) -> dict[str, Any]:
    """What is known of how the model came about."""
    said = model.provenance
    facts = {
        "rules": len(model.rules), "conditions": len(asked_conditions(model)),
        "labels": list(model.labels), "multilabel": model.multilabel,
        "documents": said.documents, "stopped": said.stopped, "edited": said.edited,
        "command": said.command,
        "seed": model.boosting.seed, "version": said.version,
    }  # fmt: skip
    return facts | ({"knowledge": prior_to_plain(model.prior)} if model.prior else {})
