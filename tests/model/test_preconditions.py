"""Rules under preconditions: scored, explained, saved, listed; and what a hostile file may say."""

import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.errors import ModelError, SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, Always, AtLeast, Equals, Literal, Occurs
from boostext.model.file import read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import Model
from boostext.model.predict import BATCH_SCORES, Predictor
from boostext.model.shyp import shyp_text
from boostext.reports.outliers import tapered
from boostext.reports.rules import rule_rows
from boostext.reports.terms import term_rows
from boostext.reports.trees import dot, forest
from boostext.settings import BoostingSettings, DataSettings

CONDITIONS = (
    Occurs("text", ("a",)),
    Occurs("text", ("b",)),
    Occurs("text", ("c",)),
    AtLeast("age", 3.0),
    AtLeast("age", 5.0),
    Equals("color", "red"),
    Always(),
)
literals = st.builds(Literal, st.sampled_from(CONDITIONS[:-1]), st.sampled_from([UNKNOWN, NO, YES]))
votes = st.lists(
    st.lists(st.sampled_from([0.0, 0.5, -0.3, 1 / 3]), min_size=2, max_size=2),
    min_size=3,
    max_size=3,
)
rules = st.builds(
    lambda condition, given, before: Rule(condition, np.array(given), 1.0, tuple(before)),
    st.sampled_from(CONDITIONS),
    votes,
    st.lists(literals, max_size=3),
)
documents = st.builds(
    lambda words, age, color: Document(
        "d", {"text": " ".join(words)}, (), attributes={"age": age, "color": color}
    ),
    st.lists(st.sampled_from("abcx"), max_size=4),
    st.sampled_from([None, 1.0, 3.0, 4.0, 7.0]),
    st.sampled_from([None, "red", "blue"]),
)


def model_of(*given, sizes=(), unknown_categories=True):
    return Model(
        ("x", "y"),
        False,
        tuple(given),
        DataSettings(attribute=("age", "color")),
        boosting=BoostingSettings(unknown_categories=unknown_categories),
        round_sizes=sizes,
    )


def block_of(condition, document):
    """As the words of a condition say, one by one."""
    match condition:
        case Occurs(_, (word,)):
            return YES if word in document.texts["text"].split() else NO
        case AtLeast(column, threshold):
            value = document.attributes[column]
            return UNKNOWN if value is None else YES if value >= threshold else NO
        case Equals(column, category):
            value = document.attributes[column]
            return UNKNOWN if value is None else YES if value == category else NO
        case Always():
            return YES


def slow_score(model, document):
    score = np.zeros(2)
    for rule in model.rules:
        if all(block_of(c, document) == block for c, block in rule.precondition):
            score += rule.votes[block_of(rule.condition, document)]
    return score


@given(given_rules=st.lists(rules, min_size=1, max_size=8), given_documents=st.lists(documents))
def test_scores_and_explanations_are_those_of_the_rules_one_by_one(given_rules, given_documents):
    model = model_of(*given_rules)
    predictor = Predictor(model)
    batch = [scores for _, scores in predictor.scores(given_documents)]
    for document, scores in zip(given_documents, batch, strict=True):
        assert scores == pytest.approx(slow_score(model, document), abs=1e-12)
        assert (predictor.score(document) == scores).all()
        rows = predictor.contributions(document)
        said = np.sum([row.votes for row in rows], axis=0) if rows else np.zeros(2)
        assert said == pytest.approx(scores, abs=1e-12)


@given(given_rules=st.lists(rules, min_size=1, max_size=8))
def test_it_is_saved_and_read_to_the_last_bit(tmp_path_factory, given_rules):
    model = model_of(*given_rules)
    path = tmp_path_factory.mktemp("m") / "m.boostext"
    write_model(model, path)
    for again in (read_model(path), model_from_json(model_to_json(model))):
        for ours, theirs in zip(model.rules, again.rules, strict=True):
            assert (ours.condition, ours.precondition) == (theirs.condition, theirs.precondition)
            assert (ours.votes == theirs.votes).all()


def word(letter, block=YES):
    return Literal(Occurs("text", (letter,)), block)


def tree_model(**choices):
    """Rounds of two rules and of one."""
    vote = np.array([[0, 0], [0.5, -0.5], [1, -1.0]])
    return model_of(
        Rule(CONDITIONS[0], vote),
        Rule(CONDITIONS[1], vote, 1.0, (word("a", NO),)),
        Rule(CONDITIONS[3], vote, 1.0, (word("a"), word("b", NO))),
        sizes=(2, 1),
        **choices,
    )


def test_rounds_of_several_rules_are_kept(tmp_path):
    write_model(tree_model(), tmp_path / "m.boostext")
    again = read_model(tmp_path / "m.boostext")
    assert again.round_sizes == (2, 1)
    assert [row.number for row in rule_rows(again)] == [1, 1, 2]
    assert model_from_json(model_to_json(again)).round_sizes == (2, 1)


def test_rules_are_spelled_with_their_preconditions():
    spelled = [row.condition for row in rule_rows(tree_model())]
    assert spelled == ["a", "not a & b", "a & not b & age >= 3"]
    assert {row.term for row in term_rows(tree_model())} == {"a", "not a & b", "a & not b & age"}


def test_tapered_scores_fade_by_round_not_by_rule():
    """Of two rounds the first counts whole, the second half."""
    faded = tapered(tree_model())
    factors = [
        f.votes[YES, 0] / r.votes[YES, 0]
        for f, r in zip(faded.rules, tree_model().rules, strict=True)
    ]
    assert factors == [1.0, 1.0, 0.5]


def test_a_missing_category_that_counts_as_absent_meets_preconditions_of_absence():
    rule = Rule(
        Always(), np.array([[0, 0], [0, 0], [1.0, 0]]), 1.0, (Literal(Equals("color", "red"), NO),)
    )
    missing = Document("d", {"text": ""}, (), attributes={"color": None})
    assert Predictor(model_of(rule)).score(missing)[0] == 0
    assert Predictor(model_of(rule, unknown_categories=False)).score(missing)[0] == 1


def test_a_shyp_refuses_them():
    with pytest.raises(SettingsError, match="no conjunctions and no trees"):
        shyp_text(tree_model())


def rewritten(tmp_path, change):
    """The file of a model with its words changed."""
    write_model(tree_model(), tmp_path / "m.boostext")
    with zipfile.ZipFile(tmp_path / "m.boostext") as read:
        members = {name: read.read(name) for name in read.namelist()}
    words = json.loads(members["model.json"])
    change(words)
    members["model.json"] = json.dumps(words).encode()
    with zipfile.ZipFile(tmp_path / "bad.boostext", "w") as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name), content)
    return tmp_path / "bad.boostext"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("preconditions", [[], []]),
        ("preconditions", [[], [[99, "no"]], []]),
        ("preconditions", [[], [[0, "maybe"]], []]),
        ("preconditions", [[], [[True, "no"]], []]),
        ("preconditions", [[], [0], []]),
        ("preconditions", {}),
        ("round_sizes", [2, 2]),
        ("round_sizes", [3, 0]),
        ("round_sizes", [1.5, 1.5]),
        ("round_sizes", "3"),
    ],
)
def test_damaged_words_are_one_error(tmp_path, name, value):
    with pytest.raises(ModelError):
        read_model(rewritten(tmp_path, lambda words: words.update({name: value})))


# Deep ones -----------------------------------------------------------------------------------


def deep_model(depth):
    """Under a chain of preconditions that hold where none of `depth` words is there."""
    before = tuple(Literal(Occurs("text", (f"w{i}",)), NO) for i in range(depth))
    votes = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, -1.0]])
    return model_of(Rule(Occurs("text", ("a",)), votes, 1.0, before))


def test_a_rule_under_very_many_preconditions_is_scored_explained_and_drawn():
    model = deep_model(5000)
    predictor = Predictor(model)
    document, other = Document("d", {"text": "a"}), Document("e", {"text": "a w17"})
    assert predictor.score(document).tolist() == [1.0, -1.0]
    assert predictor.batch_scores([document, other]).tolist() == [[1.0, -1.0], [0.0, 0.0]]
    assert [row.votes.tolist() for row in predictor.contributions(document)] == [[1.0, -1.0]]
    assert len(forest(model)) == 1
    assert sum(1 for _ in dot(model, 1)) > 5000


def test_the_memory_of_deep_preconditions_grows_with_their_number_alone():
    def peak(depth):
        model = deep_model(depth)
        tracemalloc.start()
        Predictor(model).batch_scores([Document("d", {"text": "a"})])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(10)  # imports
    assert peak(8000) < 6 * peak(2000)


def test_very_many_labels_cost_their_number_alone():
    labels = tuple(f"l{i}" for i in range(100_000))
    silent = np.zeros((3, len(labels)))
    votes = silent.copy()
    votes[YES, 7] = 1.0
    model = Model(labels, False, (Rule(Occurs("text", ("a",)), votes),))
    documents = [Document(str(i), {"text": "a"}) for i in range(50)]
    found = [batch.scores for batch in Predictor(model).batches(documents)]
    assert sum(map(len, found)) == 50
    assert max(scores.size for scores in found) <= BATCH_SCORES
    assert all(scores[:, 7].all() for scores in found)
