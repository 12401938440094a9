"""Writes boostext/features/unicode_classes.py: what every character is to the tokenizer.

    python benchmarks/tools/make_unicode_classes.py

The table is made once, from Unicode 14.0 (Python 3.11), and kept in the package, so that tokens do
not depend on the Python that reads them. Change it only together with TOKENIZER_VERSION.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

UNICODE = "14.0.0"
TARGET = Path(__file__).parents[2] / "boostext" / "features" / "unicode_classes.py"

# Blocks of scripts that are written without spaces (UAX 14: ideographs, kana, complex context).
UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),
    (0x1A20, 0x1AAF),
    (0xAA80, 0xAADF),
    (0x11700, 0x1174F),  # Tai scripts, Ahom
    (0x2E80, 0x2FDF),
    (0x3000, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),  # Han, kana
    (0x16FE0, 0x18DFF),
    (0x1B170, 0x1B2FF),  # Tangut, Khitan, Nushu
)
# Signs that put the next letter below this one: Myanmar virama, Khmer coeng, Tai Tham sakot.
STACKERS = (0x1039, 0x17D2, 0x1A60)
# Format characters that stand inside words: joiners, direction marks, the word joiner.
JOINERS = (0x061C, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060)

HEAD = '''"""What every character is to the tokenizer: Unicode {version}, whatever the Python.

Written by benchmarks/tools/make_unicode_classes.py. Classes are letters:
w forms words (letters and numbers); s is a token of its own (letters of scripts without spaces);
m continues a token (marks); k is a mark that also joins the next s; j is seen only inside tokens;
p is punctuation or a symbol; o is all else (blanks, controls, what is not assigned).
"""

from __future__ import annotations

import functools

UNICODE = "{version}"

'''
TAIL = '''

@functools.cache
def class_letters() -> str:
    """The class of every code point: class_letters()[ord(character)]."""
    letters = bytearray(b"o") * 0x110000
    for letter, ranges in RANGES.items():
        for item in ranges.split():
            first, _, last = item.partition("-")
            start, stop = int(first, 16), int(last or first, 16) + 1
            letters[start:stop] = letter.encode("ascii") * (stop - start)
    return letters.decode("ascii")
'''


def letter_of(code: int) -> str:
    category = unicodedata.category(chr(code))
    if code in STACKERS:
        return "k"
    if code in JOINERS:
        return "j"
    if category[0] == "M":
        return "m"
    if category[0] == "L" or category == "Nl":
        return "s" if any(first <= code <= last for first, last in UNSPACED) else "w"
    return {"N": "w", "P": "p", "S": "p"}.get(category[0], "o")


def ranges(letter: str, letters: str) -> Iterator[str]:
    start = letters.find(letter)
    while start >= 0:
        stop = start
        while stop < len(letters) and letters[stop] == letter:
            stop += 1
        yield f"{start:x}" if stop == start + 1 else f"{start:x}-{stop - 1:x}"
        start = letters.find(letter, stop)


def wrapped(items: Iterator[str], width: int = 100) -> Iterator[str]:
    line = ""
    for item in items:
        if len(line) + 1 + len(item) > width:
            yield line
            line = ""
        line = f"{line} {item}" if line else item
    yield line


def main() -> None:
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"This Python has Unicode {unicodedata.unidata_version}; {UNICODE} is needed")
    letters = "".join(letter_of(code) for code in range(0x110000))
    parts = [HEAD.format(version=UNICODE), "RANGES = {\n"]
    for letter in "wsmkjp":
        parts.append(f'    "{letter}": """\n')
        parts.extend(f"{line}\n" for line in wrapped(ranges(letter, letters)))
        parts.append('""",\n')
    parts += ["}\n", TAIL]
    TARGET.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
