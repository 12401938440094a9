"""A model as JSON and back."""

import json

import pytest

from boostext.errors import ModelError
from boostext.model.json_form import model_from_json, model_to_json
from tests.model.models import mixed_model, same, text_model


@pytest.mark.parametrize("model", [mixed_model(), text_model(0), text_model(50, ("a", "b", "c"))])
def test_nothing_is_lost_either_way(model):
    content = model_to_json(model)
    assert same(model_from_json(content), model)
    assert model_to_json(model_from_json(content)) == content


def test_rules_are_readable():
    rule = json.loads(model_to_json(text_model()))["rules"][0]
    assert rule["condition"] == {"kind": "occurs", "field": "text", "term": ["w0"], "at_least": 1}
    assert rule["votes"] == {
        "no": text_model().rules[0].votes[1].tolist(),
        "yes": text_model().rules[0].votes[2].tolist(),
    }


def drop_yes(words):
    del words["rules"][0]["votes"]["yes"]


def other_kind(words):
    words["rules"][0]["condition"]["kind"] = "resembles"


def gap_at_the_end(words):
    words["rules"][1]["condition"]["term"].append(None)


WRONG = {
    "yes is missing": drop_yes,
    "expected occurs, equals, at_least": other_kind,
    "null for gaps between": gap_at_the_end,
    "expected 5": lambda words: words["rules"][0]["votes"]["yes"].pop(),
    "expected a number": lambda words: words["rules"][0].update(alpha="1"),
    "'maybe'": lambda words: words["rules"][0]["votes"].update(maybe=[]),
    "at least 0 times": lambda words: words["rules"][0]["condition"].update(at_least=0),
    "an object, which|expected an object": lambda words: words["rules"].append([]),
    "Upgrade boostext": lambda words: words.update(version=4),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_named(sentence):
    words = json.loads(model_to_json(mixed_model()))
    WRONG[sentence](words)
    with pytest.raises(ModelError, match=sentence):
        model_from_json(json.dumps(words).encode("utf-8"))
