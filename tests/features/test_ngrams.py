"""Which terms each expert makes of a text, and in which order."""

import pytest

from boostext.features.ngrams import EXPERTS, sparse_patterns, spread, steps
from boostext.settings import TextSettings


def terms(expert, low, high, text="a b c"):
    made = EXPERTS[expert](text.split(), low, high)
    return ", ".join(" ".join(token or "?" for token in term) for term in made)


@pytest.mark.parametrize(
    ("expert", "high", "expected"),
    [
        # the tables of icsiboost's ngram, fgram and sgram for `a b c`
        ("ngram", 1, "a, b, c"),
        ("ngram", 2, "a, a b, b, b c, c"),
        ("ngram", 3, "a, a b, a b c, b, b c, c"),
        ("ngram", 4, "a, a b, a b c, b, b c, c"),
        ("full", 1, "a, b, c"),
        ("full", 2, "a b, b c"),
        ("full", 3, "a b c"),
        ("full", 4, ""),
        ("icsi-sparse", 1, "a, b, c"),
        ("icsi-sparse", 2, "a, a b, b, b c, c"),
        ("icsi-sparse", 3, "a, a b, a c, b, b c, c"),
        ("icsi-sparse", 4, "a, a b, a c, b, b c, c"),
        # Schapire's: the gap is part of the term
        ("sparse", 3, "a, a b, a ? c, a b c, b, b c, c"),
    ],
)
def test_experts_on_three_words(expert, high, expected):
    assert terms(expert, 1, high) == expected


def test_full_keeps_the_word_of_a_text_of_one_word():
    assert terms("full", 3, 3, "a") == "a"


def test_low_is_the_least_length_or_span():
    assert terms("ngram", 2, 3) == "a b, a b c, b c"
    assert terms("sparse", 3, 3) == "a ? c, a b c"
    assert terms("icsi-sparse", 3, 3) == "a c"


@pytest.mark.parametrize("window", range(1, 7))
def test_sparse_patterns_are_all_masks_that_begin_and_end_with_a_word(window):
    # one of span 1; of span n, all 2^(n - 2) choices of the words between
    assert len(sparse_patterns(1, window)) == 1 + sum(2 ** (n - 2) for n in range(2, window + 1))
    assert len(set(sparse_patterns(1, window))) == len(sparse_patterns(1, window))


def test_terms_repeat_as_often_as_they_occur():
    assert terms("icsi-sparse", 2, 3, "a a a") == "a a, a a, a a"
    assert terms("sparse", 3, 3, "a a a a") == "a ? a, a a a, a ? a, a a a"


def test_a_term_knows_where_its_words_may_stand():
    assert spread(("a", None, "b"), "sparse", 1, 3) == [(0, 2)]
    assert spread(("a", "b"), "icsi-sparse", 1, 4) == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize("high", [2, 4, 6])
def test_every_step_joins_two_that_were_made_before(high):
    made = {(0,)}
    for level in steps(TextSettings(expert="sparse", ngrams=(1, high))):
        assert all(step.left in made and step.right in made for step in level)
        made = {step.places for step in level}  # those of one token less are not kept
