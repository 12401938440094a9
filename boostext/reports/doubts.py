"""Labels in doubt by chances that were estimated without the document: rows of the listing.

Documents come in the order of their doubt: of the share of documents with such chances and this
label to which the label came by mistake, by Bayes' rule. If mistakes went anywhere alike, the order
would be that of the chances of the given labels (self-confidence); but mistakes have their ways,
and a document whose likely label is often mistaken for the given one is more in doubt.

With one label a document, how often the label of another is given in its place is estimated by

- how often: among the documents with the greatest lead of one label over all others, the share
  that has another label. Where the likeliest label is that sure, another is a mistake, whatever
  the chances, which were fitted to the labels given and so take mistakes for granted. For each
  label by itself, as far as there are documents. Compare the anchor points of Liu & Tao 2016, s5.
- toward which: documents count by the lead of their likeliest label over the given one, and the
  counts of each label are mixed with equal shares, by as much as tells best where each document
  went by what all others say (Dirichlet prior, leaving one out). So where mistakes go anywhere
  nothing is read into a few of them, and where they have a pattern it tells.

With several labels a document, by how much of the chances of a label is for it where it is not
given, and against it where it is; there another label is suggested only where its chance is above
a half and reaches the threshold of the class, the mean chance over the documents that have it
(Northcutt, Jiang & Chuang 2021, confident learning, Eq. 2).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boostext.arrays import Float64, Int64, Scores, Signs
from boostext.corpus.corpus import Corpus
from boostext.evaluation.calibrating import LEAST
from boostext.evaluation.gold import Booleans
from boostext.evaluation.weights import document_log_weights, given_signs, weight_shares
from boostext.reports.escape import one_line
from boostext.reports.outliers import (
    OutlierRow,
    kind_of,
    row_margins,
)

SUREST = 0.3
"""The share of documents, by the lead of their likeliest label, whose labels tell of mistakes."""
STRENGTH = 10.0
"""Documents of a label whose share of mistakes counts as much as that of all labels."""
MIXES = np.exp(np.linspace(np.log(0.1), np.log(300.0), 20))
"""Documents that equal shares may count as."""
TINY = 1e-300
"""The least of what a logarithm is taken."""


def doubt_rows(
    corpus: Corpus, multilabel: bool, scores: Scores, chances: Float64
) -> list[OutlierRow]:
    """Every document with scores, most doubtful first; without objections.

    scores, chances: (m, k) in the corpus's labels, NaN for documents that have none. The
    column of weights says what boosting would give a document with these scores. A document of
    weight 0 in the data comes last.
    """
    signs = given_signs(corpus)
    odds = doubt_odds(chances, signs, multilabel)
    doubts = doubt_of(odds)
    known = np.flatnonzero(~np.isnan(odds))
    order = known[np.argsort(-np.where(corpus.weights > 0, odds, -np.inf)[known], kind="stable")]
    suggested = suggestions(chances, signs, multilabel)
    places, counts = _places(corpus, chances, order)
    margins = row_margins(scores, signs, multilabel)
    weights = np.zeros(len(corpus))
    logs = document_log_weights(scores[known], signs[known], corpus.weights[known])
    weights[known] = weight_shares(logs)
    rows = []
    for rank, i in enumerate(order.tolist(), start=1):
        row = _row(rank, i, corpus, (scores, chances, signs), suggested[i])
        share = float(weights[i])
        rows.append(replace(
            row, kind=_kind(row, float(odds[i]), multilabel), score=float(doubts[i]),
            margin=float(margins[i]), weight=share * len(corpus), share=share,
            label_rank=int(places[i]), label_count=int(counts[i]),
        ))  # fmt: skip
    return rows


def _kind(row: OutlierRow, odds: float, multilabel: bool) -> str:
    """With one label, a suggestion is made anyway: the kind says whether it is the likelier."""
    return row.kind if multilabel or odds > 0 else "agrees"


def doubt_odds(chances: Float64, signs: Signs, multilabel: bool) -> Float64:
    """(m,): ln of the odds that what is given is wrong; NaN where chances are.

    They order documents; as chances they are too sure, as those of labels were fitted to mistakes
    too.
    """
    known, given = ~np.isnan(chances).any(axis=1), signs > 0
    odds = np.full(len(chances), np.nan)
    judge = _odds_of_several if multilabel else _odds_of_one
    odds[known] = judge(chances[known], given[known])
    return odds


def doubt_of(odds: Float64) -> Float64:
    """(m,): 0 to 1, from ln of the odds."""
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)))


def _odds_of_one(chances: Float64, given: Booleans) -> Float64:
    """Sum over other labels y of p(y) P(g given | y), by half of p(g) for the given label g.

    By half, as documents with a mistaken g are among those that p(g) was fitted to: where the sum
    is half of it, a mistake is as likely as none.
    """
    mistaken = _mistaken(chances, given).sum(axis=1)
    own = np.where(given, chances, 0).sum(axis=1)
    return np.asarray(np.log(np.maximum(mistaken, TINY)) - np.log(np.maximum(own / 2, TINY)))


def _mistaken(chances: Float64, given: Booleans) -> Float64:
    """(m, k): chance that a label is right and the given one came in its place; 0 for that."""
    rates, shares = mistake_rates(chances, given), mistake_shares(chances, given)
    return np.where(given, 0, chances) * (given @ (shares * rates))


def mistake_rates(chances: Float64, given: Booleans) -> Float64:
    """(k,): how often another label is given in place of each, from the surest documents."""
    likeliest = chances.argmax(axis=1)
    second, first = np.partition(chances, -2, axis=1)[:, -2:].T if chances.shape[1] > 1 else (0, 1)
    lead = (first - second) * np.ones(len(chances))
    surest = np.argsort(-lead, kind="stable")[: round(SUREST * len(chances) + 0.5)]
    wrong = ~given[surest, likeliest[surest]]
    counts = np.bincount(likeliest[surest], minlength=chances.shape[1])
    wrongs = np.bincount(likeliest[surest], wrong, minlength=chances.shape[1])
    common = (wrong.sum() + 0.5) / (len(surest) + 1)
    return np.asarray((wrongs + STRENGTH * common) / (counts + STRENGTH))


def mistake_shares(chances: Float64, given: Booleans) -> Float64:
    """(k, k) given, true: of the mistakes in place of each true label the share that goes to each
    other; columns sum to 1, where there is another.
    """
    k = given.shape[1]
    labels, own = given.argmax(axis=1), np.where(given, chances, 0).sum(axis=1)
    others = np.where(given, -1.0, chances)
    likeliest = others.argmax(axis=1)
    leads = np.maximum(others.max(axis=1, initial=-1.0) - own, 0)
    counts = np.zeros((k, k))
    np.add.at(counts, (labels, likeliest), leads)
    sums, equal = counts.sum(axis=0), (1 - np.eye(k)) / max(k - 1, 1)
    rest = np.maximum(counts[labels, likeliest] - leads, 0)
    rest_of_all = np.maximum(sums[likeliest] - leads, 0)

    def likelihood(mix: float) -> float:
        said = (rest + mix / max(k - 1, 1)) / (rest_of_all + mix)
        return float(leads @ np.log(said))

    mix = max(MIXES.tolist(), key=likelihood)
    return np.asarray((counts + mix * equal) / (sums + mix))


def _odds_of_several(chances: Float64, given: Booleans) -> Float64:
    """That a label is given without reason, or one is missing, or both, as where one is wrong.

    P(absent | given) = (1 - p) added / (p (1 - left out)) as odds, P(present | not given)
    likewise; of each kind the greatest over the labels.
    """
    left_out, added = label_noise(chances, given)
    odds = np.log(np.maximum(chances, TINY)) - np.log(np.maximum(1 - chances, TINY))
    too_many = np.log(added) - np.log(1 - left_out) - odds
    too_few = np.log(left_out) - np.log(1 - added) + odds
    many = np.where(given, too_many, -np.inf).max(axis=1)
    few = np.where(given, -np.inf, too_few).max(axis=1)
    both = np.where(np.isinf(many) | np.isinf(few), -np.inf, many + few)
    return np.asarray(np.logaddexp(np.logaddexp(many, few), both))


def label_noise(chances: Float64, given: Booleans) -> tuple[Float64, Float64]:
    """(k,) each: how often a label is left out where it is right, and given where it is not.

    From sums of chances; the rates of all labels count as LEAST documents more of each.
    """
    missing, right = np.where(given, 0, chances).sum(axis=0), chances.sum(axis=0)
    needless, wrong = np.where(given, 1 - chances, 0).sum(axis=0), (1 - chances).sum(axis=0)
    rates = (
        (part + LEAST * (part.sum() + 0.5) / (whole.sum() + 1)) / (whole + LEAST)
        for part, whole in ((missing, right), (needless, wrong))
    )
    left_out, added = (np.clip(rate, TINY, 1 - 1e-9) for rate in rates)
    return left_out, added


def class_thresholds(chances: Float64, given: Booleans) -> Float64:
    """(k,): mean chance of each label over the documents that have it; 1 where none has."""
    known = ~np.isnan(chances).any(axis=1)
    mine = given[known]
    sums = np.where(mine, chances[known], 0).sum(axis=0)
    return np.where(mine.any(axis=0), sums / np.maximum(mine.sum(axis=0), 1), 1.0)


def suggestions(chances: Float64, signs: Signs, multilabel: bool) -> Booleans:
    """(m, k): the labels to think of first.

    One label: always another, the likeliest to be right if the given one is not. Several: a label
    is added where its chance, and taken away where the chance of its absence, is above a half and
    reaches the mean over the documents that have, or have not, the label.
    """
    given = signs > 0
    if multilabel:
        with np.errstate(invalid="ignore"):
            added = ~given & (chances >= class_thresholds(chances, given))
            taken = given & (1 - chances >= class_thresholds(1 - chances, ~given))
            # as likely as not at least: thresholds of labels that are never sure are low
            return np.asarray((given | (added & (chances > 0.5))) & ~(taken & (chances < 0.5)))
    chosen = given.copy()
    known = np.flatnonzero(~np.isnan(chances).any(axis=1))
    if len(known) and given.shape[1] > 1:
        mistaken = np.where(given[known], -1.0, _mistaken(chances[known], given[known]))
        chosen[known] = np.arange(given.shape[1]) == mistaken.argmax(axis=1)[:, None]
    return chosen


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
        margin=0.0, weight=0.0, share=0.0, label_rank=0, label_count=0,
        objections=(), snippet=one_line(corpus.snippets[i]),
        scores=tuple((name, float(chances[number[name]])) for name in told),
    )  # fmt: skip
