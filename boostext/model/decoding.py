"""Convert sums of votes to scores of labels. They are equal unless the labels are coded."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Int8, Scores
from boostext.boosting.codings import decode
from boostext.model.model import Model


def decoded(sums: Scores, model: Model) -> Scores:
    """Return the (m, k) scores for (m, k') sums of votes. Source: SS99 Figure 3."""
    return decode(sums, code_of(model) if model.code else None, model.boosting.decoding)


def toward_labels(votes: Float64, model: Model) -> Float64:
    """Return (..., k) from votes (..., k'): how far they move a document toward each label's row.

    This is the mean of row times vote over the columns of the code, or, without a code, the votes
    themselves.
    """
    return votes @ code_of(model).T / model.width if model.code else votes


def code_rows(code: Int8 | None) -> tuple[str, ...]:
    """Return the rows of the code as strings like "+-+-", the form in which a model keeps them."""
    return (
        ()
        if code is None
        else tuple("".join("+" if sign > 0 else "-" for sign in row) for row in code)
    )


def code_of(model: Model) -> Int8:
    """Return the code of a model as a (k, k') array of +1 and -1."""
    return np.array([[1 if sign == "+" else -1 for sign in row] for row in model.code], np.int8)
