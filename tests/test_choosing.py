"""Settings without options: what goes by the data, what stands, and that all ways agree."""

import dataclasses
import json

import pytest

import boostext
from boostext.library.training import plan_of
from boostext.model.file import read_model
from boostext.presets import OPEN, Facts, by_facts
from boostext.training import choosing
from boostext.training.choosing import MOST_DOCUMENTS, decided, facts_of
from boostext.training.plan import Plan
from boostext.training.run import prepare
from boostext.training.summary import remarks
from tests.training_data import documents

OPENED = Plan.of(threads=1).opened(None, ())
PLAIN = Facts(documents=5000, labels=4, several=False, characters=60.0, unspaced=0.0)


def chosen_for(**facts):
    return by_facts(dataclasses.replace(PLAIN, **facts))


def test_terms_go_by_the_length_of_texts_their_script_and_the_labels():
    assert chosen_for()["ngrams"] == (1, 2)
    assert chosen_for(characters=2000.0)["counts"] == (1, 2, 3, 5, 8)
    assert chosen_for(unspaced=0.9)["ngrams"] == (1, 5)
    few = {"labels": 100, "words": True}
    assert "ngrams" not in chosen_for(**few, stumps=True), "pairs are too rare"
    assert chosen_for(**few)["ngrams"] == (1, 2), "unless a last round gives all of them votes"
    assert "counts" not in chosen_for(**few)
    medium = chosen_for(**few, characters=400.0)
    assert (medium["ngrams"], medium["counts"]) == ((1, 2), (1, 2, 3, 5, 8))
    assert chosen_for(unspaced=0.9).get("letters") is None, "letters take the place of words"
    assert chosen_for()["min_df"] == 2
    assert chosen_for(documents=999)["min_df"] == 1


def test_words_and_letters_are_the_terms_of_short_texts_with_one_label():
    few = {"documents": 400, "labels": 20}
    assert (chosen_for(**few)["letters"], chosen_for(**few)["ngrams"]) == (5, (1, 2))
    assert chosen_for(**few)["rarity"] == chosen_for(**few, unspaced=0.9)["rarity"] == 1.0
    assert chosen_for(**few, unspaced=0.9, stumps=True)["rarity"] == 0.5
    found = [chosen_for(documents=n, labels=20) for n in (2399, 2400)]
    assert [each["letters"] for each in found] == [5, 5]
    assert [each["rounds"] for each in found] == [2 * 2399, 2400], "letters need fewer rules"
    assert chosen_for(documents=9000, labels=10)["rounds"] == 8000
    assert chosen_for(documents=9000, labels=50)["rounds"] == 4000, "as they take longer"
    many = chosen_for(documents=15_000, labels=150, characters=40.0)
    assert ("algorithm" in many, many["rounds"], many["letters"]) == (False, 4000, 5)
    for other in (
        {"documents": 29},
        {"several": True},
        {"characters": 500.0},
        {"characters": 400.0, "documents": 23_000, "labels": 200},
        {"unspaced": 0.9},
        {"documents": 84_000, "labels": 2},
        {"complete": False},
        {"knowledge": True},
        {"words": True},
    ):
        assert "letters" not in chosen_for(**{**few, **other})


def test_little_data_has_more_rules_if_there_are_many_labels_or_long_texts():
    found = [chosen_for(documents=400, labels=n, stumps=True)["rounds"] for n in (5, 40, 60, 200)]
    assert found == [2000, 4000, 6000, 8000]
    found = [chosen_for(documents=n, characters=500.0)["rounds"] for n in (400, 500)]
    assert found == [4000, 2000], "few documents a label, and enough"


def test_rules_go_by_the_labels_and_their_number_by_the_documents():
    assert chosen_for(several=True)["threshold"] == 0.0
    assert chosen_for(several=True, labels=100)["algorithm"] == "mp"
    found = [chosen_for(documents=n, words=True)["rounds"] for n in (10, 2000, 10**6)]
    assert found == [2000, 4000, 8000]
    found = [chosen_for(documents=10**4, labels=n, words=True)["rounds"] for n in (40, 60, 200)]
    assert found == [8000, 12_000, 16_000]
    found = [chosen_for(documents=n, labels=40, unspaced=0.9)["rounds"] for n in (12_000, 13_000)]
    assert found == [24_000, 8000], "letters need more rules, unless there is too much data"
    found = [chosen_for(documents=20_000, characters=n)["rounds"] for n in (500.0, 20_000.0)]
    assert found == [24_000, 8000], "so do long texts"


def test_long_texts_prefer_rarer_words_and_smooth_more():
    assert chosen_for(characters=500.0)["rarity"] == 1.5
    assert "smoothing" not in chosen_for(characters=500.0), "1/m is the general default"
    few = chosen_for(characters=500.0, documents=400)
    assert (few["rarity"], few["smoothing"]) == (1.5, "0.2/m")
    short = chosen_for(characters=499.0, labels=20)
    for other in (short, chosen_for(characters=500.0, several=True)):
        assert other["rarity"] <= 1.0
        assert other["smoothing"] == "0.2/m"


def test_steps_are_larger_where_small_ones_would_take_too_long():
    assert chosen_for(unspaced=0.9)["shrinkage"] == 0.25
    words = {"documents": 20_000, "words": True}
    small, large = chosen_for(**words), chosen_for(**words, characters=20_000.0)
    assert (small["shrinkage"], small["rounds"]) == (0.25, 8000)
    assert (large["shrinkage"], large["rounds"]) == (0.5, 8000)
    for other in (
        chosen_for(several=True),
        chosen_for(documents=20_000, characters=10_000.0, unspaced=0.9),
        chosen_for(complete=False),
    ):
        assert other["shrinkage"] == 0.5


def test_a_last_round_updates_all_votes_if_documents_have_one_label():
    assert (chosen_for()["finish"], chosen_for()["updates"]) == (0.3, 20)
    assert chosen_for(labels=150)["updates"] == 10, "updates for many labels take longer"
    assert chosen_for(characters=600.0)["updates"] == 80, "and long texts need more"
    assert chosen_for(documents=40_000, labels=50, characters=600.0)["updates"] == 20
    assert chosen_for(several=True, characters=600.0)["finish"] == 0.3
    for labels, updates in ((7, 10), (20, 20)):
        unspaced = chosen_for(unspaced=0.9, labels=labels)
        assert (unspaced["finish"], unspaced["updates"]) == (0.3, updates)
        assert (unspaced["rarity"], unspaced["smoothing"]) == (1.0, "0.2/m")
    assert chosen_for(several=True, knowledge=True)["finish"] == 0.3
    for other in (
        {"several": True},
        {"several": True, "characters": 600.0, "labels": 100},
        {"documents": 17_000},
        {"documents": 90_000, "labels": 50, "characters": 600.0},
        {"unspaced": 0.9, "several": True, "characters": 600.0},
        {"unspaced": 0.9, "characters": 600.0},
        {"several": True, "knowledge": True, "labels": 100},
        {"stumps": True},
        {"complete": False},
    ):
        assert "finish" not in chosen_for(**other)


def test_settings_of_single_rules_are_heeded():
    docs = documents(120, labels=60)
    finish = lambda plan: decided(docs, plan)[1].boosting.finish  # noqa: E731
    assert finish(OPENED) == 0.3
    for given in ({"rounds": 200}, {"shrinkage": 0.5}, {"term_fraction": 0.5}, {"abstain": True}):
        assert finish(Plan.of(**given).opened(None, set(given))) == 0.0
    asked = Plan.of(finish=0.5).opened(None, {"finish"})
    assert (finish(asked), decided(docs, asked)[1].text.letters) == (0.5, 5)


def test_votes_of_all_terms_are_learned_in_one_round_unless_more_are_wanted():
    assert plan_of(None, {"algorithm": "parallel"}).boosting.rounds == 1
    assert plan_of(None, {"algorithm": "parallel", "rounds": 3}).boosting.rounds == 3
    assert plan_of(None, {"algorithm": "mh"}).boosting.rounds == 1000


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("labels", [2, 500])
@pytest.mark.parametrize("characters", [50.0, 5000.0])
@pytest.mark.parametrize("unspaced", [0.0, 1.0])
def test_every_choice_is_of_open_settings_and_makes_a_plan(several, labels, characters, unspaced):
    found = by_facts(Facts(1000, labels, several, characters, unspaced))
    assert found.keys() <= OPEN
    Plan.of(**found)


def test_the_beginning_of_larger_data_is_not_taken_for_all_of_it(monkeypatch):
    docs = documents(40, labels=3)
    for most, shrinkage in ((40, 0.25), (39, 0.5)):
        monkeypatch.setattr(choosing, "MOST_DOCUMENTS", most)
        same, plan, _ = decided(iter(docs), OPENED)
        assert plan.boosting.shrinkage == shrinkage
        assert list(same) == docs


def test_facts_are_of_labelled_documents_and_their_weights():
    docs = documents(40, labels=3)
    found = facts_of(docs, OPENED)
    assert (found.documents, found.labels, found.several, found.unspaced) == (40, 3, False, 0.0)
    twice = [dataclasses.replace(docs[0], weight=3.0), *docs[1:]]
    assert facts_of(twice, OPENED).documents == 42
    thai = [dataclasses.replace(d, texts={"text": "โทรศัพท์ของฉัน ok"}) for d in docs]
    assert facts_of(thai, OPENED).unspaced > 0.5
    empty = [dataclasses.replace(d, texts={"text": ""}) for d in docs]
    assert facts_of(empty, OPENED) is None


def test_numbers_have_a_bounded_number_of_thresholds_unless_a_person_says_more():
    numbered = [dataclasses.replace(d, attributes={"size": 1.5}) for d in documents(40, labels=3)]
    textless = [dataclasses.replace(d, texts={}) for d in numbered]
    for docs, bins in ((numbered, 255), (textless, 255), (documents(40, labels=3), 0)):
        assert decided(docs, OPENED)[1].boosting.bins == bins
    assert decided(numbered, Plan.of(bins=9).opened(None, {"bins"}))[1].boosting.bins == 9


def test_no_more_is_held_than_the_bound_and_no_document_is_lost(monkeypatch):
    monkeypatch.setattr("boostext.training.choosing.MOST_DOCUMENTS", 10)
    docs, read = documents(30), []
    found, plan, _ = decided((read.append(d) or d for d in docs), OPENED)
    assert len(read) == 10 + 1 < MOST_DOCUMENTS, "one more tells that there are more"
    assert [d.id for d in found] == [d.id for d in docs]
    assert not plan.open


def test_letters_come_with_a_word_of_how_to_have_words():
    short = documents(40, labels=3)
    thai = [dataclasses.replace(d, texts={"text": "โทรศัพท์ของฉัน ok"}) for d in short]
    for docs, settings, told in (
        (short, {}, "--letters 0 leaves out the letters"),
        (short, {"analyzer": "word"}, ""),
        (short, {"letters": 0}, ""),
        (thai, {}, "--analyzer word takes words"),
    ):
        words = " ".join(remarks(prepare(docs, plan_of(None, settings))))
        assert told in words
        assert told or not ("--letters" in words or "--analyzer" in words)


def test_letters_are_not_chosen_for_people_or_options_that_need_words():
    short = documents(40, labels=3)
    assert decided(short, OPENED)[1].text.letters == 5
    for given in (
        {"stop_words": ("ok",)},
        {"ngrams": (1, 2)},
        {"expert": "sparse"},
        {"analyzer": "word"},
        {"counts": (1, 2)},
        {"per_field": ("text:ngrams=1-2",)},
        {"terms": 50},
    ):
        found = decided(short, Plan.of(**given).opened(None, given))[1]
        assert (found.text.analyzer, found.text.letters) == ("word", 0)
        assert found.text.ngrams in ((1, 1), (1, 2))
    assert decided(short, plan_of("readable", {}))[1].text.letters == 0
    named = Plan.of(text=("text:letters",)).opened(None, {"text"})
    assert decided(short, named)[1].text.letters == 0, "it would look like the letters of a text"


def test_characters_are_the_tokens_of_texts_without_spaces_unless_options_need_words():
    short = [dataclasses.replace(d, texts={"text": "โทรศัพท์ของฉัน"}) for d in documents(40, labels=3)]
    found = decided(short, OPENED)[1].text
    assert (found.analyzer, found.ngrams, found.punctuation) == ("char", (1, 5), False)
    for given in ({"stop_words": ("ok",)}, {"expert": "sparse"}, {"analyzer": "word"}):
        kept = Plan.of(**given).opened(None, given)
        assert decided(short, kept)[1].text.analyzer == "word"
        assert decided(short, kept)[1].text.punctuation
    pattern = {"token_pattern": "."}
    kept = decided(short, Plan.of(**pattern).opened(None, pattern))[1].text
    assert (kept.analyzer, kept.token_pattern) == ("word", ".")


def test_a_given_option_stands_alone_and_an_algorithm_ends_the_choice():
    _, plan, chosen = decided(documents(), Plan.of(rarity=0.25).opened(None, {"rarity"}))
    assert plan.boosting.rarity == 0.25
    assert plan.boosting.abstain
    assert "rarity" not in chosen
    for given in ({"algorithm": "mh"}, {"learner": "tree"}, {"votes": "discrete"}):
        assert not Plan.of(**given).opened(None, given).open
    assert not Plan().opened("paper", ()).open


def test_characters_are_taken_as_texts_without_spaces_are():
    _, plan, _ = decided(documents(), Plan.of(analyzer="char").opened(None, {"analyzer"}))
    assert (plan.text.ngrams, plan.text.punctuation, plan.boosting.rarity) == ((1, 5), False, 1.0)
    part = Plan.of(per_field=("text:analyzer=char",)).opened(None, {"per_field"})
    short = documents(400)
    assert decided(short, OPENED)[1].text.punctuation
    assert not decided(short, part)[1].text.punctuation, "characters include them"


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """A file of documents with several labels."""
    rows = [
        {"id": d.id, "text": d.texts["text"], "labels": list(d.labels)}
        for d in documents(90, several=True)
    ]
    path = tmp_path_factory.mktemp("several") / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_all_doors_give_the_same_model_and_its_command_gives_it_again(several, tmp_path):
    import shlex

    from boostext.cli import main

    def command(*words):
        main([str(word) for word in words], standalone_mode=False)

    command("train", several, "-o", tmp_path / "m", "-q")
    model, found = read_model(tmp_path / "m"), boostext.train(several)
    assert found.model.to_bytes() == (tmp_path / "m").read_bytes()
    assert model.boosting.threshold < 0, "of rules that abstain 0 is too high for rare labels"
    assert set(model.thresholds) == {model.boosting.threshold}
    words = shlex.split(model.provenance.command)[1:]
    command(*words, several, "-o", tmp_path / "again", "-q")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    command("train", several, "-o", tmp_path / "m", "-q", "--resume")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_the_threshold_serves_documents_that_were_not_learned_from(several):
    by_default, at_zero = (
        boostext.crossval(several, folds=3, rounds=60, **given).evaluation.measures["micro-f1"]
        for given in ({}, {"threshold": 0.0})
    )
    assert by_default > at_zero


def test_the_printed_settings_of_data_give_the_same(several, tmp_path, capsys):
    from boostext.cli import main

    main(["train", str(several), "--print-config"], standalone_mode=False)
    printed = capsys.readouterr().out
    assert "abstain: true  # chosen by the data" in printed
    main(["train", "--print-config"], standalone_mode=False)
    without = capsys.readouterr().out
    assert "# abstain depends on the data" in without
    (tmp_path / "c.yaml").write_text(without, encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("a", "b")]
    same = ["train", str(several), "-q", "--rounds", "60", "-o"]
    main([*same, paths[0]], standalone_mode=False)
    main([*same, paths[1], "--config", str(tmp_path / "c.yaml")], standalone_mode=False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
