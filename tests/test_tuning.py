"""Choosing settings on the training data: what is tried, what wins, and continuing from a file."""

import json
import math
import tracemalloc
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from boostext.arrays import Lists
from boostext.corpus.documents import Document
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.evaluation.folds import make_folds
from boostext.evaluation.gold import Gold, gold_of
from boostext.evaluation.measures import Monitor
from boostext.evaluation.thresholds import common_threshold
from boostext.presets import AXES, PRESETS, Search, grid
from boostext.training.choosing import candidates
from boostext.training.courses import (
    MOST_BEFORE_LAST,
    Course,
    Mark,
    best_of,
    is_marked,
    joined,
    losses_of,
    split,
)
from boostext.training.plan import Plan
from boostext.training.run import prepare, train
from boostext.training.trial_log import Trial, TrialLog, begins_trials, pack
from boostext.training.tuning import (
    LEAST_COST,
    Heat,
    Hooks,
    Intent,
    _Tuning,
    expected_gain,
    tune,
)
from boostext.training.tuning_parts import same_texts
from tests.training_data import documents

SUGGESTED = {"abstain": True, "reuse": 0.5, "shrinkage": 0.25, "ngrams": (1, 2)}
SMALL = Search(
    ({"rarity": 0.0}, {"rarity": 1.0}, {"abstain": True, "prior_rule": True}, {"ngrams": (1, 2)}),
    (10, 40),
)


def plan(**values):
    return Plan.of(threads=1, **values)


def settings_of(tuned):
    return [outcome.candidate.settings for outcome in tuned.outcomes]


# Presets and candidates ----------------------------------------------------------------------


def test_every_preset_and_a_thousand_points_of_the_grid_are_plans():
    """So many points have every pair of values of two axes many times."""
    for preset in PRESETS.values():
        base = plan(**preset.settings)
        for several in (False, True):
            trials = preset.search.trials_for(several, SUGGESTED) if preset.search else ()
            assert len(list(candidates(base, trials))) == len(trials)
    points = np.prod([len(axis) for axis in AXES.values()])
    first = len(PRESETS["accurate"].search.trials_for(True))
    assert sum(1 for _ in grid(0, multilabel=True)) == first + 2 * points
    drawn = islice(grid(0, multilabel=True), first, first + 1000)
    assert len(list(candidates(plan(), drawn))) == 1000
    assert len(list(grid(0, multilabel=False))) == points + len(PRESETS["accurate"].search.trials)


def test_changes_of_what_the_data_suggests_are_tried_before_the_trials_for_all_data():
    search = Search(({"rarity": 1.0},), (10,), around=({"shrinkage": 0.5},))
    found = search.trials_for(False, SUGGESTED)
    assert found == (SUGGESTED, {**SUGGESTED, "shrinkage": 0.5}, {"rarity": 1.0})
    assert search.trials_for(False) == ({"shrinkage": 0.5}, {"rarity": 1.0}), "nothing is open"
    tried = settings_of(tune(documents(), plan(letters=0).opened(None, {"letters"}), search))
    assert sum("--shrinkage 0.5" in settings and "--abstain" in settings for settings in tried) == 1


def test_the_grid_begins_with_the_trials_of_accurate_and_ends_in_the_order_of_the_seed():
    first, again, other = list(grid(0, False)), list(grid(0, False)), list(grid(1, False))
    begin = list(PRESETS["accurate"].search.trials)
    assert first == again
    assert first[: len(begin)] == begin
    assert first != other


def test_what_is_given_is_not_tried():
    base = plan(rarity=0.25)
    found = list(candidates(base, SMALL.trials, given={"rarity"}))
    assert {c.plan.boosting.rarity for c in found} == {0.25}
    assert len(found) == 3, "two trials that differ in rarity alone are one"


def test_trials_that_do_not_go_with_the_plan_are_passed_over():
    found = list(candidates(plan(algorithm="mr"), SMALL.trials))
    assert len(found) == 3
    with pytest.raises(SettingsError, match="mr does not go with --abstain"):
        list(candidates(plan(algorithm="mr"), SMALL.trials[2:3]))


# Thresholds ----------------------------------------------------------------------------------


def test_the_common_threshold_has_the_greatest_micro_f1_of_all():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 4)).round(1)
    gold = gold_of("abcd", [[c for c in "abcdz" if rng.random() < 0.3] for _ in range(40)])
    threshold, value = common_threshold(scores, gold)
    every = [
        Monitor("micro-f1", gold, True, threshold=float(t)).value(scores)
        for t in np.arange(-4, 4, 0.05) + 0.02
    ]
    assert value == pytest.approx(max(every))
    found = Monitor("micro-f1", gold, True, threshold=threshold).value(scores)
    assert found == pytest.approx(value)


def test_without_a_label_given_there_is_no_threshold_to_find():
    threshold, value = common_threshold(np.ones((2, 1)), gold_of("a", [[], []]))
    assert threshold == 0
    assert np.isnan(value)


# Courses -------------------------------------------------------------------------------------


def parts_of(docs, **values):
    prepared = prepare(docs, plan(**values))
    return split(prepared, make_folds(prepared.corpus.label_sets, 3, 0), 0)


def test_a_course_measures_what_training_without_the_fold_would():
    docs = documents()
    part = parts_of(docs, abstain=True, prior_rule=True)
    course = Course(part, part.prepared.plan.boosting)
    list(course.go_on(30))
    held = set(part.held.tolist())
    learned = [d for i, d in enumerate(docs) if i not in held]
    tested = [d for i, d in enumerate(docs) if i in held]
    whole = train(learned, plan(abstain=True, prior_rule=True, rounds=30), tested)
    curve = dict(whole.best.curve)
    assert [(m.round, pytest.approx(m.value)) for m in course.marks] == [
        (m.round, curve[m.round]) for m in course.marks
    ]
    assert course.marks[-1].terms == len({r.condition for r in whole.rounds if r.condition >= 0})


def test_a_course_taken_further_is_the_course_that_ran_through():
    part = parts_of(documents())
    settings = replace(part.prepared.plan.boosting, rarity=1.0, reuse=0.5)
    stepwise, through = Course(part, settings), Course(part, settings)
    list(stepwise.go_on(16))
    list(stepwise.go_on(64))
    list(through.go_on(64))
    assert stepwise.marks == through.marks
    assert stepwise.done == 64


def test_a_course_ends_where_told_and_where_the_best_is_far_behind():
    part = parts_of(documents())
    course = Course(part, part.prepared.plan.boosting)
    next(mark for mark in course.go_on(100) if mark.round >= 20)
    assert course.done == 20
    list(course.go_on(100_000))
    assert course.ended
    best = max(m.round for m in course.marks if m.value == min(m.value for m in course.marks))
    assert course.done <= max(2 * 1.5 * best, 500) * 1.2


def test_marks_are_each_eighth_from_power_to_power():
    assert [n for n in range(1, 65) if is_marked(n)] == [
        *range(1, 17),
        *range(18, 33, 2),
        *range(36, 65, 4),
    ]


def test_marks_of_folds_are_joined_by_what_they_hold_out():
    first = [Mark(1, 1, 0.5), Mark(2, 2, 0.4)]
    second = [Mark(1, 1, 0.2)]  # this fold ended
    found = list(joined([first, second], [30, 10]))
    assert [(m.round, m.terms, pytest.approx(m.value)) for m in found] == [
        (1, 1, (3 * 0.5 + 0.2) / 4),
        (2, 2, (3 * 0.4 + 0.2) / 4),
    ]
    assert list(joined([first, []], [30, 10])) == []


def test_the_best_round_is_that_of_the_best_neighbourhood():
    values = {8: 0.5, 9: 0.1, 10: 0.5, 11: 0.5, 20: 0.3, 22: 0.2, 24: 0.3, 26: math.nan, 48: 0.3}
    marks = [Mark(number, 1, value, number) for number, value in values.items()]
    best = best_of(marks, loss=lambda value: value)
    assert (best.round, best.value) == (20, 0.3), "0.1 after 9 rounds is due to chance"
    assert best.threshold == (20 + 22 + 24) / 3
    assert best_of(marks, loss=lambda value: -value).round == 8
    assert best_of(marks[7:8], loss=lambda value: value) is None


def test_errors_count_by_how_wrong_they_are():
    gold = Gold(("a", "b"), 2, Lists.of([[0], [0], [1], [0], [0]]))
    scores = np.array([[9.0, 0], [0, 9], [1, 1], [0.1, 0], [0, 0.1]])
    losses = losses_of(scores, gold, "error", 0.0)
    assert losses[:3].tolist() == [0, 1, 0.5]
    assert 0 < losses[3] < 0.5 < losses[4] < 1
    assert np.array_equal(losses_of(5 * scores, gold, "error", 0.0), losses)
    several = losses_of(scores, gold, "micro-f1", 0.5)
    assert several.mean(dtype=float) == pytest.approx(1 - 2 * 2 / (5 + 4), abs=1e-3)


# Tuning --------------------------------------------------------------------------------------


def test_the_best_trial_wins_with_its_rounds():
    found = tune(documents(), plan(), SMALL)
    best = found.outcomes[0]
    losses = [outcome.losses.mean(dtype=float) for outcome in found.outcomes]
    assert losses == sorted(losses)
    assert len(found.outcomes) == 4
    assert best.best in best.marks
    assert found.plan.boosting.rounds == best.best.round
    assert not found.stopped


def test_the_default_wins_unless_another_trial_leads_clearly(monkeypatch):
    letters = {"analyzer": "char", "ngrams": (1, 4), "abstain": True, "prior_rule": True}
    plan = Plan().opened("accurate", ("ngrams",))  # words, by default
    first, second = tune(documents(), plan, Search((letters,), (40,))).outcomes
    gain = second.losses.mean(dtype=float) - first.losses.mean(dtype=float)
    assert first.candidate.plan.text.analyzer == "char"
    assert gain > 0
    monkeypatch.setattr("boostext.training.tuning.CLEARLY", 1000.0)
    first, second = tune(documents(), plan, Search((letters,), (40,))).outcomes
    assert first.candidate.plan.text.analyzer == "word"
    monkeypatch.setattr("boostext.training.tuning.CLEARLY", 0.0)
    monkeypatch.setattr(_Tuning, "_errs_less", lambda self, one, other: one is not other)
    first, second = tune(documents(), plan, Search((letters,), (40,))).outcomes
    assert first.candidate.plan.text.analyzer == "word", "the default makes fewer errors"


def test_numbers_of_every_trial_have_as_few_thresholds_as_by_default():
    numbered = [replace(d, attributes={"size": float(n)}) for n, d in enumerate(documents())]
    given = plan().opened("accurate", ()), SMALL
    for outcome in (found := tune(numbered, *given).outcomes):
        assert outcome.candidate.plan.boosting.bins == 255
    assert len(found) == 5
    (asked,) = {
        o.candidate.plan.boosting.bins for o in tune(numbered, plan(bins=9), SMALL).outcomes
    }
    assert asked == 9


def test_settings_of_terms_are_not_tried_on_data_without_texts():
    """They would be the same models once more."""
    rng = np.random.default_rng(0)
    values = [(int(label), rng.normal()) for label in rng.integers(0, 2, 60)]
    found = [
        Document(str(n), {}, (str(y),), attributes={"n": y + x}) for n, (y, x) in enumerate(values)
    ]
    search = replace(SMALL, trials=(*SMALL.trials, {"finish": 0.3}))
    tried = settings_of(tune(found, plan(), search))
    assert len(tried) == 3
    assert not any("--finish" in settings for settings in tried)
    assert not any("--ngrams" in settings for settings in tried)
    assert any("--ngrams" in settings for settings in settings_of(tune(documents(), plan(), SMALL)))


def test_a_trial_that_learns_all_votes_at_once_leaves_the_budget_of_longer_heats_to_others():
    (whole,) = tune(documents(), plan(), Search(({"algorithm": "parallel"},), (10,))).outcomes
    run = object.__new__(_Tuning)
    run.most, run.outcomes, run.parts = 1000, {}, SimpleNamespace(labels=3)
    costly = replace(whole, seconds=16.0)
    assert run._cost_of(costly, Heat(40, whole.folds)) == LEAST_COST
    assert run._cost_of(costly, Heat(40, 2 * whole.folds)) == 16.0


def test_a_trial_can_be_stopped_before_its_last_round():
    leading = []  # rounds that only lead to the last one, which are not measured

    def tell(status):
        if math.isnan(status.mark.value):
            leading.append(status.mark.round)

    search = Search(({"shrinkage": 0.5}, {"shrinkage": 0.08, "finish": 0.1}), (3,))
    whole = tune(documents(), plan(), search, hooks=Hooks(tell=tell))
    assert len(settings_of(whole)) == 2
    assert max(leading) > 50
    (finished,) = (o for o in whole.outcomes if o.candidate.plan.boosting.finish)
    assert finished.best.round < finished.plan().boosting.rounds == MOST_BEFORE_LAST
    leading.clear()
    hooks = Hooks(tell=tell, should_stop=lambda: bool(leading))
    assert settings_of(tune(documents(), plan(), search, hooks=hooks)) == ["--shrinkage 0.5"]
    assert set(leading) == {1}


def test_the_better_third_goes_on():
    found = tune(documents(), plan(), SMALL)
    assert sorted(outcome.last for outcome in found.outcomes) == [10, 10, 40, 40]


def test_the_best_trials_are_measured_on_further_folds_and_come_first(monkeypatch):
    monkeypatch.setattr("boostext.training.tuning_parts.HELD_OUT", 10)
    found = tune(documents(), plan(), SMALL).outcomes
    assert found[0].folds == 5
    assert [o.folds for o in found] == sorted((o.folds for o in found), reverse=True)
    assert {o.folds for o in found[2:]} == {1}
    monkeypatch.setattr("boostext.training.tuning_parts.SLOW", 100)
    monkeypatch.setattr("boostext.training.tuning_parts.ENOUGH", 10)
    assert {o.folds for o in tune(documents(), plan(), SMALL).outcomes} == {1}


def test_the_expected_gain_is_the_mean_of_what_may_be_better():
    draws = np.random.default_rng(0).normal(-0.3, 0.5, 200_000)
    assert expected_gain(0.3, 0.5) == pytest.approx(np.maximum(draws, 0).mean(), rel=0.02)
    assert (expected_gain(0.3, 0.0), expected_gain(-0.3, 0.0)) == (0.0, 0.3)


def test_a_search_may_have_other_trials_for_several_labels():
    search = Search(({},), (40,), several=({"algorithm": "mp"},))
    (several,) = tune(documents(several=True), plan(), search).outcomes
    assert several.candidate.settings == "--algorithm mp"
    assert several.last == round(40 / 3**0.5), "a round of one rule for each of three labels"
    assert settings_of(tune(documents(), plan(), search)) == ["(the papers' learner)"]


def test_shrunk_votes_get_as_many_more_rules():
    found = tune(documents(), plan(), Search(({"shrinkage": 0.25},), (10,)))
    assert found.outcomes[0].last == 40


def test_what_a_bracket_will_do_is_told_before_its_first_trial():
    heard = []
    found = tune(documents(), plan(), SMALL, hooks=Hooks(heard.append, heard.append))
    (intent,) = [told for told in heard if isinstance(told, Intent)]
    assert heard[0] is intent
    assert list(dict.fromkeys(heat.steps for heat in intent.heats)) == list(SMALL.steps)
    assert intent.trials == len(SMALL.trials) == len(found.outcomes)
    assert intent.heats[-1].folds == max(outcome.folds for outcome in found.outcomes)
    assert 0 < intent.seconds < 40


def test_documents_of_one_group_are_held_out_together():
    docs = [replace(d, attributes={"caller": str(n // 4)}) for n, d in enumerate(documents())]
    told = []
    tune(docs, plan(group="caller"), SMALL, hooks=Hooks(tell=told.append))
    by_place = tune(docs, plan(), SMALL)
    assert told
    assert all(
        "caller" not in status.settings or "--group caller" in status.settings for status in told
    )
    grouped = tune(docs, plan(group="caller"), SMALL)
    assert [o.marks for o in grouped.outcomes] != [o.marks for o in by_place.outcomes]


def test_documents_of_the_same_text_are_held_out_together():
    texts = ["Same, text!", "same text", "other", "often", *["often"] * 10, "other one"]
    docs = [replace(documents(1)[0], texts={"text": text}) for text in texts]
    assert same_texts(docs) == ["sametext", "sametext", *[None] * 13]
    rng = np.random.default_rng(0)
    told = [
        replace(d, texts={"text": f"only{n}"}, labels=(f"l{rng.integers(3)}",))
        for n, d in enumerate(documents(60))
        for _ in range(2)
    ]
    twice = [replace(d, labels=told[2 * (n // 2)].labels) for n, d in enumerate(told)]
    found = tune(twice, plan(), SMALL)
    assert found.outcomes[0].best.value > 0.3, "only who had seen a text could know its label"


def test_threads_change_nothing():
    one = tune(documents(), plan(), SMALL)
    two = tune(documents(), Plan.of(threads=2), SMALL)
    assert [(o.best, o.marks) for o in one.outcomes] == [(o.best, o.marks) for o in two.outcomes]


def test_several_labels_get_a_threshold():
    found = tune(documents(several=True), plan(), SMALL)
    assert found.measure == "micro-f1"
    assert found.plan.boosting.threshold != 0
    values = [outcome.best.value for outcome in found.outcomes]
    assert values == sorted(values, reverse=True)


def test_a_run_from_the_file_of_trials_learns_nothing_anew(tmp_path):
    trials = tmp_path / "trials"
    first = tune(documents(), plan(), SMALL, trials=trials)
    told = []
    again = tune(documents(), plan(), SMALL, trials=trials, hooks=Hooks(tell=told.append))
    assert told == []
    assert [(o.best, o.last) for o in again.outcomes] == [(o.best, o.last) for o in first.outcomes]


def test_a_broken_run_goes_on_to_the_same_result(tmp_path):
    whole = tune(documents(), plan(), SMALL)
    marks = iter(range(100_000))
    broken = tmp_path / "trials"
    stopped = tune(
        documents(), plan(), SMALL, trials=broken, hooks=Hooks(should_stop=lambda: next(marks) > 40)
    )
    assert stopped.stopped
    assert len(stopped.outcomes) < 4
    with broken.open("ab") as file:  # and the program died while it wrote a line
        file.write(b'{"settings": "--rar')
    resumed = tune(documents(), plan(), SMALL, trials=broken)
    assert [(o.best, o.marks, o.last) for o in resumed.outcomes] == [
        (o.best, o.marks, o.last) for o in whole.outcomes
    ]


def test_a_budget_decides_how_many_trials_there_are_and_nothing_else():
    whole = tune(documents(), plan(), SMALL)
    unlimited = {o.candidate.settings: o for o in whole.outcomes}
    short = [tune(documents(), Plan.of(threads=n), SMALL, budget=whole.seconds / 3) for n in (1, 2)]
    assert short[0].seconds < whole.seconds
    assert [(o.best, o.last) for o in short[0].outcomes] == [
        (o.best, o.last) for o in short[1].outcomes
    ]
    for outcome in short[0].outcomes:
        same = unlimited[outcome.candidate.settings].marks[: len(outcome.marks) - 1]
        assert outcome.marks[:-1] == same


def test_a_long_budget_goes_on_to_the_next_bracket():
    search = tune(documents(30), plan(rounds=8), given={"rounds"}, budget=0.3)
    assert search.stopped or search.outcomes[0].best.value == 0
    assert len(search.outcomes) > 12
    assert all(outcome.last <= 8 for outcome in search.outcomes)


def test_rounds_by_cross_validation_are_found_by_the_trials():
    found = tune(documents(30), plan(rounds="auto"), SMALL, given={"rounds"})
    assert found.plan.boosting.rounds > 0


def test_long_texts_get_no_letters_and_no_gaps_unless_asked_for(monkeypatch):
    wide = Search(({}, {"analyzer": "char"}, {"expert": "sparse", "ngrams": (1, 2)}), (5,))
    docs = documents(30)
    assert len(tune(docs, plan(), wide).outcomes) == 3
    monkeypatch.setattr("boostext.training.tuning_parts.LONG", 100)
    assert settings_of(tune(docs, plan(), wide)) == ["(the papers' learner)"]
    assert len(tune(docs, plan(analyzer="char"), wide, given={"analyzer"}).outcomes) == 1


def test_trials_without_terms_are_passed_over():
    docs = documents(30)
    found = tune(docs, plan(), Search(({"min_df": 1}, {"min_df": 1000}), (10,)))
    assert settings_of(found) == ["(the papers' learner)"]
    with pytest.raises(SettingsError, match="no terms are left"):
        tune(docs, plan(), Search(({"min_df": 1000},), (10,)))


def test_a_search_in_which_no_condition_helps_says_so():
    same = {"texts": {"text": "the same"}}
    docs = [replace(d, labels=("ab"[n % 2],), **same) for n, d in enumerate(documents(30))]
    with pytest.raises(BoostextError, match="because no condition helps; boostext check"):
        tune(docs, plan(), Search(({},), (10,)))


# The file of trials --------------------------------------------------------------------------


def test_trials_come_back_as_they_were_written(tmp_path):
    log = TrialLog.open(tmp_path / "t", {"data": "d"})
    marks = (Mark(1, 2, 0.1 + 0.2, -1.5), Mark(2, 3, float("nan")))
    losses = np.array([0.5, 0, 1], np.float16)
    trial = Trial("--rarity 1", 40, marks, 1.5, packed=pack(losses))
    log.add(trial)
    (found,) = TrialLog.open(tmp_path / "t", {"data": "d"}).trials.values()
    assert str(found) == str(trial)  # nan is not equal to itself
    assert found.losses.tolist() == losses.tolist()


def test_a_file_of_trials_is_readable_for_ever(tmp_path):
    """It was written once, and must never be written anew."""
    kept = Path(__file__).parent / "model" / "fixtures" / "trials.jsonl"
    path = tmp_path / "t"
    path.write_bytes(kept.read_bytes())
    first, second = TrialLog.open(path, {"data": "d", "version": "0.1.0"}).trials.values()
    marks = (Mark(20, 15, 0.25, 0.0), Mark(40, 30, 0.125, -0.5))
    assert (first.settings, first.last, first.marks) == ("--ngrams 1-2", 40, marks)
    assert (first.seconds, second.seconds) == (1.5, 0.5)
    assert (first.whole, first.folds, first.losses.tolist()) == (True, 2, [0.5, 0.25, 2.0])
    assert (second.settings, second.whole, second.losses.tolist()) == ("--min-df 2", False, [1.0])
    assert path.read_bytes() == kept.read_bytes()


def test_trials_with_more_losses_than_documents_are_refused_and_take_little_memory(tmp_path):
    """A line of 1 KB may unpack to a megabyte."""
    log = TrialLog.open(tmp_path / "t", {})
    for number in range(50):
        log.add(Trial(str(number), 40, (), 3.0, packed=pack(np.zeros(500_000, np.float16))))
    tracemalloc.start()
    assert len(TrialLog.open(tmp_path / "t", {}, 500_000).trials) == 50
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
    with pytest.raises(DataError, match="t:2: not a trial"):
        TrialLog.open(tmp_path / "t", {}, 499_999)


def test_a_trial_that_was_cut_off_is_made_again(tmp_path):
    log = TrialLog.open(tmp_path / "t", {})
    log.add(Trial("x", 40, (), 3.0, whole=False))
    assert log.get("x", 40) is None
    assert TrialLog.open(tmp_path / "t", {}).get("x", 40) is None


def test_trials_of_other_work_are_refused(tmp_path):
    TrialLog.open(tmp_path / "t", {"data": "one"})
    with pytest.raises(SettingsError, match="data: one -> two"):
        TrialLog.open(tmp_path / "t", {"data": "two"})


TRIALS = b'{"format": "boostext trials"}\n'


@pytest.mark.parametrize(
    "content",
    [
        b"hello\n",
        b"[1]\n",
        b'{"format": "else"}\n',
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        TRIALS + b'{"settings": "x"}\n',
        TRIALS + b'{"settings": "x", "last": 1e999, "marks": [], "seconds": 1}\n',
        TRIALS + b'{"settings": "x", "last": 1, "marks": [[1]], "seconds": 1}\n',
    ],
)
def test_what_is_no_file_of_trials_is_one_clear_error(tmp_path, content):
    place = tmp_path / "t"
    place.write_bytes(content)
    with pytest.raises(DataError, match="not a"):
        TrialLog.open(place, {})


def test_trials_are_whole_lines(tmp_path):
    tune(documents(30), plan(), SMALL, trials=tmp_path / "t")
    lines = (tmp_path / "t").read_text("utf-8").splitlines()
    assert json.loads(lines[0])["format"] == "boostext trials"
    assert len(lines) == 1 + 4 + 2, "a head, four trials, and two that went on"


@pytest.mark.parametrize("length", [1, 10, 30, 60])
def test_a_file_of_trials_that_is_cut_in_its_first_line_is_begun_anew(tmp_path, caplog, length):
    trials, work = tmp_path / "trials", {"data": "x" * 50}
    TrialLog.open(trials, work)
    whole = trials.read_bytes()
    assert begins_trials(whole[:length])
    trials.write_bytes(whole[:length])
    with caplog.at_level("INFO"):
        assert TrialLog.open(trials, work).trials == {}
    assert "starts again" in caplog.text
    assert trials.read_bytes() == whole


def test_another_file_is_not_taken_for_one_of_trials(tmp_path):
    (tmp_path / "notes").write_bytes(b"{my notes}")
    assert not begins_trials(b"{my notes}")
    with pytest.raises(DataError, match="not a line of trials"):
        TrialLog.open(tmp_path / "notes", {})
