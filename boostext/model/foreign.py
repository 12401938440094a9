"""Recognize files that are not boostext models by their first bytes."""

from __future__ import annotations

import string

HEAD = 4096

_PACKED = "packed by {}; unpack it first"
_MAGICS: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", _PACKED.format("gzip")),
    (b"BZh", _PACKED.format("bzip2")),
    (b"\xfd7zXZ\x00", _PACKED.format("xz")),
    (b"\x28\xb5\x2f\xfd", _PACKED.format("zstd")),
    (b"\xba\x16\x4f\x2f", "a fastText model, not a boostext model"),
    (b"\x93NUMPY", "a numpy array, not a boostext model"),
    (b"\x89HDF", "an HDF5 file, not a boostext model"),
)
_PICKLE = "a Python pickle, which boostext never opens: a pickle can run any program"
_JSON = (
    "JSON, not a boostext model; if it is a model written as JSON, turn it into one with "
    "boostext convert"
)
_TEXT = (
    "a text file, not a boostext model; training data goes after the model, and a .shyp is "
    "turned into a model with boostext convert"
)
_TEXT_BYTES = frozenset(string.printable.encode("ascii")) | frozenset(range(0x80, 0x100))


def recognize(head: bytes) -> str:
    """Return a message on the kind of the file and what to do. head: its first HEAD bytes."""
    for magic, sentence in _MAGICS:
        if head.startswith(magic):
            return sentence
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return _PICKLE
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _JSON
    if _TEXT_BYTES.issuperset(head):
        return _TEXT
    return "not a boostext model"
