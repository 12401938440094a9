"""Find labels that are probably meant to be the same, and show how they differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

LOOSE_END = re.compile(r"""[\s.,;:!?'"]+$""")
MOST_TOLD = 5
"""Maximum number of pairs in a message."""
_WHOLE_NUMBER = re.compile(r"([+-]?\d+)\.0+")
_HIDDEN = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u3164]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


def likeness(label: str) -> str:
    """A key that is equal for labels that look alike.

    Such labels differ only in case, white space, invisible characters, Unicode composition of the
    same letters, the kind of dash or punctuation at the end, or like `1` and `1.0`.
    """
    plain = unicodedata.normalize("NFKC", label)
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")
        plain = _DASHES.sub("-", _HIDDEN.sub("", plain))
    plain = " ".join(plain.casefold().split())
    plain = LOOSE_END.sub("", plain) or plain
    number = _WHOLE_NUMBER.fullmatch(plain)
    return number[1] if number else plain


def alike_labels(counts: Mapping[str, int]) -> tuple[dict[str, int], ...]:
    """Groups of labels that look alike: label -> number of examples."""
    names: dict[str, list[str]] = {}
    for name in counts:
        names.setdefault(likeness(name), []).append(name)
    return tuple({name: counts[name] for name in group} for group in names.values() if group[1:])


def lookalikes(labels: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """label -> the known label that it looks like, for labels that are not known themselves."""
    strange = set(labels).difference(known)
    if not strange:
        return {}
    by_likeness = {likeness(name): name for name in reversed(known)}
    found = {label: by_likeness.get(likeness(label)) for label in sorted(strange)}
    return {label: name for label, name in found.items() if name is not None}


def alike_words(counts: Mapping[str, int], known: Sequence[str], whose: str) -> str:
    """Such as `'Billing' (2) looks like the model's 'billing'`; MOST_TOLD at most, "" for none."""
    found = lookalikes(counts, known)
    told = [
        f"{spelled(label)} ({counts[label]:,}) looks like {whose} {spelled(name)}"
        for label, name in list(found.items())[:MOST_TOLD]
    ]
    more = f" and {len(found) - MOST_TOLD:,} more" if len(found) > MOST_TOLD else ""
    return ", ".join(told) + more


def spelled(label: str) -> str:
    r"""A label in quotes, with escapes for invisible and easily confused characters.

    `spelled("x\u200b")` is `'x\u200b'`. Combining marks of a label that is not in Unicode's
    composed form are also escaped, and so are compatibility characters such as ligatures.
    """
    composed = unicodedata.is_normalized("NFC", label)
    return "".join(_told(char, composed) for char in repr(label))


def as_listed(label: str) -> str:
    """A label for a table, as in `spelled` if it is not what it appears to be."""
    told = spelled(label)
    return label if told[1:-1] == label == label.strip() else told


def _told(char: str, composed: bool) -> str:
    if char.isascii():
        return char  # and the escapes that repr makes
    mark = unicodedata.category(char)[0] == "M" and (not composed or _HIDDEN.match(char))
    other = not unicodedata.is_normalized("NFKC", char) or _HIDDEN.match(char)
    return char.encode("unicode_escape").decode("ascii") if mark or other else char
