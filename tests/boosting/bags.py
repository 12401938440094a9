"""Small corpora for tests of boosting, as FeatureMatrix, made without the text rooms."""

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Lists
from boostext.features.conditions import Equals, Occurs
from boostext.features.matrix import FeatureMatrix, NumericColumn


class Names:
    def __init__(self, conditions):
        self.conditions = conditions

    def __len__(self):
        return len(self.conditions)

    def __getitem__(self, j):
        return self.conditions[j]

    def aliases(self, j):
        return ()


@dataclass(frozen=True)
class Bag:
    features: FeatureMatrix
    label_sets: Lists
    labels: tuple[str, ...]
    weights: Float64


def features_of(documents, numeric=(), categories=()):
    """documents: sets of words. numeric: (name, values). categories: (name, values or None)."""
    words = sorted(set().union(*documents)) if documents else []
    conditions = [Occurs("text", (word,)) for word in words]
    lists = [[i for i, d in enumerate(documents) if word in d] for word in words]
    unknown_list, unknown = [-1] * len(words), []
    for name, values in categories:
        unknown.append([i for i, v in enumerate(values) if v is None])
        for value in sorted({v for v in values if v is not None}):
            conditions.append(Equals(name, value))
            lists.append([i for i, v in enumerate(values) if v == value])
            unknown_list.append(len(unknown) - 1)
    columns = tuple(NumericColumn.of(n, np.asarray(v, float)) for n, v in numeric)
    return FeatureMatrix(
        len(documents),
        Names(conditions),
        Lists.of(lists),
        np.asarray(unknown_list, np.int32),
        Lists.of(unknown),
        columns,
    )


def bag(records, numeric=(), categories=(), weights=None):
    """records: (text, labels); tokens are the words between spaces, as in the golden corpora."""
    documents = [set(text.split()) for text, _ in records]
    labels = tuple(sorted({label for _, given in records for label in given}))
    sets = Lists.of([[labels.index(label) for label in given] for _, given in records])
    w = np.ones(len(records)) if weights is None else np.asarray(weights, float)
    return Bag(features_of(documents, numeric, categories), sets, labels, w)
