"""Missing values: silent, or with votes of their own; missing categories: unknown, or none."""

import numpy as np
import pytest

from boostext.boosting.engines.choose import ENGINES
from boostext.boosting.rounds import Booster
from boostext.compiled import notice
from boostext.features.conditions import LOWEST, NO, UNKNOWN, YES, AtLeast, Equals, spell
from boostext.settings import BoostingSettings
from tests.boosting.bags import bag

NAN = float("nan")
# four examples of A lack the number, one of A and three of B have it
RECORDS = [("", ["A"])] * 5 + [("", ["B"])] * 3
ALIKE = [NAN, NAN, NAN, NAN, 1.0, 1.0, 1.0, 1.0]
DIFFERENT = [NAN, NAN, NAN, NAN, 1.0, 1.0, 2.0, 3.0]


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    if request.param != "plain" and notice():
        pytest.skip(notice())
    return request.param


def first_rule(engine, numbers, **options):
    settings = BoostingSettings(rounds=1, smoothing=0.01, **options)
    corpus = bag(RECORDS, numeric=[("age", numbers)])
    booster = Booster(corpus.features, corpus.label_sets, 2, corpus.weights, settings, engine)
    (made,) = booster.rounds()
    return made.rule, booster


def test_a_missing_number_has_votes_of_its_own_on_request(engine):
    rule, booster = first_rule(engine, ALIKE, unknown="votes")
    assert rule.condition == AtLeast("age", LOWEST)
    assert spell(rule.condition) == "age is known"
    # D1 = 1/16; of the unknown 4 are A: +A 4/16, -A 0; of the known one is A, three are B
    assert rule.votes[UNKNOWN] == pytest.approx(half_log([0.25, 0], [0, 0.25]))
    assert rule.votes[NO] == pytest.approx([0, 0])
    assert rule.votes[YES] == pytest.approx(half_log([1 / 16, 3 / 16], [3 / 16, 1 / 16]))
    assert booster.scores()[0] == pytest.approx(rule.votes[UNKNOWN])


def half_log(pos, neg):
    return 0.5 * np.log((np.array(pos) + 0.01) / (np.array(neg) + 0.01))


def test_a_missing_number_is_silent_otherwise(engine):
    rule, booster = first_rule(engine, DIFFERENT)
    assert rule.condition == AtLeast("age", 1.5)
    assert rule.votes[UNKNOWN].tolist() == [0, 0]
    assert booster.scores()[0].tolist() == [0, 0]


@pytest.mark.parametrize("unknown", ["votes", "abstains"])
def test_a_missing_category_votes_as_absent_where_it_is_no_unknown(engine, unknown):
    colors = ["red", "red", None, "blue", "blue", "blue", None, "blue"]
    corpus = bag(RECORDS, categories=[("color", colors)])
    settings = BoostingSettings(rounds=1, smoothing=0.01, unknown=unknown, unknown_categories=False)
    booster = Booster(corpus.features, corpus.label_sets, 2, corpus.weights, settings, engine)
    (made,) = booster.rounds()
    assert made.rule.condition == Equals("color", "red")
    assert made.rule.votes[UNKNOWN].tolist() == made.rule.votes[NO].tolist()
    # absent in three of A and three of B, the missing among them
    assert made.rule.votes[NO] == pytest.approx(half_log([3 / 16, 3 / 16], [3 / 16, 3 / 16]))
    assert booster.scores()[2] == pytest.approx(made.rule.votes[NO])
