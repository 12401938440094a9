"""Determine whether documents have one label or several, and the weights of the examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boostext.arrays import Float64, Int64
from boostext.corpus.corpus import Corpus
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.fields import label_factor
from boostext.settings import BoostingSettings


def label_counts(corpus: Corpus) -> Int64:
    """(m,): number of labels of each example."""
    return np.diff(corpus.label_sets.starts)


def is_multilabel(corpus: Corpus, settings: BoostingSettings) -> bool:
    """Whether any example has no label or several, unless the setting `task` determines it.

    Raises DataError at the first such example if `task` is single.
    """
    others = np.flatnonzero(label_counts(corpus) != 1)
    if settings.task == "single" and len(others):
        first = int(others[0])
        names = [corpus.labels[j] for j in corpus.label_sets[first]]
        origin = corpus.origins[first]
        raise DataError(
            origin.path,
            origin.line,
            f"{len(names)} labels ({', '.join(names) or 'none'}) although task is single; "
            "expected one label, or train with --task multi",
        )
    return settings.task == "multi" or (settings.task == "auto" and len(others) > 0)


def example_weights(corpus: Corpus, settings: BoostingSettings) -> Float64:
    """(m,): the given weights times the class weight of the example's labels (mean of several).

    balanced: the class weight is m / (k * weight of the label's examples), so that the examples of
    all labels have the same total weight. Raises BoostextError if all weights are 0.
    """
    factors = _factors(corpus, settings.class_weight)
    counts = label_counts(corpus)
    sums = np.zeros(len(corpus))
    examples = np.repeat(np.arange(len(corpus)), counts)
    np.add.at(sums, examples, factors[corpus.label_sets.items])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), 1.0)
    weights: Float64 = corpus.weights * means
    if not (weights > 0).any():
        raise BoostextError(
            "every document has weight 0; give a positive weight to some, or choose another "
            "--weight or --class-weight"
        )
    return weights


def _factors(corpus: Corpus, given: Sequence[str]) -> Float64:
    """(k,): the class weight of each label."""
    factors = np.ones(len(corpus.labels))
    if "balanced" in given:
        return _balanced(corpus)
    number = {label: j for j, label in enumerate(corpus.labels)}
    for label, factor in map(label_factor, given):
        if label not in number:
            raise SettingsError(
                f"class-weight names the label {label!r}, which no document has; "
                f"labels are {', '.join(map(repr, corpus.labels[:10]))}"
            )
        factors[number[label]] = factor
    return factors


def _balanced(corpus: Corpus) -> Float64:
    totals = np.zeros(len(corpus.labels))
    weights = np.repeat(corpus.weights, label_counts(corpus))
    np.add.at(totals, corpus.label_sets.items, weights)
    with np.errstate(divide="ignore"):
        return np.where(totals > 0, totals.sum() / (len(totals) * totals), 0.0)
