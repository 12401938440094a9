"""What workers say of documents is what one process says, in the same order."""

import json
from pathlib import Path

import pytest

import boostext
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError, SettingsError
from boostext.library import results
from boostext.library.results import FORMATS, Wanted, documents_to_label, labelled_on_workers

PROBA = Wanted(2, False, True, 2)


@pytest.fixture(scope="module")
def model():
    texts = ["my bill is wrong", "the bill", "we move", "I move house"]
    return boostext.train(texts, ["b", "b", "m", "m"], preset="paper", rounds=5).model


@pytest.fixture
def paths(tmp_path, monkeypatch):
    """Two files, of which the first is cut; two lines are blank, and one holds two records."""
    monkeypatch.setattr(results, "PIECE", 300)
    texts = [f"a bill {n}" if n % 3 else "move" for n in range(20)]
    lines = [json.dumps({"text": text, "label": "b"}) for text in texts]
    lines[4] += lines[5]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines[:4], "", " \t\r", *lines[4:]]), "utf-8")
    (tmp_path / "b.jsonl").write_text("\n".join(lines[:3]), "utf-8")
    return [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]


def here(model, paths, wanted, form, account):
    head, text = FORMATS[form](wanted, model.content)
    documents = documents_to_label(model.content, paths, account)
    found = results.results_of(model.predictor, documents, wanted)
    return head + "".join(map(text, found))


def there(model, paths, wanted, form, account, client):
    made = labelled_on_workers(model.content, paths, account, wanted, form, client)
    return "".join(text for text, _ in made)


@pytest.mark.parametrize("form", results.IN_PARTS)
def test_results_are_those_of_one_process(client, model, paths, form):
    wanted = PROBA if form == "jsonl" else Wanted(1, False, False, None)
    one, many = BadRecords(), BadRecords()
    assert there(model, paths, wanted, form, many, client) == here(model, paths, wanted, form, one)
    assert (many.blank_lines, many.seen.counts) == (one.blank_lines, one.seen.counts)


def test_results_before_a_fault_are_given(client, model, paths):
    with Path(paths[1]).open("a", encoding="utf-8") as file:
        file.write("\n{")
    told, content = [], model.content
    made = labelled_on_workers(content, paths, BadRecords(), PROBA, "jsonl", client)
    with pytest.raises(DataError, match=r"b\.jsonl:4: "):
        told.extend(count for _, count in made)
    assert told[-1] == 24


def test_measures_are_those_of_one_process(client, model, paths):
    assert boostext.evaluate(model, paths, workers=client).to_dict() == (
        boostext.evaluate(model, paths).to_dict()
    )


def test_what_workers_cannot_label_is_refused(client, model, paths):
    with pytest.raises(SettingsError, match="--workers supports the outputs jsonl, tsv"):
        there(model, paths, PROBA, "html", BadRecords(), client)
    with pytest.raises(SettingsError, match="workers cannot read stdin"):
        there(model, ["-"], PROBA, "jsonl", BadRecords(), client)
    with pytest.raises(SettingsError, match="labels that they contain"):
        boostext.evaluate(model, ["a text"], ["b"], workers=client)
