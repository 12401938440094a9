"""Output codes: each label a row of signs, each column a question of two answers.

Source: SS99 s8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from boostext.arrays import Float64, Int8, Int64, Lists, Scores
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings


def one_per_label(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Column l asks for label l."""
    return (2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8)


def exhaustive(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Every split of the labels in two, once: 2^(k-1) - 1 columns.

    Source: Dietterich & Bakiri 1995.
    """
    if k > 12:
        raise SettingsError(f"an exhaustive code for {k} labels has 2^{k - 1} columns; use spread")
    splits = np.arange(1, 2 ** (k - 1))
    return np.where((splits >> np.arange(k)[:, None]) & 1, 1, -1).astype(np.int8)


def random(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Fair coins; a column of one sign is drawn again, and all while two labels share a row."""
    for _ in range(1000):
        code = np.stack([_column(k, rng) for _ in range(length)], axis=1)
        if least_distance(code) > 0:
            return code
    raise SettingsError(f"no random code of {length} columns tells {k} labels apart; use more")


def _column(k: int, rng: np.random.Generator) -> Int8:
    while True:
        column = np.where(rng.random(k) < 0.5, 1, -1).astype(np.int8)
        if k < 2 or abs(int(column.sum())) < k:
            return column


def spread(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Of 100 random codes the one of greatest least distance; the first of equals.

    Source: Allwein, Schapire & Singer 2000, dense random codes (of 10,000 there).
    """
    return max((random(k, length, rng) for _ in range(100)), key=least_distance)


CODINGS: dict[str, Callable[[int, int, np.random.Generator], Int8]] = {
    "random": random,
    "spread": spread,
    "one-per-label": one_per_label,
    "exhaustive": exhaustive,
}


def given(rows: Sequence[str], labels: Sequence[str]) -> Int8:
    """The user's own matrix, rows as `LABEL=+-+-`, in any order."""
    signs = {label: row for label, _, row in (given.rpartition("=") for given in rows)}
    missing = [label for label in labels if label not in signs]
    if missing or len(signs) != len(labels) or len({len(row) for row in signs.values()}) != 1:
        raise SettingsError(
            "code needs one row of one length for each label, like LABEL=+-+-"
            + (f"; there is none for {missing[0]!r}" if missing else "")
        )
    if not all(set(row) <= {"+", "-"} for row in signs.values()):
        raise SettingsError("a row of code is made of + and -, like LABEL=+-+-")
    return np.array([[1 if s == "+" else -1 for s in signs[label]] for label in labels], np.int8)


def code_matrix(settings: BoostingSettings, k: int, labels: Sequence[str]) -> Int8:
    """(k, k'): the user's own code, or one of CODINGS by length and seed."""
    if settings.code:
        return given(settings.code, labels)
    rng = np.random.default_rng(settings.seed)
    return CODINGS[settings.coding](k, settings.code_length or default_length(k), rng)


def default_length(k: int) -> int:
    """10 log2 k columns. Source: Allwein, Schapire & Singer 2000, s6."""
    return max(1, int(np.ceil(10 * np.log2(max(k, 2)))))


def least_distance(code: Int8) -> int:
    """rho: the least Hamming distance of two rows; of a single row its length.

    Source: SS99 Theorem 5.
    """
    k, length = len(code), len(code[0])
    if k < 2:
        return length
    agreement = code.astype(np.int64) @ code.T.astype(np.int64)  # (k, k)
    np.fill_diagonal(agreement, -length)
    return (length - int(agreement.max())) // 2


def encode(code: Int8, label_sets: Lists) -> Lists:
    """The columns in which each example's row has +; one label per example.

    Source: SS99 Figure 3.
    """
    rows = code[label_sets.items] > 0
    starts: Int64 = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(rows.sum(axis=1), out=starts[1:])
    return Lists(starts, np.nonzero(rows)[1].astype(np.int32))


def hamming_distance(scores: Scores, code: Int8) -> Float64:
    """(m, k): differing signs; a score of 0 differs by a half. Source: SS99 Figure 3, variant 1."""
    return np.asarray((code.shape[1] - np.sign(scores) @ code.T) / 2)


def code_loss(scores: Scores, code: Int8) -> Float64:
    """(m, k): log of the sum over columns of exp(-row f). Source: SS99 Figure 3, variant 2."""
    greatest = np.abs(scores).max(axis=1, keepdims=True)  # (m, 1), so that nothing overflows
    loss = np.exp(-scores - greatest) @ (code > 0).T + np.exp(scores - greatest) @ (code < 0).T
    return np.asarray(np.log(np.maximum(loss, 1e-300)) + greatest)


DECODINGS: dict[str, Callable[[Scores, Int8], Float64]] = {
    "hamming": hamming_distance,
    "loss": code_loss,
}
"""The label of least value is predicted."""


def decode(sums: Scores, code: Int8 | None, decoding: str) -> Scores:
    """(m, k) scores of labels from (m, k') sums of votes: less loss or distance is more.

    Without a code the sums are the scores.
    """
    return sums if code is None else -DECODINGS[decoding](sums, code)


def error_bound(code: Int8, decoding: str, product: float) -> float:
    """2k'/rho or k'/rho times the product of Z. Source: SS99 Theorem 5."""
    factor = 2 if decoding == "hamming" else 1
    return float(factor * code.shape[1] / max(least_distance(code), 1) * product)
