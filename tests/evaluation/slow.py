"""Measures one example and one label at a time, straight from their definitions.

given: the set of label numbers of an example; numbers of k and above are labels that the model
does not know, which rank below all others and are never decided.
"""

import math


def ranking(scores):
    """Label numbers by falling score; equal scores in label order."""
    return sorted(range(len(scores)), key=lambda label: (-scores[label], label))


def one_error(scores, sets):
    labelled = [(f, y) for f, y in zip(scores, sets, strict=True) if y]
    return mean([ranking(f)[0] not in y for f, y in labelled])


def coverage(scores, sets):
    return mean([depth(f, y) for f, y in zip(scores, sets, strict=True) if y])


def depth(f, y):
    outside = [label for label in y if label >= len(f)]
    if outside:
        return len(f) + len(outside) - 1
    return max(ranking(f).index(label) for label in y)


def average_precision(scores, sets):
    return mean([precision_at_labels(f, y) for f, y in zip(scores, sets, strict=True) if y])


def precision_at_labels(f, y):
    places = sorted(ranking(f).index(label) + 1 for label in y if label < len(f))
    return sum(hits / place for hits, place in enumerate(places, 1)) / len(y)


def ranking_loss(scores, sets):
    losses = []
    for f, y in zip(scores, sets, strict=True):
        others = [label for label in range(len(f)) if label not in y]
        below = [math.inf if b >= len(f) else -f[b] for b in y]
        pairs = [(value, -f[other]) for value in below for other in others]
        if pairs:
            losses.append(mean([value >= other for value, other in pairs]))
    return mean(losses)


def hamming_loss(k, decided, sets):
    wrong = sum(len(set(d) ^ set(y)) for d, y in zip(decided, sets, strict=True))
    return wrong / sum(k + sum(label >= k for label in y) for y in sets)


def f1(label, decided, sets):
    pairs = list(zip(decided, sets, strict=True))
    tp = sum(label in d and label in y for d, y in pairs)
    wrong = sum((label in d) != (label in y) for d, y in pairs)
    return 2 * tp / (2 * tp + wrong) if tp or wrong else None


def macro_f1(decided, sets):
    labels = {label for given in (*decided, *sets) for label in given}
    return mean([f1(label, decided, sets) for label in sorted(labels)])


def log_loss(scores, sets):
    cells = [
        (v, label in y) for f, y in zip(scores, sets, strict=True) for label, v in enumerate(f)
    ]
    return mean([math.log1p(math.exp(-2 * v if true else 2 * v)) for v, true in cells])


def brier(scores, sets):
    cells = [
        (v, label in y) for f, y in zip(scores, sets, strict=True) for label, v in enumerate(f)
    ]
    return mean([(1 / (1 + math.exp(-2 * v)) - true) ** 2 for v, true in cells])


def mean(values):
    return sum(values) / len(values) if values else math.nan
