"""Explanations of the scores of single documents."""

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
    decide,
    has_probabilities,
    probabilities,
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
"""Number of labels with the highest scores that are explained by default."""
EVERY = 1 << 30
"""More conditions than hold for any document."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The explanation of the scores of a document.

    scores: (k,). contributions: the votes of all conditions. labels: indices of the labels to
    explain. count: number of conditions that hold, and of conditions that do not hold, to list for
    each label.
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
        """Explain the labels with these indices; by default the predicted and the best ones."""
        model, scores = predictor.model, predictor.score(document)
        best = ranked_labels(scores[None, :], model)[0].tolist()
        chosen = labels or sorted({*best[:LABELS], *decide(scores, model)}, key=best.index)
        contributions = predictor.contributions(document)
        return Explanation(model, document, scores, contributions, chosen, count)

    @property
    def given(self) -> tuple[str, ...]:
        """The predicted labels of the document."""
        return tuple(self.model.labels[j] for j in decide(self.scores, self.model))

    @cached_property
    def probabilities(self) -> dict[str, float]:
        """The probabilities of all labels by name; empty if the model has no probabilities."""
        if not has_probabilities(self.model):
            return {}
        likely = probabilities(self.scores[None, :], self.model)[0]
        return dict(zip(self.model.labels, likely.tolist(), strict=True))

    def rows(self, count: int | None = None) -> Rows[ExplanationRow]:
        """Return the rows for each label, whose votes add up to its score.

        They are up to `count` conditions that hold, with their positions in the text, and up to
        `count` conditions that do not hold, followed by the sums of the rest.
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
        """Return what `boostext inspect --document --json` prints: all conditions that hold."""
        names, rows = self.model.labels, self.rows(EVERY)
        likely = {names[j]: self.probabilities[names[j]] for j in self.labels if self.probabilities}
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
        """Return the pieces of the text, with their votes on the first label."""
        return marked(self.model, self.document, self.contributions, self.labels[0])

    def reports(self) -> dict[str, Iterable[str]]:
        """Return the lines of explanation.tsv and document.html, for a report folder."""
        return {
            "explanation.tsv": explanation_tsv(self.rows(EVERY)),
            "document.html": [page_head(self.document.id), self.section()],
        }

    def section(self) -> str:
        """Return the explanation as a section of a page; see `page_head`."""
        likely = np.array(list(self.probabilities.values())) if self.probabilities else None
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

        model, contributions = self.model, self.contributions
        sums = [
            label_sum(model, contributions, float(self.scores[j]), j, self.count, self.count)
            for j in self.labels
        ]
        return explanation_html(self.document.id, self.given, self.marked(), sums)
