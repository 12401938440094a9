"""Documents and the terms of a model that they contain: scores by round, coverage and precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from boostext.arrays import Float64, Int32, Lists, Scores
from boostext.boosting.reach import Find, Reach, Tally
from boostext.corpus.corpus import Corpus
from boostext.evaluation.gold import Gold
from boostext.features.conditions import YES, Condition, spell
from boostext.model.model import Model
from boostext.model.predict import decoded, scores_found
from boostext.reports.columns import Column, as_json, cell, tsv_lines
from boostext.reports.rules import text_field_count
from boostext.reports.terms import TermRow

if TYPE_CHECKING:
    from scipy.sparse import csr_array

POINTS = 60
"""Maximum number of points of a curve over the rounds."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Documents with the scores of a model and the conditions that they meet.

    corpus: m documents; the labels of the corpus begin with those of the model, in the same order.
    scores: (m, k). find: function that returns the documents of a condition in block YES, and those
    in block UNKNOWN. start: (m, k), scores from prior knowledge, or None if there is none.
    """

    model: Model
    corpus: Corpus
    scores: Scores
    find: Find[Condition]
    start: Scores | None = None

    @cached_property
    def gold(self) -> Gold:
        """The labels in the data."""
        return Gold(self.corpus.labels, len(self.model.labels), self.corpus.label_sets)


def evidence_of(
    model: Model, corpus: Corpus, find: Find[Condition], start: Scores | None = None
) -> Evidence:
    """Compute the scores of all documents and return them as `Evidence`, which see."""
    return Evidence(model, corpus, scores_found(model, find, len(corpus), start), find, start)


def term_documents(evidence: Evidence, rows: Sequence[TermRow]) -> list[Int32]:
    """Return the indices of the documents of each term, in ascending order.

    These are the documents that meet the precondition and the lowest level of the term.
    """
    reach = Reach[Condition](evidence.find, len(evidence.corpus))
    found = []
    for row in rows:
        if row.before:
            yes = reach.blocks(row.before, row.levels[0].asked)[YES]
        else:
            yes = evidence.find(row.levels[0].asked)[0]
        found.append(np.sort(yes).astype(np.int32))
    return found


def scores_by_round(evidence: Evidence) -> Iterator[tuple[int, Scores]]:
    """Yield rounds with the scores after them, shape (m, k).

    At most POINTS rounds are chosen at equal distances, including the last one.
    """
    model, m = evidence.model, len(evidence.corpus)
    last = model.round_count
    wanted = {round(t) for t in np.linspace(1, last, POINTS)} if last else set()
    tally = Tally[Condition](evidence.find, m)
    numbers = list(model.rule_rounds)
    for place, rule in enumerate(model.rules):
        tally.add(rule.votes, rule.condition, rule.precondition)
        ends = place + 1 == len(numbers) or numbers[place + 1] != numbers[place]
        if ends and numbers[place] in wanted:
            sums = decoded(tally.value(), model)
            yield numbers[place], sums if evidence.start is None else evidence.start + sums


def label_matrix(evidence: Evidence) -> Float64:
    """Return an array (m, k) that is 1 for labels in the data that the model knows, otherwise 0."""
    return evidence.gold.matrix.astype(np.float64)


# Statistics of terms -------------------------------------------------------------------------

Aliases = Callable[[Condition], Sequence[Condition]]
"""Function that returns other conditions that hold for exactly the same documents."""

TOGETHER, LEAST_ALIKE = 3, 0.3
MOST_ALIASES = 5
WORK = 400_000_000
"""Limit on the pairs of terms compared, summed over documents.

Beyond it, the less influential terms are not compared.
"""


@dataclass(frozen=True)
class Companion:
    """A term of the model that occurs in nearly the same documents as another.

    alike: Jaccard index of the two sets of documents. both: number of documents with both terms.
    """

    term: str
    alike: float
    both: int


@dataclass(frozen=True, eq=False)
class TermFacts:
    """Statistics of one term over the documents.

    documents: number of documents with the term; share: as a fraction of all documents. majority,
    majority_share: the most frequent label of these documents, and the fraction of them that have
    it. precisions: (k,), the same fraction for every label. aliases: other terms with exactly the
    same documents, at most MOST_ALIASES of the total of alias_count. together: terms of the model
    that co-occur with it, most similar first. where: indices of its documents, in ascending order.
    """

    term: str
    documents: int
    share: float
    majority: str
    majority_share: float
    precisions: Float64
    aliases: tuple[str, ...]
    alias_count: int
    together: tuple[Companion, ...]
    where: Int32


def term_facts(
    evidence: Evidence, rows: Sequence[TermRow], aliases: Aliases = lambda condition: ()
) -> list[TermFacts]:
    """Return the statistics of the term of each row, in the order of the rows."""
    where = term_documents(evidence, rows)
    counts = np.array([len(documents) for documents in where])
    table = _table(where, len(evidence.corpus))
    precisions = (table @ label_matrix(evidence)) / np.maximum(counts, 1)[:, None]
    together = _together(table, counts, [row.term for row in rows])
    fields = text_field_count(evidence.model)
    labels = evidence.model.labels
    facts = []
    for j, row in enumerate(rows):
        best = int(precisions[j].argmax())
        other = [] if row.before else aliases(row.levels[0].asked)
        facts.append(
            TermFacts(
                row.term,
                int(counts[j]),
                float(counts[j] / max(len(evidence.corpus), 1)),
                labels[best] if precisions[j, best] > 0 else "",
                float(precisions[j, best]),
                precisions[j],
                tuple(spell(c, fields) for c in other[:MOST_ALIASES]),
                len(other),
                tuple(together[j]),
                where[j],
            )
        )
    return facts


def _table(where: Sequence[Int32], m: int) -> csr_array:
    """Return a sparse (terms, m) matrix that is 1 where a document has a term."""
    from scipy.sparse import csr_array

    lists = Lists.of(where)
    ones = np.ones(len(lists.items), np.float64)
    return csr_array((ones, lists.items, lists.starts), shape=(len(where), m))


def _together(table: Any, counts: Any, names: Sequence[str]) -> list[list[Companion]]:
    """Return for each term up to TOGETHER others with the highest Jaccard index.

    Only terms with an index of at least LEAST_ALIKE are returned.
    """
    found: list[list[Companion]] = [[] for _ in names]
    compared = _affordable(table)
    # terms are compared with those of similar frequency, since the index is at most the ratio
    order = np.argsort(counts[:compared], kind="stable")
    terms, sizes = table[order], counts[order]
    others = terms.T.tocsc()
    for start in range(0, compared, 256):
        mine = sizes[start : start + 256]
        similar = [LEAST_ALIKE * mine[0] - 1, mine[-1] / LEAST_ALIKE + 1]
        low, high = np.searchsorted(sizes, similar).tolist()
        both = (terms[start : start + 256] @ others[:, low:high]).toarray()
        alike = both / np.maximum(mine[:, None] + sizes[None, low:high] - both, 1)
        alike[np.arange(len(mine)), np.arange(start, start + len(mine)) - low] = 0
        rows, columns = np.nonzero(alike >= LEAST_ALIKE)
        first = np.lexsort((order[low + columns], -alike[rows, columns], rows))
        for i, c in zip(rows[first].tolist(), columns[first].tolist(), strict=True):
            companions = found[order[start + i]]
            if len(companions) < TOGETHER:
                name = names[order[low + c]]
                companions.append(Companion(name, float(alike[i, c]), int(both[i, c])))
    return found


def _affordable(table: Any) -> int:
    """Return how many of the first terms can be compared with each other in reasonable time."""
    count = int(table.shape[0])
    while count > 1:
        terms_of_documents = np.bincount(table[:count].indices, minlength=1).astype(np.float64)
        if float((terms_of_documents**2).sum()) <= WORK:
            break
        count //= 2
    return count


def precision_of(row: TermRow, fact: TermFacts) -> float:
    """Return the fraction of the documents with the term that have the label it favours most."""
    if row.strongest_for not in row.labels:
        return 0.0
    return float(fact.precisions[row.labels.index(row.strongest_for)])


Covered = tuple[TermRow, TermFacts]
"""A term with its statistics."""

COVERAGE_COLUMNS: tuple[Column[Covered], ...] = (
    Column("rank", lambda pair: pair[0].rank, "Rank by influence, as in terms.tsv."),
    Column("term", lambda pair: pair[0].term, "The term, category or numeric column."),
    Column("kind", lambda pair: pair[0].kind, "term, category or number."),
    Column("documents", lambda pair: pair[1].documents, "Number of documents that contain it."),
    Column("share", lambda pair: pair[1].share, "This number as a fraction of all documents."),
    Column("for_label", lambda pair: pair[0].strongest_for, "The label that it favors most."),
    Column(
        "precision",
        lambda pair: precision_of(*pair),
        "The fraction of its documents that have that label.",
    ),
    Column("majority", lambda pair: pair[1].majority, "The most frequent label of its documents."),
    Column(
        "majority_share",
        lambda pair: pair[1].majority_share,
        "The fraction of its documents that have this most frequent label.",
    ),
    Column(
        "aliases",
        lambda pair: pair[1].aliases,
        "Other terms that occur in exactly the same documents.",
    ),
    Column("alias_count", lambda pair: pair[1].alias_count, "Number of such terms."),
    Column(
        "together",
        lambda pair: pair[1].together,
        "Terms of the model that occur in nearly the same documents.",
        tsv=lambda others: cell([other.term for other in others]),
    ),
    Column(
        "alike",
        lambda pair: [other.alike for other in pair[1].together],
        "The Jaccard index with each of them: the number of documents with both terms divided by "
        "the number with at least one.",
        json=None,
    ),
)
"""Columns of coverage.tsv."""


def coverage_tsv(rows: Sequence[TermRow], facts: Sequence[TermFacts]) -> Iterator[str]:
    """Yield the lines of coverage.tsv, in the order of the rows; lists are joined by `|`."""
    yield from tsv_lines(COVERAGE_COLUMNS, zip(rows, facts, strict=True))


def coverage_json(row: TermRow, fact: TermFacts) -> dict[str, Any]:
    """Return a JSON object keyed by the column names of coverage.tsv."""
    return as_json(COVERAGE_COLUMNS, (row, fact))


def example_documents(evidence: Evidence, fact: TermFacts, most: int = 3) -> list[int]:
    """Return the indices of up to `most` documents that illustrate a term.

    Documents with the majority label come first. The last one has another label, if there is such a
    document. Documents with short beginnings are preferred because they are quicker to read.
    """
    given = label_matrix_column(evidence, fact.majority)
    right = [i for i in fact.where[:200].tolist() if given[i]]
    wrong = [i for i in fact.where[:200].tolist() if not given[i]]
    size = evidence.corpus.snippets

    def shortest(documents: list[int]) -> list[int]:
        return sorted(documents, key=lambda i: len(size[i]) or 1 << 30)

    kept = shortest(wrong)[: 1 if right else most]
    return shortest(right)[: most - len(kept)] + kept


def label_matrix_column(evidence: Evidence, label: str) -> Any:
    """Return whether each document has the label, shape (m,)."""
    labels = evidence.model.labels
    if label not in labels:
        return np.zeros(len(evidence.corpus), np.bool_)
    return evidence.gold.matrix[:, labels.index(label)]
