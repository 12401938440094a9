"""`boostext prune`."""

import json

import pytest

from boostext.arrays import Lists
from boostext.corpus.readers import read_documents
from boostext.evaluation.folds import make_folds
from boostext.model.file import read_model

from .conftest import records, write_jsonl


def test_the_first_rules_are_those_of_a_shorter_training(run, corpus, model, tmp_path):
    small, short = tmp_path / "small", tmp_path / "short"
    done = run("prune", model, "-o", small, "--rules", 7)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{small}: 7 rules over ")
    run("train", corpus, "-o", short, "--preset", "paper", "--rounds", 7, "-q")
    cut, trained = run("predict", small, corpus), run("predict", short, corpus)
    assert cut.stdout == trained.stdout


def test_terms_are_kept_and_fitted_anew(run, corpus, model, tmp_path):
    small = tmp_path / "small"
    done = run("prune", model, corpus, "-o", small, "--terms", 5, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rules"] == told["terms"] == len(read_model(small).rules) <= 5
    assert run("inspect", small).exit_code == 0
    assert run("evaluate", small, corpus).exit_code == 0


def test_the_price_is_what_evaluate_measures(run, corpus, model, tmp_path):
    """On validation data where they are given, else on the data that votes were fitted on."""
    small, held = tmp_path / "small", write_jsonl(tmp_path / "held.jsonl", list(records())[30:])
    for words, data, paths in ((("--valid", held), held, ()), ((), corpus, (corpus,))):
        done = run(
            "prune",
            model,
            *paths,
            "-o",
            small,
            "--terms" if paths else "--rules",
            3,
            *words,
            "--json",
        )
        assert done.exit_code == 0, done.stderr
        price = json.loads(done.stdout)["price"]
        assert price["data"] == ("training" if paths else "validation")
        for name, of in (("before", model), ("after", small)):
            measures = json.loads(run("evaluate", of, data, "--json").stdout)["measures"]
            assert price[name] == measures[price["measure"]]
    assert "before, " in run("prune", model, "-o", small, "--rules", 3, "--valid", held).stdout


@pytest.mark.parametrize("words", [("--rules", 3), ("--terms", 4), ("--terms", 4, "--rules", 9)])
def test_the_price_by_folds_is_that_of_models_learned_without_each(
    run, corpus, model, tmp_path, words
):
    small = tmp_path / "small"
    done = run("prune", model, corpus, "-o", small, *words, "--folds", 3, "--json")
    assert done.exit_code == 0, done.stderr
    price = json.loads(done.stdout)["price"]
    assert price["data"] == "held-out"
    whole = read_model(model)
    documents = list(read_documents([str(corpus)], whole.data))
    sets = Lists.of([whole.labels.index(name) for name in d.labels] for d in documents)
    folds = make_folds(sets, 3, whole.boosting.seed)
    errors = []
    for fold in range(3):
        parts = {"held": folds.held(fold), "learned": folds.learned(fold)}
        lines = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
        for name, places in parts.items():
            path = tmp_path / f"{name}.jsonl"
            path.write_text("".join(lines[i] for i in places), encoding="utf-8")
        learned, held, own = tmp_path / "learned.jsonl", tmp_path / "held.jsonl", tmp_path / "own"
        rounds = ("--preset", "paper", "--rounds", whole.round_count)
        run("train", learned, "-o", own, *rounds, "--force", "-q")
        told = run("evaluate", own, held, "--json").stdout
        errors.append(json.loads(told)["measures"][price["measure"]])
    assert price["before"] == pytest.approx(sum(errors) / 3)


def test_the_wrong_data_is_told(run, model, tmp_path):
    other = write_jsonl(tmp_path / "other.jsonl", list(records())[:30])
    for words in (("--terms", 5), ("--rules", 3, "--folds", 3)):
        done = run("prune", model, other, "-o", tmp_path / "small", *words)
        assert done.exit_code == 1
        assert "not the very documents the model was trained on (30 documents" in done.stderr
        assert not (tmp_path / "small").exists()


def test_what_does_not_go_together_is_told(run, corpus, model, tmp_path):
    for words, message in (
        ((), "give --rules N or --terms N"),
        (("--terms", 3), "name the model's training data"),
        ((corpus, "--rules", 3), "--rules alone needs no data"),
    ):
        done = run("prune", model, "-o", tmp_path / "small", *words)
        assert done.exit_code == 2
        assert message in done.stderr
    done = run("prune", model, "-o", tmp_path / "small", "--rules", 1000)
    assert done.exit_code == 1
    assert "fewer than 1000" in done.stderr


def test_what_was_fitted_to_all_rules_is_left_out_and_told(run, several, several_model, tmp_path):
    tuned, small = tmp_path / "tuned", tmp_path / "small"
    made = run("evaluate", several_model, several, "--tune-thresholds", "-o", tuned)
    assert made.exit_code == 0, made.stderr
    done = run("prune", tuned, "-o", small, "--rules", 3)
    assert "are left out; fit them again" in done.stderr
    assert read_model(small).thresholds == ()
