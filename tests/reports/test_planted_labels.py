"""The whole way on the sample calls: labels planted wrong come up first."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from boostext.boosting.rounds import Booster
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.features.extract import extract
from boostext.model.model import Model
from boostext.model.predict import Predictor
from boostext.reports.doubts import doubt_rows
from boostext.reports.objections import with_objections
from boostext.reports.outliers import outlier_rows, tapered
from boostext.settings import BoostingSettings, TextSettings
from boostext.training.audit import audit
from boostext.training.members import condition_numbers, training_contributions, training_scores
from boostext.training.plan import Plan
from boostext.training.run import prepare

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
ROUNDS = 200
TEXT = TextSettings(ngrams=(1, 3), expert="sparse", min_df=3)


def calls():
    with (SAMPLE / "calls.train.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            yield Document(record["id"], {"text": record["text"]}, tuple(record["labels"]))


@pytest.fixture(scope="module")
def trained():
    """Corpus, booster, conditions by number, model of ROUNDS rounds of MH on sparse 3-grams."""
    builder = CorpusBuilder()
    features = extract(builder.watch(calls()), TEXT, ["text"])
    corpus = builder.corpus()
    settings = BoostingSettings(rounds=ROUNDS)
    labels = corpus.labels
    booster = Booster(features, corpus.label_sets, len(labels), corpus.weights, settings)
    rounds = list(booster.rounds())
    rules = tuple(made.rule for made in rounds)
    model = Model(labels, multilabel=True, rules=rules, text=TEXT, boosting=settings)
    return corpus, booster, condition_numbers(rounds), model


@pytest.fixture(scope="module")
def planted():
    with (SAMPLE / "planted.tsv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["right"] for row in csv.DictReader(file, delimiter="\t")}


def test_scores_from_the_lists_are_those_that_boosting_has(trained):
    _, booster, numbers, model = trained
    assert training_scores(booster.members, model, numbers) == pytest.approx(
        booster.scores(), abs=1e-9
    )


def test_contributions_from_the_lists_are_those_from_the_texts(trained):
    _, booster, numbers, model = trained
    examples = [0, 7, 1999]
    documents = list(calls())
    found = training_contributions(booster.members, model, numbers, examples)
    predictor = Predictor(model)
    for example, listed in zip(examples, found, strict=True):
        read = predictor.contributions(documents[example])
        assert [(row.condition, row.block, row.rounds) for row in listed] == [
            (row.condition, row.block, row.rounds) for row in read
        ]
        assert np.array([row.votes for row in listed]) == pytest.approx(
            np.array([row.votes for row in read])
        )


def test_most_planted_labels_are_among_twice_as_many_outliers(trained, planted):
    corpus, booster, numbers, model = trained
    model = tapered(model)
    scores = training_scores(booster.members, model, numbers)
    rows = outlier_rows(model, corpus, scores, top=2 * len(planted))
    found = [row for row in rows if row.id in planted]
    assert len(found) >= 20
    assert sum(planted[row.id] in row.suggested for row in found) >= 20


def test_the_objecting_terms_are_words_of_the_document(trained):
    corpus, booster, numbers, model = trained
    model = tapered(model)
    rows = outlier_rows(model, corpus, training_scores(booster.members, model, numbers), top=20)
    examples = [row.example for row in rows]
    spoken = training_contributions(booster.members, model, numbers, examples)
    texts = {document.id: document.texts["text"].lower() for document in calls()}
    for row in with_objections(rows, model, spoken):
        for objection in row.objections:
            words = [word for word in objection.term.split() if word != "?"]
            assert all(word in texts[row.id] for word in words)


def test_most_planted_labels_are_among_the_first_outliers_by_rules_learned_without_them(planted):
    plan = Plan.of(ngrams="1-3", expert="sparse", min_df=3)
    prepared = prepare(calls(), plan)
    found = audit(prepared)
    rows = doubt_rows(prepared.corpus, prepared.multilabel, found.scores, found.probabilities)
    assert sum(row.id in planted for row in rows[:50]) >= 25
