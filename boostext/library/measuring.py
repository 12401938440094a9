"""Models measured on labelled data: one by itself, and two beside each other."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Scores
from boostext.corpus.alike import Reading
from boostext.corpus.documents import Document
from boostext.corpus.files import STDIN
from boostext.corpus.lookalikes import spelled
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
    tell,
)
from boostext.library.results import PIECE
from boostext.library.watch import Watch
from boostext.model.model import Model
from boostext.model.predict import Predictor, has_chances
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
    """Measure a model on labelled data: `.measures` by name, `.labels`, `.confusions` and more.

    threshold, threshold_proba: give labels with a score, or a probability, above it. bins: of the
    reliability curve, equal-width or equal-size. strict: a label that the model does not know is an
    error, and not only a miss. labels_from, new_labels, reading: as for the command; settings of
    the data, such as `text="body"`, win over those that the model remembers. watch: told how far
    it is. workers: a number of processes to read and score the files of the data, or the address of
    a Dask scheduler; client: a Dask Client instead.

    BoostextError where no document has a label.
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
    """The model with the threshold of greatest F1 for each label on the data, and its measures.

    Arguments as for `evaluate`. SettingsError where the model gives one label to each document.
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
    """SettingsError where probabilities are asked for and the model has none."""
    if threshold_proba is not None and not has_chances(model):
        raise SettingsError(
            f"scores of {model.boosting.algorithm} are not log odds and cannot become "
            "probabilities; leave out --threshold-proba, or train with --calibrate sigmoid"
        )


def check_thresholds(model: Model) -> None:
    """SettingsError where thresholds mean nothing to the model."""
    if not model.multilabel:
        raise SettingsError(
            "the model gives one label to each document, the one of greatest score; thresholds are "
            "for models of several labels"
        )


def _measured(
    model: Model,
    data: Any,
    scored: Scored,
    threshold: float | None = None,
    bins: str = "equal-width",
    chance: float | None = None,
) -> Report:
    found = measured.evaluate(model, scored, threshold, bins, chance)
    if not found.examples:
        raise no_labels(data)
    return found


def no_labels(data: Any) -> BoostextError:
    """Where nothing can be measured."""
    return BoostextError(
        f"no labelled documents in {name_of(data)}; name the field of the labels by --label"
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
                "workers score the documents of files with the labels that stand there; leave out "
                "the workers for data in memory and for corrections of labels"
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
    """The documents of a part of the data without texts, and their scores (n, k). error: what ended
    the reading.
    """

    documents: list[Document]
    scores: Scores
    account: BadRecords
    error: BoostextError | None


def scored_part(given: Input, predictor: Predictor) -> ScoredPart:
    """What a worker makes of a file, or of a part of one."""
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
    """Documents and their scores, in order; told of after the last one."""
    from boostext.distributed.cluster import connected
    from boostext.distributed.reading import FarFiles, matched

    if STDIN in paths:
        raise SettingsError("workers read files, and not stdin (-); leave out --workers")
    how, account, paths = Reading(model.data, overrides(reading)), BadRecords(), matched(paths)
    for remark in how.remarks(paths):
        LOG.info(remark)
    with connected(workers, threads=1) as cluster:
        LOG.info(str(cluster))
        predictor = cluster.spread(Predictor(model))
        far = FarFiles(cluster, paths, how.of, account, piece=PIECE)

        def work(given: Input) -> tuple[None, Any]:
            return None, cluster.submit(scored_part, given, predictor)

        for _, made in far.walk(work, 2 * sum(cluster.threads) + 2):
            yield from zip(watch.documents(made.documents), made.scores, strict=True)
    tell(account)


def _strictly(scored: Scored, model: Model) -> Iterator[tuple[Document, Scores]]:
    """The same, up to the first document with a label that the model cannot give."""
    known = set(model.labels)
    for document, scores in scored:
        strange = [label for label in document.labels if label not in known]
        if strange:
            hint = nearest(strange[0], model.labels)
            raise DataError(
                document.origin.path,
                document.origin.line,
                f"the model does not know the label {spelled(strange[0])}{hint}; mend it, or leave "
                "out --strict to count it as a miss",
            )
        yield document, scores


@dataclass
class _Kept:
    """What choosing thresholds needs of every labelled document."""

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
        """Once more, without the texts."""
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
    """Two models on the same labelled data: the measures of both, and whose labels changed.

    names: of the models, in what is told of them. reading: as for `evaluate`.
    """
    models = (first.content, second.content)
    documents = model_data(_reading_both(*models), data, labels, reading)
    found = comparing.compare(models, documents, first.threads or usable_threads())
    if not found.first.examples:
        raise no_labels(data)
    return Compared(names, found, term_changes(*models))


def _reading_both(first: Model, second: Model) -> Model:
    """The first model, which also reads the fields that only the second asks for."""
    one, other = first.data, second.data
    text = tuple(dict.fromkeys((*one.text, *other.text)))
    attribute = tuple(dict.fromkeys((*one.attribute, *other.attribute)))
    return replace(first, data=replace(one, text=text, attribute=attribute))
