"""Likely label errors from out-of-sample probabilities: the rows of the listing.

The probabilities of a document are predicted by a model that was trained without it. Documents are
ranked by the estimated probability, by Bayes' rule, that the given label is an error. If every
error were equally likely, this would be the order of the probabilities of the given labels
(self-confidence). In practice some labels are confused more often than others, so a document ranks
higher if its most likely label is often mistaken for the given one.

If every document has one label, the rates at which labels are confused are estimated in two parts:

- The error rate of each label. Among the documents whose most likely label leads all others by the
  largest difference, this is the fraction that has a different label. For such clear cases a
  different label is taken to be an error, whatever the probabilities, because these were fitted to
  the given labels and therefore reproduce their errors. Compare the anchor points of Liu & Tao
  2016, s5.
- The distribution of the errors over the other labels. It is first taken to be equal. Then each
  document counts, for its most likely other label, with its probability of being an error, and the
  doubts are computed anew, a few times over (expectation maximization; Dempster, Laird & Rubin
  1977). Documents that are merely hard to tell apart thus count little, but clear errors count.

The rates of single labels are smoothed towards that of all labels, and the distributions towards
equal shares, with the strengths that predict each document best from all the others
(leave-one-out likelihood). A few random errors thus have little influence, while a consistent
pattern is used.

If documents may have several labels, one rate of labels that are left out comes from the total
probability of labels over the documents that lack them. Wrong labels are taken to be added in
proportion to how many documents have them. The probability of one label does not depend on the
other labels of the document. So both errors are also weighed by how frequent the number of labels
after the change is, and the one before it, each compared with what independent labels would give:
if nearly all documents have one label, the second label of a document is likely to be wrong.

Every row suggests other labels than the given ones, and some rows are flagged. If every document
has one label, as many rows are flagged as there are likely errors by the counts of confident
learning (Northcutt, Jiang & Chuang 2021, Eqs. 1 to 3), less a tenth; and those that are more likely
wrong than right. If documents may have several labels, as many rows are flagged as have a change
whose probability is above one half and reaches the threshold of the class, which is the mean
probability over the documents that have the label (Eq. 2 there).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Scores, Signs
from boostext.corpus.corpus import Corpus
from boostext.evaluation.gold import Booleans
from boostext.evaluation.weights import document_log_weights, given_signs, weight_shares
from boostext.reports.outliers import (
    Judgment,
    OutlierRow,
    doubt_of,
    judged_rows,
    likeliest_change,
    rivals,
    row_margins,
    weakest,
)

SUREST = 0.2
"""Fraction of documents, by the lead of the most likely label, used to estimate error rates."""
STRENGTHS = np.append(np.exp(np.linspace(0.0, np.log(1000.0), 20)), 1e6)
"""Candidate numbers of documents at which the rate of one label and that of all weigh the same."""
MIXES = np.append(np.exp(np.linspace(np.log(0.1), np.log(300.0), 20)), 1e6)
"""Candidate strengths of the Dirichlet prior of the distributions, in documents."""
PASSES = 3
"""How often the distributions are estimated anew; more passes take learning errors for patterns."""
FLAGGED = 0.9
"""Fraction of the likely errors that is flagged. All of them find more of the errors, but with more
false alarms than flags by confident learning on logistic regression; 0.8 misses too many."""
ENOUGH = 0.7
"""A probability that reaches every class threshold, for labels that are predicted very surely."""
ADDED = 0.5
"""How often a label is added by mistake, as a fraction of its frequency: the greater, the higher
superfluous labels rank among missing ones. At 1, missing labels are found worse on reuters-r90."""
SIZED = 10_000
"""Maximum number of documents from which the numbers of independent labels are estimated."""
SIZES = 50
"""Number of labels of a document above which no number is taken to be more frequent than another.
"""
TINY = 1e-300
"""Lower limit of the arguments of logarithms."""


def doubt_rows(
    corpus: Corpus, multilabel: bool, scores: Scores, probabilities: Float64
) -> list[OutlierRow]:
    """Return a row for every document with probabilities, most likely label errors first.

    scores, probabilities: (m, k), in the order of the labels of the corpus; NaN for
    documents without them. The weights in the rows are those that boosting would assign at these
    scores. Documents with weight 0 in the corpus come last. The rows have no objections yet.
    """
    signs = given_signs(corpus)
    found = verdicts(probabilities, signs, multilabel)
    known = np.flatnonzero(~np.isnan(found.odds))
    shares = np.zeros(len(corpus))
    logs = document_log_weights(scores[known], signs[known], corpus.weights[known])
    shares[known] = weight_shares(logs)
    judged = Judgment(
        labels=tuple(corpus.labels),
        suggested=lambda i: np.flatnonzero(found.suggested[i]).tolist(),
        flagged=found.flagged,
        doubts=doubt_of(found.odds),
        margins=row_margins(scores, signs, multilabel),
        shares=shares,
        rivals=rivals(scores, signs),
        weakest=weakest(probabilities, signs > 0),
        score=lambda i, j: float(probabilities[i, j]),
    )
    keys = np.where(corpus.weights > 0, found.odds, -np.inf)[known]
    return judged_rows(corpus, judged, known[np.argsort(-keys, kind="stable")])


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The judgment of m documents.

    odds: (m,), the log odds that the given labels are wrong; NaN for documents whose probabilities
    are NaN. Use them to rank documents: they are overconfident as estimates, because the
    probabilities were fitted to wrong labels as well. suggested: (m, k), the labels that are most
    likely if the given ones are wrong; documents without probabilities keep theirs. flagged: (m,),
    whether the labels count as likely errors.
    """

    odds: Float64
    suggested: Booleans
    flagged: Booleans


def verdicts(probabilities: Float64, signs: Signs, multilabel: bool) -> Verdicts:
    """Judge the given labels by the probabilities of all labels, shape (m, k)."""
    known, given = ~np.isnan(probabilities).any(axis=1), signs > 0
    odds, suggested, flagged = (
        np.full(len(probabilities), np.nan),
        given.copy(),
        np.zeros(len(given), bool),
    )
    judge = _verdicts_on_several if multilabel else _verdicts_on_one
    if known.any():
        judged = judge(probabilities[known], given[known])
        odds[known], suggested[known], flagged[known] = (
            judged.odds,
            judged.suggested,
            judged.flagged,
        )
    return Verdicts(odds, suggested, flagged)


def _verdicts_on_one(probabilities: Float64, given: Booleans) -> Verdicts:
    """The documents have one label each."""
    mistaken = _mistaken(probabilities, given)
    odds = _odds_against(mistaken, probabilities, given)
    suggested = given ^ likeliest_change(mistaken, given, False)
    flagged = odds > 0
    count = round(FLAGGED * likely_errors(probabilities, given))
    flagged[np.argsort(-odds, kind="stable")[:count]] = True
    return Verdicts(odds, suggested, flagged)


def likely_errors(probabilities: Float64, given: Booleans) -> float:
    """Return the estimated number of wrong labels, by the counts of confident learning.

    A document counts for its most likely label among those whose probability reaches the threshold
    of the class or ENOUGH. The counts of each given label are scaled to its number of documents.
    """
    labels, k = given.argmax(axis=1), given.shape[1]
    reaching = probabilities >= np.minimum(class_thresholds(probabilities, given), ENOUGH)
    counted = reaching.any(axis=1)
    wrong = counted & (np.where(reaching, probabilities, -1.0).argmax(axis=1) != labels)
    sizes, wrongs, all_of = (
        np.bincount(labels, part, minlength=k) for part in (np.ones(len(labels)), wrong, counted)
    )
    return float(sizes @ (wrongs / np.maximum(all_of, 1)))


def _odds_against(mistaken: Float64, probabilities: Float64, given: Booleans) -> Float64:
    """Return the log of the sum over other labels y of p(y) P(g given | y), divided by p(g) / 2.

    Here g is the given label, and mistaken has the terms of the sum. The probability of g is halved
    because p(g) was also fitted to documents where g is wrong: if the sum is half of p(g), g is as
    likely to be wrong as to be correct.
    """
    own = np.where(given, probabilities, 0).sum(axis=1)
    sums = mistaken.sum(axis=1)
    return np.asarray(np.log(np.maximum(sums, TINY)) - np.log(np.maximum(own / 2, TINY)))


def _mistaken(probabilities: Float64, given: Booleans) -> Float64:
    """Return the probability that each label is correct and was replaced by the given one.

    The shape is (m, k); the value for the given label is 0.
    """
    rates, k = mistake_rates(probabilities, given), given.shape[1]
    shares = (1 - np.eye(k)) / max(k - 1, 1)
    for _ in range(PASSES):
        mistaken = _replaced(probabilities, given, shares * rates)
        doubts = doubt_of(_odds_against(mistaken, probabilities, given))
        shares = mistake_shares(probabilities, given, doubts)
    return _replaced(probabilities, given, shares * rates)


def _replaced(probabilities: Float64, given: Booleans, mistakes: Float64) -> Float64:
    """mistakes: (k, k), how often each given label (row) replaces each correct one (column)."""
    return np.asarray(np.where(given, 0, probabilities) * mistakes[given.argmax(axis=1)])


def mistake_rates(probabilities: Float64, given: Booleans) -> Float64:
    """Return how often a different label is given in place of each label, shape (k,).

    The rates are estimated from the documents with the most confident predictions; see the module
    docstring.
    """
    k = probabilities.shape[1]
    likeliest = probabilities.argmax(axis=1)
    second, first = np.partition(probabilities, -2, axis=1)[:, -2:].T if k > 1 else (0, 1)
    lead = (first - second) * np.ones(len(probabilities))
    surest = np.argsort(-lead, kind="stable")[: round(SUREST * len(probabilities) + 0.5)]
    wrong = ~given[surest, likeliest[surest]]
    counts = np.bincount(likeliest[surest], minlength=k).astype(np.float64)
    wrongs = np.bincount(likeliest[surest], wrong, minlength=k)
    common = (wrong.sum() + 0.5) / (len(surest) + 1)

    def likelihood(strength: float) -> float:
        """Of every document, by the rate without it."""
        errors = np.log(np.maximum(wrongs - 1, 0) + strength * common)
        correct = np.log(np.maximum(counts - wrongs - 1, 0) + strength * (1 - common))
        all_of = np.log(np.maximum(counts - 1, 0) + strength)
        return float(wrongs @ errors + (counts - wrongs) @ correct - counts @ all_of)

    strength = max(STRENGTHS.tolist(), key=likelihood)
    return np.asarray((wrongs + strength * common) / (counts + strength))


def mistake_shares(probabilities: Float64, given: Booleans, doubts: Float64) -> Float64:
    """Return the distribution of the errors of each true label over the given labels.

    doubts: (m,), the probability of each document to have a wrong label. The shape of the result is
    (k, k): rows are given labels and columns are true labels. Columns sum to 1 unless there is only
    one label.
    """
    k = given.shape[1]
    labels, likeliest = given.argmax(axis=1), np.where(given, -1.0, probabilities).argmax(axis=1)
    counts = np.zeros((k, k))
    np.add.at(counts, (labels, likeliest), doubts)
    sums, equal = counts.sum(axis=0), (1 - np.eye(k)) / max(k - 1, 1)
    rest = np.maximum(counts[labels, likeliest] - doubts, 0)
    rest_of_all = np.maximum(sums[likeliest] - doubts, 0)

    def likelihood(mix: float) -> float:
        shares = (rest + mix / max(k - 1, 1)) / (rest_of_all + mix)
        # a sum of products instead of a dot product, for which BLAS would wake its threads
        return float((doubts * np.log(shares)).sum())

    mix = max(MIXES.tolist(), key=likelihood)
    return np.asarray((counts + mix * equal) / (sums + mix))


def _verdicts_on_several(probabilities: Float64, given: Booleans) -> Verdicts:
    """The documents may have several labels.

    The odds of a superfluous label are (1 - p) added / (p (1 - left_out)), and those of a missing
    label are p left_out / ((1 - p) (1 - added)); see `label_noise`. The maximum over the labels is
    used for each kind, and multiplied by how frequent the number of labels after the change is,
    divided by how frequent the one before it is; see `_of_sizes`. Both errors together mean that a
    label was replaced by another, which leaves the number of labels as it is. As many rows are
    flagged as have sure changes. If a row has none, or if it would have no labels after them while
    all documents have some, the suggestion is the change with the greatest odds.
    """
    left_out, added = label_noise(probabilities, given)
    logits = np.log(np.maximum(probabilities, TINY)) - np.log(np.maximum(1 - probabilities, TINY))
    too_many = np.log(added) - np.log(1 - left_out) - logits
    too_few = np.log(left_out) - np.log(1 - added) + logits
    fewer, same, more = _of_sizes(probabilities, given)
    changes = np.where(given, too_many, too_few)
    many = np.where(given, changes, -np.inf).max(axis=1)
    few = np.where(given, -np.inf, changes).max(axis=1)
    both = np.where(np.isinf(many) | np.isinf(few), -np.inf, many + few)
    # a document's only label is replaced rather than removed
    without = np.where(given.sum(axis=1) == 1, few, fewer - same)
    resized = np.where(given, without[:, None], (more - same)[:, None])
    odds = np.logaddexp(np.logaddexp(many + fewer - same, few + more - same), both)
    sure = _sure_changes(probabilities, given)
    flagged = np.zeros(len(given), bool)
    flagged[np.argsort(-odds, kind="stable")[: np.count_nonzero(sure.any(axis=1))]] = True
    bare = ~(given ^ sure).any(axis=1) if given.any(axis=1).all() else np.zeros(len(given), bool)
    unsure = np.asarray(bare | ~sure.any(axis=1))
    likeliest = likeliest_change(changes + resized, given, True)
    suggested = given ^ np.where(unsure[:, None], likeliest, sure)
    return Verdicts(odds, suggested, flagged)


def _of_sizes(probabilities: Float64, given: Booleans) -> tuple[Float64, Float64, Float64]:
    """Return how frequent numbers of labels are, compared with those of independent labels.

    The results are logs of shape (m,): for one label less than each document has, for as many, and
    for one more. If labels were independent, their number would have the Poisson binomial
    distribution of the probabilities of the document; the mean of these over at most SIZED
    documents is compared. One is added to all counts.
    """
    sizes = given.sum(axis=1)
    most = min(int(sizes.max()) + 1, SIZES)
    counts = np.bincount(sizes, minlength=most + 1)[: most + 1]
    some = probabilities[:: -(-len(sizes) // SIZED)]
    independent = np.zeros((len(some), most + 1))
    independent[:, 0] = 1
    for p in some.T[:, :, None]:
        independent[:, 1:] = independent[:, 1:] * (1 - p) + independent[:, :-1] * p
        independent[:, :1] *= 1 - p
    logs = np.log1p(counts) - np.log1p(independent.mean(axis=0) * len(sizes))
    fewer, same, more = (logs[np.clip(sizes + n, 0, most)] for n in (-1, 0, 1))
    return fewer, same, more


def _sure_changes(probabilities: Float64, given: Booleans) -> Booleans:
    """Return which labels to add or to remove for sure, shape (m, k).

    A label is added if its probability is above one half, because labels with low probabilities
    have low thresholds, and reaches the mean over the documents that have the label. It is removed
    if the probability of its absence is above one half and reaches the mean over those without it.
    """
    added = (
        ~given & (probabilities >= class_thresholds(probabilities, given)) & (probabilities > 0.5)
    )
    taken = (
        given
        & (1 - probabilities >= class_thresholds(1 - probabilities, ~given))
        & (probabilities < 0.5)
    )
    return np.asarray(added | taken)


def label_noise(probabilities: Float64, given: Booleans) -> tuple[float, Float64]:
    """Return how often labels are left out although correct, and given although wrong.

    The first is one rate for all labels, the ratio of the total probabilities of missing labels and
    of all labels, because the ratios of single labels mostly tell how hard these are to predict.
    The second, shape (k,), is proportional to the smoothed frequency of each label.
    """
    left_out = (np.where(given, 0, probabilities).sum() + 0.5) / (probabilities.sum() + 1)
    added = ADDED * (given.sum(axis=0) + 0.5) / (len(given) + 1)
    return float(min(left_out, 1 - 1e-9)), np.asarray(added)


def class_thresholds(probabilities: Float64, given: Booleans) -> Float64:
    """Return the mean probability of each label over the documents that have it, shape (k,).

    The value is 1 for labels that no document has.
    """
    sums = np.where(given, probabilities, 0).sum(axis=0)
    return np.where(given.any(axis=0), sums / np.maximum(given.sum(axis=0), 1), 1.0)
