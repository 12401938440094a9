"""Compare the given labels with those that the model decides, by label and by example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold, Sums, share


@dataclass(frozen=True, eq=False)
class Decided(Sums):
    """Counts over examples; a label that the model does not know is a miss (false negative).

    errors: examples whose decided label is not given or, with several labels, that have any wrong
    label. exact: examples whose decided and given labels are the same. labelled: examples with a
    given label; for top_wrong of them, the label with the highest score is not given.
    wrong, cells: (example, label) pairs, with all labels of the model and the example's unknown
    ones. If examples have one label, a pair is judged by the sign of its score, for which boosting
    has a bound. tp, fp, fn: (k,), per label; in 4 bytes, as there may be a million labels.
    strange: label that the model does not know -> number of examples with it; strange_examples:
    examples with any such label.
    """

    examples: int
    errors: int
    exact: int
    labelled: int
    top_wrong: int
    wrong: int
    cells: int
    tp: Int32
    fp: Int32
    fn: Int32
    strange: Counter[str]
    strange_examples: int


def decided(
    scores: Scores, gold: Gold, given: Booleans, multilabel: bool, signed: bool = True
) -> Decided:
    """Compute the counts for scores (m, k).

    given: (m, k), the labels that the model gives (see `model.predict.decisions`). signed: a score
    above 0 is evidence for its label; otherwise only the order of scores has a meaning.
    """
    m, k = scores.shape
    true = gold.matrix
    # the pairs are few of the m k, so counting with their places is faster than with sums
    right, extra, missed = (
        np.divmod(np.flatnonzero(pairs), max(k, 1))
        for pairs in (given & true, given & ~true, true & ~given)
    )
    tp, fp, fn = (
        np.bincount(labels, minlength=k).astype(np.int32) for _, labels in (right, extra, missed)
    )
    exact = gold.strange == 0
    exact[extra[0]] = exact[missed[0]] = False
    correct = exact.copy()
    if not multilabel:
        correct[right[0]] = True
    labelled = np.diff(gold.sets.starts) > 0
    top = true[np.arange(m), scores.argmax(1)]
    strange = int(gold.strange.sum())
    called = given if multilabel or not signed else scores > 0
    return Decided(
        examples=m,
        errors=m - int(np.count_nonzero(correct)),
        exact=int(np.count_nonzero(exact)),
        labelled=int(np.count_nonzero(labelled)),
        top_wrong=int(np.count_nonzero(labelled & ~top)),
        wrong=int(np.count_nonzero(called != true)) + strange,
        cells=m * k + strange,
        tp=tp,
        fp=fp,
        fn=fn,
        strange=_strange(gold),
        strange_examples=int(np.count_nonzero(gold.strange)),
    )


def _strange(gold: Gold) -> Counter[str]:
    counts = np.bincount(gold.sets.items, minlength=len(gold.labels))[gold.known :]
    pairs = zip(gold.labels[gold.known :], counts.tolist(), strict=True)
    return Counter({label: count for label, count in pairs if count})


def error(sums: Decided) -> float:
    return share(sums.errors, sums.examples)


def one_error(sums: Decided) -> float:
    """Share of labelled examples whose label with the highest score is not given. Source: BT00."""
    return share(sums.top_wrong, sums.labelled)


def hamming_loss(sums: Decided) -> float:
    """Share of wrong (example, label) pairs. Source: SS99 s7."""
    return share(sums.wrong, sums.cells)


def subset_accuracy(sums: Decided) -> float:
    return share(sums.exact, sums.examples)


def precision_recall(tp: Float64, fp: Float64, fn: Float64) -> tuple[Float64, Float64, Float64]:
    """tp/(tp+fp), tp/(tp+fn) and 2tp/(2tp+fp+fn); 0 for 0/0.

    Source: van Rijsbergen 1979.
    """
    precision, recall = tp / np.maximum(tp + fp, 1), tp / np.maximum(tp + fn, 1)
    return precision, recall, 2 * tp / np.maximum(2 * tp + fp + fn, 1)


def micro(sums: Decided) -> tuple[float, float, float]:
    """P, R, F1 over all labels together."""
    totals = [[a.sum()] for a in (sums.tp, sums.fp, sums.fn)]
    totals[2][0] += sums.strange.total()
    p, r, f = precision_recall(*np.array(totals, np.float64))
    return float(p[0]), float(r[0]), float(f[0])


def macro(sums: Decided) -> tuple[float, float, float]:
    """P, R, F1 of each label, averaged over the labels that are given or decided anywhere.

    Labels that the model does not know are included with 0.
    """
    seen = (sums.tp + sums.fp + sums.fn) > 0
    rates = precision_recall(*(a[seen].astype(np.float64) for a in (sums.tp, sums.fp, sums.fn)))
    count = int(seen.sum()) + len(sums.strange)
    p, r, f = (share(float(rate.sum()), count) for rate in rates)
    return p, r, f


# Confusions ----------------------------------------------------------------------------------

MOST_WRONG = 5
"""Maximum number of wrong labels per example, those with the highest scores, to bound time."""


def confusions(scores: Scores, gold: Gold, given: Booleans) -> Counter[tuple[str, str]]:
    """(missed label, wrong label) -> number of examples.

    A missed label is in the data but not decided by the model, and a wrong label is the opposite.
    For examples with one label these are the counts off the diagonal of the confusion matrix.
    Otherwise each missed label of an example is paired with each of its MOST_WRONG wrong labels
    with the highest scores. given: (m, k), the decided labels. O(m k).
    """
    counts: Counter[tuple[str, str]] = Counter()
    for _, pairs in confused(scores, gold, given):
        counts.update(_counted(pairs, gold))
    return counts


def confused(scores: Scores, gold: Gold, given: Booleans) -> Iterator[tuple[Int64, Int64]]:
    """(p,) examples and (p, 2) their missed and wrong labels, in several pieces."""
    owners, missed = _missed(gold, given)
    if not len(owners):
        return
    rows, place = np.unique(owners, return_inverse=True)
    masked = np.where(given[rows] & ~gold.matrix[rows], scores[rows], -np.inf)
    for _ in range(MOST_WRONG):
        wrong = masked.argmax(1)
        real = np.isfinite(masked[np.arange(len(rows)), wrong])
        if not real.any():
            break
        here = real[place]
        yield owners[here], np.stack([missed, wrong[place]], axis=1)[here]
        masked[np.arange(len(rows)), wrong] = -np.inf


def _missed(gold: Gold, given: Booleans) -> tuple[Int64, Int64]:
    """The examples and numbers of labels that are in the data but not decided."""
    items = gold.sets.items.astype(np.int64)
    decided = given[gold.owners, np.minimum(items, gold.known - 1)] & (items < gold.known)
    return gold.owners[~decided], items[~decided]


def _counted(pairs: Int64, gold: Gold) -> Counter[tuple[str, str]]:
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    names = gold.labels
    found = zip(distinct.tolist(), counts.tolist(), strict=True)
    return Counter({(names[a], names[b]): count for (a, b), count in found})
