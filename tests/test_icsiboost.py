"""Learning as icsiboost 0.3c learned: recorded logs and models, and UCI Adult as a whole."""

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from boostext.boosting.rounds import Booster
from boostext.corpus.readers import read_documents
from boostext.corpus.schema import read_schema
from boostext.features.conditions import AtLeast
from boostext.library.config import read_config
from boostext.model.predict import Predictor
from boostext.model.shyp import ICSIBOOST_TEXT, names_text, pack, read_shyp, shyp_text
from boostext.settings import ALL_GROUPS, DataSettings
from boostext.training.columns import described
from boostext.training.plan import Plan
from boostext.training.run import learn, prepare

CONFIG = Path(__file__).parents[1] / "configs" / "icsiboost.yaml"

TAGS = {
    "single.w1": {"rounds": 15},
    "single.w2": {"rounds": 15, "ngrams": (1, 2)},
    "single.s3": {"rounds": 15, "ngrams": (1, 3), "expert": "icsi-sparse"},
    "single.f2": {"rounds": 15, "ngrams": (1, 2), "expert": "full"},
    "single.abst": {"rounds": 15, "abstain": True},
    "multi.w2": {"rounds": 15, "ngrams": (1, 2)},
    "multi.packed": {"rounds": 40},
    "adult.std": {"rounds": 30},
}
"""recorded run -> its options, as ours"""


def plan_of(engine="plain", **options):
    values = {**read_config(CONFIG, ALL_GROUPS), **options}
    return Plan.of(**values, engine=engine, threads=1)


@cache
def learned(path, **options):
    plan = plan_of(**options)
    documents = read_documents([str(path)], plan.data)
    return learn(prepare(documents, described([str(path)], plan)))


@pytest.fixture(scope="module")
def icsiboost(golden_dir):
    """Reads what was recorded of a run: folder, model, and the log as columns by name."""

    def read(tag):
        folder = golden_dir / "icsiboost"
        schema = read_schema(str(folder / f"{tag.split('.')[0]}.names"), DataSettings())
        options = {k: v for k, v in TAGS.get(tag, {}).items() if k in ("ngrams", "expert")}
        model = read_shyp(str(folder / f"{tag}.shyp"), schema, replace(ICSIBOOST_TEXT, **options))
        lines = (folder / f"{tag}.train.txt").read_text("utf-8").replace("=", " ").splitlines()
        rows = [line.split() for line in lines]
        log = {
            name: [float(row[place]) for row in rows]
            for name, place in {"wh-err": 3, "th-err": 5, "test": 9, "train": 11}.items()
        }
        return folder, model, log

    return read


@pytest.fixture(params=["incremental", "plain"])
def engine(request):
    return request.param


@pytest.mark.parametrize("tag", TAGS)
def test_rules_are_those_of_icsiboost(icsiboost, tag, engine):
    folder, theirs, log = icsiboost(tag)
    trained = learned(folder / f"{tag.split('.')[0]}.data", engine=engine, **TAGS[tag])
    rules = pack(trained.model.rules) if tag == "multi.packed" else trained.model.rules
    assert [rule.condition for rule in rules] == [rule.condition for rule in theirs.rules]
    for ours, recorded in zip(rules, theirs.rules, strict=True):
        votes = recorded.votes / recorded.alpha
        assert ours.votes / ours.alpha == pytest.approx(votes, abs=0.51e-10)  # ten digits
    criterion = 1 - np.array(trained.model.history.gain)
    assert criterion == pytest.approx(np.array(log["wh-err"]), abs=0.51e-6)  # six digits
    assert np.cumprod(criterion) == pytest.approx(np.array(log["th-err"]), abs=0.51e-6)


@pytest.mark.parametrize("tag", TAGS)
def test_errors_after_every_round_are_those_of_icsiboost(icsiboost, tag):
    folder, _, log = icsiboost(tag)
    stem = tag.split(".")[0]
    model = learned(folder / f"{stem}.data", engine="plain", **TAGS[tag]).model
    for name, part in (("train", "data"), ("test", "test")):
        assert error_curve(model, folder / f"{stem}.{part}") == pytest.approx(
            log[name], abs=0.51e-6
        )


def test_errors_of_recorded_rules_are_those_of_their_log(icsiboost):
    folder, model, log = icsiboost("adult.nounk")
    for name, part in (("train", "data"), ("test", "test")):
        assert error_curve(model, folder / f"adult.{part}") == pytest.approx(log[name], abs=0.51e-6)


def error_curve(model, path):
    """After each rule: the share of examples in error, as icsiboost counts them.

    One label: the first of greatest score is wrong; several: any label on the wrong side of 0.
    """
    documents = list(read_documents([str(path)], model.data))
    gold = np.array([[label in d.labels for label in model.labels] for d in documents])
    scores = np.zeros(gold.shape)
    curve = []
    for rule in model.rules:
        one = replace(model, rules=(rule,))
        scores = scores + Predictor(one).batch_scores(documents)
        if model.multilabel:
            wrong = ((scores > 0) != gold).any(axis=1)
        else:
            wrong = ~gold[np.arange(len(gold)), scores.argmax(axis=1)]
        curve.append(wrong.mean())
    return curve


@pytest.fixture(scope="module")
def abstaining(icsiboost):
    """The run with --no-unknown-stump: what was recorded, and a maker of our boosters."""
    folder, theirs, log = icsiboost("adult.nounk")
    path = str(folder / "adult.data")
    plan = plan_of(unknown="abstains", rounds=30)
    prepared = prepare(read_documents([path], plan.data), described([path], plan))

    def booster(engine="plain"):
        return Booster(
            prepared.features,
            prepared.corpus.label_sets,
            2,
            prepared.weights,
            prepared.plan.boosting,
            engine,
        )

    return theirs.rules, log, prepared.corpus.label_sets, booster


def test_rules_of_icsiboost_where_unknown_abstains_have_its_votes(abstaining, engine):
    recorded, log, _, made = abstaining
    booster = made(engine)
    rounds, gains = booster.rounds(replay=recorded, foreign=True), []
    for theirs in recorded:
        growth = booster._state.grown(booster.members.numbers[theirs.condition])
        # ten digits, and weights by the earlier rules with theirs
        assert booster._rule(booster._settled(growth.rules[0])).votes == pytest.approx(
            theirs.votes, abs=5e-10
        )
        gains.append(next(rounds).gain)
    criterion = 1 - np.array(gains)
    assert criterion == pytest.approx(np.array(log["wh-err"]), abs=0.51e-6)
    assert np.cumprod(criterion) == pytest.approx(np.array(log["th-err"]), abs=0.51e-6)


def test_where_unknown_abstains_icsiboost_loses_only_thresholds_to_rounding(abstaining):
    """It takes the root of a running difference of weights, without asking whether it is below 0.

    So it passes by chance over a threshold above which a label has no weight: in 6 of 30 rounds.
    Ours finds it there, and is better by the criterion; everywhere else it chooses the same.
    """
    recorded, _, label_sets, booster = abstaining
    passed_over = []
    for number in range(1, len(recorded) + 1):
        ours = booster()
        rounds = ours.rounds(replay=recorded[: number - 1], foreign=True)
        made = next(itertools.islice(rounds, number - 1, None))
        if made.rule.condition == recorded[number - 1].condition:
            continue
        passed_over.append(number)
        condition = ours.members.numbers[made.rule.condition]
        above = {tuple(label_sets[int(i)]) for i in ours.members.yes(condition)}
        assert isinstance(made.rule.condition, AtLeast)
        assert len(above) == 1  # all of one label: the other has no weight there
    assert passed_over == [14, 15, 16, 18, 19, 25]


def test_uci_adult_as_a_whole(data_dir):
    """icsiboost 0.3c on the whole of UCI Adult, 100 rounds: 13.56 % of the test set in error."""
    folder = data_dir / "adult" / "original"
    model = learned(folder / "adult.data", engine="auto").model
    documents = list(read_documents([str(folder / "adult.test")], model.data))
    scores = Predictor(model).batch_scores(documents)
    right = [
        model.labels[best] in document.labels
        for best, document in zip(scores.argmax(axis=1), documents, strict=True)
    ]
    assert len(right) == 16281
    assert round(100 * (1 - np.mean(right)), 2) == 13.56


def test_a_model_learned_here_goes_out_and_comes_back(icsiboost, tmp_path):
    folder, _, _ = icsiboost("multi.w2")
    model = learned(folder / "multi.data", **TAGS["multi.w2"]).model
    (tmp_path / "m.names").write_text(names_text(model), "utf-8")
    (tmp_path / "m.shyp").write_text(shyp_text(model), "utf-8")
    schema = read_schema(str(tmp_path / "m.names"), DataSettings())
    again = read_shyp(str(tmp_path / "m.shyp"), schema)
    assert shyp_text(again) == shyp_text(model)
    documents = list(read_documents([str(folder / "multi.test")], model.data))
    ours, theirs = (
        np.array([f for _, f in Predictor(m).scores(documents)]) for m in (model, again)
    )
    assert theirs == pytest.approx(ours, abs=15 * 0.51e-10)  # ten digits in each of 15 rules
