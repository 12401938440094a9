"""Findings: each kind once, on a corpus made to have it."""

import json

import pytest

from boostext.corpus.checks import check
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.settings import DataSettings
from tests.corpus.reading import write


def documents(*pairs):
    return [
        Document(str(n), {"text": text}, labels, origin=Origin("f", n))
        for n, (text, labels) in enumerate(pairs, 1)
    ]


def ids(group):
    return [member.id for member in group.members]


def test_labels_are_counted_and_their_numbers_summed_up():
    found = check(documents(("a", ("x", "y")), ("b", ("y",)), ("c", ())))
    assert found.documents == 3
    assert list(found.labels.items()) == [("y", 2), ("x", 1)]
    assert found.label_set_sizes == {"0": 1, "1": 1, "2": 1}
    assert found.cardinality == 1.0
    assert found.rare_labels == ("x",)
    assert (found.unlabelled.count, ids(found.unlabelled)) == (1, ["3"])


def test_sizes_of_texts_are_summed_up_over_all_fields():
    found = check(
        [
            Document("1", {"a": "one two", "b": "three"}),
            Document("2", {"a": " \n"}),
            Document("3", {"b": "x"}, weight=0.5),
        ]
    )
    assert (found.words.least, found.words.median, found.words.greatest) == (0, 1, 3)
    assert (found.characters.least, found.characters.total) == (1, 15)
    assert found.text_fields == {"a": 2, "b": 2}
    assert ids(found.empty_texts) == ["2"]
    assert (found.weights.least, found.weights.total) == (0.5, 2.5)


def test_texts_are_the_same_but_for_case_white_space_and_composition():
    found = check(
        documents(
            ("Caf\u00e9 am Markt", ("a",)),
            ("cafe\u0301  AM\nmarkt ", ("a",)),
            ("other", ("a",)),
            ("x", ("a", "b")),
            ("", ("a",)),
            ("", ("b",)),
            ("X", ("b", "a")),
            ("x", ("b",)),
        )
    )
    assert [ids(group) for group in found.same_texts.listed] == [["1", "2"], ["4", "7", "8"]]
    assert (found.same_texts.count, found.same_texts.documents) == (2, 5)
    (conflict,) = found.conflicts.listed
    assert [member.labels for member in conflict.members] == [("a", "b"), ("b", "a"), ("b",)]
    assert [member.origin for member in conflict.members] == ["f:4", "f:7", "f:8"]
    assert conflict.snippet == "x"


def test_the_same_words_in_other_fields_are_another_text():
    found = check([Document("1", {"a": "x y", "b": "z"}), Document("2", {"a": "x", "b": "y z"})])
    assert found.same_texts.count == 0


def test_ids_that_stand_twice_are_listed_with_their_places():
    twice = [Document("i", {"text": str(n)}, origin=Origin("f", n)) for n in range(1, 3)]
    found = check([*twice, Document("j", {"text": "3"})])
    (group,) = found.duplicate_ids.listed
    assert [member.origin for member in group.members] == ["f:1", "f:2"]


@pytest.mark.parametrize(
    "names",
    [
        ("Spam", "spam"),
        ("spam", "spam,"),
        ("spam", "spam "),
        ("a  b", "a b"),
        ("ＡＢＣ", "abc"),
        ("it's", "It's!?"),
    ],
)
def test_label_names_that_hardly_differ_are_shown_with_their_counts(names):
    found = check(documents(("1", names), ("2", names[:1]), ("3", ("else",))))
    assert found.alike_labels == ({names[0]: 2, names[1]: 1},)


@pytest.mark.parametrize(
    "names", [("c", "c++"), ("c", "c#"), ("a b", "ab"), ("!", "?"), ("1", "2")]
)
def test_other_label_names_are_not_taken_for_each_other(names):
    assert check(documents(("1", names))).alike_labels == ()


def test_attributes_are_summed_up_by_kind():
    values = [1.0, "k", None, 1.0]
    found = check(
        [
            Document(str(n), {"text": ""}, attributes={"x": v} if v else {})
            for n, v in enumerate(values)
        ]
    )
    column = found.attributes["x"]
    assert (column.numbers, column.categories, column.missing, column.values) == (2, 1, 1, 2)


def test_the_account_of_the_reading_is_part_of_the_findings(tmp_path):
    path = write(tmp_path, "a.jsonl", '\nbad\n{"text": "\xe9", "label": "x"}\n'.encode("cp1252"))
    bad = BadRecords()
    chosen = DataSettings(skip_bad=True, encoding_errors="replace")
    found = check(read_documents([path], chosen, bad), bad)
    assert (found.documents, found.bad_count) == (1, 1)
    assert (found.blank_lines, found.replaced_lines) == (1, 1)
    assert found.bad_records[0][0] == f"{path}:2"


def test_test_data_are_compared_with_training_data():
    train = documents(("one", ("a",)), ("two", ("b",)), ("two", ("b",)))
    test = [
        Document("7", {"text": "TWO"}, ("a",)),
        Document("1", {"text": "three"}, ("c", "a")),
        Document("8", {"text": "two"}, ("b",)),
        Document("9", {"text": "three"}, ()),
    ]
    found = check(train, test=test).comparison
    assert found.documents == 4
    assert found.unseen_labels == {"c": 1}
    assert found.untested_labels == ()
    assert found.same_ids == 1
    assert (found.same_texts.count, found.same_texts.documents) == (1, 2)
    assert [(m.id, m.labels) for m in found.same_texts.listed[0].members] == [
        ("2", ("b",)),
        ("3", ("b",)),
        ("7", ("a",)),
        ("8", ("b",)),
    ]


def test_findings_are_plain_data_even_of_nothing():
    for data in ([], documents(("a", ("x",)), ("a", ("y",)))):
        found = check(data, test=data)
        assert json.loads(json.dumps(found.to_dict()))["documents"] == len(data)


def test_listings_are_cut_and_counts_are_not():
    found = check([Document("same", {"text": "same"}) for _ in range(1500)])
    (group,) = found.same_texts.listed
    assert (group.count, len(group.members)) == (1500, 1000)
    assert found.unlabelled.count == 1500
