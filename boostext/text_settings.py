"""The settings that define how texts become terms; `boostext.settings` re-exports them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from boostext import fields
from boostext.errors import SettingsError
from boostext.fields import Group, setting


@dataclass(frozen=True)
class TextSettings(Group):
    """How texts become terms. The model keeps these settings, so prediction needs none."""

    analyzer: str = setting("word", "Type of tokens: words or letters.", choices=("word", "char"))
    ngrams: tuple[int, int] = setting(
        (1, 1),
        "Lengths of n-grams, such as 1-3. With --sparse, the widths of the window.",
        parse="ngram_range",
        low=1,
        high=32,
    )
    expert: str = setting(
        "ngram",
        "Type of n-grams: consecutive tokens (ngram), also with gaps (sparse), only those of the "
        "maximum length (full), or pairs with a gap that is not marked (icsi-sparse).",
        choices=("ngram", "sparse", "full", "icsi-sparse"),
        flags={"sparse": "sparse", "full": "full", "icsi-sparse": "icsi-sparse"},
    )
    letters: int = setting(
        0,
        "Maximum length of n-grams of letters that are terms besides the words; 0 for none.",
        low=0,
        high=32,
    )
    counts: tuple[int, ...] = setting(
        (1,),
        "Minimum numbers of occurrences that rules may require of a term, such as 1,2,3,5,8.",
        parse="integers",
        low=1,
    )
    min_df: int | float = setting(
        1,
        "Leave out terms that occur in fewer documents: a number, or a fraction such as 0.001.",
        parse="frequency",
        low=0,
    )
    max_df: int | float = setting(
        1.0,
        "Leave out terms that occur in more documents: a number, or a fraction such as 0.5.",
        parse="frequency",
        low=0,
    )
    max_terms: int = setting(
        0, "Maximum number of terms, the most frequent ones; 0 keeps all.", low=0
    )
    lowercase: bool = setting(True, "Convert texts to lower case.", negative=True)
    token_pattern: str = setting(
        "", "Regular expression that matches tokens, instead of the built-in tokenizer."
    )
    punctuation: bool = setting(False, "Use punctuation marks as tokens, too.", negative=True)
    stop_words: tuple[str, ...] = setting(
        (), "File of words to leave out, one on each line.", parse="word_file"
    )
    simplest_name: bool = setting(
        True,
        "Of terms that occur in exactly the same documents, use the simplest one instead of the "
        "first.",
        negative=True,
    )
    drop: str = setting(
        "",
        "Regular expression for terms that are left out. The words of a term are joined by #.",
    )
    per_field: tuple[str, ...] = setting(
        (),
        "Option of this section for one text field only: FIELD:OPTION=VALUE. Repeat it for "
        "several.",
    )

    def of_field(self, name: str) -> Self:
        """Return the settings for a field of terms: these, changed by its entries in `per_field`.

        name: a text field, or the field of its n-grams of letters (see `term_fields`).
        """
        if not (self.per_field or self.letters):
            return self
        text_field = name.removesuffix(LETTERS)
        own = dataclasses.replace(self, per_field=(), **self._given_for(text_field))
        if not own.letters:
            return dataclasses.replace(self, per_field=(), **self._given_for(name))
        if text_field == name:
            return own
        of_letters = {"analyzer": "char", "ngrams": (1, own.letters), "letters": 0, **OF_LETTERS}
        return dataclasses.replace(own, **{**of_letters, **self._given_for(name)})

    def _given_for(self, name: str) -> dict[str, Any]:
        given = (field_setting(entry) for entry in self.per_field)
        return {o.name: fields.from_text(o, text) for field, o, text in given if field == name}

    def term_fields(self, text_fields: Iterable[str]) -> dict[str, str]:
        """Return the fields of terms, mapped to the text fields of which they are.

        Terms of a text field have its name. Its n-grams of letters besides words have a field of
        their own, whose name also ends in LETTERS.
        Raises SettingsError if a text field has such a name, or if `per_field` names n-grams of
        letters that a text field has not.
        """
        found, texts = {}, tuple(text_fields)
        for name in texts:
            found[name] = name
            if self.of_field(name).letters:
                found[name + LETTERS] = name
        has_letters = self.letters or any(self.of_field(name).letters for name in texts)
        if has_letters and any(name.endswith(LETTERS) for name in texts):
            raise SettingsError(
                f"a text field whose name ends in {LETTERS!r} looks like n-grams of letters of "
                "another; rename it, or leave out --letters"
            )
        for name in (field_setting(entry)[0] for entry in self.per_field):
            if name not in found and name.removesuffix(LETTERS) in texts:
                raise SettingsError(
                    f"per-field names {name!r}, but this text has no n-grams of letters; add "
                    "--letters 5"
                )
        return found

    def check(self) -> None:
        super().check()
        for name in {field_setting(given)[0] for given in self.per_field}:
            self.of_field(name)
        low, high = self.ngrams
        if low > high:
            raise SettingsError(f"ngrams is {low}-{high}; the first must not be above the second")
        if self.expert != "ngram" and self.analyzer == "char":
            raise SettingsError(
                f"{self.expert} n-grams are made of words; leave out --analyzer char"
            )
        if self.analyzer == "char" and self.letters:
            raise SettingsError("--letters adds n-grams to words; leave out --analyzer char")
        if self.analyzer == "char" and (self.token_pattern or self.punctuation):
            raise SettingsError(
                "--analyzer char takes every character; leave out --token-pattern and --punctuation"
            )
        if self.expert == "sparse" and high > 6:
            raise SettingsError(f"a sparse window of {high}; it must be 6 or less")
        for name, share in (("min-df", self.min_df), ("max-df", self.max_df)):
            if isinstance(share, float) and share > 1:
                raise SettingsError(f"{name} is {share}; a share must be 1.0 or less")
        if sorted(set(self.counts)) != list(self.counts):
            raise SettingsError("counts must rise, like 1,2,3,5,8")
        for name, pattern in (("token-pattern", self.token_pattern), ("drop", self.drop)):
            try:
                re.compile(pattern)
            except re.error as error:
                raise SettingsError(f"{name} is not a regular expression: {error}") from None


LETTERS = ":letters"
"""Follows the name of a text field in the name of the field of its n-grams of letters."""
OF_LETTERS = {"expert": "ngram", "token_pattern": "", "punctuation": False, "stop_words": ()}
"""Settings of words that do not concern n-grams of letters."""


def field_setting(text: str) -> tuple[str, dataclasses.Field[Any], str]:
    """ "words:ngrams=1-3" gives the text field, the field of TextSettings, and "1-3".

    The name of a text field may itself contain colons and equals signs.
    """
    known = {fields.option_name(f): f for f in TextSettings.fields() if f.name not in WHOLE}
    match = re.fullmatch(f"(.*?):({'|'.join(known)})=(.*)", text, re.DOTALL)
    if not match:
        raise SettingsError(
            f"per-field is {text!r}; expected FIELD:OPTION=VALUE with one of {', '.join(known)}"
        )
    return match[1], known[match[2]], match[3]


WHOLE = ("per_field", "stop_words", "max_terms", "counts", "simplest_name")
"""The settings that apply to all text fields together."""
