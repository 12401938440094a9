"""Models and corpora built by hand for the tests of this room."""

import numpy as np

from boostext.arrays import Lists
from boostext.boosting.rules import Rule
from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Origin
from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.model.model import History, Model
from boostext.settings import DataSettings

HOSTILE = "a\tb\nc\rd\\e|f[bold red]g[/]\x1b[31mh\u202eend\ufeff"
"""Everything that could break a line, a field, a terminal or rich's markup."""


def rule(condition, no, yes, unknown=None):
    silent = [0.0] * len(no)
    return Rule(condition, np.array([silent if unknown is None else unknown, no, yes], float))


def term(*tokens, at_least=1, field="text"):
    return Occurs(field, tokens, at_least)


def model_of(*rules, labels=("Collect", "Rate"), multilabel=False, history=None, fields=("text",)):
    """A model of these rules; history: the z of each, gain 1 - z."""
    z = tuple(history or ())
    return Model(
        labels=labels,
        multilabel=multilabel,
        rules=rules,
        data=DataSettings(text=fields),
        history=History(tuple(1 - value for value in z), z),
    )


def calls_model():
    """Two labels; one term twice, a count, a gap, a category, a number that may be unknown."""
    return model_of(
        rule(term("collect"), [-0.5, 0.25], [2.0, -1.0]),
        rule(term("how", None, "is"), [-0.1, -0.1], [-1.0, 1.5]),
        rule(term("collect"), [0.0, 0.0], [0.5, -0.5]),
        rule(term("collect", at_least=3), [0.0, 0.0], [-1.0, 0.0]),
        rule(Equals("line", "office"), [0.1, 0.0], [0.0, 0.3]),
        rule(AtLeast("minutes", 2.5), [0.2, -0.2], [-0.2, 0.2], [0.05, 0.0]),
        history=(0.8, 0.5, 1.0, 0.5, 1.0, 1.0),
    )


def corpus_of(label_sets, labels, weights=None, ids=None, snippets=None):
    """m documents with these label numbers."""
    m = len(label_sets)
    return Corpus(
        ids=ids or [f"d{i}" for i in range(m)],
        origins=[Origin("calls.jsonl", i + 1) for i in range(m)],
        labels=tuple(labels),
        label_sets=Lists.of(label_sets),
        weights=np.array([1.0] * m if weights is None else weights),
        attributes={},
        snippets=snippets or [f"text {i}" for i in range(m)],
        digest="",
    )


def table(lines):
    """The rows of a TSV as lists of fields, the head included."""
    return [line.rstrip("\n").split("\t") for line in lines]
