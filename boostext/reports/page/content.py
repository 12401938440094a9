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
    """Documents and what rules say of them.

    source: which documents, and which rules, in a sentence; kind: the same in a word or two, which
    stands beside every figure. scores: (m, k); given: (m, k), the labels decided.
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
    """A measure against the number of rounds, on the documents that `name` tells."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class Listing:
    """Likely label errors: how they were found, in words, and what is needed to mend them.

    audit: the documents under the rules that found them, where those are not the model's own.
    retrain: the command that learns once more, with the corrections; empty where none is known.
    checked: id -> labels of the documents that were looked at before, which are not among the rows.
    """

    rows: Sequence[OutlierRow] = ()
    source: str = ""
    audit: Judged | None = None
    retrain: str = ""
    checked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def nothing_read(wanted: Collection[int]) -> Mapping[int, Document]:
    """Of data that cannot be read twice."""
    return {}


@dataclass(frozen=True, eq=False)
class Content:
    """A model, and what is known of it beside its rules; sections without their part are left out.

    facts: of each of `term_rows`, where there are documents. judged: what all figures of the model
    are measured on. measure: the name of what the curves show.
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
    """How much the page shows; the files beside it have everything. characters: of an excerpt."""

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
        """Half of everything."""
        halved = {
            f.name: max(getattr(self, f.name) // 2, 1)
            for f in fields(self)
            if not f.metadata.get("fixed")
        }
        return replace(self, **halved)
