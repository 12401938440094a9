"""Text fields with settings of their own, terms that are dropped, orders that are declared."""

import re

import pytest

from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import Equals, Occurs
from boostext.features.extract import extract
from boostext.features.lookup import ConditionLookup
from boostext.settings import TextSettings

FIELDS = ("subject", "text")


def document(subject, text, **attributes):
    return Document("d", {"subject": subject, "text": text}, ("A",), attributes=attributes)


DOCUMENTS = [document("Wrong Bill", "the unk bill"), document("bill", "unk"), document("x", "the")]


def conditions(settings, documents=DOCUMENTS, **options):
    names = extract(documents, settings, FIELDS, **options).names
    return [names[j] for j in range(len(names))] + [
        alias for j in range(len(names)) for alias in names.aliases(j)
    ]


def test_a_field_has_n_grams_and_case_of_its_own():
    settings = TextSettings(per_field=("subject:ngrams=1-2", "subject:lowercase=false"))
    found = conditions(settings)
    assert Occurs("subject", ("Wrong", "Bill")) in found
    assert Occurs("text", ("the", "unk")) not in found
    assert Occurs("text", ("the",)) in found


def test_prediction_finds_what_extraction_found():
    settings = TextSettings(per_field=("subject:ngrams=1-2", "subject:lowercase=false"))
    found = conditions(settings)
    lookup = ConditionLookup(found, settings, FIELDS)
    yes = {found[j] for j in lookup.blocks(DOCUMENTS[0])[0]}
    assert yes == {
        *(Occurs("subject", t) for t in (("Wrong",), ("Bill",), ("Wrong", "Bill"))),
        *(Occurs("text", (t,)) for t in ("the", "unk", "bill")),
    }
    assert lookup.find(DOCUMENTS[0], Occurs("subject", ("Wrong", "Bill"))) == [(0, 10)]


def test_least_documents_may_differ_by_field():
    found = conditions(TextSettings(per_field=("text:min-df=2",)))
    assert {c.term for c in found if c.field == "text"} == {("the",), ("unk",)}
    assert Occurs("subject", ("wrong",)) in found


def test_terms_with_a_match_are_dropped_words_joined_by_a_sharp():
    found = conditions(TextSettings(ngrams=(1, 2), drop="(^|#)unk(#|$)"))
    assert {c.term for c in found if c.field == "text"} == {("the",), ("bill",)}


def test_where_all_is_dropped_the_message_says_so():
    with pytest.raises(SettingsError, match="drop"):
        conditions(TextSettings(drop="."))


def test_declared_categories_come_first_in_their_order():
    documents = [document("", "", c="z"), document("", "", c="b"), document("", "", c="a")]
    found = conditions(TextSettings(), documents, attributes=("c",), declared={"c": ("a", "b")})
    assert found == [Equals("c", "a"), Equals("c", "b"), Equals("c", "z")]


@pytest.mark.parametrize(("simplest", "name"), [(True, ("b",)), (False, ("a", "b"))])
def test_of_terms_in_the_same_documents_the_simplest_or_the_first_stands_for_all(simplest, name):
    documents = [document("", "a b"), document("", "a")]
    names = extract(documents, TextSettings(ngrams=(1, 2), simplest_name=simplest), FIELDS).names
    assert [names[j].term for j in range(len(names))] == [("a",), name]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("text", "expected FIELD:OPTION=VALUE"),
        ("text:window=2", "expected FIELD:OPTION=VALUE with one of"),
        ("text:counts=1,2", "expected FIELD:OPTION=VALUE"),
        ("text:ngrams=0", "ngrams is 0"),
        ("text:drop=(", "drop is not a regular expression"),
    ],
)
def test_what_is_no_setting_of_a_field_is_refused(given, says):
    with pytest.raises(SettingsError, match=re.escape(says)):
        TextSettings(per_field=(given,))
