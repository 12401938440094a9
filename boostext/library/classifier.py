"""Trained models: predictions, probabilities, explanations and rules."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.corpus.alike import Reading
from boostext.corpus.documents import Document
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.library.data import given_data, overrides, paths_of
from boostext.model.file import model_bytes, read_model, read_model_from, write_model
from boostext.model.model import Model, asked_attributes
from boostext.model.predict import (
    Predictor,
    decisions,
    given_numbers,
    has_probabilities,
    probabilities,
    ranked_labels,
)
from boostext.reports.columns import Rows
from boostext.reports.rules import RULE_COLUMNS, RuleRow, rule_rows
from boostext.reports.terms import TERM_COLUMNS, TermRow, term_rows
from boostext.threads import usable_threads

if TYPE_CHECKING:
    from boostext.library.explanation import Explanation


class Classifier:
    """A trained model, as returned by `boostext.load` and `boostext.train`.

    content: the rules, labels and settings. threads: number of threads for scoring; 0 uses all
    available ones.

    Methods with a parameter `data` accept a list of texts, Path objects of files, Document objects,
    records, a DataFrame, an Arrow table or a Hugging Face data set; labels in the data are ignored.
    A Classifier can be pickled.

    >>> import boostext
    >>> texts = ["my bill is wrong", "the bill again", "we move house", "I move"]
    >>> model = boostext.train(texts, ["bill", "bill", "move", "move"], rounds=10).model
    >>> model.predict(["a bill", "we move"])
    ['bill', 'move']
    >>> len(model.rules())
    10
    """

    def __init__(self, content: Model, threads: int = 0) -> None:
        self.content = content
        self.threads = threads

    # The file ----------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path, threads: int = 0) -> Classifier:
        """Read a model file. Raises ModelError if it is not a valid model."""
        return cls(read_model(path), threads)

    @classmethod
    def from_bytes(cls, content: bytes, threads: int = 0) -> Classifier:
        """Return the model from the content of a model file, the inverse of `to_bytes`."""
        return cls(read_model_from(io.BytesIO(content)), threads)

    def to_bytes(self) -> bytes:
        """Return the content of the model file; equal models have equal content."""
        return model_bytes(self.content)

    def save(self, path: str | Path) -> None:
        """Write the model file, completely or not at all. An existing file is replaced."""
        write_model(self.content, path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(), self.threads)

    # What it is --------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The k labels, in the order of the columns of scores."""
        return self.content.labels

    @property
    def multilabel(self) -> bool:
        """Whether a document may have several labels, or none."""
        return self.content.multilabel

    def rules(self) -> Rows[RuleRow]:
        """Return all rules with their votes, in the order in which they were learned."""
        return Rows(rule_rows(self.content), RULE_COLUMNS)

    def terms(self) -> Rows[TermRow]:
        """Return the terms with the sum of the votes of their rules, most influential first."""
        return Rows(term_rows(self.content), TERM_COLUMNS)

    def __repr__(self) -> str:
        count, noun = len(self.content.rules), "label" if len(self.labels) == 1 else "labels"
        return f"<boostext.Classifier of {count:,} rules for {len(self.labels):,} {noun}>"

    def _repr_html_(self) -> str:
        return self.rules()._repr_html_()

    # Documents ---------------------------------------------------------------------------------

    def scores(self, data: Any) -> Scores:
        """Return the sums of the votes of the rules for n documents and k labels, shape (n, k)."""
        width = len(self.labels)
        found = [part.scores for part in self.predictor.batches(self._documents(data))]
        return np.concatenate(found) if found else np.zeros((0, width))

    def predict_proba(self, data: Any) -> Float64:
        """Return the probabilities of the labels, shape (n, k).

        They are calibrated if the model is calibrated. The probabilities of a document sum to 1
        only if the model is calibrated and each document has one label. Raises SettingsError if the
        model is not calibrated and its scores are not log odds.
        """
        return self.probabilities(self.scores(data))

    def probabilities(self, scores: Scores) -> Float64:
        """Convert scores to probabilities, both of shape (n, k); see `predict_proba`."""
        if not has_probabilities(self.content):
            raise SettingsError(
                f"scores of {self.content.boosting.algorithm} are not log odds and cannot "
                "be converted to probabilities; train with calibrate='sigmoid'"
            )
        return probabilities(scores, self.content)

    def predict(self, data: Any, threshold: float | None = None) -> list[Any]:
        """Return the predicted label of each document, or a tuple if there may be several.

        threshold: predict labels with a score above it, instead of using the thresholds of the
        model. If each document has one label, the result may then be None for some documents.
        """
        given = given_numbers(decisions(self.scores(data), self.content, threshold))
        if self.multilabel:
            return [tuple(self.labels[j] for j in numbers) for numbers in given]
        return [self.labels[numbers[0]] if numbers else None for numbers in given]

    def explain(self, document: Any, top: int = 5, labels: Sequence[str] = ()) -> Explanation:
        """Return the explanation of the scores of a document: conditions with their votes.

        document: a text, a record or a Document. top: number of conditions for each label. labels:
        the labels to explain; by default the predicted ones and the three with the highest scores.
        Raises SettingsError if the model does not have one of the labels.
        """
        from boostext.library.explanation import Explanation  # imports jinja2, which is slow

        for label in labels:
            if label not in self.labels:
                raise SettingsError(f"the model has no label {label!r}")
        one = document if isinstance(document, Document) else self._one(document)
        numbers = [self.labels.index(label) for label in labels]
        return Explanation.of(self.predictor, one, numbers, top)

    def results(
        self,
        data: Any,
        top: int = 1,
        proba: bool = False,
        explain: int | None = None,
        *,
        all_scores: bool = False,
        threshold: float | None = None,
        threshold_proba: float | None = None,
        keep_columns: bool = False,
        **reading: Any,
    ) -> list[dict[str, Any]]:
        """Return one dictionary for each document, with what `boostext predict` prints as JSON.

        top: number of labels with the highest scores to include; all_scores: include all labels.
        proba: include probabilities. explain: number of conditions to include for each of these
        labels. threshold, threshold_proba: predict the labels with a score, or a probability, above
        it. keep_columns: include the fields of the records. reading: settings of the data by name,
        such as text="body".
        """
        from boostext.library import results

        model, account = self.content, BadRecords()
        most = len(self.labels) if all_scores else top
        wanted = results.Wanted(
            most,
            all_scores,
            proba,
            explain,
            columns=keep_columns,
            threshold=threshold,
            probability=threshold_proba,
        )
        results.checked(wanted, model)
        documents = results.documents_to_label(
            model, data, account, overrides(reading), texts=True, columns=keep_columns
        )
        found = results.results_of(self.predictor, documents, wanted)
        records = [results.record_of(result, wanted, model) for result in found]
        results.tell_labelling(account, model, paths_of(data, texts=True))
        return records

    def _one(self, document: Any) -> Document:
        if isinstance(document, str):
            return Document("text", {self.content.data.text[0]: document})
        return next(iter(self._documents([document])))

    def _documents(self, data: Any) -> Iterable[Document]:
        reading = Reading(self.content.data, {"answers": "all"})
        asked = reading.for_prediction(asked_attributes(self.content))
        return given_data(data, asked.of, BadRecords(), labelled=False, texts=True).documents

    @cached_property
    def predictor(self) -> Predictor:
        """The predictor of the model, which scores Document objects."""
        return Predictor(self.content, self.threads or usable_threads())

    def ranked(self, data: Any) -> list[list[str]]:
        """Return all labels for each document, in descending order of their scores."""
        order = ranked_labels(self.scores(data), self.content)
        return [[self.labels[j] for j in row] for row in order.tolist()]


def load(path: str | Path) -> Classifier:
    """Read a model file.

    Raises ModelError if the file is not a model, is truncated or damaged, or was written by a later
    version.
    """
    return Classifier.load(path)
