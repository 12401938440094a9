"""Small models for the tests of this room, and how two of them are compared."""

from dataclasses import replace

import numpy as np

from boostext.boosting.rules import Rule
from boostext.features.conditions import (
    NO,
    UNKNOWN,
    YES,
    Always,
    AtLeast,
    Equals,
    Literal,
    Occurs,
)
from boostext.knowledge.knowledge import Forbidden, Knowledge, KnowledgeRule, OneSided, When
from boostext.model.calibration import Isotonic, Sigmoid
from boostext.model.json_form import model_to_plain
from boostext.model.model import History, Model, Provenance
from boostext.model.prior import Prior
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


def rich_model():
    """What mixed_model has not: preconditions, rounds of several rules, curves and knowledge."""
    silent, votes = [0.0] * 3, [0.5, -1 / 3, 0.25]
    own, color = Occurs("text", ("own",)), Equals("color", "red")
    before = (Literal(own, NO), Literal(color, UNKNOWN), Literal(Always(), YES))
    rules = (
        rule(Always(), silent, silent, votes),
        rule(own, silent, [-0.1, 0.1, 1e-9], votes, 0.5),
        replace(rule(AtLeast("age", 30.5), votes, silent, votes), precondition=before),
    )
    knowledge = Knowledge(
        labels=(("a", 0.5), ("b", None)),
        rules=(
            KnowledgeRule(When(("own", "bill it"), ("my",), ("not",)), (("a", 0.9), ("c", 0.0))),
            KnowledgeRule(When(("router",)), (("b", 1.0),), When(none=("lamp",))),
        ),
        forbid=(Forbidden("word"), Forbidden("the", ("a", "b"))),
        only=(OneSided("refund", "a", 1), OneSided("thanks", "c", -1)),
    )
    old = text_model(labels=("a", "b", "c"))
    return Model(
        labels=("a", "b", "c"),
        multilabel=False,
        rules=rules,
        data=DataSettings(delimiter=";", endings=(".csv", "-"), attribute=("age", "color")),
        text=TextSettings(per_field=("subject:ngrams=1-2",)),
        boosting=BoostingSettings(algorithm="mh", learner="adtree", rounds=2),
        history=History((0.5, 0.25), (0.75, 1 / 3)),
        provenance=Provenance(version="0.1.0", documents=9, tokens=30, corrected=2, edited=True),
        calibration=(
            Sigmoid(2.0, -0.5, 1.5),
            Isotonic((-1.5, 0.25), (0.0, 0.9), 2.0),
            Sigmoid(0, 0),
        ),
        round_sizes=(1, 2),
        prior=Prior(knowledge, 2.5, old, 7, "cd" * 32, 0.5, True),
    )


def coded_model():
    """Votes for the columns of an output code."""
    votes = [0.5, -0.25]
    return Model(
        labels=("a", "b", "c"),
        multilabel=False,
        rules=(rule(Occurs("text", ("own",)), [0.0] * 2, [-0.5, 0.125], votes),),
        boosting=BoostingSettings(algorithm="mo", decoding="hamming"),
        code=("+-", "-+", "--"),
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


def whole(model):
    """The model as plain data without its settings, whose defaults may change."""
    plain = model_to_plain(model)
    for part in filter(None, (plain, plain.get("prior", {}).get("old"))):
        del part["settings"], part["version"], part["writer"]
    return plain


def same(one, other):
    """Equal to the last bit."""

    def plain(model):
        rules = [(r.condition, r.votes.tolist(), r.alpha) for r in model.rules]
        return {**vars(model), "rules": rules}

    return plain(one) == plain(other)
