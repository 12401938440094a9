"""Likely label errors in the training data: BoosTexter's outliers, ranked by boosting weight.

Boosting increases the weight of the documents that it misclassifies, so documents with wrong
labels end up with large weights (BT00, TAB). With enough rounds, however, the model memorizes the
wrong labels, and the final weights become less and less informative. The weights used here are
therefore computed from tapered scores, the mean of the scores after each round:

    f'(x, l) = 1/T * sum over t of f_t(x, l) = sum over rules t = 1..T of (T - t + 1)/T * h_t(x, l).

exp(-Y f') is the geometric mean of the weights that a (document, label) pair had over all rounds;
compare the area under the margin of Pleiss et al. 2020. The table shows how many of the 30 wrong
labels planted among the 2,000 calls of sample_data are found among the first 60 outliers (sparse
1-3-grams), and in parentheses for how many of them the correct label is suggested:

    rounds                100      200      300      500      1000     2000
    mean scores           22 (20)  25 (23)  26 (25)  28 (28)  29 (19)  28 (0)
    last scores           22 (22)  23 (23)  28 (28)  27 (18)  21 (0)   22 (0)
    abstaining: mean      15 (14)  19 (19)  22 (22)  26 (26)  28 (27)  27 (6)
    abstaining: last      20       23       23       28       23       18
    discrete: mean        14 (13)  17 (15)  19 (16)  23 (20)  24 (21)
    discrete: last        17       20       23       24       27
    shrinkage 0.3: mean   18 (16)  22 (19)  22 (20)  24 (22)  26 (25)
    shrinkage 0.3: last   21       23       24       26       28

Neither variant is always better. The last scores find up to 5 more errors while the model is still
learning. Once the wrong labels are memorized, which on small data happens within the default number
of rounds, the mean scores find up to 10 more and suggest the correct label. If the model has come
to predict a wrong label, the correct one is usually the rival: this holds for all of the 28 errors
found after 2000 rounds. The mean was chosen from a few kinds of taper on the same calls;
differences of 2 or 3 errors are not significant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Int64, Places, Scores, Signs, concatenated
from boostext.corpus.corpus import Corpus
from boostext.evaluation.gold import Booleans
from boostext.evaluation.weights import document_log_weights, label_signs, weight_shares
from boostext.features.matrix import FeatureMatrix
from boostext.model.model import Model
from boostext.reports.columns import Column, as_json, tsv_lines
from boostext.reports.escape import one_line, tsv_names
from boostext.reports.similarity import Similarity


@dataclass(frozen=True)
class Objection:
    """A term of the document and how strongly it favours the suggested over the given labels."""

    term: str
    votes: float


@dataclass(frozen=True)
class OutlierRow:
    """One document with a likely label error.

    rank: position in the listing, from 1. example: index of the document in the corpus, from 0.
    given, suggested: labels in the data, and those that are most likely if these are wrong. rival:
    the label with the highest score among those not given, or "" if all labels are given.
    kind: "wrong", "missing" or "extra" if the row is flagged, and the suggested labels replace, add
    or remove labels; otherwise "agrees". Rows by boosting weight are flagged if the model predicts
    other labels than the given ones.
    score: from 0 to 1, higher for labels that are more likely wrong; not a probability. With the
    tapered model it is 1/(1 + exp(margin)), or 1/(1 + exp(2 margin)) if documents may have several
    labels, and the model predicts other labels if it is above 0.5.
    margin: the lowest score of a given label minus the highest score of another label; if documents
    may have several labels, the minimum of score times sign (1 for given labels, otherwise -1).
    weight: boosting weight, where 1 is the average. share: fraction of the total weight.
    label_rank, label_count: rank among the documents with the same given label, and their number,
    so that rare and frequent labels can be compared. A document with several labels counts for the
    one with the lowest score.
    snippet: the beginning of the text, on one line. scores: scores of the given, suggested and
    rival labels; probabilities from 0 to 1 if they were estimated by cross-validation.
    duplicates: ids of documents with nearly the same text and other labels.
    objections, supports: terms that are evidence against, and for, the given labels.
    """

    rank: int
    example: int
    id: str
    origin: str
    given: tuple[str, ...]
    suggested: tuple[str, ...]
    rival: str
    kind: str
    score: float
    margin: float
    weight: float
    share: float
    label_rank: int
    label_count: int
    objections: tuple[Objection, ...]
    snippet: str
    scores: tuple[tuple[str, float], ...] = ()
    duplicates: tuple[str, ...] = ()
    supports: tuple[Objection, ...] = ()


def tapered(model: Model) -> Model:
    """Return a model whose scores are the mean of the scores of `model` after each round.

    `outlier_rows` and `with_objections` expect the scores and contributions of this model.
    """
    total = model.round_count
    rules = (
        replace(rule, votes=rule.votes * factor, alpha=rule.alpha * factor)
        for rule, t in zip(model.rules, model.rule_rounds, strict=True)
        for factor in [(total - t + 1) / total]
    )
    return replace(model, rules=tuple(rules))


def outlier_rows(
    model: Model, corpus: Corpus, scores: Scores, top: int = 100, shares: Float64 | None = None
) -> list[OutlierRow]:
    """Return the `top` documents with the largest weights, largest first.

    scores: (m, k) scores of the tapered model, in the order of the labels of the model. shares:
    (m,) fractions of the total weight, for weights that are not those of the tapered model, such as
    weights accumulated over rounds. Labels of the corpus that the model does not know count as
    given labels that no score supports. The rows have no objections yet; `with_objections` adds
    them.
    """
    signs, weighed = label_signs(model, corpus), Weighed(model)
    size = max(CELLS // max(len(model.labels), 1), 1)
    for start in range(0, len(corpus), size):
        part = slice(start, start + size)
        weighed.add(scores[part], signs[part], corpus.weights[part])
    return weighed.rows(corpus, top, shares)


class Weighed:
    """Documents that are added in parts, with their scores and signs of labels.

    Of the scores, only those are kept that the rows of the listing show, so that memory does not
    grow with the number of labels.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._judged: list[_Judged] = []
        self._logs: list[Float64] = []
        self._margins: list[Float64] = []
        self._rivals: list[Int64] = []
        self._weakest: list[Int64] = []

    def add(self, scores: Scores, signs: Signs, weights: Float64) -> Float64:
        """Add n documents and return the logarithms of their boosting weights, (n,).

        scores: (n, k) scores of the tapered model. signs: (n, k). weights: (n,), those in the data.
        """
        model, given = self._model, signs > 0
        chosen = scores > 0 if model.multilabel else np.zeros(scores.shape, bool)
        others = given ^ likeliest_change(-signs * scores, given, model.multilabel)
        rival, best = rivals(scores, signs), scores.argmax(axis=1)
        for i, row in enumerate(scores):
            own, found, other = (
                np.flatnonzero(side[i]).tolist() for side in (given, chosen, others)
            )
            shown = {*own, *found, *other, int(best[i]), int(rival[i])} - {-1}
            values = {j: float(row[j]) for j in shown}
            self._judged.append(_Judged(own, found, other, int(best[i]), values))
        logs = document_log_weights(scores, signs, weights)
        self._logs.append(logs)
        self._margins.append(row_margins(scores, signs, model.multilabel))
        self._rivals.append(rival)
        self._weakest.append(weakest(scores, given))
        return logs

    def rows(self, corpus: Corpus, top: int, shares: Float64 | None = None) -> list[OutlierRow]:
        """Return the rows as `outlier_rows` does. corpus: the documents in the order added."""
        model, counts = self._model, np.diff(corpus.label_sets.starts)
        fills = not model.multilabel or bool((counts > 0).all())
        predicted = [each.predicted(fills) for each in self._judged]
        wrong = [
            len(each.given) < count or each.given != labels
            for each, count, labels in zip(self._judged, counts.tolist(), predicted, strict=True)
        ]
        margins = concatenated(self._margins, np.float64)
        if shares is None:
            shares = weight_shares(concatenated(self._logs, np.float64))
        judged = Judgment(
            labels=model.labels,
            suggested=lambda i: predicted[i] if wrong[i] else self._judged[i].others,
            flagged=np.array(wrong, np.bool_),
            doubts=doubt_of(-2 * margins if model.multilabel else -margins),
            margins=margins,
            shares=shares,
            rivals=concatenated(self._rivals, np.int64),
            weakest=concatenated(self._weakest, np.int64),
            score=lambda i, j: self._judged[i].scores[j],
        )
        return judged_rows(corpus, judged, np.argsort(-shares, kind="stable"), top)


class _Judged(NamedTuple):
    """A document: the columns of the labels that are given, that have positive scores if there may
    be several, and that are likeliest if the given ones are wrong; the column with the best score;
    and the scores of all these.
    """

    given: list[int]
    chosen: list[int]
    others: list[int]
    best: int
    scores: dict[int, float]

    def predicted(self, fills: bool) -> list[int]:
        """The predicted labels. fills: whether there is one at least."""
        return self.chosen or ([self.best] if fills else [])


@dataclass(frozen=True, eq=False)
class Judgment:
    """The assessment of the labels of m documents, from which the rows of the listing are made.

    labels: the k labels in the order of the columns below. suggested: for a document, the ascending
    columns of the labels that are most likely if the given ones are wrong. flagged: (m,), whether
    the given labels count as likely errors. doubts: (m,), confidence from 0 to 1 that they are
    wrong. margins, shares: (m,), as in `OutlierRow`. rivals: (m,), column of the rival label, or -1
    if there is none. weakest: (m,), see `weakest`. score: for a document and a column, the score or
    probability that is shown.
    """

    labels: tuple[str, ...]
    suggested: Callable[[int], list[int]]
    flagged: Booleans
    doubts: Float64
    margins: Float64
    shares: Float64
    rivals: Int64
    weakest: Int64
    score: Callable[[int, int], float]


def judged_rows(
    corpus: Corpus, judged: Judgment, order: Int64, top: int | None = None
) -> list[OutlierRow]:
    """Return the rows of the first `top` documents of `order`, without objections.

    order: indices of documents, most likely errors first.
    """
    used = [corpus.labels[j] for j in np.unique(corpus.label_sets.items).tolist()]
    column = dict(zip(used, Places(judged.labels).of(used).tolist(), strict=True))
    ranks, counts = _ranks_in_label(judged.weakest[order])
    rows = []
    for place, i in enumerate(order[:top].tolist()):
        given = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
        suggested, rival = judged.suggested(i), int(judged.rivals[i])
        shown = dict.fromkeys((*(column[label] for label in given), *suggested, rival))
        changed = [judged.labels[j] for j in suggested]
        share = float(judged.shares[i])
        rows.append(
            OutlierRow(
                rank=place + 1,
                example=i,
                id=corpus.ids[i],
                origin=str(corpus.origins[i]),
                given=given,
                suggested=tuple(changed),
                rival=judged.labels[rival] if rival >= 0 else "",
                kind=kind_of(set(given), set(changed)) if judged.flagged[i] else "agrees",
                score=float(judged.doubts[i]),
                margin=float(judged.margins[i]),
                weight=share * len(corpus),
                share=share,
                label_rank=int(ranks[place]),
                label_count=int(counts[place]),
                objections=(),
                snippet=one_line(corpus.snippets[i]),
                scores=tuple((judged.labels[j], judged.score(i, j)) for j in shown if j >= 0),
            )
        )
    return rows


def weakest(scores: Scores, given: Booleans) -> Int64:
    """Return the column of the given label with the lowest score, (m,), or -1 if none is given."""
    found = np.full(len(given), -1)
    size = max(CELLS // max(given.shape[1], 1), 1)
    for start in range(0, len(given), size):
        part = slice(start, start + size)
        lowest = np.where(given[part], scores[part], np.inf).argmin(axis=1)
        found[part] = np.where(given[part].any(axis=1), lowest, -1)
    return found


def _ranks_in_label(groups: Int64) -> tuple[Int64, Int64]:
    """Return the rank of each document within its group, and the size of the group.

    groups: (n,), in the order of the listing. A group consists of the documents with the same
    lowest-scoring given label, or of those without a label.
    """
    _, groups, counts = np.unique(groups, return_inverse=True, return_counts=True)
    ranks = np.empty(len(groups), np.int64)
    starts = np.cumsum(counts) - counts
    ranks[np.argsort(groups, kind="stable")] = (
        np.arange(len(groups)) - np.repeat(starts, counts) + 1
    )
    return ranks, counts[groups]


CELLS = 1 << 20
"""Number of (document, label) pairs that are looked at at a time."""


def rivals(scores: Scores, signs: Signs) -> Int64:
    best = np.where(signs > 0, -np.inf, scores).argmax(axis=1)
    return np.where((signs > 0).all(axis=1), -1, best)


def doubt_of(odds: Float64) -> Float64:
    """Convert log odds that the labels are wrong, shape (m,), to values from 0 to 1."""
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)))


def row_margins(scores: Scores, signs: Signs, multilabel: bool) -> Float64:
    """Return the margins, shape (m,), as defined in `OutlierRow`. scores, signs: (m, k)."""
    return (signs * scores).min(axis=1) if multilabel else _leads(scores, signs)


def _leads(scores: Scores, signs: Signs) -> Float64:
    """Return the lowest score of a given label minus the highest score of another, shape (m,).

    If a document has none or all of the labels, 0 replaces the score that does not exist.
    """
    given = np.where(signs > 0, scores, np.inf).min(axis=1)
    others = np.where(signs > 0, -np.inf, scores).max(axis=1)
    return np.where(np.isinf(given), 0.0, given) - np.where(np.isinf(others), 0.0, others)


def likeliest_change(evidence: Float64, given: Booleans, multilabel: bool) -> Booleans:
    """Return the labels to add or to remove if the given ones are wrong, shape (m, k).

    evidence: (m, k), greater for labels that are more likely to need a change. If every document
    has one label, it is replaced by the label with the greatest evidence. If documents may have
    several labels, the label with the greatest evidence is added or removed; but if it is the only
    one of the document, it is replaced.
    """
    if evidence.shape[1] == 0:
        return given
    places = np.arange(given.shape[1])
    others = ~given & (places == np.where(given, -np.inf, evidence).argmax(axis=1)[:, None])
    if not multilabel:
        return np.asarray(others | (given & others.any(axis=1)[:, None]))
    changed = places == evidence.argmax(axis=1)[:, None]
    replaced = (changed & given).any(axis=1) & (given.sum(axis=1) == 1)
    return np.asarray(changed | (others & replaced[:, None]))


def kind_of(given: set[str], suggested: set[str]) -> str:
    """Classify the error in the given labels, assuming that the suggested ones are correct."""
    if given == suggested:
        return "agrees"
    if given < suggested:
        return "missing"
    return "extra" if suggested < given else "wrong"


def _objection_list(objections: tuple[Objection, ...]) -> str:
    return tsv_names([f"{objection.term} {objection.votes:+.2f}" for objection in objections])


def _scored(scores: tuple[tuple[str, float], ...]) -> str:
    return tsv_names([f"{label} {value:.4g}" for label, value in scores])


OUTLIER_COLUMNS: tuple[Column[OutlierRow], ...] = (
    Column(
        "rank", lambda row: row.rank, "Rank in the listing, from 1, which is the most likely error."
    ),
    Column(
        "example",
        lambda row: row.example,
        "Index of the document in the data, from 0.",
        tsv=None,
        narrow=False,
    ),
    Column("id", lambda row: row.id, "The id of the document."),
    Column("origin", lambda row: row.origin, "File and line of the document.", narrow=False),
    Column("given", lambda row: row.given, "The labels in the data."),
    Column(
        "suggested",
        lambda row: row.suggested,
        "The labels that are most likely if the given ones are wrong.",
    ),
    Column(
        "rival",
        lambda row: row.rival,
        "The label with the highest score that is not given.",
        narrow=False,
    ),
    Column(
        "kind",
        lambda row: row.kind,
        "wrong, missing or extra label, if the row is flagged as a likely error; otherwise agrees.",
    ),
    Column(
        "score",
        lambda row: row.score,
        "From 0 to 1, the higher the more likely the labels "
        "are wrong. Rows are ranked by it, or by `weight` if they are found by boosting "
        "weight; it is not a probability.",
    ),
    Column(
        "margin",
        lambda row: row.margin,
        "The lowest score of a given label minus the highest "
        "score of another one; if documents may have several labels, the minimum of the scores "
        "of given labels and the negated scores of the others.",
        narrow=False,
    ),
    Column(
        "weight",
        lambda row: row.weight,
        "The weight of the document; 1 is the average.",
        narrow=False,
    ),
    Column(
        "share", lambda row: row.share, "Its fraction of the weight of all documents.", narrow=False
    ),
    Column(
        "label_rank",
        lambda row: row.label_rank,
        "Rank among the documents with the same given label.",
        narrow=False,
    ),
    Column(
        "label_count",
        lambda row: row.label_count,
        "Number of documents with that label.",
        narrow=False,
    ),
    Column(
        "objections",
        lambda row: row.objections,
        "Terms that are evidence against the given labels, with their votes.",
        tsv=_objection_list,
        narrow=False,
    ),
    Column("snippet", lambda row: row.snippet, "The beginning of the text."),
    Column(
        "scores",
        lambda row: row.scores,
        "The scores of the given, the suggested and the rival labels.",
        tsv=_scored,
        json=dict,
        narrow=False,
    ),
    Column(
        "duplicates",
        lambda row: row.duplicates,
        "Ids of documents with nearly the same text and other labels.",
        narrow=False,
    ),
    Column(
        "supports",
        lambda row: row.supports,
        "Terms that are evidence for the given labels, with their votes.",
        tsv=_objection_list,
        narrow=False,
    ),
)
"""Columns of a listing of likely label errors; outliers.tsv has a source column in addition."""


def outlier_json(row: OutlierRow) -> dict[str, object]:
    """Return the row as a JSON object keyed by column name.

    Labels are lists, and scores are an object keyed by label.
    """
    return as_json(OUTLIER_COLUMNS, row)


def outliers_tsv(rows: Iterable[OutlierRow], source: str = "weights") -> Iterator[str]:
    r"""Yield the lines of outliers.tsv: OUTLIER_COLUMNS, and the source of the listing.

    Rows keep their order. Several labels or objections in one field are joined by `|`; a `|` within
    one of them is written as `\|`.
    """
    found_by = Column[OutlierRow](
        "source", lambda row: source, "The method by which the listing was made."
    )
    yield from tsv_lines([*OUTLIER_COLUMNS, found_by], rows)


# Near duplicates -----------------------------------------------------------------------------

MOST_DUPLICATES = 5


def near_duplicates(
    features: FeatureMatrix, corpus: Corpus, examples: Sequence[int]
) -> list[list[int]]:
    """Return the near duplicates of documents that have other labels, most similar first.

    The result has one list per index in `examples`, with at most MOST_DUPLICATES indices.
    """
    similar = Similarity(features.yes, features.document_count)

    def labels(i: int) -> frozenset[int]:
        return frozenset(corpus.label_sets[i].tolist())

    return [
        [j for j in similar.near(i).tolist() if labels(j) != labels(i)][:MOST_DUPLICATES]
        for i in examples
    ]


# Label Studio --------------------------------------------------------------------------------


def label_studio(
    rows: Iterable[OutlierRow], texts: Mapping[int, str] | None = None
) -> Iterator[str]:
    """Yield a JSON list of Label Studio tasks, with the suggested labels as predictions.

    texts: maps indices of documents to their texts; others are shown by their snippets. The score
    of a prediction is the confidence that the given labels are wrong. The labeling interface of the
    project needs `<Text name="text" value="$text"/>` and `<Choices name="label" toName="text">`,
    with choice="multiple" if documents may have several labels.
    """
    yield "["
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + json.dumps(_task(row, texts or {}), ensure_ascii=False)
    yield "\n]\n"


def _task(row: OutlierRow, texts: Mapping[int, str]) -> dict[str, object]:
    shown = {
        "text": texts.get(row.example, row.snippet),
        "id": row.id,
        "origin": row.origin,
        "kind": row.kind,
        "rank": row.rank,
        "given": list(row.given),
        "suggested": list(row.suggested),
        "terms": [objection.term for objection in row.objections],
    }
    return task_of(shown, row.suggested, row.score)


def task_of(
    shown: Mapping[str, object], labels: Sequence[str], score: float | None
) -> dict[str, object]:
    """Return a Label Studio task.

    shown: the data of the task. labels, score: the predicted labels and their score, or None.
    """
    choices = {"from_name": "label", "to_name": "text", "type": "choices"}
    prediction = {
        "model_version": "boostext",
        **({} if score is None else {"score": score}),
        "result": [{**choices, "value": {"choices": list(labels)}}],
    }
    return {"data": dict(shown), "predictions": [prediction]}
