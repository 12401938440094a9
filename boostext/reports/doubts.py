"""Labels in doubt by chances that were estimated without the document: rows of the listing.

Documents come in the order of their doubt: 1 - the chance of what is given (the self-confidence of
confident learning); of several labels, the greatest over all labels, given or not. Whether other
labels are suggested goes by a threshold of each class: the mean chance of a label over the
documents that have it. A rare label, whose chances are low everywhere, is no alarm by that alone.

Source: Northcutt, Jiang & Chuang 2021, confident learning, Eq. 2 and s3.1; for several labels
Thyagarajan et al. 2022.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boostext.arrays import Float64, Int64, Scores, Signs
from boostext.corpus.corpus import Corpus
from boostext.evaluation.gold import Booleans
from boostext.reports.escape import one_line
from boostext.reports.outliers import OutlierRow, document_log_weights, kind_of, weight_shares


def doubt_rows(
    corpus: Corpus, multilabel: bool, scores: Scores, chances: Float64
) -> list[OutlierRow]:
    """Every document with scores, most doubtful first; without objections.

    scores, chances: (m, k) in the corpus's labels, NaN for documents that have none. The
    column of weights says what boosting would give a document with these scores. A document of
    weight 0 in the data comes last.
    """
    signs = given_signs(corpus)
    doubts = document_doubts(chances, signs, multilabel)
    known = np.flatnonzero(~np.isnan(doubts))
    order = known[np.argsort(-np.where(corpus.weights > 0, doubts, -1.0)[known], kind="stable")]
    suggested = suggestions(chances, signs, multilabel)
    places, counts = _places(corpus, chances, order)
    weights = np.zeros(len(corpus))
    logs = document_log_weights(scores[known], signs[known], corpus.weights[known])
    weights[known] = weight_shares(logs)
    rows = []
    for rank, i in enumerate(order.tolist(), start=1):
        row = _row(rank, i, corpus, (scores, chances, signs), suggested[i])
        share = float(weights[i])
        rows.append(replace(
            row, score=float(doubts[i]), weight=share * len(corpus), share=share,
            label_rank=int(places[i]), label_count=int(counts[i]),
        ))  # fmt: skip
    return rows


def given_signs(corpus: Corpus) -> Signs:
    """(m, k) in -1, +1."""
    signs = np.full((len(corpus), len(corpus.labels)), -1, np.int8)
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.label_sets.starts))
    signs[owners, corpus.label_sets.items] = 1
    return signs


def document_doubts(chances: Float64, signs: Signs, multilabel: bool) -> Float64:
    """(m,): 0 to 1; NaN where chances are."""
    given = signs > 0
    if multilabel:
        return np.asarray(np.where(given, 1 - chances, chances).max(axis=1))
    return np.asarray(1 - np.where(given, chances, 0).sum(axis=1))


def class_thresholds(chances: Float64, given: Booleans) -> Float64:
    """(k,): mean chance of each label over the documents that have it; 1 where none has."""
    known = ~np.isnan(chances).any(axis=1)
    mine = given[known]
    sums = np.where(mine, chances[known], 0).sum(axis=0)
    return np.where(mine.any(axis=0), sums / np.maximum(mine.sum(axis=0), 1), 1.0)


def suggestions(chances: Float64, signs: Signs, multilabel: bool) -> Booleans:
    """(m, k): the labels that should be given.

    One label: of those whose chance reaches their threshold the likeliest; where none does, the
    given one. Several: a label is added where its chance, and taken away where the chance of its
    absence, reaches the mean over the documents that have, or have not, the label.
    """
    given = signs > 0
    with np.errstate(invalid="ignore"):
        if multilabel:
            added = ~given & (chances >= class_thresholds(chances, given))
            taken = given & (1 - chances >= class_thresholds(1 - chances, ~given))
            # as likely as not at least: thresholds of labels that are never sure are low
            return np.asarray((given | (added & (chances > 0.5))) & ~(taken & (chances < 0.5)))
        sure = np.where(chances >= class_thresholds(chances, given), chances, -1.0)
    best = sure.argmax(axis=1)
    rows = np.arange(len(chances))
    chosen = np.zeros(given.shape, np.bool_)
    chosen[rows, best] = True
    return np.where((sure[rows, best] >= 0)[:, None], chosen, given)


def _places(corpus: Corpus, chances: Float64, order: Int64) -> tuple[Int64, Int64]:
    """(m,) place in `order` among the documents of the same least likely given label; how many."""
    given = given_signs(corpus) > 0
    weakest = np.where(given, chances, np.inf).argmin(axis=1)
    weakest[~given.any(axis=1)] = len(corpus.labels)
    seen = np.zeros(len(corpus.labels) + 1, np.int64)
    places = np.zeros(len(corpus), np.int64)
    for i in order.tolist():
        seen[weakest[i]] += 1
        places[i] = seen[weakest[i]]
    return places, seen[weakest]


def _row(
    rank: int, i: int, corpus: Corpus, judged: tuple[Scores, Float64, Signs], suggested: Booleans
) -> OutlierRow:
    scores, chances, signs = (part[i] for part in judged)
    given = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
    names = tuple(corpus.labels[j] for j in np.flatnonzero(suggested).tolist())
    others = np.where(signs > 0, -np.inf, scores)
    rival = corpus.labels[int(others.argmax())] if (signs < 0).any() else ""
    told = dict.fromkeys((*given, *names, *([rival] if rival else [])))
    number = {label: j for j, label in enumerate(corpus.labels)}
    return OutlierRow(
        rank=rank, example=i, id=corpus.ids[i], origin=str(corpus.origins[i]), given=given,
        suggested=names, rival=rival, kind=kind_of(set(given), set(names)), score=0.0,
        margin=float(_margin(scores, signs)), weight=0.0, share=0.0, label_rank=0, label_count=0,
        objections=(), snippet=one_line(corpus.snippets[i]),
        scores=tuple((name, float(chances[number[name]])) for name in told),
    )  # fmt: skip


def _margin(scores: Scores, signs: Signs) -> float:
    """Least score of a given label minus greatest of another; 0 stands for a side without any."""
    given, others = scores[signs > 0], scores[signs < 0]
    least = float(given.min()) if len(given) else 0.0
    return least - (float(others.max()) if len(others) else 0.0)
