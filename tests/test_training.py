"""From documents to a model: what is held out, when it stops, and that going on changes nothing."""

import dataclasses
import gzip
import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boostext
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.model.file import write_model
from boostext.model.predict import Predictor
from boostext.settings import BoostingSettings
from boostext.training import sizes
from boostext.training.examples import Holdout, example_weights, is_multilabel
from boostext.training.plan import Plan
from boostext.training.run import BEST_ROUND, Hooks, learn, prepare, train
from boostext.training.summary import remarks, summary, warnings
from boostext.training.validation import ValidationSet, is_measured

LABELS = ("bill", "move", "fault")


def document(number, text, labels, **more):
    return Document(f"d{number}", {"text": text}, labels, origin=Origin("x.jsonl", number), **more)


def noisy(count=90, seed=1, flips=0.15, several=False):
    """Documents of three labels, each with words of its own and words of all; some labels wrong."""
    draw = random.Random(seed)
    for number in range(count):
        label = LABELS[number % 3]
        words = [f"{label}{draw.randrange(6)}" for _ in range(3)]
        words += [f"w{draw.randrange(20)}" for _ in range(6)]
        draw.shuffle(words)
        if draw.random() < flips:
            label = draw.choice(LABELS)
        labels = (label, draw.choice(LABELS)) if several and number % 4 == 0 else (label,)
        attributes = {
            "minutes": draw.choice([None, float(draw.randrange(9) + number % 3)]),
            "region": draw.choice([None, "north", label]),
        }
        heard = {word: round(draw.random(), 1) for word in words[:2]}
        yield document(
            number + 1,
            " ".join(words),
            tuple(dict.fromkeys(labels)),
            attributes=attributes,
            scored={"heard": heard},
        )


def plan_of(**values):
    return Plan.of(**{"rounds": 30, "threads": 1, "checkpoint_every": 0, **values})


def bytes_of(model, tmp_path):
    path = tmp_path / "model.boostext"
    write_model(model, path)
    return path.read_bytes()


# Validation ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"ngrams": "1-3", "expert": "sparse", "abstain": True},
        {"counts": "1,2", "analyzer": "char", "ngrams": "2-3"},
        {"counts": "1,2", "ngrams": "1-2", "letters": 3},
        {"unknown": "votes"},
        {"unknown_categories": False},
        {"votes": "discrete", "term_fraction": 0.5},
    ],
    ids=str,
)
def test_validation_scores_are_those_of_prediction(values):
    plan = plan_of(**values)
    trained = train(noisy(several=True), plan)
    held = list(noisy(40, seed=2))
    found = ValidationSet(
        held, plan.text, plan.data.text, trained.model.labels, plan.boosting.unknown_categories
    )
    predicted = [scores for _, scores in Predictor(trained.model).scores(held)]
    assert found.sums_of(trained.model.rules) == pytest.approx(
        np.array(predicted), rel=1e-9, abs=1e-12
    )


def test_the_measure_is_taken_every_round_then_every_tenth():
    assert [n for n in range(1, 131) if is_measured(n)] == [*range(1, 101), 110, 120, 130]


def stopped_early(**values):
    plan = plan_of(**{"rounds": 150, **values})
    return train(noisy(60, flips=0.4), plan, noisy(60, seed=3, flips=0.4))


def test_the_model_is_cut_at_the_first_of_the_best_rounds():
    trained = stopped_early()
    best = min(value for _, value in trained.best.curve)
    first = next(number for number, value in trained.best.curve if value == best)
    assert len(trained.rounds) == 150
    assert len(trained.model.rules) == first < 150
    assert trained.model.provenance.stopped == BEST_ROUND
    assert trained.model.provenance.rounds_done == 150
    assert len(trained.model.history.z) == first


def test_a_greater_measure_is_better_where_it_is():
    trained = stopped_early(monitor="macro-f1")
    values = dict(trained.best.curve)
    assert values[len(trained.model.rules)] == max(values.values())


def test_patience_stops_so_many_rounds_after_the_best():
    trained = stopped_early(patience=20)
    best = len(trained.model.rules)
    assert len(trained.rounds) == best + 20
    assert trained.model.provenance.stopped == BEST_ROUND


def test_patience_without_validation_data_is_refused():
    with pytest.raises(SettingsError, match="patience needs validation data"):
        train(noisy(), plan_of(patience=5))


def test_validation_data_without_documents_is_refused():
    with pytest.raises(BoostextError, match="holds out none of so few"):
        train(noisy(), plan_of(), [])


def test_the_last_round_is_measured_too():
    trained = stopped_early(rounds=105)
    assert trained.best.curve[-1][0] == 105


# Holding out ---------------------------------------------------------------------------------


def split(documents, fraction, seed=0):
    holdout = Holdout(fraction, seed)
    return list(holdout.training(documents)), holdout.held


@given(
    labels=st.lists(st.sampled_from("aabbc"), min_size=1, max_size=80),
    fraction=st.floats(0, 0.9),
    seed=st.integers(0, 5),
)
def test_the_held_out_share_of_every_label_is_near_what_was_asked(labels, fraction, seed):
    documents = [document(n, "x", (label,)) for n, label in enumerate(labels)]
    kept, held = split(documents, fraction, seed)
    assert sorted(d.id for d in kept + held) == sorted(d.id for d in documents)
    for label in set(labels):
        count = sum(d.labels == (label,) for d in held)
        assert abs(count - fraction * labels.count(label)) <= 1 + fraction
        assert any(d.labels == (label,) for d in kept)


def test_the_same_seed_holds_out_the_same_and_another_seed_others():
    documents = list(noisy(90))
    ids = [[d.id for d in split(documents, 0.2, seed)[1]] for seed in (0, 0, 1)]
    assert ids[0] == ids[1] != ids[2]


def test_other_labels_do_not_change_what_is_held_out_of_one():
    documents = list(noisy(90, flips=0))
    alone = [d for d in documents if d.labels == ("bill",)]
    held = [d for d in split(documents, 0.2)[1] if d.labels == ("bill",)]
    assert held == split(alone, 0.2)[1]


def test_documents_held_out_are_not_learned_from():
    trained = train(noisy(90), plan_of(valid_fraction=0.3))
    assert len(trained.prepared.corpus) + len(trained.prepared.validation) == 90
    assert not set(trained.prepared.corpus.ids) & set(trained.prepared.validation.corpus.ids)


# Stopping and going on -----------------------------------------------------------------------


def interrupted(rounds, documents, plan, valid=None):
    seen = []
    hooks = Hooks(on_round=seen.append, should_stop=lambda: len(seen) == rounds)
    return train(documents, plan, valid, hooks)


@pytest.mark.parametrize("engine", ["plain", "incremental"])
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"term_fraction": 0.3, "seed": 7},
        {"reuse": 0.5, "rarity": 1.0, "abstain": True},
        {"votes": "discrete", "shrinkage": 0.5},
        {"algorithm": "logistic"},
        {"algorithm": "oc", "task": "single"},
        {"valid_fraction": 0.3, "patience": 25},
    ],
    ids=str,
)
def test_going_on_gives_the_bytes_of_a_run_without_a_break(tmp_path, values, engine):
    if "algorithm" in values and engine == "incremental":
        pytest.skip("this algorithm has the plain engine alone")
    plan = plan_of(**{"rounds": 60, **values, "engine": engine})
    whole = train(noisy(), plan)
    broken = interrupted(17, noisy(), plan)
    assert broken.interrupted
    assert len(broken.whole.rules) == 17
    for old in (broken.whole, broken.model):
        resumed = train(noisy(), plan, old=old)
        assert bytes_of(resumed.model, tmp_path) == bytes_of(whole.model, tmp_path)


def test_rounds_may_grow_from_a_finished_model(tmp_path):
    short = train(noisy(), plan_of(rounds=10)).model
    longer = train(noisy(), plan_of(rounds=40), old=short).model
    assert bytes_of(longer, tmp_path) == bytes_of(
        train(noisy(), plan_of(rounds=40)).model, tmp_path
    )


def test_going_on_with_anything_else_lists_every_difference():
    old = train(noisy(), plan_of()).model
    others = plan_of(rounds=20, ngrams="1-2", votes="discrete", stop_words=("a", "b"))
    with pytest.raises(SettingsError) as caught:
        train(noisy(flips=0), others, old=old)
    said = str(caught.value)
    assert "ngrams: 1-1 -> 1-2" in said
    assert "votes: auto -> discrete" in said
    assert "rounds: 30 -> 20" in said
    assert "stop-words: 0 words -> 2 words" in said
    assert "training data: 90 documents -> 90, contents differ (if nothing in them" in said
    assert "an earlier version of boostext wrote the model" in said


def test_an_interrupted_model_is_one_that_predicts():
    broken = interrupted(5, noisy(), plan_of())
    assert broken.model.provenance.stopped == "interrupted"
    assert len(list(Predictor(broken.model).scores(noisy(5)))) == 5


def test_checkpoints_hold_every_rule_so_far():
    saved = []
    plan = plan_of(rounds=5, checkpoint_every=1e-9)
    train(noisy(), plan, hooks=Hooks(checkpoint=saved.append))
    assert [len(model.rules) for model in saved] == [1, 2, 3, 4, 5]


def test_the_bytes_depend_on_no_thread_path_or_order_of_options(tmp_path):
    def trained(**values):
        moved = (dataclasses.replace(d, origin=Origin("/elsewhere", 0)) for d in noisy())
        return bytes_of(train(moved, plan_of(**values)).model, tmp_path)

    first = bytes_of(train(noisy(), plan_of()).model, tmp_path)
    assert trained(threads=2) == first
    assert trained(checkpoint_every=1, threads=1) == first
    assert trained(seed=1) != first  # the seed is kept in the model


# Labels and weights --------------------------------------------------------------------------


def corpus_of(*label_sets, weights=None):
    builder = CorpusBuilder()
    for number, labels in enumerate(label_sets):
        weight = 1.0 if weights is None else weights[number]
        builder.add(document(number + 1, "x", labels, weight=weight))
    return builder.corpus()


@pytest.mark.parametrize(
    ("label_sets", "task", "several"),
    [
        ([("a",), ("b",)], "auto", False),
        ([("a",), ("a", "b")], "auto", True),
        ([("a",), ()], "auto", True),
        ([("a",), ("b",)], "multi", True),
        ([("a",), ("b",)], "single", False),
    ],
)
def test_several_labels_are_seen_in_the_data_or_asked_for(label_sets, task, several):
    assert is_multilabel(corpus_of(*label_sets), BoostingSettings(task=task)) is several


@pytest.mark.parametrize(("labels", "said"), [(("a", "b"), "2 labels (a, b)"), ((), "0 labels")])
def test_where_one_label_is_asked_for_the_first_other_line_is_told(labels, said):
    with pytest.raises(DataError) as caught:
        is_multilabel(corpus_of(("a",), labels, ("a", "b")), BoostingSettings(task="single"))
    assert str(caught.value).startswith(f"x.jsonl:2: {said}")


def weights_of(corpus, *class_weight):
    return example_weights(corpus, BoostingSettings(class_weight=class_weight)).tolist()


def test_a_factor_of_a_label_goes_on_its_examples():
    corpus = corpus_of(("a",), ("b",), ("a", "b"), (), weights=[1, 2, 1, 1])
    assert weights_of(corpus, "a=3") == [3, 2, (3 + 1) / 2, 1]


def test_balanced_makes_labels_weigh_the_same_in_sum():
    corpus = corpus_of(("a",), ("a",), ("a",), ("b",), weights=[1, 1, 2, 1])
    weights = weights_of(corpus, "balanced")
    assert sum(weights[:3]) == pytest.approx(weights[3])
    assert sum(weights) == pytest.approx(5)


def test_a_factor_for_a_label_that_is_not_there_is_refused():
    with pytest.raises(SettingsError, match="the label 'c', which no document has"):
        weights_of(corpus_of(("a",), ("b",)), "c=2")


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(BoostextError, match="every document has weight 0"):
        train([document(1, "x", ("a",), weight=0.0), document(2, "y", ("b",), weight=0.0)], Plan())


def test_a_document_of_weight_two_counts_as_two():
    documents = list(noisy(60))
    twice = [*documents, *documents[:20]]
    heavy = [dataclasses.replace(d, weight=2.0) for d in documents[:20]] + documents[20:]
    plan = plan_of(smoothing=0.01)
    ours, theirs = (train(iter(d), plan).model.rules for d in (heavy, twice))
    assert [r.condition for r in ours] == [r.condition for r in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.votes == pytest.approx(other.votes, rel=1e-9, abs=1e-12)


def test_data_without_any_label_is_refused():
    with pytest.raises(BoostextError, match="none of the 2 documents has a label"):
        train([document(1, "x", ()), document(2, "y", ())], Plan())


def test_texts_that_tell_nothing_apart_give_a_model_without_rules():
    trained = train([document(1, "same", ("a",)), document(2, "same", ("b",))], plan_of())
    assert trained.model.rules == ()
    assert trained.model.provenance.stopped == "no condition helps"
    assert not summary(trained).helps


# What the user is told -----------------------------------------------------------------------


def test_warnings_tell_what_is_probably_not_meant():
    documents = [
        document(1, "x", ("Billing",)),
        document(2, "y", ("billing ",)),
        document(2, "z", ("c",)),
    ]
    prepared = prepare(documents, plan_of(), [document(4, "x", ("new",))])
    told = list(warnings(prepared))
    assert any("'Billing' (1), 'billing ' (1)" in line for line in told)
    assert any("such as 'd2'" in line for line in told)
    assert any("labels that no training document has ('new')" in line for line in told)
    assert not list(remarks(prepared))


def test_one_label_in_all_the_data_is_warned_of_and_learned():
    prepared = prepare([document(1, "x", ("a",)), document(2, "y", ("a",))], plan_of())
    assert "nothing to distinguish" in next(warnings(prepared))
    assert learn(prepared).model.labels == ("a",)


def test_the_first_document_without_exactly_one_label_is_told():
    prepared = prepare([document(1, "x", ("a",)), document(2, "y", ("a", "b"))], plan_of())
    assert list(remarks(prepared)) == [
        "several labels: 1 of 2 documents have not exactly one label, the first at x.jsonl:2"
    ]


def test_the_summary_measures_the_model_that_is_kept():
    trained = stopped_early()
    told = summary(trained)
    model, documents = trained.model, list(noisy(60, flips=0.4))
    scored = Predictor(model).scores(documents)
    wrong = sum(model.labels[int(s.argmax())] not in d.labels for d, s in scored)
    assert told.training == pytest.approx(wrong / 60)
    assert told.validation == dict(trained.best.curve)[len(model.rules)]
    assert told.bounded == "Hamming loss"
    assert told.bounded_loss == pytest.approx(told.hamming_loss)
    assert told.bounded_loss <= told.bound
    counts = {label: sum(d.labels == (label,) for d in documents) for label in LABELS}
    assert told.majority == max(counts, key=counts.get)


@pytest.mark.parametrize(("decoding", "factor"), [("loss", 1), ("hamming", 2)])
def test_coded_labels_have_the_bound_of_their_error(decoding, factor):
    plan = Plan.of(algorithm="mo", decoding=decoding, rounds=60, coding="one-per-label", threads=1)
    trained = train(noisy(seed=4), plan)
    told = summary(trained)
    # SS99 Theorem 5: k' = 3 columns, rows differ in rho = 2 of them
    assert told.bound == pytest.approx(factor * 3 / 2 * np.prod(trained.model.history.z))
    assert told.bounded == "error"
    assert told.bounded_loss == told.training <= told.bound


@pytest.mark.parametrize(
    "values",
    [
        {"algorithm": "logistic-codes"},
        {"algorithm": "mo", "code": ["bill=++", "move=++", "fault=--"], "decoding": "hamming"},
    ],
)
def test_codes_that_bound_nothing_are_told_no_bound(values):
    assert summary(train(noisy(), Plan.of(rounds=5, threads=1, **values))).bounded == ""


@pytest.mark.parametrize("start", ["uniform", "balanced"])
@pytest.mark.parametrize("heavy", [1.0, 1e9])
def test_the_bounded_loss_goes_by_the_weights_of_documents(start, heavy):
    """A heavy document that is learned leaves light ones wrong, and the bound far below them."""
    documents = [
        dataclasses.replace(d, weight=heavy if n == 0 else 1.0)
        for n, d in enumerate(noisy(60, flips=0.4))
    ]
    told = summary(train(documents, plan_of(start=start)))
    plain = start == "uniform" and heavy == 1
    assert told.bounded == ("Hamming loss" if plain else "weighted Hamming loss")
    assert told.bounded_loss <= told.bound * (1 + 1e-9)
    if heavy > 1:
        assert told.hamming_loss > told.bound


# From Python ---------------------------------------------------------------------------------


def test_training_from_python_takes_documents_and_settings():
    model = boostext.train(
        list(noisy()), rounds=7, ngrams="1-2", valid=list(noisy(20, seed=2))
    ).model.content
    assert 0 < len(model.rules) <= 7
    assert model.text.ngrams == (1, 2)


def good(number=0, **changes):
    return Document(str(number), **{"texts": {"text": "a b"}, "labels": ("x",), **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": "xy"}, "its labels are one string, 'xy'"),
        ({"labels": (1,)}, "its label 1 is not a string"),
        ({"texts": "a b"}, "its texts are not a mapping from fields"),
        ({"texts": {"text": None}}, "its text 'text' is a NoneType"),
        ({"texts": {"text": b"a"}}, "its text 'text' is a bytes"),
        ({"weight": "2"}, "its weight '2' is not a number"),
        ({"attributes": {"n": [1]}}, "its attribute 'n' is a list"),
    ],
)
def test_a_document_of_wrong_types_is_a_type_error(changes, said):
    with pytest.raises(TypeError, match=f"document 1: {said}; expected a Document"):
        boostext.train([good(), good(1, **changes)], rounds=2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weight": float("nan")}, "weight is nan; it must be a number from 0"),
        ({"weight": -1}, "weight is -1; it must be"),
        ({"weight": 1e308}, "weight is 1e.308; it must be"),
        ({"labels": ("",)}, "an empty label"),
        ({"labels": ("x", "x")}, "a label is given twice"),
        ({"attributes": {"n": float("nan")}}, "attribute 'n' is nan; use None for a missing value"),
        ({"attributes": {"n": 10**400}}, "attribute 'n' is 10000"),
    ],
)
def test_a_document_of_wrong_values_is_told(changes, said):
    with pytest.raises(BoostextError, match=f"document 1, '1': {said}"):
        boostext.train([good(), good(1, **changes)], rounds=2)


@pytest.mark.parametrize("data", [[3], [None], [good(), "x.jsonl"]])
def test_what_is_no_document_is_a_type_error(data):
    with pytest.raises(TypeError, match=r"document \d is a .*; expected a Document"):
        boostext.train(data, rounds=2)


def test_paths_may_come_one_by_one(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n', encoding="utf-8")
    assert boostext.train((p for p in [path]), rounds=2).model.labels == ("x", "y")
    with pytest.raises(TypeError, match="Document in a list of paths"):
        boostext.train([path, good()], rounds=2)


def test_a_bare_path_is_not_taken_letter_by_letter(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n', encoding="utf-8")
    for place in (path, str(path)):
        assert boostext.train(place, rounds=2).model.labels == ("x", "y")


def test_a_predictor_takes_documents_alone():
    predictor = boostext.train(list(noisy()), rounds=3).model.predictor
    for call in (lambda: predictor.score("my bill"), lambda: list(predictor.scores("my bill"))):
        with pytest.raises(TypeError, match="a str; expected a Document"):
            call()
    with pytest.raises(TypeError, match=r"expected a model, as boostext\.load gives"):
        Predictor("m.boostext")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyzuvw") | st.none())))
def test_documents_of_a_group_stay_on_one_side_of_the_holdout(drawn):
    holdout = Holdout(0.4, 1, "caller")
    documents = [
        document(n, "", (label,), attributes={"caller": caller})
        for n, (label, caller) in enumerate(drawn)
    ]
    learned = {d.attributes["caller"] for d in holdout.training(documents)}
    assert not (learned & {d.attributes["caller"] for d in holdout.held}) - {None}


def test_settings_from_python_may_be_numpys_or_simpler():
    plan = Plan.of(
        rounds=np.int64(7),
        shrinkage=np.float32(0.5),
        ngrams=2,
        counts=np.array([1, 2]),
        class_weight={"bill": 2, "move": np.float64(0.00001)},
        abstain=np.bool_(True),
    )
    assert (plan.boosting.rounds, plan.boosting.shrinkage) == (7, 0.5)
    assert (plan.text.ngrams, plan.text.counts) == ((1, 2), (1, 2))
    assert plan.boosting.class_weight == ("bill=2", "move=0.00001")
    assert plan.boosting.abstain is True
    with pytest.raises(SettingsError, match="class-weight is 'bill=nan'"):
        Plan.of(class_weight={"bill": float("nan")})


def test_what_takes_more_memory_than_there_is_is_refused_before_it_is_tried(monkeypatch):
    assert sizes.memory_of_machine() > 2**28
    found = [{"text": f"a{n % 3} b", "label": f"l{n % 3}"} for n in range(60)]
    boostext.train(found, rounds=2)
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: 2**20)
    with pytest.raises(
        BoostextError, match=r"3 labels from 60 documents takes about .*there are 1;"
    ):
        boostext.train(found, rounds=2)


def texts_of(path):
    """Write documents with a term of all, two terms of half of them, and one of their own."""
    draws = random.Random(0)
    lines = [
        json.dumps(
            {
                "id": draws.randbytes(150).hex(),
                "text": f"a b{n % 2} c{n % 2} own{n}",
                "label": f"l{n % 3}",
            }
        )
        for n in range(4000)
    ]
    text = "\n".join([*lines, ""]).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_sizes_are_estimated_from_a_sample(tmp_path, monkeypatch, name):
    path = texts_of(tmp_path / name)
    whole = sizes.extent_of(prepare(read_documents([path], Plan.of().data), Plan.of(min_df=2)))
    assert sizes.sampled([path], Plan.of(min_df=2)) is None  # all of it would be read
    monkeypatch.setattr(sizes, "SAMPLE", 300_000)
    found = sizes.sampled([path], Plan.of(min_df=2))
    assert found.documents == pytest.approx(whole.documents, rel=0.1)
    assert found.postings == pytest.approx(whole.postings, rel=0.1)
    assert (found.labels, found.conditions) == (whole.labels, whole.conditions) == (3, 3)
    assert sizes.sampled([path], Plan.of(min_df=10**6)) is None  # no term is left
    (tmp_path / "a.json").write_text("[]", "ascii")
    assert sizes.sampled([str(tmp_path / "a.json")], Plan.of()) is None


def test_data_that_a_sample_shows_to_be_too_large_is_not_read(tmp_path, monkeypatch):
    path = texts_of(tmp_path / "a.jsonl")
    monkeypatch.setattr(sizes, "SAMPLE", 300_000)
    monkeypatch.setattr("boostext.library.training.SAMPLE", 30_000)
    monkeypatch.setattr("boostext.library.training.memory_of_machine", lambda: 2**10)
    with pytest.raises(BoostextError, match=r"labels from about 4,\d+ documents takes about .* MB"):
        boostext.train(path, preset="paper", rounds=2)
    found = boostext.sizes(path, preset="paper")
    assert found["documents"] != 4000  # it is that of the sample
    assert found["peak_memory_mb"] >= 205


def test_rules_for_all_terms_at_once_are_part_of_the_memory_that_is_needed(monkeypatch):
    docs = list(noisy(60))
    one, many = (
        prepare(docs, plan_of(algorithm="parallel", rounds=rounds)) for rounds in (1, 10**6)
    )
    assert sizes.estimated_peak(many) > sizes.estimated_peak(one) + 10**6 * len(one.features.yes)
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: 2**20)
    with pytest.raises(BoostextError, match=r"choose fewer terms .*, or a single round"):
        sizes.check_memory(many)


def test_what_fits_names_workers_and_a_least_frequency():
    frequencies = np.array([1000, 1000, 50, 3, 3])
    extent = sizes.Extent(1000, 2, 5000, 5, 0, 0, int(frequencies.sum()), frequencies)
    alike, dealt = sizes.memory_of(extent)
    told = sizes.what_fits(extent, alike + dealt // 2)
    assert told.startswith("take 2 workers with as much memory each (--workers), or raise --min-df")
    assert told.endswith(" to 1,001")
    assert sizes.what_fits(extent, alike + dealt - 500).endswith(" to 4")
    assert "fewer labels or documents" in sizes.what_fits(extent, alike)
