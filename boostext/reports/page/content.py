"""What report.html is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from boostext.arrays import Scores
from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.evaluation.gold import Booleans, Gold
from boostext.evaluation.margins import MarginRow
from boostext.model.model import Model
from boostext.reports.coverage import TermFacts
from boostext.reports.evidence import Evidence
from boostext.reports.outliers import OutlierRow

Read = Callable[[Collection[int]], Mapping[int, Document]]
"""Places in the corpus -> those documents with their texts, as far as they can be read again."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents and what rules say of them. source: which documents, and which rules.

    scores (m, k); given: (m, k), the labels decided. own: the rules are those of the model.
    """

    source: str
    corpus: Corpus
    scores: Scores
    given: Booleans
    own: bool = True

    def gold(self, known: int) -> Gold:
        return Gold(self.corpus.labels, known, self.corpus.label_sets)


@dataclass(frozen=True)
class Curve:
    """A measure against the number of rounds."""

    name: str
    points: tuple[tuple[float, float], ...]


def nothing_read(wanted: Collection[int]) -> Mapping[int, Document]:
    """Of data that cannot be read twice."""
    return {}


@dataclass(frozen=True, eq=False)
class Content:
    """A model, and what is known of it beside its rules; sections without their part are left out.

    facts: of each of `term_rows`, where there are documents. judged: for labels and confusions.
    measured: for probabilities. outlier_source: how they were found.
    """

    model: Model
    title: str = ""
    evidence: Evidence | None = None
    facts: Sequence[TermFacts] = ()
    judged: Judged | None = None
    measured: Judged | None = None
    outliers: Sequence[OutlierRow] = ()
    outlier_source: str = ""
    margins: Sequence[MarginRow] = ()
    curves: Sequence[Curve] = ()
    read: Read = nothing_read


@dataclass(frozen=True)
class Limits:
    """How much the page shows; the files beside it have everything. characters: of an excerpt."""

    rules: int = 120
    terms: int = 250
    labels: int = 150
    label_terms: int = 1600
    pairs: int = 60
    cells: int = 300
    outliers: int = 1000
    outlier_bytes: int = 500_000
    characters: int = 150
    matrix: int = field(default=24, metadata={"fixed": True})

    def smaller(self) -> Limits:
        """Half of everything."""
        halved = {
            f.name: max(getattr(self, f.name) // 2, 1)
            for f in fields(self)
            if not f.metadata.get("fixed")
        }
        return replace(self, **halved)
