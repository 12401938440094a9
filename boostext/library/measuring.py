"""Evaluation of models on labelled data, and comparison of two models."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Scores
from boostext.corpus.alike import Reading
from boostext.corpus.checks import spelled
from boostext.corpus.documents import Document
from boostext.corpus.files import STDIN
from boostext.corpus.readers import Input, begin, read_input
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.evaluation import comparing
from boostext.evaluation import report as measured
from boostext.evaluation.gold import gold_of
from boostext.evaluation.report import Report, is_judged
from boostext.evaluation.thresholds import tuned_thresholds
from boostext.fields import nearest
from boostext.library.classifier import Classifier
from boostext.library.data import (
    Paths,
    corrections_of,
    model_data,
    name_of,
    overrides,
    paths_of,
    report_reading,
)
from boostext.library.results import PIECE, spread
from boostext.library.watch import Watch
from boostext.model.model import Model
from boostext.model.predict import Predictor, has_probabilities
from boostext.reports.comparing import Compared, term_changes
from boostext.threads import usable_threads

LOG = logging.getLogger("boostext")
Scored = Iterable[tuple[Document, Scores]]


def evaluate(
    model: Classifier,
    data: Any,
    labels: Any = None,
    *,
    threshold: float | None = None,
    threshold_proba: float | None = None,
    bins: str = "equal-width",
    strict: bool = False,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    workers: Any = None,
    client: Any = None,
    **reading: Any,
) -> Report:
    """Measure a model on labelled data. The result has `.measures`, `.labels` and `.confusions`.

    threshold, threshold_proba: predict labels with a score, or a probability, above it. bins:
    "equal-width" or "equal-size" bins for reliability. strict: raise an error if a label is not
    known to the model, instead of counting it as a miss. labels_from, new_labels: corrections of
    labels, as for the command. reading: settings of the data, such as `text="body"`, which take
    precedence over those of the model. watch: receives the progress. workers: number of processes
    that read and score the files, or address of a Dask scheduler; client: a Dask Client instead.

    Raises BoostextError if no document has a label.
    """
    check_threshold(model.content, threshold_proba)
    given = (labels_from, new_labels, reading, watch, workers if client is None else client)
    scored = _scored(model, data, labels, strict, *given)
    return _measured(model.content, data, scored, threshold, bins, threshold_proba)


def tune_thresholds(
    model: Classifier,
    data: Any,
    labels: Any = None,
    *,
    bins: str = "equal-width",
    strict: bool = False,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    workers: Any = None,
    **reading: Any,
) -> tuple[Classifier, Report]:
    """Choose for each label the threshold with the highest F1; return the new model and measures.

    The parameters are those of `evaluate`. Raises SettingsError if the model predicts exactly one
    label for each document.
    """
    content, kept = model.content, _Kept(model.content)
    check_thresholds(content)
    given = (labels_from, new_labels, reading, watch, workers)
    scored = _scored(model, data, labels, strict, *given)
    _measured(content, data, kept.watch(scored))
    gold = gold_of(content.labels, kept.labels)
    better = replace(content, thresholds=tuned_thresholds(np.stack(kept.scores), gold))
    report = _measured(better, data, kept.scored(), bins=bins)
    return Classifier(better, model.threads), report


def check_threshold(model: Model, threshold_proba: float | None) -> None:
    """Raise SettingsError if a threshold of probabilities is given for a model without them."""
    if threshold_proba is not None and not has_probabilities(model):
        raise SettingsError(
            f"scores of {model.boosting.algorithm} are not log odds and cannot be "
            "converted to probabilities; leave out --threshold-proba, or train with "
            "--calibrate sigmoid"
        )


def check_thresholds(model: Model) -> None:
    """Raise SettingsError if the model predicts exactly one label for each document."""
    if not model.multilabel:
        raise SettingsError(
            "the model predicts one label for each document, the one with the highest score; only "
            "models with several labels have thresholds"
        )


def _measured(
    model: Model,
    data: Any,
    scored: Scored,
    threshold: float | None = None,
    bins: str = "equal-width",
    probability: float | None = None,
) -> Report:
    found = measured.evaluate(model, scored, threshold, bins, probability)
    if not found.examples:
        raise no_labels(data)
    return found


def no_labels(data: Any) -> BoostextError:
    """Return the error for data without labels."""
    return BoostextError(
        f"no labelled documents in {name_of(data)}; name the field of the labels with --label"
    )


def _scored(
    model: Classifier,
    data: Any,
    labels: Any,
    strict: bool,
    labels_from: Paths,
    new_labels: bool,
    reading: dict[str, Any],
    watch: Watch | None,
    workers: Any,
) -> Scored:
    if workers is not None and workers != "":
        if labels is not None or labels_from or not paths_of(data):
            raise SettingsError(
                "workers evaluate files with the labels that they contain; leave out the workers "
                "for data in memory and for corrections of labels"
            )
        scored = _scored_on_workers(
            model.content, paths_of(data), reading, watch or Watch(), workers
        )
        return _strictly(scored, model.content) if strict else scored
    mended = corrections_of(labels_from, new_labels)
    documents = model_data(model.content, data, labels, reading, mended)
    seen = (watch or Watch()).documents(documents)
    scored = model.predictor.scores(seen)
    return _strictly(scored, model.content) if strict else scored


class ScoredPart(NamedTuple):
    """The documents of a part of the data, without texts, and their scores (n, k).

    error: the error that ended the reading, or None.
    """

    documents: list[Document]
    scores: Scores
    account: BadRecords
    error: BoostextError | None


def scored_part(given: Input, predictor: Predictor) -> ScoredPart:
    """Read and score a file, or a part of one, on a worker."""
    account, error = given.source.bad, None
    documents, rows = list[Document](), list[Scores]()
    begin(account, given.settings, labelled=True)
    try:
        for document, scores in predictor.scores(read_input(given, labelled=True)):
            documents.append(replace(document, texts={}, scored={}))
            rows.append(scores)
    except BoostextError as raised:
        error = raised
    empty = np.zeros((0, len(predictor.model.labels)))
    return ScoredPart(documents, np.stack(rows) if rows else empty, account, error)


def _scored_on_workers(
    model: Model, paths: Sequence[str], reading: dict[str, Any], watch: Watch, workers: Any
) -> Iterator[tuple[Document, Scores]]:
    """Yield documents with their scores, in order, and log bad records at the end."""
    from boostext.distributed.cluster import connected
    from boostext.distributed.reading import RemoteFiles, matched

    if STDIN in paths:
        raise SettingsError("workers cannot read stdin (-); leave out --workers")
    how, account, paths = Reading(model.data, overrides(reading)), BadRecords(), matched(paths)
    for remark in how.remarks(paths):
        LOG.info(remark)
    with connected(workers, threads=1) as cluster:
        LOG.info(str(cluster))
        predictor = spread(model, cluster, paths)
        remote = RemoteFiles(cluster, paths, how.of, account, piece=PIECE)

        def work(given: Input) -> tuple[None, Any]:
            return None, cluster.submit(scored_part, given, predictor)

        for _, made in remote.walk(work, 2 * sum(cluster.threads) + 2):
            yield from zip(watch.documents(made.documents), made.scores, strict=True)
    report_reading(account)


def _strictly(scored: Scored, model: Model) -> Iterator[tuple[Document, Scores]]:
    """Yield the documents, and raise DataError at a label that the model does not have."""
    known = set(model.labels)
    for document, scores in scored:
        strange = [label for label in document.labels if label not in known]
        if strange:
            hint = nearest(strange[0], model.labels)
            raise DataError(
                document.origin.path,
                document.origin.line,
                f"the model does not know the label {spelled(strange[0])}{hint}; correct it, or "
                "leave out --strict to count it as a miss",
            )
        yield document, scores


@dataclass
class _Kept:
    """The labels and scores of all labelled documents, for choosing thresholds."""

    model: Model
    labels: list[tuple[str, ...]] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)

    def watch(self, scored: Scored) -> Iterator[tuple[Document, Scores]]:
        for document, scores in scored:
            if is_judged(document, self.model):
                self.labels.append(document.labels)
                self.scores.append(scores)
            yield document, scores

    def scored(self) -> Iterator[tuple[Document, Scores]]:
        """Yield the documents again, without their texts."""
        for labels, scores in zip(self.labels, self.scores, strict=True):
            yield Document("", {}, labels), scores


# Two models ----------------------------------------------------------------------------------


def compare(
    first: Classifier,
    second: Classifier,
    data: Any,
    labels: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    **reading: Any,
) -> Compared:
    """Compare two models on the same labelled data: their measures, and changed predictions.

    names: names of the models in the output. reading: as for `evaluate`.
    """
    models = (first.content, second.content)
    documents = model_data(_reading_both(*models), data, labels, reading)
    found = comparing.compare(models, documents, first.threads or usable_threads())
    if not found.first.examples:
        raise no_labels(data)
    return Compared(names, found, term_changes(*models))


def share_labels(first: Classifier, second: Classifier) -> None:
    """Keep equal labels of two models in memory once, as there may be a million."""
    if second.labels == first.labels:
        second.content = replace(second.content, labels=first.labels)


def _reading_both(first: Model, second: Model) -> Model:
    """Return the first model, with settings that also read the fields of the second."""
    one, other = first.data, second.data
    text = tuple(dict.fromkeys((*one.text, *other.text)))
    attribute = tuple(dict.fromkeys((*one.attribute, *other.attribute)))
    return replace(first, data=replace(one, text=text, attribute=attribute))
