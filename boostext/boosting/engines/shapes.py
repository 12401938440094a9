"""What the kernels of the incremental engine work on: names, shapes, and their types for numba.

m examples, k labels; kp is k padded with zeros so that machine code steps through whole vectors.
Sums run over labels innermost; nothing depends on how terms are dealt out to threads. What a
term's row says is only a bound (kernels_search.upper); whoever may win is summed anew in 64 bits
from its documents (kernels_sums.exact).

Forms of a gain: 0 real, 1 real and abstaining, 2 discrete, 3 discrete and abstaining.
Further names that kernels share:
    mass    (terms,) int32: whole-number bound on what a term can gain
    units   (2, kp) uint32: what all documents weigh
"""

from __future__ import annotations

from typing import Any

Array = Any
"""An array, or a tuple of arrays, of a type below; kernels know no others."""
Number = Any

LISTS = "Tuple((int64[::1], int32[::1]))"
"""(starts, items): documents of each listed condition, or terms of each document; ascending."""
LABELS = "Tuple((int64[::1], int32[::1], int64[::1], int32[::1], int32[::1]))"
"""(starts, items) of the labels of each example; (starts, items, places) of the examples of each
label, places pointing into `pos`."""
E = "Tuple((float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1]))"
"""(neg, pos, S, g): e of the pairs with sign - (m, k), 0 elsewhere; of the others, along with
label_sets.items; their sums (2, k) by sign; scales (2, k) that make e * g sum to 1."""
CHANGES = "Tuple((int32[::1], uint32[:, ::1], uint32[::1], int32[::1]))"
"""Documents (c,); changes of their whole numbers: by sign - (c, kp), along pos, of bounds (c,)."""
WHOLE = "Tuple((uint32[:, ::1], uint32[::1], uint32[:, ::1], int32[::1]))"
"""e in whole numbers: (m, kp) by sign -, along pos, their sums (2, kp); documents' bounds (m,)."""
ROWS = "uint32[:, :, ::1]"
"""(terms with a row, 2, kp): whole-number sums of e by sign, - first."""
STATE = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]))"
"""Of each term: condition, documents, row or -1, mass, times summed without a row, last use."""
TABLE = "float64[:, ::1]"
MEASURE = f"Tuple((uint32[:, ::1], float32[:, ::1], float32[:, ::1], {TABLE}, {TABLE}))"
"""units, counts, scale, now, worth."""
NEAR = "Tuple((int32[::1], float64[::1]))"
FOUND = "Tuple((int32[::1], float64[::1], int32[::1]))"
BLOCKS = "Tuple((int32[::1], int32[::1], boolean[::1]))"
"""Of each kept row: documents of its condition, row of its unknown block, whether its sums start
anew rather than run on from the row before."""
WORK = (
    "Tuple((uint32[:, :, ::1], uint32[:, :, ::1], float32[::1], float32[::1], float64[::1], "
    "float64[::1], uint32[:, ::1]))"
)
"""Of some rows at once: sums of YES and NO (2, k, STEP), what each may be wrong by, what the
bound is made of (two numbers); the sums that run (2, k)."""
