"""Why one document has its scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boostext.arrays import Scores
from boostext.corpus.documents import Document
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.model.predict import (
    Contribution,
    Predictor,
    chances,
    decide,
    has_chances,
    ranked_labels,
)
from boostext.reports.columns import Rows
from boostext.reports.explanations import (
    EXPLANATION_COLUMNS,
    ExplanationRow,
    explanation_json,
    explanation_rows,
    explanation_tsv,
    places_in,
)
from boostext.reports.marks import Piece
from boostext.reports.page.documents import Explained, document_section, page_head
from boostext.reports.page.worked import label_sum, marked

LABELS = 3
"""Labels that are told of where none is asked for: those of greatest score."""
EVERY = 1 << 30
"""More findings than any document has."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """What the rules of a model say of a document.

    scores: (k,). labels: numbers of those to tell of. count: findings for each, and absences.
    """

    model: Model
    document: Document
    scores: Scores
    contributions: Sequence[Contribution]
    labels: Sequence[int]
    count: int = 5

    @staticmethod
    def of(
        predictor: Predictor, document: Document, labels: Sequence[int] = (), count: int = 5
    ) -> Explanation:
        """Of the labels with these numbers; of the best and the given ones where there are none."""
        model, scores = predictor.model, predictor.score(document)
        best = ranked_labels(scores[None, :], model)[0].tolist()
        chosen = labels or sorted({*best[:LABELS], *decide(scores, model)}, key=best.index)
        said = predictor.contributions(document)
        return Explanation(model, document, scores, said, chosen, count)

    @property
    def given(self) -> tuple[str, ...]:
        """The labels that the model gives the document."""
        return tuple(self.model.labels[j] for j in decide(self.scores, self.model))

    @cached_property
    def chances(self) -> dict[str, float]:
        """label -> its probability, for all labels; empty where scores become none."""
        if not has_chances(self.model):
            return {}
        likely = chances(self.scores[None, :], self.model)[0]
        return dict(zip(self.model.labels, likely.tolist(), strict=True))

    def rows(self, count: int | None = None) -> Rows[ExplanationRow]:
        """`count` findings and as many absences for each label, with their places; then what the
        rest adds up to. The votes of a label's rows add up to its score.
        """
        model, most = self.model, self.count if count is None else count
        lookup = ConditionLookup((), model.text, model.data.text)
        return Rows(
            explanation_rows(
                self.contributions,
                model.labels,
                self.labels,
                most,
                len(model.data.text),
                most,
                places_in(self.document, lookup),
            ),
            EXPLANATION_COLUMNS,
        )

    def to_dict(self) -> dict[str, Any]:
        """As `boostext inspect --document --json` prints it: every finding."""
        names, rows = self.model.labels, self.rows(EVERY)
        likely = {names[j]: self.chances[names[j]] for j in self.labels if self.chances}
        sums = {
            names[j]: explanation_json(
                [row for row in rows if row.label == names[j]], float(self.scores[j])
            )
            for j in self.labels
        }
        return {
            "id": self.document.id,
            "labels": list(self.given),
            **({"probabilities": likely} if likely else {}),
            "explanation": sums,
        }

    def marked(self) -> list[Piece]:
        """The pieces of the text, with what each says of the first label."""
        return marked(self.model, self.document, self.contributions, self.labels[0])

    def reports(self) -> dict[str, Iterable[str]]:
        """explanation.tsv and document.html, for a report folder."""
        return {
            "explanation.tsv": explanation_tsv(self.rows(EVERY)),
            "document.html": [page_head(self.document.id), self.section()],
        }

    def section(self) -> str:
        """The explanation as a part of a page that `reports.page.documents.page_head` begins."""
        likely = np.array(list(self.chances.values())) if self.chances else None
        given = decide(self.scores, self.model)
        return document_section(
            self.model,
            Explained(
                self.document,
                self.contributions,
                self.scores,
                given,
                self.labels,
                self.count,
                likely,
            ),
        )

    def __repr__(self) -> str:
        rows = (f"{row.votes:+.2f} {row.condition or row.kind}" for row in self.rows())
        return f"<{' + '.join(self.given) or '(no label)'}: {', '.join(rows)}>"

    def _repr_html_(self) -> str:
        from boostext.reports.page.documents import explanation_html

        model, said = self.model, self.contributions
        sums = [
            label_sum(model, said, float(self.scores[j]), j, self.count, self.count)
            for j in self.labels
        ]
        return explanation_html(self.document.id, self.given, self.marked(), sums)
