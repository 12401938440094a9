"""A trained model, ready for use: labels, probabilities, reasons, rules."""

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
from boostext.library.data import given_data, overrides
from boostext.model.file import model_bytes, read_model, read_model_from, write_model
from boostext.model.model import Model, asked_attributes
from boostext.model.predict import (
    Predictor,
    chances,
    decisions,
    given_numbers,
    has_chances,
    ranked_labels,
)
from boostext.reports.columns import Rows
from boostext.reports.rules import RULE_COLUMNS, RuleRow, rule_rows
from boostext.reports.terms import TERM_COLUMNS, TermRow, term_rows
from boostext.threads import usable_threads

if TYPE_CHECKING:
    from boostext.library.explanation import Explanation


class Classifier:
    """A trained model. `boostext.load` and `boostext.train` give it.

    content: the rules, labels and settings. threads: for scoring; 0 is what the process may use.

    Methods that take `data` take a list of texts, Path objects of files, Document objects, records,
    a DataFrame, an Arrow table or a data set of Hugging Face; labels of the data are not looked at.
    It can be pickled, by the bytes of the model file.

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
        """Read a model file; ModelError says what is wrong with one that is none."""
        return cls(read_model(path), threads)

    @classmethod
    def from_bytes(cls, content: bytes, threads: int = 0) -> Classifier:
        """The inverse of `to_bytes`."""
        return cls(read_model_from(io.BytesIO(content)), threads)

    def to_bytes(self) -> bytes:
        """The bytes of the model file; equal models give equal bytes."""
        return model_bytes(self.content)

    def save(self, path: str | Path) -> None:
        """Write the model file, whole or not at all; a file that is there is replaced."""
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
        """All rules in the order in which they were learned, with their votes."""
        return Rows(rule_rows(self.content), RULE_COLUMNS)

    def terms(self) -> Rows[TermRow]:
        """The terms, most influential first, with what all of their rules say together."""
        return Rows(term_rows(self.content), TERM_COLUMNS)

    def __repr__(self) -> str:
        count, noun = len(self.content.rules), "label" if len(self.labels) == 1 else "labels"
        return f"<boostext.Classifier of {count:,} rules for {len(self.labels):,} {noun}>"

    def _repr_html_(self) -> str:
        return self.rules()._repr_html_()

    # Documents ---------------------------------------------------------------------------------

    def scores(self, data: Any) -> Scores:
        """(n, k): the sum of the rules' votes for each of n documents and k labels."""
        width = len(self.labels)
        found = [part.scores for part in self.predictor.batches(self._documents(data))]
        return np.concatenate(found) if found else np.zeros((0, width))

    def predict_proba(self, data: Any) -> Float64:
        """(n, k): the probability of each label: calibrated where the model is.

        Only calibrated probabilities of a model of one label each sum to 1 for a document.
        SettingsError where scores are not log odds and the model is not calibrated.
        """
        return self.chances(self.scores(data))

    def chances(self, scores: Scores) -> Float64:
        """Scores (n, k) as probabilities, see `predict_proba`."""
        if not has_chances(self.content):
            raise SettingsError(
                f"scores of {self.content.boosting.algorithm} are not log odds and cannot "
                "become probabilities; train with calibrate='sigmoid'"
            )
        return chances(scores, self.content)

    def predict(self, data: Any, threshold: float | None = None) -> list[Any]:
        """The label of each document; of a model of several labels, a tuple of labels.

        threshold: give labels with a score above it, whatever the model's own thresholds are.
        With it, a document of a model of one label may have None.
        """
        given = given_numbers(decisions(self.scores(data), self.content, threshold))
        if self.multilabel:
            return [tuple(self.labels[j] for j in numbers) for numbers in given]
        return [self.labels[numbers[0]] if numbers else None for numbers in given]

    def explain(self, document: Any, top: int = 5, labels: Sequence[str] = ()) -> Explanation:
        """Why a document has its scores: what was found in it, and what each finding adds.

        document: a text, a record or a Document. top: findings for each label. labels: those to
        tell of; by default the three of greatest score, and those that are given.
        """
        from boostext.library.explanation import Explanation  # draws pages, which takes its time

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
        """What `boostext predict` prints for each document, as dictionaries.

        top: labels whose scores are told, beside those given; all_scores: all of them. proba: with
        probabilities. explain: with so many findings for each of these labels. threshold,
        threshold_proba: give labels with a score, or a probability, above it. keep_columns: with
        the fields of the records. reading: settings of the data by name, such as text="body".
        """
        from boostext.library import results

        model, account = self.content, BadRecords()
        told = len(self.labels) if all_scores else top
        wanted = results.Wanted(
            told,
            all_scores,
            proba,
            explain,
            columns=keep_columns,
            threshold=threshold,
            chance=threshold_proba,
        )
        results.checked(wanted, model)
        documents = results.documents_to_label(
            model, data, account, overrides(reading), texts=True, columns=keep_columns
        )
        found = results.results_of(self.predictor, documents, wanted)
        records = [results.record_of(result, wanted, model) for result in found]
        results.tell_labelling(account, model, data)
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
        """The model made ready to score Document objects one by one."""
        return Predictor(self.content, self.threads or usable_threads())

    def ranked(self, data: Any) -> list[list[str]]:
        """For each document all labels, the one of greatest score first."""
        order = ranked_labels(self.scores(data), self.content)
        return [[self.labels[j] for j in row] for row in order.tolist()]


def load(path: str | Path) -> Classifier:
    """Read the model in a file.

    ModelError says whether the file is foreign, cut short, damaged or too new.
    """
    return Classifier.load(path)
