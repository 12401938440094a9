"""The .shyp files of icsiboost 0.3c, recorded: read, scored, written."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.boosting.rules import Rule
from boostext.corpus.readers import read_documents
from boostext.corpus.schema import Column, Schema, read_schema, with_schema
from boostext.errors import ModelError, SettingsError
from boostext.features.conditions import LOWEST, NO, UNKNOWN, YES, AtLeast, Equals, Occurs
from boostext.model.file import read_model, write_model
from boostext.model.model import Model
from boostext.model.predict import Predictor
from boostext.model.shyp import (
    ICSIBOOST_TEXT,
    names_text,
    read_shyp,
    shyp_schema,
    shyp_text,
    split_term,
)
from boostext.settings import DataSettings, TextSettings

SCHEMA = Schema(
    ("LA", "LB"),
    (
        Column("text", "text"),
        Column("age", "continuous"),
        Column("color", "nominal", ("red", "blue")),
        Column("id", "ignore"),
    ),
)
PAIRS = replace(ICSIBOOST_TEXT, ngrams=(1, 2))

TAGS = {
    "single.w1": {},
    "single.w2": {"ngrams": (1, 2)},
    "single.s3": {"expert": "icsi-sparse", "ngrams": (1, 3)},
    "single.f2": {"expert": "full", "ngrams": (1, 2)},
    "single.abst": {},
    "multi.w2": {"ngrams": (1, 2)},
    "multi.packed": {},
    "adult.std": {},
    "adult.nounk": {},
}
"""recorded run -> what -N and -W were"""


def recorded(golden_dir, tag):
    folder = golden_dir / "icsiboost"
    schema = read_schema(str(folder / f"{tag.split('.')[0]}.names"), DataSettings())
    text = replace(ICSIBOOST_TEXT, **TAGS[tag])
    return folder, read_shyp(str(folder / f"{tag}.shyp"), schema, text)


@pytest.mark.parametrize("tag", TAGS)
def test_scores_are_those_that_icsiboost_printed(golden_dir, tmp_path, tag):
    folder, model = recorded(golden_dir, tag)
    write_model(model, tmp_path / "m.boostext")
    model = read_model(tmp_path / "m.boostext")
    documents = read_documents([str(folder / f"{tag.split('.')[0]}.test")], model.data)
    alphas = sum(rule.alpha for rule in model.rules)  # icsiboost divides by their sum
    ours = np.array([scores for _, scores in Predictor(model).scores(documents)]) / alphas
    theirs = np.loadtxt(folder / f"{tag}.scores.txt")[:, len(model.labels) :]
    assert np.abs(ours - theirs).max() < 1e-12  # twelve digits are printed


@pytest.mark.parametrize("tag", TAGS)
def test_what_is_read_is_written_the_same(golden_dir, tag):
    folder, model = recorded(golden_dir, tag)
    assert shyp_text(model) == (folder / f"{tag}.shyp").read_text("utf-8")


def test_rules_of_one_condition_are_packed_into_their_mean():
    vote = np.array([[0, 0], [1.0, -1.0], [0.5, 0.25]])
    condition = Occurs("text", ("bill",))
    model = model_of(Rule(condition, vote), Rule(condition, 3 * vote))
    (rule,) = read(shyp_text(model, packed=True)).rules
    assert rule.alpha == 2
    assert rule.votes == pytest.approx(4 * vote)
    assert "   2.000000000000 Text:SGRAM:text:bill\n\n2.0000000000 -2.0000000000 \n\n" in (
        shyp_text(model, packed=True)
    )


def test_a_threshold_below_all_values_is_the_least_double():
    votes = np.array([[1.0, 2.0], [0, 0], [3.0, 4.0]])
    text = shyp_text(model_of(Rule(AtLeast("age", LOWEST), votes)))
    assert text.endswith(f"\n\n-{(2**53 - 1) * 2**971}.0000000000\n\n\n")  # C prints -DBL_MAX so
    assert read(text).rules[0].condition == AtLeast("age", LOWEST)


def test_a_missing_category_votes_as_an_absent_one():
    text = "1\n\n 1.0 Text:SGRAM:color:1\n\n0.1 0.2 \n\n0.3 0.4 \n\n\n"
    (rule,) = read(text).rules
    assert rule.condition == Equals("color", "blue")
    assert rule.votes[UNKNOWN].tolist() == rule.votes[NO].tolist() == [0.1, 0.2]


@pytest.mark.parametrize(
    ("term", "window", "words"),
    [
        ("a#b", 2, ("a", "b")),
        ("a#b", 1, ("a#b",)),
        ("c#", 2, ("c#",)),
        ("#1", 2, ("#1",)),
        ("#", 2, ("#",)),
        ("a#b#c", 3, ("a", "b", "c")),
        ("c##1", 2, ("c#", "1")),
        ("a#b#c", 2, ("a", "b#c")),
    ],
)
def test_words_of_a_term_are_told_apart(term, window, words):
    assert split_term(term, TextSettings(ngrams=(1, window))) == words


# What is no .shyp --------------------------------------------------------------------------------

WHOLE = (
    "2\n\n   1.0 Text:SGRAM:text:a#b\n\n0.1 0.2 \n\n0.3 0.4 \n\n\n"
    "   1.0 Text:THRESHOLD:age:\n\n0 0 \n\n1 1 \n\n2 2 \n\n3.5\n\n\n"
)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(text):
    with open("m.shyp", "wb") as file:  # noqa: PTH123
        file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_shyp("m.shyp", SCHEMA, PAIRS)


def test_line_ends_and_spaces_make_no_difference():
    for text in (WHOLE, WHOLE.replace("\n", "\r\n"), WHOLE.replace("\n\n", "\n"), WHOLE.rstrip()):
        assert [rule.condition for rule in read(text).rules] == [
            Occurs("text", ("a", "b")),
            AtLeast("age", 3.5),
        ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "m.shyp: the file ends here; expected the number of rules"),
        ("{}", "m.shyp:1: '{}' is not a number of rules; expected a .shyp file"),
        ("-1\n", "is not a number of rules"),
        ("9" * 5000, "is not a number of rules"),
        (WHOLE[:20], "m.shyp:3: expected rule 1 of 2, as in"),
        (
            WHOLE[: WHOLE.index("0.3")],
            "m.shyp:6: the file ends here; expected votes where the term",
        ),
        (WHOLE[: WHOLE.index("   1.0 Text:T")], "m.shyp:9: the file ends here; expected rule 2"),
        (WHOLE.replace("0.3 0.4", "0.3"), "m.shyp:7: expected votes where the term is there: 2"),
        (WHOLE.replace("0.3", "nan"), "m.shyp:7: expected votes"),
        (WHOLE.replace("0.3", "1e999"), "m.shyp:7: expected votes"),
        (WHOLE.replace("   1.0", "   1e999", 1), "m.shyp:3: expected an alpha that is a finite"),
        (WHOLE.replace("   1.0", "   1e300", 1).replace("0.3", "1e300"), "not a finite number"),
        (WHOLE.replace("text:a#b", "words:a#b"), "m.shyp:3: the .names has no column 'words'"),
        (WHOLE.replace("text:a#b", "id:a"), "m.shyp:3: the .names has no column 'id' of type"),
        (WHOLE.replace("text:a#b", "color:2"), "'2' is not a place among the 2 values"),
        (WHOLE.replace("text:a#b", "color:red"), "'red' is not a place among"),
        (WHOLE.replace("text:a#b", "text:"), "the term is empty"),
        (WHOLE.replace("age:", "text:"), "no column 'text' of type continuous"),
        (WHOLE.replace("SGRAM", "XGRAM"), "m.shyp:3: expected rule 1 of 2"),
        (WHOLE.replace("2\n", "1\n", 1), "m.shyp:10: more follows after 1 rules"),
        (WHOLE.replace("2\n", "3\n", 1), "expected rule 3 of 3"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(text, says):
    with pytest.raises(ModelError) as error:
        read(text)
    assert says in str(error.value)
    assert str(error.value).startswith("m.shyp")


@given(st.integers(0, len(WHOLE)), st.binary(max_size=3))
def test_a_damaged_file_is_read_or_refused(place, bytes_put):
    content = WHOLE.encode()
    try:
        read(content[:place] + bytes_put + content[place + 1 :])
    except ModelError as error:
        assert "m.shyp" in str(error)  # noqa: PT017


# What a .shyp cannot hold ------------------------------------------------------------------------


def model_of(*rules, schema=SCHEMA, text=PAIRS):
    data = with_schema(DataSettings(), schema) if schema else DataSettings()
    return Model(("LA", "LB"), False, rules, data, text)


def rule(condition, unknown=0.0):
    votes = np.zeros((3, 2))
    votes[YES], votes[UNKNOWN] = 1.0, unknown
    return Rule(condition, votes)


@pytest.mark.parametrize(
    "condition",
    [
        Occurs("text", ("a", None, "b")),
        Occurs("text", ("a",), 2),
        Occurs("text", ("a#b",)),
        Occurs("text", ("a b",)),
        Occurs("other", ("a",)),
        Equals("color", "green"),
        Equals("age", "3"),
    ],
)
def test_a_condition_that_would_be_read_as_another_is_refused(condition):
    with pytest.raises(SettingsError, match="cannot hold the condition"):
        shyp_text(model_of(rule(condition)))


def test_a_vote_of_its_own_for_a_missing_category_is_refused():
    with pytest.raises(SettingsError, match=r"missing 'color'.*--no-unknown-categories"):
        shyp_text(model_of(rule(Equals("color", "red"), unknown=0.5)))


def test_attributes_need_the_names_of_a_stem():
    with pytest.raises(SettingsError, match="train on that"):
        names_text(model_of(rule(AtLeast("age", 3.0)), schema=None))


def test_a_model_of_texts_alone_has_the_names_it_needs(tmp_path):
    text = TextSettings(expert="icsi-sparse", ngrams=(1, 3))
    model = model_of(rule(Occurs("text", ("a", "b"))), schema=None, text=text)
    assert names_text(model) == ("LA, LB.\ntext: text: expert_type=sgram expert_length=3.\n")
    (tmp_path / "m.names").write_text(names_text(model), "utf-8")
    (tmp_path / "m.shyp").write_text(shyp_text(model), "utf-8")
    schema = read_schema("m.names", DataSettings())
    again = read_shyp("m.shyp", schema)
    assert again.text.of_field("text").expert == "icsi-sparse"
    assert again.rules[0].condition == model.rules[0].condition


def test_options_of_columns_stay_where_they_say_it_already():
    own = Column("text", "text", (), (("expert_length", "2"), ("cutoff", "3")))
    schema = Schema(("LA", "LB"), (own,))
    with open("m.shyp", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("0\n")
    assert shyp_schema(read_shyp("m.shyp", schema)) == schema
