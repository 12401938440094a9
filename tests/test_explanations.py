"""Explanations of documents of real corpora: their parts add up to the score."""

import math
import random
from dataclasses import replace

import pytest

from boostext.corpus.readers import read_documents
from boostext.features.lookup import ConditionLookup
from boostext.model.predict import Predictor
from boostext.reports.explanations import explanation_rows, places_in
from boostext.settings import BoostingSettings, DataSettings, TextSettings
from boostext.training.plan import Plan
from boostext.training.run import train

CORPORA = {
    "trec6": {"text": TextSettings(ngrams=(1, 2))},
    "truevoice-th": {"text": TextSettings(ngrams=(1, 3))},
    "reuters-r90": {"boosting": BoostingSettings(abstain=True)},
}
LEARNED, ASKED, ROUNDS = 1500, 250, 150


@pytest.fixture(scope="module", params=CORPORA)
def asked(request, data_dir):
    """A model of some documents, and ASKED other ones, chosen by lot."""
    path = data_dir / request.param / "train.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {request.param} here")
    documents = list(read_documents((str(path),), DataSettings()))
    random.Random(7).shuffle(documents)
    plan = Plan(**CORPORA[request.param])
    plan = replace(plan, boosting=replace(plan.boosting, rounds=ROUNDS))
    model = train(documents[:LEARNED], plan).model
    return model, documents[LEARNED : LEARNED + ASKED]


def test_what_is_found_and_what_is_not_add_up_to_the_score(asked):
    model, documents = asked
    predictor = Predictor(model)
    everyone = range(len(model.labels))
    assert len(documents) == ASKED
    for document, scores in predictor.scores(documents):
        rows = explanation_rows(predictor.contributions(document), model.labels, everyone, 5, 1, 5)
        for number, label in enumerate(model.labels):
            votes = math.fsum(row.votes for row in rows if row.label == label)
            assert abs(votes - scores[number]) <= 1e-12


def test_offsets_are_into_the_text_as_given(asked):
    model, documents = asked
    predictor = Predictor(model)
    lookup = ConditionLookup((), model.text, model.data.text)
    tokenizer = lookup.trees[model.data.text[0]].tokenizer
    for document in documents[:200]:
        places = places_in(document, lookup)
        for row in predictor.contributions(document):
            if row.block != 2 or row.precondition:
                continue
            spans = places(row)
            assert spans
            for field, start, end in spans:
                words = tokenizer.tokens(document.texts[field][start:end])
                assert set(words) <= {token for token in row.condition.term if token}
