"""Small models for the tests of this room, and how two of them are compared."""

import numpy as np

from boostext.boosting.rules import Rule
from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.model.model import History, Model, Provenance
from boostext.settings import BoostingSettings, DataSettings, TextSettings

LABELS = ("a, b", 'q"uote\t', "é:\u0e17\U0001f600", "\ud800 alone", "")


def rule(condition, unknown, no, yes, alpha=1.0):
    return Rule(condition, np.array([unknown, no, yes], float), alpha)


def mixed_model():
    """Every kind of condition, labels and settings that are hard to write, one term twice."""
    silent = [0.0] * 5
    votes = [0.1, -1 / 3, 1e-300, -0.5, 2.0]
    free = Occurs("text", ("free",))
    rules = (
        rule(free, silent, [-0.1, 0.25, -0.3, 0.0, 1.0], votes),
        rule(Occurs("subject", ("person", None, "?"), 3), silent, silent, votes, 0.25),
        rule(AtLeast("age", 0.1), [0.5, 0, 0, 0, 0], [0.2, 0, 0, 0, 0], votes),
        rule(Equals("color", "ré\nd"), silent, [-1, 1, -1, 1, -1], votes),
        rule(free, silent, [0.1, 0.2, 0.3, 0.4, 0.5], [-0.5, 0.5, -0.5, 0.5, 0.7]),
    )
    return Model(
        labels=LABELS,
        multilabel=True,
        rules=rules,
        data=DataSettings(text=("text", "subject"), attribute=("age", "color")),
        text=TextSettings(ngrams=(1, 3), expert="sparse", counts=(1, 3), stop_words=("the",)),
        boosting=BoostingSettings(rounds=5, smoothing=0.125, abstain=True),
        history=History((0.1, 0.2, 0.3, 0.4, 0.5), (0.9, 0.8, 1 / 3, 0.6, 0.5)),
        provenance=Provenance(
            version="0.1.0", documents=7, digest="ab" * 32, command="train C:\\x"
        ),
        thresholds=(0.0, -0.25, 1 / 3, 5.0, 0.0),
    )


def text_model(rounds=2, labels=("ham", "spam")):
    """Terms only, one label an example."""
    k = len(labels)
    rng = np.random.default_rng(rounds)
    rules = tuple(
        rule(Occurs("text", (f"w{t % 7}",)), [0.0] * k, rng.normal(size=k), rng.normal(size=k))
        for t in range(rounds)
    )
    return Model(labels=labels, multilabel=False, rules=rules)


def same(one, other):
    """Equal to the last bit."""

    def plain(model):
        rules = [(r.condition, r.votes.tolist(), r.alpha) for r in model.rules]
        return {**vars(model), "rules": rules}

    return plain(one) == plain(other)
