"""Text fields with settings of their own, terms that are dropped, orders that are declared."""

import re
from dataclasses import replace

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


# N-grams of letters besides words ------------------------------------------------------------

LETTERS = TextSettings(ngrams=(1, 2), letters=3, stop_words=("the",), punctuation=True)
SPOKEN = [document("Wrong Bill!", "the unk bill"), document("bill", "unk"), document("x", "the")]


def test_letters_are_terms_besides_words_of_each_text_field():
    found = conditions(LETTERS, SPOKEN)
    words = conditions(replace(LETTERS, letters=0), SPOKEN)
    of_letters = conditions(TextSettings(analyzer="char", ngrams=(1, 3)), SPOKEN)
    named = {replace(each, field=f"{each.field}:letters") for each in of_letters}
    assert set(found) == {*words, *named}
    assert Occurs("text:letters", ("the",)) in named
    assert Occurs("text", ("the",)) not in words


def test_words_stand_for_letters_that_occur_in_the_same_documents():
    names = extract([document("", "bill"), document("", "no")], LETTERS, ("text",)).names
    assert [names[j] for j in range(2)] == [Occurs("text", ("bill",)), Occurs("text", ("no",))]
    assert Occurs("text:letters", ("bil",)) in names.aliases(0)


@pytest.mark.parametrize("large", [False, True])
def test_letters_are_found_in_the_text_of_their_field(large, monkeypatch):
    found = conditions(LETTERS, SPOKEN)
    lookup = ConditionLookup(found, LETTERS, FIELDS)
    if large:
        monkeypatch.setattr("boostext.features.lookup.SMALL", 0)
        monkeypatch.setattr("boostext.features.lookup.LARGE", 0)
    yes, _ = lookup.batch(SPOKEN)
    features = extract(SPOKEN, replace(LETTERS, simplest_name=False), FIELDS)
    for d, each in enumerate(yes):
        wanted = [j for j, held in enumerate(features.yes) if d in held]
        names = {features.names[j] for j in wanted}
        aliases = {alias for j in wanted for alias in features.names.aliases(j)}
        assert {found[j] for j in each} == names | aliases
    assert lookup.find(SPOKEN[0], Occurs("subject:letters", ("bil",))) == [(6, 9)]
    assert lookup.text_field(Occurs("subject:letters", ("bil",))) == "subject"


def test_the_letters_of_one_field_have_settings_of_their_own():
    given = ("subject:letters=0", "text:letters:ngrams=2-2", "text:letters:min-df=2")
    settings = TextSettings(letters=4, per_field=given)
    assert settings.term_fields(FIELDS) == {
        "subject": "subject",
        "text": "text",
        "text:letters": "text",
    }
    found = {c.term for c in conditions(settings, SPOKEN) if c.field == "text:letters"}
    assert found == {("un",), ("nk",), ("k ",), (" u",)} | {(" t",), ("th",), ("he",), ("e ",)}


def test_a_text_field_is_not_taken_for_the_letters_of_another():
    with pytest.raises(SettingsError, match=r"a text field whose name ends in ':letters'"):
        TextSettings(letters=3).term_fields(["text", "text:letters"])
    one = TextSettings(per_field=("text:letters=3",))
    with pytest.raises(SettingsError, match=r"a text field whose name ends in ':letters'"):
        one.term_fields(["text", "text:letters"])
    assert TextSettings().term_fields(["text:letters"]) == {"text:letters": "text:letters"}
    with pytest.raises(SettingsError, match="leave out --analyzer char"):
        TextSettings(letters=3, analyzer="char")


def test_settings_of_letters_that_a_text_has_not_are_refused():
    settings = TextSettings(per_field=("text:letters:ngrams=2-3",))
    with pytest.raises(SettingsError, match="no n-grams of letters; add --letters 5"):
        settings.term_fields(["text"])
    assert replace(settings, letters=4).of_field("text:letters").ngrams == (2, 3)
