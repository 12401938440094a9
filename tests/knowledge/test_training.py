"""Training with knowledge: the model file, prediction, resuming, and what rules may not say."""

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boostext
from boostext.compiled import notice
from boostext.corpus.documents import Document
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation.margins import margin_rows, vote_total
from boostext.features.conditions import NO, YES, Known, Occurs
from boostext.library.training import plan_of as plan_by_facts
from boostext.library.training import settle
from boostext.library.watch import Watch
from boostext.model.file import read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import asked_conditions
from boostext.model.predict import Predictor
from boostext.model.prior import prior_in_short
from boostext.reports.outliers import label_signs
from boostext.training.crossval import cross_validate
from boostext.training.held_out import best_scale, learn_and_judge
from boostext.training.plan import Plan
from boostext.training.refit import refit
from boostext.training.run import Hooks, learn, prepare, train
from boostext.training.summary import model_scores, summary
from tests.training_data import documents

RULES = """
labels: {l0: 0.5, l1: , l2: }
rules:
  - if: [own0x1, own0x2, own0x3]
    then: l0
  - if: {all: [own1x1], none: [own0x1]}
    then: {l1: 0.8, l2: 0.15}
    unless: word3
"""


@pytest.fixture
def written(tmp_path):
    def write(text=RULES):
        path = tmp_path / "known.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def plan_of(path, **values):
    settings = {"rounds": 12, "algorithm": "logistic", "knowledge": path, "knowledge_weight": 1.0}
    return Plan.of(**{**settings, **values})


def without_labels(count, seed=9):
    made = documents(count, seed=seed)
    return [dataclasses.replace(d, id=f"u{d.id}", labels=(), labelled=False) for d in made]


def file_bytes(model, tmp_path):
    write_model(model, tmp_path / "m.boostext")
    return (tmp_path / "m.boostext").read_bytes()


@pytest.mark.parametrize("several", [False, True])
def test_prediction_computes_the_scores_of_training(written, tmp_path, several):
    given = documents(60, several=several)
    trained = train([*given, *without_labels(20)], plan_of(written(), abstain=True))
    assert trained.model.prior.unlabelled == 20
    path = tmp_path / "m.boostext"
    write_model(trained.model, path)
    predictor = Predictor(read_model(path))
    scores = predictor.batch_scores(given)
    told = [np.sum([row.votes for row in predictor.contributions(d)], axis=0) for d in given]
    np.testing.assert_allclose(told, scores, rtol=0, atol=1e-12)
    assert [predictor.score(d).tolist() for d in given] == scores.tolist()
    learned = dataclasses.replace(trained.model, prior=None)
    known = scores - Predictor(learned).batch_scores(given)
    assert np.ptp(known, axis=0).min() > 0.5  # knowledge says something of each label
    first = predictor.contributions(given[0])[0]
    assert isinstance(first.condition, Known)
    np.testing.assert_allclose(first.votes, known[0], atol=1e-12)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system with named pipes")
def test_a_pipe_is_refused_as_its_content_is_there_only_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="pipe: is a pipe, and training reads knowledge"):
        train(documents(10), plan_of(str(tmp_path / "pipe")))


def test_rules_teach_a_model_on_documents_without_labels(written, tmp_path):
    given, pool, path = documents(40), without_labels(150), written()
    plan = plan_of(path, knowledge_weight="auto")
    trained = train([*given, *pool], plan)
    prior = trained.model.prior
    assert prior.taught
    assert "200 rules learned from 150 documents without labels" in prior_in_short(prior)
    told = {term for rule in prior.knowledge.rules for term in rule.terms}
    asked = {word for condition in asked_conditions(prior.old) for word in condition.term}
    assert asked
    assert not asked & told  # it looks at other words than the rules do
    half = train([*given, *pool], plan_of(path, knowledge_weight="auto", rounds=5)).model
    # training and prediction begin with the same scores
    known = Predictor(dataclasses.replace(trained.model, rules=())).batch_scores(given)
    np.testing.assert_allclose(trained.prepared.start_of_all, known, atol=1e-9)
    for other in (
        model_from_json(model_to_json(trained.model)),
        train([*given, *pool], plan, old=half).model,
    ):
        assert file_bytes(other, tmp_path) == file_bytes(trained.model, tmp_path)


def test_a_taught_model_knows_documents_for_which_no_rule_holds(written):
    """Every label has words of its own, of which the rules name only some."""
    plan = plan_of(written(), knowledge_weight="auto")
    named = {"own0x1", "own0x2", "own0x3", "own1x1"}
    asked = [d for d in documents(300, seed=4) if not named & set(d.texts["text"].split())]
    wrong = []
    for count in (20, 400):  # too few to teach, and enough
        model = train(without_labels(count), plan).model
        best = Predictor(model).batch_scores(asked).argmax(axis=1)
        pairs = zip(best.tolist(), asked, strict=True)
        wrong.append(np.mean([model.labels[j] not in d.labels for j, d in pairs]))
    assert wrong[1] < wrong[0] - 0.1


def test_models_come_back_from_both_forms(written, tmp_path):
    model = train([*documents(40), *without_labels(5)], plan_of(written())).model
    other = model_from_json(model_to_json(model))
    assert other.prior == model.prior
    assert file_bytes(other, tmp_path) == file_bytes(model, tmp_path)


def test_a_weight_of_0_is_as_no_knowledge_to_the_byte(written, tmp_path):
    given = documents(60)
    without = train(given, Plan.of(rounds=12, algorithm="logistic")).model
    none = train(given, plan_of(written(), knowledge_weight=0)).model
    none = dataclasses.replace(
        none,
        provenance=dataclasses.replace(none.provenance, command=without.provenance.command),
    )
    assert file_bytes(none, tmp_path) == file_bytes(without, tmp_path)


def test_resumed_training_gives_the_model_of_a_run_without_a_break(written, tmp_path):
    given, path = [*documents(60), *without_labels(20)], written()
    whole = train(given, plan_of(path)).model
    half = train(given, plan_of(path, rounds=5)).model
    resumed = train(given, plan_of(path), old=half).model
    assert file_bytes(resumed, tmp_path) == file_bytes(whole, tmp_path)


def test_resuming_refuses_other_knowledge_or_other_documents_without_labels(written):
    given, path = [*documents(60), *without_labels(20)], written()
    half = train(given, plan_of(path, rounds=5)).model
    with pytest.raises(SettingsError, match="documents without labels: 20 -> 19"):
        train(given[:-1], plan_of(path), old=half)
    with pytest.raises(SettingsError, match=r"knowledge-weight: 1 -> 0.5"):
        train(given, plan_of(path, knowledge_weight=0.5), old=half)
    with pytest.raises(SettingsError, match="its rules, labels or terms have changed"):
        train(given, plan_of(written(RULES.replace("0.8", "0.7"))), old=half)
    with pytest.raises(SettingsError, match="knowledge: some -> none"):
        train(given, Plan.of(rounds=12, algorithm="logistic"), old=half)


def chosen(given, path, **more):
    """The training for which cross-validation chooses the influence of the knowledge."""
    plan = plan_of(path, knowledge_weight="auto", abstain=True, algorithm="mh", **more)
    return learn_and_judge(prepare(given, plan))


def test_labels_decide_how_much_knowledge_counts(written, tmp_path):
    """Rules about words of the labels count more than the same rules about other labels."""
    given = documents(18)
    own = {label: ", ".join(f"own{label}x{j}" for j in range(12)) for label in range(3)}
    scales = []
    for shift in (0, 1):
        lines = [f"- {{if: [{own[j]}], then: l{(j + shift) % 3}}}" for j in range(3)]
        trained = chosen(given, written("\n".join(["rules:", *lines])), rounds=4)
        model = trained.model
        scales.append(model.prior.scale)
        scores = Predictor(model).batch_scores(given)
        np.testing.assert_allclose(model_scores(trained), scores, atol=1e-9)
        assert np.abs(scores).max() <= vote_total(model) + 1e-9
        again = model_from_json(model_to_json(model))
        assert again.prior == model.prior
        assert file_bytes(again, tmp_path) == file_bytes(model, tmp_path)
    assert scales[0] >= 0.5
    assert scales[1] <= 0.125


def test_knowledge_beside_rules_of_labels_alone_is_added_to_them(written, tmp_path):
    given, plan = documents(60), plan_of(written(), knowledge_weight="auto")
    prepared = prepare([*given, *without_labels(20)], plan).knowing(0.5, apart=True)
    scores = []
    trained = learn(prepared, Hooks(lambda moment: scores.append(moment.scores())))
    alone = train(given, Plan.of(rounds=12, algorithm="logistic")).model
    assert [str(rule) for rule in trained.model.rules] == [str(rule) for rule in alone.rules]
    known = Predictor(dataclasses.replace(trained.model, rules=())).batch_scores(given)
    told = Predictor(trained.model).batch_scores(given)
    np.testing.assert_allclose(told, known + Predictor(alone).batch_scores(given), atol=1e-12)
    np.testing.assert_allclose(scores[-1], told, atol=1e-9)
    found = summary(trained)
    assert (found.bounded, found.one_error_bound) == ("", pytest.approx(np.nan, nan_ok=True))
    assert "are added to rules that were learned from the labels alone" in prior_in_short(
        trained.model.prior
    )
    write_model(trained.model, tmp_path / "m.boostext")
    assert read_model(tmp_path / "m.boostext").prior == trained.model.prior


def test_a_resumed_training_keeps_how_much_knowledge_counts(written, tmp_path):
    given, plan = documents(60), plan_of(written(), knowledge_weight="auto", rounds=5)
    for scale, apart in ((0.5, False), (2.0, True)):
        half = learn(prepare(given, plan).knowing(scale, apart)).model
        longer = prepare(given, plan_of(written(), knowledge_weight="auto"))
        settled, _ = settle(longer, Watch(), old=half)
        resumed = learn(settled, old=half).model
        assert (resumed.prior.scale, resumed.prior.apart) == (scale, apart)
        whole = learn(longer.knowing(scale, apart)).model
        assert file_bytes(resumed, tmp_path) == file_bytes(whole, tmp_path)


@pytest.mark.parametrize("weight", ["auto", 1.0])
def test_a_last_round_with_knowledge_is_resumed_and_predicted(written, tmp_path, weight):
    given = [*documents(60), *without_labels(20)]
    plan = plan_of(written(), knowledge_weight=weight, abstain=True, finish=0.3, rounds=40)
    whole = train(given, plan)
    assert whole.rounds[-1].is_last
    for broken in (3, len(whole.rounds)):
        seen = []
        hooks = Hooks(seen.append, lambda seen=seen, broken=broken: len(seen) == broken)
        half = train(given, plan, hooks=hooks).whole
        resumed = train(given, plan, old=half).model
        assert file_bytes(resumed, tmp_path) == file_bytes(whole.model, tmp_path)
    told = Predictor(whole.model).batch_scores(given[:60])
    np.testing.assert_allclose(model_scores(whole), told, atol=1e-9)


def test_a_last_round_leaves_out_terms_that_are_forbidden_or_one_sided(written):
    """Votes of the others have any sign, and a round without labels changes nothing."""
    text = RULES + "forbid: [word3]\nonly: {own0x4: +l0}\n"
    plan = plan_of(written(text), abstain=True, finish=0.3, rounds=1)
    model = train(documents(60), plan).model
    asked = {condition.term for condition in asked_conditions(model)}
    assert ("own0x5",) in asked
    assert not asked & {("word3",), ("own0x4",)}
    assert not train(without_labels(60), plan).model.rules


@pytest.mark.parametrize("several", [False, True])
def test_the_best_scale_is_that_by_which_labels_were_drawn(several):
    draws = np.random.default_rng(0)
    known, votes = draws.normal(size=(2, 1000, 3)) * 2
    for scale in (0.0, 0.5, 2.0):
        odds = scale * known + votes
        if several:
            gold = draws.random(odds.shape) < 1 / (1 + np.exp(-odds))
        else:
            gold = np.arange(3) == (odds + draws.gumbel(size=odds.shape)).argmax(axis=1)[:, None]
        loss, found = best_scale(known, votes, gold, several)
        assert found == pytest.approx(scale, rel=0.42, abs=0.13)
        assert best_scale(known, 10 * votes, gold, several)[1] > 5 * found or not scale
        assert loss < best_scale(known, 0 * votes, gold, several)[0]


def test_settings_are_chosen_from_the_data_with_knowledge_too(written):
    given, found = documents(60), []
    for known in ({"knowledge": written()}, {"analyzer": "word"}):
        found.append(prepare(given, plan_by_facts(None, known)).chosen)
    assert found[0] == found[1]
    assert (found[0]["abstain"], found[0]["finish"]) == (True, 0.3)


def test_documents_that_corrections_do_not_name_count_by_knowledge(written, tmp_path):
    rows = "".join(json.dumps({"id": d.id, "text": d.texts["text"]}) + "\n" for d in documents(30))
    (tmp_path / "pool.jsonl").write_text(rows, encoding="utf-8")
    named = "".join(f"{d.id},{d.labels[0]}\n" for d in documents(20))
    (tmp_path / "labels.csv").write_text(f"id,label\n{named}", encoding="utf-8")
    pool, told = tmp_path / "pool.jsonl", {"labels_from": tmp_path / "labels.csv", "rounds": 3}
    for text, unlabelled in ((RULES, 10), ("forbid: [word3]", 0)):
        result = boostext.train(pool, knowledge=written(text), **told)
        assert len(result.trained.prepared.corpus) == 20
        assert result.model.content.prior.unlabelled == unlabelled


def test_knowledge_alone_is_a_model(written):
    prepared = prepare(without_labels(30), plan_of(written()))
    model = learn(prepared).model
    assert model.labels == ("l0", "l1", "l2")
    assert not model.rules
    (row,) = Predictor(model).batch_scores([Document("x", {"text": "own0x2"})])
    assert 1 / (1 + np.exp(-row)) == pytest.approx([0.9, 0.05, 0.05])


def test_unlabelled_documents_pull_towards_what_is_known_of_them(written):
    given, more = documents(30), without_labels(300)
    far = []
    for pool in ([], more):
        plan = plan_of(written(), rounds=60)
        prepared = prepare([*given, *pool], plan)
        model = learn(prepared).model
        known = dataclasses.replace(model, rules=())
        scores = [Predictor(m).batch_scores(more) for m in (model, known)]
        far.append(float(np.abs(scores[0] - scores[1]).mean()))
    assert far[1] < 0.7 * far[0]


def test_cross_validation_and_validation_begin_with_what_is_known(written):
    plan = plan_of(written(), rounds=4, valid_fraction=0.25)
    prepared = prepare([*documents(80), *without_labels(10)], plan)
    sums = prepared.validation.sums_of(())
    model = learn(prepared).model
    alone = Predictor(dataclasses.replace(model, rules=()))
    held = [d for d in documents(80) if d.id in set(prepared.validation.corpus.ids)]
    np.testing.assert_allclose(sums, alone.batch_scores(held), atol=1e-12)
    half = prepared.knowing(0.5, apart=True).validation
    np.testing.assert_allclose(half.sums_of(()), sums / 2, atol=1e-12)
    assert (prepared.validation.sums_of(()) == sums).all()  # nothing has changed it
    found = cross_validate(prepared, 3)
    assert np.isfinite(found.scores(4)).all()
    start = found.scores(0)
    np.testing.assert_allclose(start, prepared.start_of_all, atol=1e-12)


def test_an_older_model_is_what_is_believed_where_no_rule_speaks(written, tmp_path):
    old = train(documents(60), Plan.of(rounds=10)).model
    write_model(old, tmp_path / "old.boostext")
    path = written("from: old.boostext\nrules:\n  - {if: news, then: l1}\n")
    model = train(without_labels(5), plan_of(path, algorithm="mh")).model
    given = documents(30, seed=3)
    assert model.labels == old.labels
    scores = Predictor(model).batch_scores(given)
    before = 1 / (1 + np.exp(-2 * Predictor(old).batch_scores(given)))
    np.testing.assert_allclose(
        1 / (1 + np.exp(-2 * scores)), before / before.sum(axis=1, keepdims=True), rtol=1e-6
    )
    again = model_from_json(model_to_json(model))
    assert Predictor(again).batch_scores(given).tolist() == scores.tolist()


def test_knowledge_of_an_older_model_alone_is_read_and_resumed(written, tmp_path):
    given, path = documents(30), written("from: old.boostext\n")
    write_model(train(documents(60, seed=2), Plan.of(rounds=10)).model, tmp_path / "old.boostext")
    model = train(given, plan_of(path)).model
    again = model_from_json(model_to_json(model))
    scores = Predictor(model).batch_scores(given)
    assert Predictor(again).batch_scores(given).tolist() == scores.tolist()
    assert file_bytes(train(given, plan_of(path), old=again).model, tmp_path) == file_bytes(
        model, tmp_path
    )


def test_margins_stay_within_1_and_have_no_bound_that_does_not_hold(written):
    trained = train(documents(40), plan_of(written(), algorithm="mh", rounds=3))
    model, corpus = trained.model, trained.prepared.corpus
    scores = Predictor(model).batch_scores(documents(40))
    signs = label_signs(model, corpus)
    rows = margin_rows(model, scores, signs, corpus.weights, training=True)
    assert rows[-1].votes == pytest.approx(1)
    assert np.abs(scores).max() <= vote_total(model)
    assert {row.votes_bound for row in rows} == {None}


def test_the_hamming_loss_is_at_most_what_is_told(written):
    for algorithm in ("mh", "logistic"):
        trained = train(
            [*documents(60), *without_labels(30)],
            plan_of(written(), algorithm=algorithm, rounds=20),
        )
        found = summary(trained)
        assert found.hamming_loss <= found.bound
        assert trained.rounds[-1].bound == pytest.approx(found.bound)


def test_pruning_keeps_knowledge_and_tells_what_it_cannot_read(written):
    given = documents(60)
    model = train(given, plan_of(written())).model
    small = refit(given, model, 4)
    assert small.prior == model.prior
    assert len(asked_conditions(small)) <= 4
    model = train([*given, *without_labels(5)], plan_of(written())).model
    with pytest.raises(BoostextError, match="5 documents without labels"):
        refit(given, model, 4)


def test_labels_that_nobody_has_are_told_with_line_and_the_nearest(written):
    path = written("rules:\n  - if: a\n    then: l00\n")
    with pytest.raises(SettingsError, match=r"known.yaml:2: no document has .*did you mean 'l0'"):
        train(documents(30), plan_of(path))


def test_the_weight_fades_with_the_documents_unless_it_is_given(written):
    path = written()
    for count, weight in [(9, 1.0), (60, (9 / 60) ** 3)]:
        auto = train(documents(count), plan_of(path, rounds=1, knowledge_weight="auto")).model
        assert auto.prior.weight == weight
    assert (
        train(documents(60), plan_of(path, rounds=1, knowledge_weight="3")).model.prior.weight == 3
    )


def test_algorithms_that_cannot_are_told(written):
    with pytest.raises(SettingsError, match="does not go with --algorithm mr"):
        train(documents(30), plan_of(written(), algorithm="mr"))


# What rules may not ask or say ---------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["mh", "mr", "trees", "slipper", "adtree", "mp", "mh-kr"])
def test_no_rule_of_any_algorithm_asks_for_a_forbidden_term(written, algorithm):
    plan = plan_of(
        written("forbid: [own0x1, word3, own1x2]"), algorithm=algorithm, ngrams="1-2", rounds=10
    )
    model = train(documents(60), plan).model
    asked = {c for r in model.rules for c in (r.condition, *(p for p, _ in r.precondition))}
    tokens = {token for c in asked if isinstance(c, Occurs) for token in c.term}
    assert tokens
    assert not tokens & {"own0x1", "word3", "own1x2"}


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 1000), st.booleans(), st.sampled_from(["mh", "logistic"]))
def test_no_vote_is_against_what_terms_may_say(tmp_path_factory, seed, abstain, algorithm):
    given = documents(60, seed=seed)
    terms = [f"own{label}x{j}" for label in (0, 1) for j in range(12)]
    lines = [f"  {term}: [+l0, -l1]" for term in terms]
    forbid = [f"- {{term: word{j}, labels: [l2]}}" for j in range(30)]
    path = tmp_path_factory.getbasetemp() / "only.yaml"
    path.write_text("\n".join(["only:", *lines, "forbid:", *forbid]), encoding="utf-8")
    fast = seed % 2 and (abstain or algorithm == "mh") and not notice()
    engine = "incremental" if fast else "plain"
    plan = plan_of(str(path), abstain=abstain, rounds=40, algorithm=algorithm, engine=engine)
    trained = train(given, plan)
    spoken = 0
    for made in trained.rounds:
        (word,), votes = made.rule.condition.term, made.rule.votes
        if word in terms:
            spoken += 1
            assert votes[YES, 0] >= 0 >= votes[NO, 0]
            assert votes[YES, 1] <= 0 <= votes[NO, 1]
        if word.startswith("word"):
            assert not votes[:, 2].any()
        assert made.z < 1
    product = np.prod([made.z for made in trained.rounds])
    assert trained.rounds[-1].bound == pytest.approx(product)
    assert spoken


def test_a_restrained_run_resumes_and_forbids_for_the_model_too(written, tmp_path):
    path = written(RULES + "only: {own0x1: +l0}\nforbid: [own1x2]\n")
    given = documents(60)
    whole = train(given, plan_of(path)).model
    resumed = train(given, plan_of(path), old=train(given, plan_of(path, rounds=6)).model).model
    assert file_bytes(resumed, tmp_path) == file_bytes(whole, tmp_path)
    assert whole.prior.knowledge.forbid


def test_a_checkpoint_knows_its_knowledge(written):
    saved = []
    plan = plan_of(written(), checkpoint_every=1e-9)
    learn(prepare(documents(40), plan), Hooks(checkpoint=saved.append))
    assert saved[0].prior.knowledge.rules


def test_damaged_knowledge_is_a_model_error(written):
    content = model_to_json(train(documents(30), plan_of(written(), rounds=2)).model).decode()
    for old, new in [
        ('"weight":1.0', '"weight":-1'),
        ('["l0",0.9]', '["l9",0.9]'),
        ('["l0",0.9]', '["l0",9]'),
        ('"any":["own0x1"', '"some":["own0x1"'),
        ('["l0",0.9]', '"l0"'),
        ('["l0",0.9]', "7"),
    ]:
        assert old in content
        with pytest.raises(BoostextError):
            model_from_json(content.replace(old, new, 1).encode())


def test_a_file_of_format_2_is_read_for_ever():
    model = read_model(Path(__file__).parents[1] / "model" / "fixtures" / "v2.boostext")
    assert [str(told) for told in model.prior.knowledge.rules] == [
        "own0x1 or own0x2",
        "own1x1 & not own0x1 unless word3",
    ]
    assert model.prior.knowledge.forbid[0].term == "word1"
    (row,) = Predictor(dataclasses.replace(model, rules=())).batch_scores(
        [Document("x", {"text": "Own0x1"})]
    )
    assert 1 / (1 + np.exp(-row)) == pytest.approx([0.9, 0.05, 0.05])
