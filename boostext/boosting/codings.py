"""Output codes, which replace a problem of many labels with several problems of two classes.

A code is a matrix of signs with a row for each label. Each column splits the labels in two sets,
and the rules learn to tell those sets apart. AdaBoost.OC and ECOC split the labels anew in each
round: a coloring gives each label one of two colors, +1 or -1, and the rule of the round learns to
predict the color of an example's label.

Source: SS99 s8; S97 s2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from boostext.arrays import Float64, Int8, Int64, Lists, Scores
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings


def one_per_label(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Return the code whose column l separates label l from all others."""
    return (2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8)


def exhaustive(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Return the code with one column for every split of the labels in two: 2^(k-1) - 1 columns.

    Raises SettingsError for more than 12 labels.
    Source: Dietterich & Bakiri 1995.
    """
    if k > 12:
        raise SettingsError(f"an exhaustive code for {k} labels has 2^{k - 1} columns; use spread")
    splits = np.arange(1, 2 ** (k - 1))
    return np.where((splits >> np.arange(k)[:, None]) & 1, 1, -1).astype(np.int8)


def random(k: int, length: int, rng: np.random.Generator) -> Int8:
    """Return a code of signs drawn with equal probability.

    A column in which all signs are equal is drawn again, and so is the whole code if two labels
    have the same row. Raises SettingsError if 1000 codes were drawn and none has distinct rows.
    """
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
    """Return the code with the largest minimum distance of rows among 100 random codes.

    If several codes are equally good, the first is returned.
    Source: Allwein, Schapire & Singer 2000, dense random codes (chosen among 10,000 there).
    """
    return max((random(k, length, rng) for _ in range(100)), key=least_distance)


CODINGS: dict[str, Callable[[int, int, np.random.Generator], Int8]] = {
    "random": random,
    "spread": spread,
    "one-per-label": one_per_label,
    "exhaustive": exhaustive,
}


def given(rows: Sequence[str], labels: Sequence[str]) -> Int8:
    """Return the code that the user wrote as rows like `LABEL=+-+-`, in any order.

    Raises SettingsError if a label has no row, if the rows differ in length, or if a row contains
    other characters than + and -.
    """
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
    """Return the code (k, k') that the settings ask for.

    It is the code that the user wrote, or one made by a function of CODINGS from length and seed.
    """
    if settings.code:
        return given(settings.code, labels)
    rng = np.random.default_rng(settings.seed)
    return CODINGS[settings.coding](k, settings.code_length or default_length(k), rng)


def default_length(k: int) -> int:
    """Return the default number of columns, 10 log2 k rounded up.

    Source: Allwein, Schapire & Singer 2000, s6.
    """
    return max(1, int(np.ceil(10 * np.log2(max(k, 2)))))


def least_distance(code: Int8) -> int:
    """Return rho, the minimum Hamming distance of two rows, or the length if there is one row.

    Source: SS99 Theorem 5.
    """
    k, length = len(code), len(code[0])
    if k < 2:
        return length
    agreement = code.astype(np.int64) @ code.T.astype(np.int64)  # (k, k)
    np.fill_diagonal(agreement, -length)
    return (length - int(agreement.max())) // 2


def encode(code: Int8, label_sets: Lists) -> Lists:
    """Return for each example the columns in which the row of its label has +.

    Each example must have exactly one label.
    Source: SS99 Figure 3.
    """
    rows = code[label_sets.items] > 0
    starts: Int64 = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(rows.sum(axis=1), out=starts[1:])
    return Lists(starts, np.nonzero(rows)[1].astype(np.int32))


def hamming_distance(scores: Scores, code: Int8) -> Float64:
    """Return the number of columns (m, k) in which a score and a label differ in sign.

    A score of 0 counts as half a difference.
    Source: SS99 Figure 3, variant 1.
    """
    return np.asarray((code.shape[1] - np.sign(scores) @ code.T) / 2)


def code_loss(scores: Scores, code: Int8) -> Float64:
    """Return the logarithm of the sum over the columns of exp(-row f), of shape (m, k).

    Source: SS99 Figure 3, variant 2.
    """
    greatest = np.abs(scores).max(axis=1, keepdims=True)  # (m, 1), subtracted to avoid overflow
    loss = np.exp(-scores - greatest) @ (code > 0).T + np.exp(scores - greatest) @ (code < 0).T
    return np.asarray(np.log(np.maximum(loss, 1e-300)) + greatest)


DECODINGS: dict[str, Callable[[Scores, Int8], Float64]] = {
    "hamming": hamming_distance,
    "loss": code_loss,
}
"""Each function returns a value for each label; the label with the smallest value is predicted."""


def decode(sums: Scores, code: Int8 | None, decoding: str) -> Scores:
    """Return the scores (m, k) of labels, computed from sums of votes (m, k').

    With a code, a score is the negative of the distance or loss of the label. Without a code, the
    sums are the scores.
    """
    return sums if code is None else -DECODINGS[decoding](sums, code)


def error_bound(code: Int8, decoding: str, product: float) -> float:
    """Return the bound on the training error: the product of Z times 2k'/rho or k'/rho.

    The factor is 2k'/rho for the decoding `hamming`, and k'/rho for `loss`.
    Source: SS99 Theorem 5.
    """
    factor = 2 if decoding == "hamming" else 1
    return float(factor * code.shape[1] / max(least_distance(code), 1) * product)


# Colorings -----------------------------------------------------------------------------------


def drawn(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return colors drawn with equal probability; they are drawn again if all are the same."""
    return _column(len(confusion), rng)


def even(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return a random coloring in which each color has half of the labels."""
    colors = np.ones(len(confusion), np.int8)
    colors[rng.permutation(len(confusion))[: len(confusion) // 2]] = -1
    return colors


def climbed(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return a coloring improved by hill climbing from a random one.

    Each step changes the color of the label whose change increases U most. The search stops when
    no change increases U, or when the best change would leave only one color.
    U is the weight of the pairs (example, wrong label) in which the wrong label has another color
    than the label of the example.
    """
    colors = drawn(confusion, rng)
    together = confusion + confusion.T
    for _ in range(len(confusion) ** 2):
        rise = colors * (together @ colors)  # (k,) increase of U if the label changes its color
        best = int(np.argmax(rise))
        if rise[best] <= 1e-15 or abs(int(colors.sum()) - 2 * int(colors[best])) == len(colors):
            break
        colors[best] = -colors[best]
    return colors


COLORINGS: dict[str, Callable[[Float64, np.random.Generator], Int8]] = {
    "random": drawn,
    "even": even,
    "climbed": climbed,
}
"""Functions that return a coloring (k,) of +1 and -1.

They take a random generator and `confusion` (k, k), which holds in row y and column l the weight
of the pairs of an example with label y and a wrong label l.
"""
