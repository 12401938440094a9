"""Scores, labels, probabilities and explanations of documents."""

import dataclasses
import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, AtLeast, Equals, Occurs
from boostext.model.calibration import Isotonic, Sigmoid
from boostext.model.merged import Merged, merge_rules, merge_votes
from boostext.model.model import Model
from boostext.model.predict import (
    Predictor,
    contributions,
    decide,
    decisions,
    link_of,
    link_probabilities,
    probabilities,
    ranked_labels,
    strongest,
)
from boostext.settings import BoostingSettings, TextSettings
from tests.model.golden import CORPORA, RUNS, golden_model
from tests.model.models import LABELS, mixed_model, text_model


def document(text, number=0, **attributes):
    return Document(str(number), {"text": text}, attributes=attributes)


# Scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_scores_are_the_sums_of_votes_of_an_independent_program(golden_dir, corpus, run):
    model, documents, wanted = golden_model(golden_dir, corpus, run)
    found = [scores for _, scores in Predictor(model).scores(documents)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)  # golden: 12 decimals


def slow_score(model, blocks):
    """The definition: rule after rule, its vote for the block of its condition."""
    return sum((rule.votes[blocks[rule.condition]] for rule in model.rules), np.zeros(5))


def test_every_block_of_every_condition_counts():
    model = mixed_model()
    texts = {"text": "free free", "subject": "person or ? person x ? person y ?"}
    met = Document("1", texts, attributes={"age": 0.1, "color": "ré\nd"})
    other = Document("2", {"text": "nothing"}, attributes={"age": 0.0, "color": "blue"})
    missing = Document("3", {})
    free, at_least, equals = (
        Occurs("text", ("free",)),
        AtLeast("age", 0.1),
        Equals("color", "ré\nd"),
    )
    gap = model.rules[1].condition
    cases = [
        (met, {free: YES, at_least: YES, equals: YES, gap: NO}),
        (other, {free: NO, at_least: NO, equals: NO, gap: NO}),
        (missing, {free: NO, at_least: UNKNOWN, equals: UNKNOWN, gap: NO}),
    ]
    for case, blocks in cases:
        score = Predictor(model).score(case)
        np.testing.assert_allclose(score, slow_score(model, blocks), rtol=1e-14)


def test_an_empty_document_has_the_score_of_absence():
    model = text_model(20)
    wanted = sum(rule.votes[NO] for rule in model.rules)
    for empty in (document(""), Document("1", {})):
        np.testing.assert_allclose(Predictor(model).score(empty), wanted, rtol=1e-14)


def test_a_model_without_rules_scores_0():
    assert Predictor(text_model(0)).score(document("w1")).tolist() == [0.0, 0.0]


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_one_document_and_many_have_the_same_bits(data):
    c, k, m = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 9), st.integers(1, 6)))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    yes_delta, unknown_delta = rng.normal(size=(2, c, k)) * 10.0 ** rng.integers(-9, 9, (2, c, 1))
    merged = Merged(
        (), rng.normal(size=k), yes_delta, data.draw(st.sampled_from([None, unknown_delta]))
    )
    blocks = rng.integers(0, 3, (m, c))
    yes, unknown = (Lists.of(np.flatnonzero(row == b) for row in blocks) for b in (YES, UNKNOWN))
    many = merged.scores(yes, unknown)
    one = np.array([merged.score(yes[i], unknown[i]) for i in range(m)])
    assert many.tobytes() == one.tobytes()


def test_batches_of_any_size_give_the_same_documents_and_bits():
    model = text_model(60)
    documents = [document(" ".join(f"w{(i * j) % 9}" for j in range(i % 7)), i) for i in range(90)]
    predictor = Predictor(model)
    wanted = [predictor.score(d).tobytes() for d in documents]
    for batch in (1, 7, 512):
        found = list(predictor.scores(iter(documents), batch))
        assert [d for d, _ in found] == documents
        assert [scores.tobytes() for _, scores in found] == wanted


def endless(read):
    for number in itertools.count():
        read.append(number)
        yield document("w1", number)


def test_a_batch_of_one_answers_before_it_reads_on():
    read = []
    for _, number in zip(
        Predictor(text_model()).scores(endless(read), batch=1), range(5), strict=False
    ):
        assert len(read) == number + 1


def test_reading_ahead_is_bounded_by_number_and_by_text():
    read = []
    answers = Predictor(text_model()).scores(endless(read), batch=8)
    list(itertools.islice(answers, 100))
    assert len(read) <= 100 + 8
    long = (document("w1 " * 2_000_000, n) for n in read.append(0) or endless_numbers(read))
    answers = Predictor(text_model()).scores(long)
    read.clear()
    next(answers), next(answers)
    assert len(read) <= 2


def endless_numbers(read):
    for number in itertools.count():
        read.append(number)
        yield number


def test_one_document_needs_no_scipy():
    code = (
        "import sys, boostext\n"
        "assert 'numpy' not in sys.modules\n"
        "from tests.model.models import text_model\n"
        "from boostext.corpus.documents import Document\n"
        "boostext.Predictor(text_model()).score(Document('1', {'text': 'w1'}))\n"
        "assert 'scipy' not in sys.modules and 'numba' not in sys.modules\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr


words = st.sampled_from(["a", "b", "?", "日", "a b", "\ud800", "x" * 40])
terms = st.lists(words | st.none(), min_size=1, max_size=9).filter(lambda t: t[0] and t[-1])


@given(
    st.lists(st.builds(Occurs, st.just("text"), terms.map(tuple), st.integers(1, 3)), max_size=4),
    st.sampled_from(["word", "char"]),
    st.sampled_from(["ngram", "sparse", "full", "icsi-sparse"]),
    st.integers(1, 4),
    st.lists(words, max_size=6).map(" ".join),
)
@settings(max_examples=70, deadline=None)
@example([Occurs("text", ("a", "a"), 1)], "word", "icsi-sparse", 1, "a a")
def test_terms_that_no_training_makes_do_no_harm(conditions, analyzer, expert, high, text):
    """A file can hold any term beside any settings."""
    try:
        text_settings = TextSettings(analyzer=analyzer, expert=expert, ngrams=(1, high))
    except SettingsError:
        return
    rules = tuple(Rule(condition, np.eye(3)) for condition in conditions)
    model = Model(("a", "b", "c"), False, rules, text=text_settings)
    assert Predictor(model).score(document(text)).shape == (3,)


# Merging -------------------------------------------------------------------------------------


def test_rules_of_one_condition_become_one():
    merged = merge_votes(mixed_model())
    assert len(merged.conditions) == 4
    assert merged.conditions[0] == Occurs("text", ("free",))
    first, fifth = mixed_model().rules[0], mixed_model().rules[4]
    assert merged.votes[0].tolist() == (first.votes + fifth.votes).tolist()
    assert [merged.rounds[j].tolist() for j in range(4)] == [[1, 5], [2], [3], [4]]


def test_conditions_on_terms_need_no_unknown_votes():
    assert merge_rules(text_model()).unknown_delta is None
    assert merge_rules(mixed_model()).unknown_delta is not None


# Decisions -----------------------------------------------------------------------------------


def model_of(multilabel, thresholds=()):
    return Model(("a", "b", "c"), multilabel, (), thresholds=thresholds)


@pytest.mark.parametrize(
    ("scores", "model", "threshold", "labels"),
    [
        ([0.5, 2.0, 1.0], model_of(False), None, (1,)),
        ([-3.0, -1.0, -1.0], model_of(False), None, (1,)),  # a tie goes to the first
        ([0.0, 0.0, 0.0], model_of(False), None, (0,)),
        ([0.5, 2.0, 1.0], model_of(False), 1.5, (1,)),
        ([0.5, 2.0, 1.0], model_of(False), 2.0, ()),  # above, not at
        ([0.5, 0.0, 1.0], model_of(True), None, (0, 2)),
        ([-0.5, 0.0, -1.0], model_of(True), None, ()),
        ([0.5, 0.0, 1.0], model_of(True, (0.5, -1.0, 0.9)), None, (1, 2)),
        ([0.5, 0.0, 1.0], model_of(True, (0.5, -1.0, 0.9)), 0.0, (0, 2)),
    ],
)
def test_labels_are_decided(scores, model, threshold, labels):
    assert decide(np.array(scores), model, threshold) == labels


def calibrated_model(multilabel, *curves, thresholds=()):
    return Model(("a", "b", "c"), multilabel, (), calibration=curves, thresholds=thresholds)


HIGH, EVEN, LOW = Sigmoid(1.0, 2.0), Sigmoid(1.0, 0.0), Sigmoid(1.0, -2.0)
STEP = Isotonic((0.0,), (0.5,))


@pytest.mark.parametrize(
    ("scores", "model", "labels"),
    [
        # chances before they are divided by their sum: 1/(1 + exp(-3)), 1/2, 1/2
        ([1.0, 2.0, 0.0], calibrated_model(False, HIGH, LOW, EVEN), (0,)),
        ([1.0, 2.0, 0.0], calibrated_model(False, STEP, STEP, STEP), (1,)),  # a tie: by score
        ([1.0, 1.0, 0.0], calibrated_model(False, STEP, STEP, STEP), (0,)),
        ([-1.0, 1.0, 0.1], calibrated_model(True, HIGH, LOW, EVEN), (0, 2)),  # 0.73, 0.27, 0.52
        ([-1.0, 1.0, 0.1], calibrated_model(True, HIGH, LOW, EVEN, thresholds=(0, 0, 1)), (1,)),
    ],
)
def test_labels_go_by_chances_where_these_are_calibrated(scores, model, labels):
    scores = np.array(scores)
    assert decide(scores, model) == labels
    best = ranked_labels(scores[None, :], model)[0]
    ranked = probabilities(scores[None, :], model)[0][best]
    assert (np.diff(ranked) <= 0).all()
    if not model.multilabel:
        assert best[0] == labels[0]


def test_a_chance_may_be_the_threshold():
    model, scores = calibrated_model(True, HIGH, LOW, EVEN), np.array([[-1.0, 1.0, 0.1]])
    assert decisions(scores, model, probability=0.6).tolist() == [[True, False, False]]
    assert decisions(scores, model, probability=0.2).tolist() == [[True, True, True]]
    assert decisions(scores, model, 0.0, 0.6).tolist() == [[False, False, False]]
    plain = model_of(False)
    assert decisions(np.array([[0.0, 1.0, 0.5]]), plain, probability=0.9).tolist() == [
        [False, False, False]  # 1/(1 + exp(-2)) is 0.88
    ]


def test_probabilities_are_the_logistic_of_the_score_times_the_link():
    scores = np.array([-0.5, 0.0, 0.25, 3.0])
    for link in (1.0, 2.0):
        wanted = 1 / (1 + np.exp(-link * scores))
        np.testing.assert_allclose(link_probabilities(scores, link), wanted, rtol=1e-15)


def test_scores_that_are_shares_of_votes_have_no_probabilities():
    assert np.isnan(link_probabilities(np.array([0.0, 1.0]), 0.0)).all()


def test_the_link_is_that_of_the_loss():
    assert link_of(text_model()) == 2.0
    logistic = BoostingSettings(algorithm="logistic")
    assert link_of(dataclasses.replace(text_model(), boosting=logistic)) == 1.0


def test_probabilities_of_extreme_scores_keep_their_size():
    with np.errstate(all="raise", under="ignore"):
        found = link_probabilities(np.array([-300.0, -1e6, 1e6]), 2.0)
    assert found[0] == pytest.approx(np.exp(-600.0), rel=1e-12)
    assert found[1:].tolist() == [0.0, 1.0]


# Explanations --------------------------------------------------------------------------------


@pytest.mark.parametrize("corpus", CORPORA)
def test_contributions_add_up_to_the_score(golden_dir, corpus):
    model, documents, _ = golden_model(golden_dir, corpus, "mh-real")
    predictor = Predictor(model)
    for case in documents:
        rows = predictor.contributions(case)
        total = sum(row.votes for row in rows)
        np.testing.assert_allclose(total, predictor.score(case), rtol=0, atol=1e-12)


def test_contributions_say_what_was_found_and_in_which_rounds():
    rows = contributions(mixed_model(), Document("1", {"text": "free"}, attributes={"color": "x"}))
    assert [(row.condition, row.block, row.rounds) for row in rows] == [
        (Occurs("text", ("free",)), YES, (1, 5)),
        (AtLeast("age", 0.1), UNKNOWN, (3,)),
        (Equals("color", "ré\nd"), NO, (4,)),
    ]  # the second rule is silent where its term is absent


def test_the_loudest_are_those_of_the_greatest_votes_on_a_label():
    rows = contributions(mixed_model(), Document("1", {"text": "free"}, attributes={"color": "x"}))
    assert [row.rounds for row in strongest(rows, 0, 2)] == [(4,), (3,)]  # -1, 0.5, then -0.4
    assert [row.rounds for row in strongest(rows, LABELS.index(""), 9)] == [(1, 5), (4,)]
