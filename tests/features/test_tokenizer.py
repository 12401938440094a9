"""The tokenizer on the scripts of the world, and on texts that no person would write."""

import signal
import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.errors import SettingsError
from boostext.features import tokenizer as tokenizer_module
from boostext.features.normalize import normalize
from boostext.features.tokenizer import Tokenizer
from boostext.features.unicode_classes import UNICODE, class_letters
from boostext.settings import TextSettings
from tests.features.texts import any_texts

SETTINGS = [
    TextSettings(),
    TextSettings(lowercase=False, punctuation=True),
    TextSettings(token_pattern=r"\S+"),
    TextSettings(analyzer="char"),
    TextSettings(stop_words=("a", "日")),
]
every_settings = pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.analyzer)


def tokens(text, **settings):
    return Tokenizer(TextSettings(**settings)).tokens(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't panic: C-3PO is here", "don t panic c 3po is here"),
        ("a I 1", "a i 1"),  # words of one letter stay
        ("snake_case", "snake case"),
        ("हिन्दी में", "हिन्दी में"),  # marks do not part words
        ("తెలుగు భాష", "తెలుగు భాష"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a joiner inside a word belongs to it
        ("\u200fשלום\u200f", "שלום"),  # and not at its ends
        ("Cafe\u0301 CAFÉ", "café café"),
        ("H\u0331", "\u1e96"),  # composed only after folding: there is no composed capital
        ("Donau\xaddampf", "donaudampf"),
        ("한국어 텍스트", "한국어 텍스트"),
        ("x² ½ Ⅷ ٣", "x² ½ ⅷ ٣"),
        ("\ufeffbom\0nul\x85next", "bom nul next"),
        ("", ""),
        (" \n\t", ""),
        ("\u0301 \u0316", ""),  # marks without a letter
    ],
)
def test_words(text, expected):
    assert tokens(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日本語", ["日", "本", "語"]),
        ("カ\u309aタ", ["カ\u309a", "タ"]),  # no composed form: the mark stays with its kana
        ("ภาษาไทยนี้", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "นี้"]),
        ("ខ្មែរ", ["ខ្មែ", "រ"]),  # coeng puts the next consonant below this one
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("ພາສາ", ["ພ", "າ", "ສ", "າ"]),
        ("iPhone手机5s", ["iphone", "手", "机", "5s"]),
    ],
)
def test_scripts_without_spaces_give_a_token_for_each_letter_with_its_marks(text, expected):
    assert tokens(text) == expected


def test_punctuation_marks_are_tokens_when_asked_for():
    assert tokens("Wait... 5$ 🙂!", punctuation=True) == [
        "wait",
        ".",
        ".",
        ".",
        "5",
        "$",
        "🙂",
        "!",
    ]
    # a variation selector belongs to its symbol; a joiner between symbols to none
    assert tokens("❤\ufe0f👩\u200d👧", punctuation=True) == ["❤\ufe0f", "👩", "👧"]


def test_pattern_takes_whole_matches_and_no_empty_ones():
    assert tokens("Ab-cd x", token_pattern=r"(\w)\w") == ["ab", "cd"]
    assert tokens("ab", token_pattern=r"x*") == []


def test_stop_words_are_tokenized_too():
    assert tokens("I don't think", stop_words=("Don't",)) == ["i", "think"]


def test_characters_fold_blanks_and_pad_the_ends():
    assert "".join(tokens(" Ab\n\t c ", analyzer="char")) == " ab c "
    assert tokens(" \n", analyzer="char") == []


def test_half_surrogate_pairs_become_one_visible_character():
    assert tokens("a\ud800b", analyzer="char") == [" ", "a", "\ufffd", "b", " "]
    assert tokens("a\ud800b") == ["a", "b"]


@every_settings
@given(any_texts)
def test_no_token_is_empty_and_spans_tell_the_same_tokens(settings, text):
    tokenizer = Tokenizer(settings)
    found = tokenizer.tokens_with_spans(text)
    assert [token for token, _, _ in found] == tokenizer.tokens(text)
    assert all(token for token, _, _ in found)


@every_settings
@given(st.text(st.characters(max_codepoint=127)))
def test_texts_in_ascii_have_the_tokens_that_their_spans_tell(settings, text):
    tokenizer = Tokenizer(settings)
    assert [token for token, _, _ in tokenizer.tokens_with_spans(text)] == tokenizer.tokens(text)


@every_settings
@given(any_texts)
def test_spans_lie_in_the_text_in_order(settings, text):
    spans = [span for _, *span in Tokenizer(settings).tokens_with_spans(text)]
    assert all(0 <= start <= stop <= len(text) for start, stop in spans)
    if settings.analyzer == "word" and not settings.token_pattern:
        # a pattern, or a single character, may end inside a letter that is written as several
        assert all(before <= start for (_, before), (start, _) in pairwise(spans))


@given(any_texts)
def test_what_a_span_covers_is_the_token(text):
    tokenizer = Tokenizer(TextSettings(punctuation=True))
    for token, start, stop in tokenizer.tokens_with_spans(text):
        # subtle: a capital sigma ends a word or not by what surrounds it
        covered = tokenizer.tokens(text[start:stop])
        assert [word.replace("ς", "σ") for word in covered] == [token.replace("ς", "σ")]


@given(any_texts)
def test_spans_cover_every_letter(text):
    """What is in no token: blanks, controls, marks alone, what is not assigned."""
    covered = set()
    for _, start, stop in Tokenizer(TextSettings(punctuation=True)).tokens_with_spans(text):
        covered.update(range(start, stop))
    left = {character for i, character in enumerate(text) if i not in covered}
    letters = {class_letters()[ord(character)] for character in left - {"\xad"}}
    # a half surrogate pair has no class of its own and becomes a symbol, which is a token
    assert letters <= {"o", "m", "k", "j"}


@every_settings
@given(any_texts, st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_line_end_changes_no_token(settings, text, line_end):
    tokenizer = Tokenizer(settings)
    assert tokenizer.tokens(text + line_end) == tokenizer.tokens(text)


@given(any_texts)
def test_canonically_equal_texts_have_the_same_tokens(text):
    decomposed = unicodedata.normalize("NFD", text)
    assert tokens(decomposed) == tokens(text)


@given(any_texts)
def test_normal_form_is_final(text):
    assert normalize(normalize(text)) == normalize(text)


def test_long_texts_are_normalized_as_short_ones_are():
    words = "Éa\u0301 ΟΔΟΣ H\u0331 " * 3000
    assert normalize(words) == normalize("Éa\u0301 ΟΔΟΣ H\u0331 ") * 3000
    unbroken = "か\u3099" * 9000  # composed wherever it is cut
    assert normalize(unbroken) == "が" * 9000
    spans = Tokenizer(TextSettings()).tokens_with_spans(unbroken)
    assert spans == [("が", i, i + 2) for i in range(0, 18000, 2)]


def test_a_run_of_marks_does_not_take_its_square():
    # NFC of these marks at once takes a minute and more; in pieces about a second
    started = time.perf_counter()
    tokenizer = Tokenizer(TextSettings())
    text = "a" + "\u0301\u0316" * 100_000
    assert len(tokenizer.tokens(text)) == len(tokenizer.tokens_with_spans(text)) == 1
    assert time.perf_counter() - started < 30


def test_classes_are_those_of_unicode():
    """Letters, numbers and marks by general category, for all that this Python knows too."""
    kinds = {"L": "ws", "N": "ws", "M": "mk", "P": "p", "S": "p"}
    letters = class_letters()
    assert len(letters) == sys.maxunicode + 1
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if letters[code] != "o":
            assert letters[code] in kinds.get(category[0], "j"), hex(code)
        elif unicodedata.unidata_version == UNICODE:
            assert category[0] in "CZ", hex(code)


@given(st.text(st.sampled_from("ab C,.\n\té "), max_size=20), st.sampled_from(range(4)))
def test_the_line_of_tokens_is_their_join(text, which):
    settings = (
        TextSettings(),
        TextSettings(stop_words=("a",)),
        TextSettings(punctuation=True),
        TextSettings(analyzer="char"),
    )[which]
    tokenizer = Tokenizer(settings)
    assert tokenizer.line(text) == " ".join(tokenizer.tokens(text))


SLOW = TextSettings(token_pattern="(a+)+b")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_pattern_that_takes_for_ever_is_stopped_and_names_the_text(monkeypatch):
    monkeypatch.setattr(tokenizer_module, "PATIENCE", 0.1)
    tokenizer = Tokenizer(SLOW)
    assert tokenizer.tokens("aab ab") == ["aab", "ab"]
    start = time.monotonic()
    with pytest.raises(
        SettingsError, match=r"more than 0\.1 s on one text, which begins with 'aaaa"
    ):
        tokenizer.tokens("a" * 40)
    assert time.monotonic() - start < 5
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_in_other_threads_a_slow_text_is_told_after_it(monkeypatch):
    monkeypatch.setattr(tokenizer_module, "PATIENCE", 0.0)
    monkeypatch.setattr(tokenizer_module, "PACE", 1e12)
    with ThreadPoolExecutor(1) as pool, pytest.raises(SettingsError, match="token-pattern"):
        pool.submit(Tokenizer(SLOW).tokens, "aab").result()
