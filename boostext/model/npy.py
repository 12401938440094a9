"""Write and read arrays as `.npy` bytes without numpy's own reader.

The header is compared with a pattern and never evaluated, and only float64 and int32 in C order
are accepted. A malicious header therefore can neither run code, nor create objects, nor allocate
memory. The bytes written do not depend on the version of numpy; `numpy.load(...,
allow_pickle=False)` can read them.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.errors import ModelError

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([^']{3})', 'fortran_order': False, "
    rb"'shape': \((\d{1,15}(?:, \d{1,15}){0,3}),?\), \} *\n"
)
_LONGEST_HEADER = 1024
TYPES = {"<f8": np.float64, "<i4": np.int32}


def to_npy(array: NDArray[Any]) -> bytes:
    """Return a float64 or int32 array as a little-endian `.npy` file of version 1.0."""
    descr = next(name for name, kind in TYPES.items() if array.dtype == kind)
    shape = ", ".join(map(str, array.shape)) + ("," if array.ndim == 1 else "")
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}".encode("ascii")
    padding = -(len(_MAGIC) + 2 + len(header) + 1) % 64
    header += b" " * padding + b"\n"
    body = np.ascontiguousarray(array, descr).tobytes()
    return _MAGIC + len(header).to_bytes(2, "little") + header + body


def from_npy(content: bytes, name: str, descr: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return the array, read-only; its type and shape must match (None: any length)."""
    start = len(_MAGIC) + 2
    length = int.from_bytes(content[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(content[start : start + min(length, _LONGEST_HEADER)])
    if not content.startswith(_MAGIC) or header is None:
        raise ModelError(f"{name} is not a .npy array of numbers")
    found_descr, found = header[1].decode("latin-1"), tuple(map(int, header[2].split(b", ")))
    fits = len(found) == len(shape) and all(
        want in (None, n) for want, n in zip(shape, found, strict=True)
    )
    if found_descr != descr or not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ModelError(f"{name} is {found_descr} {found}; expected {descr} ({wanted})")
    body = len(content) - start - length
    if body != math.prod(found) * np.dtype(descr).itemsize:
        raise ModelError(f"{name} holds {body} bytes, which is not what its shape {found} takes")
    array = np.frombuffer(content, descr, offset=start + length).reshape(found)
    return array.astype(TYPES[descr], copy=False)
