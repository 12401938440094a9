"""Settings refuse what they cannot be, from Python as from anywhere."""

import contextlib
import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext import fields
from boostext.errors import SettingsError
from boostext.settings import (
    ALL_GROUPS,
    BoostingSettings,
    DataSettings,
    RunSettings,
    StopSettings,
    TextSettings,
)
from boostext.training.plan import Plan, command_line


@pytest.mark.parametrize(
    ("group", "values", "said"),
    [
        (DataSettings, {"text": "body"}, "text is 'body'; expected text, or a list of texts"),
        (DataSettings, {"text": (1,)}, "text is (1,); expected text, or a list of texts"),
        (DataSettings, {"skip_bad": 1}, "skip-bad is 1; expected true or false"),
        (DataSettings, {"format": "excel"}, "format is 'excel'; expected one of auto, jsonl"),
        (DataSettings, {"encoding": "utf-9"}, "encoding is 'utf-9', which is not known"),
        (TextSettings, {"ngrams": (2, 1)}, "ngrams is 2-1; the first must not be above the second"),
        (TextSettings, {"ngrams": (1,)}, "ngrams is (1,); expected a length like 2 or a range"),
        (TextSettings, {"ngrams": (0, 1)}, "ngrams is 0; it must be 1 or more"),
        (TextSettings, {"counts": (2, 1)}, "counts must rise"),
        (TextSettings, {"counts": (True,)}, "counts is (True,); expected whole numbers"),
        (TextSettings, {"max_df": 1.5}, "max-df is 1.5; a share must be 1.0 or less"),
        (TextSettings, {"token_pattern": "("}, "token-pattern is not a regular expression"),
        (TextSettings, {"stop_words": "the"}, "stop-words is 'the'; expected a file name, or a"),
        (BoostingSettings, {"rounds": 5.0}, "rounds is 5.0; expected a whole number"),
        (BoostingSettings, {"rounds": True}, "rounds is True; expected a whole number"),
        (BoostingSettings, {"rounds": "5"}, "rounds is '5'; expected a whole number"),
        (BoostingSettings, {"shrinkage": 0.0}, "shrinkage is 0.0; it must be above 0"),
        (BoostingSettings, {"shrinkage": float("nan")}, "shrinkage is not a number"),
        (BoostingSettings, {"shrinkage": 2}, "shrinkage is 2; it must be 1 or less"),
        (BoostingSettings, {"smoothing": "2/n"}, "smoothing is '2/n'; expected a number of 0"),
        (BoostingSettings, {"class_weight": ("a",)}, "class-weight is 'a'; expected LABEL=FACTOR"),
        (BoostingSettings, {"class_weight": ("balanced", "a=1")}, "either balanced or a list"),
        (StopSettings, {"valid_fraction": 0.95}, "valid-fraction is 0.95; it must be 0.9 or less"),
        (RunSettings, {"threads": -1}, "threads is -1; it must be 0 or more"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_with_what_it_can(group, values, said):
    with pytest.raises(SettingsError) as caught:
        group(**values)
    assert said in str(caught.value)


@pytest.mark.parametrize("group", ALL_GROUPS, ids=lambda group: group.__name__)
def test_settings_survive_plain_data(group):
    plain = json.loads(json.dumps(group().to_dict()))
    assert group.from_dict(plain) == group()


def test_plain_data_with_unknown_names_is_refused():
    with pytest.raises(SettingsError, match="unknown settings: rouds"):
        BoostingSettings.from_dict({"rouds": 5})


@pytest.mark.parametrize(
    ("given", "factor"),
    [("spam=2", ("spam", 2.0)), ("a=b=0.5", ("a=b", 0.5)), ("x y=.25", ("x y", 0.25))],
)
def test_a_class_weight_is_split_at_its_last_equals_sign(given, factor):
    assert fields.label_factor(given) == factor


def options():
    return [field for group in ALL_GROUPS for field in group.options()]


@pytest.mark.parametrize("field", options(), ids=fields.option_name)
def test_every_option_has_a_kind_and_its_default_is_one(field):
    fields.check_type(field, field.default)
    fields.check_value(field, field.default)


@given(st.text(max_size=12))
def test_any_text_is_read_into_range_or_refused_as_a_setting(text):
    for field in options():
        if fields.kind(field) == "word_file":
            continue
        with contextlib.suppress(SettingsError):
            value = fields.from_text(field, text)
            fields.check_type(field, (value,) if fields.kind(field) == "texts" else value)


@given(st.integers(0, 10**9), st.floats(0, 1))
def test_a_whole_number_counts_and_a_number_with_a_point_is_a_share(count, share):
    assert fields.frequency(str(count)) == count
    assert type(fields.frequency(str(count))) is int
    read = fields.frequency(repr(share))
    assert (read, type(read)) == (share, float)


def test_words_are_read_one_a_line_each_once(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeffthe\r\n\r\n  and \nthe\nжук".encode())
    assert fields.word_file(str(path)) == ("the", "and", "жук")


# Plans ---------------------------------------------------------------------------------------


def test_a_plan_sorts_settings_into_their_groups():
    plan = Plan.of(rounds=5, text=["subject", "body"], ngrams="1-2", threads=1, label="topic")
    assert plan.boosting.rounds == 5
    assert plan.data.text == ("subject", "body")
    assert plan.data.label == ("topic",)
    assert plan.text.ngrams == (1, 2)
    assert plan.threads == 1


def test_a_plan_tells_all_unknown_settings_each_with_the_nearest():
    with pytest.raises(SettingsError) as caught:
        Plan.of(rouds=5, ngram=2, schema=())
    assert "rouds, did you mean 'rounds'?" in str(caught.value)
    assert "ngram, did you mean 'ngrams'?" in str(caught.value)


def test_the_command_in_a_model_holds_what_changes_it_and_nothing_else():
    plan = Plan.of(
        rounds=5,
        ngrams="1-3",
        expert="sparse",
        lowercase=False,
        label=["a b", "c"],
        threads=4,
        engine="plain",
        checkpoint_every=1,
        valid=["/home/me/dev.jsonl"],
        counts="1,2",
    )
    assert command_line(plan) == (
        "boostext train --preset paper --label 'a b' --label c --ngrams 1-3 --expert sparse "
        "--counts 1,2 --no-lowercase --rounds 5"
    )


def test_plans_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Plan().boosting.rounds = 3


def test_smoothing_is_a_number_or_a_share_of_an_example_or_of_a_pair():
    values = {"0.5": 0.5, "1/m": 1 / 8, "0.2/m": 0.2 / 8, "ss99": 1 / 48, "bt00": 1 / 24}
    for text, value in values.items():
        read = Plan.of(smoothing=text).boosting
        assert read.smoothing_value(m=8, k=3) == pytest.approx(value)
        assert BoostingSettings.from_dict(read.to_dict()) == read
