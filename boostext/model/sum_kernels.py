"""The kernel that adds up votes."""

from __future__ import annotations

from boostext.arrays import Float64, Int32, Int64


def add_rows(starts: Int64, items: Int32, delta: Float64, totals: Float64) -> None:
    """To totals (m, k), of 0, add rows of delta (c, k): row i those of list i, in its order."""
    for i in range(len(totals)):
        for a in range(starts[i], starts[i + 1]):
            for label in range(totals.shape[1]):
                totals[i, label] += delta[items[a], label]


SIGNATURES = {add_rows: "int64[::1], int32[::1], float64[:, ::1], float64[:, ::1]"}
