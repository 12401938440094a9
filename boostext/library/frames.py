"""Conversion of X to documents, for scikit-learn: texts, numbers, sparse data and data frames."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.spellings import number_text, truth_text
from boostext.library.data import IN_MEMORY, json_value, table_records

TEXT, NUMBER, CATEGORY = "text", "number", "category"
COLUMNS = "columns"
FORMS = {TEXT: "texts", NUMBER: "numbers", COLUMNS: "columns of several kinds"}
"""The names of the forms of X in messages."""
SPARSE = "x"
"""The name of the scored text that contains the values of a sparse matrix."""

Parts = tuple[Mapping[str, str], Mapping[str, Attribute], Mapping[str, Mapping[str, float]]]
"""The texts, attributes and scored texts of one document."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The n examples of X.

    settings: the settings for the fields of texts and attributes, if they differ from the usual
    ones. parts: function that yields the contents of each document.
    """

    count: int
    settings: dict[str, Any]
    parts: Callable[[], Iterator[Parts]]

    def __len__(self) -> int:
        return self.count

    def documents(self, labels: Sequence[tuple[str, ...]] | None = None) -> Iterator[Document]:
        """Yield a document for each example; its id is its index, from 0."""
        for place, (texts, attributes, scored) in enumerate(self.parts()):
            given = labels[place] if labels is not None else ()
            origin = Origin(IN_MEMORY, place + 1)
            yield Document(str(place), texts, given, 1.0, attributes, origin, True, scored)


def read_columns(
    estimator: Any, X: Any, y: Any, wanted: str, text_columns: Any, reset: bool
) -> Columns:
    """Return the columns of X, in any of the supported forms.

    reset: whether X is the training data; otherwise it must have the same columns, according to
    `n_features_in_` and `feature_names_in_` of the estimator. Raises ValueError and TypeError as
    scikit-learn does.
    """
    from scipy.sparse import csr_array
    from sklearn.utils.validation import validate_data

    if _is_texts(X, wanted):
        texts = [_text(value, place) for place, value in enumerate(X)]
        if not texts:
            raise ValueError(
                "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is "
                "required by BoostextClassifier."
            )
        _same_form(estimator, TEXT, reset)
        estimator.n_features_in_ = 1
        return Columns(len(texts), {}, lambda: (({"text": text}, {}, {}) for text in texts))
    if _is_frame(X) or _holds_texts(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        _same_form(estimator, COLUMNS, reset)
        return _frame(X, text_columns)
    numbers = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=np.float64,
        ensure_all_finite="allow-nan",
    )
    if reset:
        estimator._sparse_input = hasattr(numbers, "indptr")
    _same_form(estimator, NUMBER, reset)
    sparse = estimator._sparse_input
    if sparse != hasattr(
        numbers, "indptr"
    ):  # a zero is a value in dense data, and absent in sparse data
        numbers = csr_array(numbers) if sparse else numbers.toarray()
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{j}" for j in range(numbers.shape[1])]
    return _sparse(numbers, list(names)) if sparse else _numbers(numbers, list(names))


def _same_form(estimator: Any, form: str, reset: bool) -> None:
    """Raise an error unless X has the same form as in `fit`: texts, columns or numbers."""
    if reset:
        estimator._input_form = form
    elif form != estimator._input_form:
        raise ValueError(f"X holds {FORMS[form]}; fit was given {FORMS[estimator._input_form]}")


def _is_texts(X: Any, wanted: str) -> bool:
    """Return whether X is a list, array or Series of strings."""
    if wanted == TEXT:
        return True
    if hasattr(X, "columns") or getattr(X, "ndim", 1) != 1 or hasattr(X, "indptr"):
        return False
    first = next((value for value in X if value is not None), None) if _iterable(X) else None
    return isinstance(first, str)


def _iterable(X: Any) -> bool:
    return hasattr(X, "__iter__") and not isinstance(X, str | bytes)


def _text(value: Any, place: int) -> str:
    value = json_value(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not isinstance(value, str):
        raise TypeError(f"item {place} of X is a {type(value).__name__}; expected a text")
    return value


# Columns of data frames ------------------------------------------------------------------------


def _is_frame(X: Any) -> bool:
    """Return whether X is a data frame with a column that is not numeric."""
    if not hasattr(X, "columns"):
        return False
    return any(kind != NUMBER for kind in map(column_kind, _dtypes(X)))


def _holds_texts(X: Any) -> bool:
    """Return whether X is a two-dimensional array that contains strings."""
    if isinstance(X, list) and X and isinstance(X[0], list):
        return any(isinstance(value, str) for value in X[0])
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in ("U", "T"):
        return True
    return kind == "O" and X.ndim == 2 and any(isinstance(v, str) for v in X[:1].ravel())


def _dtypes(X: Any) -> list[str]:
    types = X.dtypes
    return [str(kind) for kind in (types.tolist() if hasattr(types, "tolist") else types)]


def column_kind(dtype: str) -> str:
    """Return the kind of a column of a data frame, from the name of its type."""
    name = dtype.lower()
    if name.startswith(("category", "categorical", "enum", "bool")):
        return CATEGORY
    if name.startswith(("int", "uint", "float", "double", "decimal")):
        return NUMBER
    if name.startswith(("object", "str", "utf8", "large_string")):
        return TEXT
    raise TypeError(f"a column of {dtype}; expected texts, categories or numbers")


def _frame(X: Any, text_columns: Any) -> Columns:
    names, kinds, rows = _named_columns(X)
    if text_columns is not None:
        chosen = {names[c] if isinstance(c, int) else str(c) for c in text_columns}
        if missing := chosen - set(names):
            raise ValueError(f"text_columns names {sorted(missing)}; columns are {names}")
        kinds = [_as_chosen(kind, name in chosen) for name, kind in zip(names, kinds, strict=True)]
    kind_of = dict(zip(names, kinds, strict=True))
    texts = tuple(name for name in names if kind_of[name] == TEXT)
    others = tuple(name for name in names if kind_of[name] != TEXT)
    typed = tuple(f"{name}=category" for name in others if kind_of[name] == CATEGORY)
    settings = {"text": texts or ("",), "attribute": others, "attribute_type": typed}
    return Columns(len(X), settings, lambda: _row_parts(rows(), kind_of))


def _named_columns(X: Any) -> tuple[list[str], list[str], Callable[[], Iterator[dict[str, Any]]]]:
    """Return the names and kinds of the columns, and a function that yields the rows."""
    if hasattr(X, "columns"):
        kinds = list(map(column_kind, _dtypes(X)))
        return list(map(str, X.columns)), kinds, lambda: table_records(X) or iter(())
    array = np.asarray(X, object)
    names = [f"x{j}" for j in range(array.shape[1])]
    strings = (any(isinstance(value, str) for value in column) for column in array.T)
    kinds = [TEXT if has else NUMBER for has in strings]
    return names, kinds, lambda: (dict(zip(names, row, strict=True)) for row in array.tolist())


def _as_chosen(kind: str, is_text: bool) -> str:
    """Return the kind of a column; strings not in text_columns are categories."""
    if is_text:
        return TEXT
    return CATEGORY if kind == TEXT else kind


def _row_parts(rows: Iterator[dict[str, Any]], kind_of: Mapping[str, str]) -> Iterator[Parts]:
    for place, row in enumerate(rows):
        texts = {n: _text(v, place) for n, v in row.items() if kind_of[n] == TEXT}
        others = {n: attribute(v, kind_of[n]) for n, v in row.items() if kind_of[n] != TEXT}
        yield texts, others, {}


def attribute(value: Any, kind: str) -> Attribute:
    """Return a value as a number or a category, or None if it is missing."""
    value = json_value(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if kind == NUMBER:
        return float(value)
    if isinstance(value, bool):
        return truth_text(value)
    return number_text(value) if isinstance(value, int | float) else str(value)


# Numbers ---------------------------------------------------------------------------------------


def _numbers(X: Any, names: list[str]) -> Columns:
    _check_finite(X)

    def parts() -> Iterator[Parts]:
        for row in X.tolist():
            known = (None if value != value else value for value in row)
            yield {}, dict(zip(names, known, strict=True)), {}

    return Columns(len(X), {"text": ("",), "attribute": tuple(names)}, parts)


def _sparse(X: Any, names: list[str]) -> Columns:
    _check_finite(X.data)
    starts, columns, values = X.indptr.tolist(), X.indices.tolist(), X.data.tolist()

    def parts() -> Iterator[Parts]:
        for start, end in pairwise(starts):
            pairs = zip(columns[start:end], values[start:end], strict=True)
            yield {}, {}, {SPARSE: {names[j]: v for j, v in pairs if v and v == v}}

    return Columns(X.shape[0], {"text": ("",), "attribute": (SPARSE,)}, parts)


def _check_finite(values: Any) -> None:
    if np.isinf(values).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
