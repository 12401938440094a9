"""A scikit-learn estimator, for pipelines, grid search and cross-validation.

    from boostext.sklearn import BoostextClassifier
    classifier = BoostextClassifier(rounds=300, ngrams="1-2").fit(texts, labels)

It needs scikit-learn (extra `sklearn`); no other module of boostext imports it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Scores
from boostext.corpus.documents import Document
from boostext.corpus.spellings import number_text, truth_text
from boostext.errors import BoostextError, SettingsError
from boostext.library.classifier import Classifier
from boostext.library.data import Given
from boostext.library.frames import Columns, read_columns
from boostext.library.judging import audited
from boostext.library.reporting import EXPLAINED, OUTLIERS, audit_listing
from boostext.library.training import learned, prepared_for
from boostext.model.predict import decisions, has_probabilities, link_of
from boostext.presets import OPEN
from boostext.reports.columns import Column, Rows
from boostext.reports.rules import RuleRow
from boostext.settings import BoostingSettings, RunSettings, StopSettings, TextSettings
from boostext.training.plan import Plan
from boostext.training.run import Prepared

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d
except ImportError:
    raise ImportError(
        "boostext.sklearn needs scikit-learn; install it by: pip install 'boostext[sklearn]'"
    ) from None

GROUPS = (TextSettings, BoostingSettings, StopSettings, RunSettings)
NOT_HERE = ("valid", "group", "checkpoint_every", "per_field")
"""Settings that concern files, or that parameters of scikit-learn replace."""
SETTINGS: dict[str, Any] = {
    declared.name: None if declared.name in OPEN else declared.default
    for group in GROUPS
    for declared in group.options()
    if declared.name not in NOT_HERE
}
"""Maps parameters to defaults: settings of texts, boosting, stopping and the run. None means that
the value depends on the data or on the preset.
"""
OWN: dict[str, Any] = {"input": "auto", "text_columns": None, "warm_start": False, "preset": None}
"""Parameters that are not settings."""


def _with_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """Add a signature with every parameter and its default, for scikit-learn and editors."""
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in {**OWN, **SETTINGS}.items()
    ]
    init.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return init


@contextmanager
def _value_errors() -> Iterator[None]:
    """Convert errors of boostext to the ValueErrors that scikit-learn expects."""
    try:
        yield
    except BoostextError as error:
        raise ValueError(str(error)) from None


def _gives_probabilities(estimator: Any) -> bool:
    """Whether scores give probabilities, by the link of the algorithm or by calibration."""
    known = ALGORITHMS.get(estimator.algorithm or BoostingSettings.algorithm)
    return known is None or bool(known.link) or estimator.calibrate != "none"


class BoostextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of texts, categories and numbers by boosted readable rules.

    Parameters are the settings of `boostext train` by name (`rounds`, `ngrams`, `algorithm`,
    `valid_fraction`, `calibrate` ...), as values or as text, and:

    input : "auto" or "text". "auto" accepts any supported X; "text" accepts only texts, and sets
        the estimator's tags accordingly.
    text_columns : the columns of X that are texts, by name or number; None selects them by type.
    warm_start : whether `fit` continues from the existing rules, on the same data.
    preset : None, with which parameters that are None are chosen from a few facts of the data, as
        in `train` without options; or "paper", with which they are those of BoosTexter.

    X may be a list, an array or a Series of texts; a DataFrame of pandas or polars, whose columns
    of strings are texts, those of categories or booleans attributes, and those of numbers numeric
    attributes; an array of numbers, NaN if a value is missing; or a sparse matrix, whose zeros are
    missing values. y contains labels or lists of labels, or is a 0-1 matrix with a column for each
    label. Equal data and settings give the model of `boostext train`.

    Attributes: `classes_`, `model_` (a `boostext.Classifier`), `rules_`, `n_features_in_`, and
    `feature_names_in_` if the columns have names.

    >>> from boostext.sklearn import BoostextClassifier
    >>> texts = ["my bill is wrong", "the bill again", "we move house", "I move"]
    >>> classifier = BoostextClassifier(rounds=10).fit(texts, ["bill", "bill", "move", "move"])
    >>> classifier.predict(["a bill"]).tolist()
    ['bill']
    """

    @_with_parameters
    def __init__(self, **parameters: Any) -> None:
        unknown = sorted(parameters.keys() - (OWN.keys() | SETTINGS.keys()))
        if unknown:
            raise TypeError(f"unknown parameters: {', '.join(unknown)}")
        for name, default in {**OWN, **SETTINGS}.items():
            setattr(self, name, parameters.get(name, default))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self.input != "text"
        tags.input_tags.two_d_array = self.input != "text"
        tags.input_tags.one_d_array = self.input == "text"
        tags.input_tags.string = self.input == "text"
        return tags

    # Learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostextClassifier:
        """Learn rules from n examples. sample_weight: (n,), 0 or more; 0 ignores an example."""
        with _value_errors():
            prepared, found = self._prepared(X, y, sample_weight)
            before: Classifier | None = getattr(self, "model_", None) if self.warm_start else None
            old = before.content if before else None
            self.model_: Classifier = Classifier(
                learned(prepared, found, None, old).model, self.threads
            )
        return self

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Any:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        columns = read_columns(self, X, y, self.input, self.text_columns, reset=True)
        targets = Targets.of(y)
        if len(targets) != len(columns):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[len(columns), len(targets)]}"
            )
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, np.zeros(len(columns)), dtype=np.float64, ensure_non_negative=True
            )
        self.classes_, self._names, self._form = targets.classes, targets.names, targets.form
        documents = _weighted(columns.documents(targets.labels), weights)
        plan = self._plan(columns, targets, weights)
        return prepared_for(Given((), documents), plan)

    def _plan(self, columns: Columns, targets: Targets, weights: Float64 | None) -> Plan:
        settings = {k: v for k in SETTINGS if (v := getattr(self, k)) is not None}
        given = [k for k, v in settings.items() if v is not SETTINGS[k] and v != SETTINGS[k]]
        if self.preset not in (None, "paper"):
            raise SettingsError(f"preset is {self.preset!r}; expected None or 'paper'")
        if isinstance(settings.get("class_weight"), dict):
            names = dict(zip(targets.classes.tolist(), targets.names, strict=True))
            given = settings["class_weight"].items()
            settings["class_weight"] = {names.get(c, str(c)): value for c, value in given}
        if targets.form != "labels" and settings["task"] == "auto":
            settings["task"] = "multi"
        if weights is not None and settings.get("smoothing", "1/m") == "1/m":
            # a weight of 2 counts as two examples; weights below 1 do not reduce m
            settings["smoothing"] = 1 / max(float(weights.sum()), float((weights > 0).sum()))
        return Plan.of(**columns.settings, **settings).opened(self.preset, given)

    # Applying --------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Scores:
        """Return (n, k) scores in the order of the model's labels."""
        check_is_fitted(self)
        columns = read_columns(self, X, None, self.input, self.text_columns, reset=False)
        with _value_errors():
            return self.model_.scores(list(columns.documents()))

    def _by_class(self, values: Any, missing: float) -> Any:
        """Reorder columns from the model's labels to `classes_`.

        Classes without any example of positive weight get the value `missing`.
        """
        place = {label: j for j, label in enumerate(self.model_.labels)}
        found = np.full((len(values), len(self.classes_)), missing, values.dtype)
        for j, name in enumerate(self._names):
            if name in place:
                found[:, j] = values[:, place[name]]
        return found

    def predict(self, X: Any) -> Any:
        """Return (n,), the class of each example.

        For several labels, return tuples or a 0-1 matrix (n, k), in the form of y.
        """
        given = self._by_class(decisions(self._scores(X), self.model_.content), False)
        if self._form == "matrix":
            return given.astype(np.int64)
        if self._form == "lists":
            return _objects([tuple(self.classes_[row].tolist()) for row in given])
        return self.classes_[given.argmax(axis=1)]

    def decision_function(self, X: Any) -> Float64:
        """Return (n, k), the scores of the classes.

        For two exclusive classes, return (n,): half the difference of the second and the first.
        """
        scores = self._by_class(self._scores(X), -np.inf)
        if len(self.classes_) == 2 and self._form == "labels":
            return np.asarray(np.nan_to_num(scores[:, 1] - scores[:, 0])) / 2
        return np.asarray(scores)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Float64:
        """Return (n, k) probabilities, which are calibrated if `calibrate` is set.

        Those of exclusive classes sum to 1.
        """
        return np.asarray(self._by_class(probabilities_of(self._scores(X), self.model_), 0.0))

    @property
    def rules_(self) -> Rows[RuleRow]:
        """All rules in the order in which they were learned, with their votes."""
        check_is_fitted(self)
        return self.model_.rules()


def probabilities_of(scores: Scores, model: Classifier) -> Float64:
    """Return (n, k) probabilities; if examples have one label, each row sums to 1."""
    if model.multilabel or model.content.calibration or not has_probabilities(model.content):
        return model.probabilities(scores)
    logs = -np.logaddexp(0, -link_of(model.content) * scores)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


# Targets -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Targets:
    """The content of y.

    classes: (k,), ascending. names: their names in the model. labels: the names of each example's
    labels. form: labels, lists or matrix.
    """

    classes: Any
    names: tuple[str, ...]
    labels: Sequence[tuple[str, ...]]
    form: str

    def __len__(self) -> int:
        return len(self.labels)

    @staticmethod
    def of(y: Any) -> Targets:
        """Read labels, lists of labels, or an indicator matrix; ValueError for anything else."""
        if _is_lists(y):
            lists = [tuple(dict.fromkeys(labels)) for labels in y]
            classes = np.unique(_objects([label for labels in lists for label in labels]))
            return Targets._named(classes, lists, "lists")
        if type_of_target(y, input_name="y") == "multilabel-indicator":
            matrix = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            rows = [tuple(np.flatnonzero(row).tolist()) for row in matrix]
            return Targets._named(np.arange(matrix.shape[1]), rows, "matrix")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return Targets._named(np.unique(y), [(label,) for label in y.tolist()], "labels")

    @staticmethod
    def _named(classes: Any, labels: Sequence[tuple[Any, ...]], form: str) -> Targets:
        names = {label: label_name(label) for label in classes.tolist()}
        if "" in names.values() or len(set(names.values())) < len(names):
            raise ValueError("classes must have names that differ and are not empty")
        named = [tuple(names[label] for label in given) for given in labels]
        return Targets(classes, tuple(names.values()), named, form)


def _is_lists(y: Any) -> bool:
    """Whether every item is a list of labels rather than a row of a matrix."""
    if hasattr(y, "shape") and len(y.shape) != 1:
        return False
    items = list(y) if hasattr(y, "__len__") else []
    listed = bool(items) and all(isinstance(item, list | tuple | set | frozenset) for item in items)
    is_matrix = listed and all(
        isinstance(v, int | float | np.number) for item in items for v in item
    )
    return listed and not (is_matrix and len({len(item) for item in items}) == 1)


def _objects(items: Sequence[Any]) -> Any:
    """Return an (n,) array of objects, which may have different lengths."""
    found = np.empty(len(items), object)
    found[:] = items
    return found


def label_name(label: Any) -> str:
    """Return the name of a class in a model: 1 and 1.0 are "1"."""
    if isinstance(label, bool):
        return truth_text(label)
    return number_text(label) if isinstance(label, int | float) else str(label)


def _weighted(documents: Iterator[Document], weights: Float64 | None) -> Iterator[Document]:
    """Yield documents with their weights, without those of weight 0."""
    if weights is None:
        yield from documents
        return
    for document, weight in zip(documents, weights.tolist(), strict=True):
        if weight > 0:
            yield Document(
                document.id,
                document.texts,
                document.labels,
                weight,
                document.attributes,
                document.origin,
                document.labelled,
                document.scored,
            )


# Likely label errors -------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelIssue:
    """The assessment of the label of one example.

    label_quality: from 0 to 1, lower for labels that are more likely wrong; it ranks the examples
    and is not a probability. NaN if the example is the only one of its label, so that nothing can
    be learned from other examples.
    """

    is_label_issue: bool
    label_quality: float
    given_label: Any
    predicted_label: Any


ISSUE_COLUMNS: tuple[Column[LabelIssue], ...] = (
    Column(
        "is_label_issue",
        lambda row: row.is_label_issue,
        "Whether the given label is flagged as a likely error.",
    ),
    Column(
        "label_quality",
        lambda row: row.label_quality,
        "From 0 to 1, the lower the more likely the given label is wrong; not a probability.",
    ),
    Column("given_label", lambda row: row.given_label, "The label, or labels, in y."),
    Column(
        "predicted_label",
        lambda row: row.predicted_label,
        "What is suggested instead if the label is flagged; otherwise the given label.",
    ),
)


def find_label_issues(
    X: Any, y: Any, estimator: Any = None, *, source: str = "cv"
) -> Rows[LabelIssue]:
    """Return a row for each example, in the order of X: whether its label is likely wrong.

    estimator: a BoostextClassifier whose settings are used; it is not fitted. source: "cv" uses
    cross-validation, so that no example is judged by a model trained on it; "weights" and
    "cumulated" use the weights of boosting. The names are those of cleanlab, whose functions take
    `cross_val_predict(..., "predict_proba")`.
    """
    one: Any = BoostextClassifier(**(estimator or BoostextClassifier()).get_params())
    with _value_errors():
        prepared, found = one._prepared(X, y, None)
        rows = _outliers(prepared, found, source)
    classes = dict(zip(one._names, one.classes_.tolist(), strict=True))

    def in_form(labels: Sequence[str]) -> Any:
        named = tuple(classes[label] for label in labels)
        return named[0] if one._form == "labels" and len(named) == 1 else named

    issues = [
        LabelIssue(False, math.nan, in_form(labels), in_form(labels))
        for labels in Targets.of(y).labels
    ]
    for row in rows:
        flagged = row.kind != "agrees"
        likely = in_form(row.suggested if flagged else row.given)
        issues[row.example] = LabelIssue(flagged, 1 - row.score, in_form(row.given), likely)
    return Rows(issues, ISSUE_COLUMNS)


def _outliers(prepared: Prepared, found: Any, source: str) -> Any:
    source, audit = audited(source, prepared)
    if audit is not None:
        return audit_listing(prepared, audit)
    return OUTLIERS[source](learned(prepared, found), None, EXPLAINED)
