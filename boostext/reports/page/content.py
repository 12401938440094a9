"""The content from which report.html is built, and the limits on its size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from boostext.arrays import Scores
from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.evaluation.gold import Booleans, Gold
from boostext.evaluation.margins import MarginRow
from boostext.model.model import Model
from boostext.reports.coverage import Evidence, TermFacts
from boostext.reports.outliers import OutlierRow

Read = Callable[[Collection[int]], Mapping[int, Document]]
"""Function that maps indices in the corpus to documents with their texts.

Documents that cannot be read again are missing from the result.
"""


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents with the scores and predictions of a model.

    source: a sentence that describes the documents and the model. kind: the same in one or two
    words, which are shown next to every figure. scores: (m, k). given: (m, k), the predicted
    labels.
    """

    source: str
    kind: str
    corpus: Corpus
    scores: Scores
    given: Booleans

    def gold(self, known: int) -> Gold:
        return Gold(self.corpus.labels, known, self.corpus.label_sets)


@dataclass(frozen=True)
class Curve:
    """A measure by number of rounds, on the documents described by `name`."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class Listing:
    """Likely label errors, and what is needed to correct them.

    source: a description of how they were found. audit: the predictions by which they were found,
    if these are not those of the model itself. retrain: the command that trains again with the
    corrections, or "" if it is not known. checked: maps the ids of documents that were reviewed
    earlier, and are not among the rows, to their labels.
    """

    rows: Sequence[OutlierRow] = ()
    source: str = ""
    audit: Judged | None = None
    retrain: str = ""
    checked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def nothing_read(wanted: Collection[int]) -> Mapping[int, Document]:
    """Return no documents; for data that cannot be read twice."""
    return {}


@dataclass(frozen=True, eq=False)
class Content:
    """A model with everything to show about it; sections without data are left out.

    facts: statistics for each row of `term_rows`, or empty without documents. judged: the documents
    on which the model is evaluated. measure: name of the measure shown by the curves.
    """

    model: Model
    title: str = ""
    evidence: Evidence | None = None
    facts: Sequence[TermFacts] = ()
    judged: Judged | None = None
    errors: Listing = field(default_factory=Listing)
    margins: Sequence[MarginRow] = ()
    measure: str = ""
    curves: Sequence[Curve] = ()
    read: Read = nothing_read


@dataclass(frozen=True)
class Limits:
    """Limits on what the page shows; the tables in the report folder are complete.

    characters: approximate length of an excerpt.
    """

    rules: int = 120
    terms: int = 250
    curves: int = 12
    labels: int = 150
    label_terms: int = 1600
    pairs: int = 60
    cells: int = 300
    outliers: int = 1000
    outlier_bytes: int = 500_000
    whole_bytes: int = 400_000
    predictor_bytes: int = 300_000
    characters: int = 240
    matrix: int = field(default=24, metadata={"fixed": True})

    def smaller(self) -> Limits:
        """Return limits that are half as large, except for fixed ones."""
        halved = {
            f.name: max(getattr(self, f.name) // 2, 1)
            for f in fields(self)
            if not f.metadata.get("fixed")
        }
        return replace(self, **halved)
