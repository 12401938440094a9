"""Labels that are probably meant to be one, and a spelling that shows what parts them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

LOOSE_END = re.compile(r"""[\s.,;:!?'"]+$""")
MOST_TOLD = 5
"""Pairs that one line names."""
_WHOLE_NUMBER = re.compile(r"([+-]?\d+)\.0+")
_HIDDEN = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u3164]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


def likeness(label: str) -> str:
    """Equal for labels that look alike.

    They differ by case, by white space, by invisible characters, by how Unicode composes the same
    letters, by the kind of dash, by punctuation at the end, or as `1` and `1.0` do.
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
    """Groups of labels that look alike, with their examples."""
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
    """`'Billing' (2) is like the model's 'billing'`, the first MOST_TOLD of them; "" for none."""
    found = lookalikes(counts, known)
    told = [
        f"{spelled(label)} ({counts[label]:,}) is like {whose} {spelled(name)}"
        for label, name in list(found.items())[:MOST_TOLD]
    ]
    more = f" and {len(found) - MOST_TOLD:,} more" if len(found) > MOST_TOLD else ""
    return ", ".join(told) + more


def spelled(label: str) -> str:
    r"""In quotes, with escapes for what cannot be seen, or cannot be told from something else.

    `spelled("x\u200b")` is `'x\u200b'`. The marks of a label that is not in Unicode's composed form
    are escaped too, and so are compatibility characters, such as ligatures.
    """
    composed = unicodedata.is_normalized("NFC", label)
    return "".join(_told(char, composed) for char in repr(label))


def as_listed(label: str) -> str:
    """A label for a table: `spelled` where it is not what it seems to be."""
    told = spelled(label)
    return label if told[1:-1] == label == label.strip() else told


def _told(char: str, composed: bool) -> str:
    if char.isascii():
        return char  # and the escapes that repr makes
    mark = unicodedata.category(char)[0] == "M" and (not composed or _HIDDEN.match(char))
    other = not unicodedata.is_normalized("NFKC", char) or _HIDDEN.match(char)
    return char.encode("unicode_escape").decode("ascii") if mark or other else char
