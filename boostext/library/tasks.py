"""What the commands do, as functions over results, models and data."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boostext.corpus import checks
from boostext.corpus.alike import Reading
from boostext.corpus.checks import Findings
from boostext.corpus.documents import Document
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation import comparing
from boostext.evaluation import report as measuring
from boostext.features.tokenizer import token_reader
from boostext.library.classifier import Classifier
from boostext.library.crossval import CrossValidated, check_plan, held_out_in_turn
from boostext.library.data import given_data
from boostext.library.data_outliers import audited_data, data_outliers
from boostext.library.inspection import Inspection
from boostext.library.judging import SOURCES, audited
from boostext.library.reporting import OUTLIERS, Report, write_training_report
from boostext.library.training import Result, preset_of
from boostext.model.prune import cut
from boostext.reports.columns import Rows
from boostext.reports.comparing import Compared, term_changes
from boostext.reports.folder import report_folder
from boostext.reports.outliers import OUTLIER_COLUMNS, OutlierRow
from boostext.settings import RunSettings
from boostext.threads import usable_threads
from boostext.training.columns import described
from boostext.training.plan import Plan
from boostext.training.refit import refit
from boostext.training.run import prepare
from boostext.training.tuning import Tuned
from boostext.training.tuning import tune as choose

LOG = logging.getLogger("boostext")
__all__ = [
    "check", "compare", "crossval", "evaluate", "inspect", "outliers", "prune", "report", "tune",
]  # fmt: skip


def report(
    result: Result, folder: str | Path, *, source: str = "auto", title: str = "model",
    checked: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Path]:  # fmt: skip
    """Write the report of a training (rules.tsv ... report.html) into a folder; its files.

    source: what the likely label errors go by, see `outliers`. title: of the page. checked: ids of
    documents that somebody has looked at, with their labels; they are not listed.
    """
    source, audit = audited(source, result.trained.prepared)
    with report_folder(folder) as place:
        assert place is not None, "a folder was named"
        wanted = Report(
            place, source, audit, result.cross, title, result.read, checked=checked or {}
        )
        return write_training_report(wanted, result.trained, result.account)


def outliers(
    result: Result | Classifier, data: Any = None, labels: Any = None, *, source: str = "auto"
) -> Rows[OutlierRow]:
    """Likely label errors, the most doubtful first: a row for every document.

    Of the data that a result was learned from; or of labelled `data` under a model. source: cv goes
    by what is learned without each document; weights by the weight that boosting gives it in the
    end, and cumulated over all rounds; auto is cv, unless that takes minutes. `row.example` is the
    place of the document in the data that was learned from.
    """
    if isinstance(result, Result):
        if data is not None:
            raise TypeError("a result has its data; give outliers(result.model, data) for others")
        source, audit = audited(source, result.trained.prepared)
        return Rows(OUTLIERS[source](result.trained, audit), OUTLIER_COLUMNS)
    if source not in SOURCES or source == "cumulated":
        raise SettingsError(f"source is {source!r}; expected one of auto, cv, weights")
    model, threads = result.content, usable_threads()
    documents = _labelled(result, data, labels)
    if source == "weights":
        return Rows(data_outliers(model, documents, threads).rows, OUTLIER_COLUMNS)
    return Rows(audited_data(model, documents, threads).rows, OUTLIER_COLUMNS)


def inspect(
    model: Classifier, data: Any = None, labels: Any = None, *, source: str = "weights",
    only: Sequence[str] = (), top: int = 10,
) -> Inspection:  # fmt: skip
    """The first rules, the strongest terms of each label, and the outliers of data, if given.

    source: cv or weights, see `outliers`. only: labels to tell of; by default all. top: of each.
    """
    found = None
    if data is not None:
        find = audited_data if source == "cv" else data_outliers
        found = find(model.content, _labelled(model, data, labels), usable_threads())
    return Inspection.of(model.content, found, only, top)


def _labelled(
    model: Classifier, data: Any, labels: Any, account: BadRecords | None = None
) -> Iterable[Document]:
    """Labelled documents, read as the model's training data were."""
    if data is None:
        raise TypeError("no data; expected labelled documents for the model")
    reading = Reading(model.content.data, {})
    return given_data(data, reading.of, account or BadRecords(), labels).documents


def evaluate(
    model: Classifier, data: Any, labels: Any = None, *, threshold: float | None = None,
    threshold_proba: float | None = None, bins: str = "equal-width",
) -> measuring.Report:  # fmt: skip
    """Measure a model on labelled data: `.measures` by name, `.labels`, `.confusions` and more.

    threshold, threshold_proba: give labels with a score, or a probability, above it. bins: of the
    reliability curve, equal-width or equal-size. BoostextError where no document has a label.
    """
    scored = model.predictor.scores(_labelled(model, data, labels))
    found = measuring.evaluate(model.content, scored, threshold, bins, threshold_proba)
    if not found.examples:
        raise BoostextError("no labelled documents; name the field of the labels by label=NAME")
    return found


def compare(
    first: Classifier, second: Classifier, data: Any, labels: Any = None
) -> Compared:  # fmt: skip
    """Two models on the same labelled data: measures of both, and whose labels changed."""
    documents = _labelled(_reading_both(first, second), data, labels)
    models = (first.content, second.content)
    found = comparing.compare(models, documents, usable_threads())
    if not found.first.examples:
        raise BoostextError("no labelled documents; name the field of the labels by label=NAME")
    return Compared(("first", "second"), found, term_changes(*models))


def _reading_both(first: Classifier, second: Classifier) -> Classifier:
    """A model that reads the fields which either asks for."""
    one, other = first.content.data, second.content.data
    text = tuple(dict.fromkeys((*one.text, *other.text)))
    attribute = tuple(dict.fromkeys((*one.attribute, *other.attribute)))
    return Classifier(replace(first.content, data=replace(one, text=text, attribute=attribute)))


def crossval(data: Any, labels: Any = None, **settings: Any) -> CrossValidated:
    """Learn without each part of the data in turn, and measure on what was left out.

    folds, splits and group are settings as all others are; see `boostext.train` for data, labels
    and settings. Raises SettingsError where the data cannot be cut so.
    """
    plan = Plan.of(**settings)
    check_plan(plan)
    given = given_data(data, plan.reading, BadRecords(), labels)
    return held_out_in_turn(prepare(given.documents, described(given.paths, plan)))


@dataclass(frozen=True, eq=False)
class Chosen:
    """The settings that tuning chose. found: all that was tried, the best first."""

    found: Tuned

    @property
    def settings(self) -> dict[str, Any]:
        """Those that differ from the defaults: `boostext.train(data, **chosen.settings)`."""
        return {
            declared.name: value
            for group in self.found.plan.groups
            for declared in group.options()
            if (value := getattr(group, declared.name)) != declared.default
        }

    def to_dict(self) -> dict[str, Any]:
        """As `boostext tune --json` prints it, without the name of the file."""
        return self.found.to_dict()


def tune(
    data: Any, labels: Any = None, *, preset: str | None = None, budget: float | None = None,
    **settings: Any,
) -> Chosen:  # fmt: skip
    """Choose settings on the data alone, by trials on parts of it.

    preset: readable or accurate tries a few settings, else the whole grid. budget: seconds; it
    decides how many trials there are. settings: are kept as they are.
    """
    chosen = preset_of(preset)
    plan = Plan.of(**{**chosen.settings, **settings})
    given = given_data(data, plan.reading, BadRecords(), labels)
    plan = described(given.paths, plan)
    return Chosen(choose(list(given.documents), plan, chosen.search, settings, budget))


def prune(
    model: Classifier, *, rules: int | None = None, terms: int | None = None, data: Any = None,
    labels: Any = None,
) -> Classifier:  # fmt: skip
    """A model of the first `rules` rules, or of the `terms` most telling terms.

    For terms the votes are fitted anew to `data`, which must be the model's training data.
    Probabilities and thresholds that were fitted to all rules are left out.
    """
    content = model.content
    if terms is None:
        if rules is None:
            raise SettingsError("nothing to prune; give rules or terms")
        if rules > content.round_count:
            raise SettingsError(f"the model has {content.round_count:,} rounds, fewer than {rules}")
        return Classifier(cut(content, rules), model.threads)
    # subtle: the digest of the training data is of values as they came, before types were known
    untyped = replace(content, data=replace(content.data, known_types=()))
    documents = _labelled(Classifier(untyped), data, labels)
    run = RunSettings(threads=model.threads, checkpoint_every=0)
    return Classifier(refit(documents, content, terms, rules, run), model.threads)


def check(
    data: Any, labels: Any = None, *, test: Any = None, test_labels: Any = None, **settings: Any
) -> Findings:
    """What is in the data, and what in it looks wrong: labels, sizes, the same text twice or with
    other labels. Bad records are counted and do not stop it.

    test: data to compare with. settings: of reading, and of texts to terms.
    """
    if settings.get("knowledge"):
        raise SettingsError(
            "check looks at data alone here; `boostext check --knowledge` does both"
        )
    plan, account = Plan.of(**{"skip_bad": True, **settings}), BadRecords()
    given = given_data(data, plan.data, account, labels, labelled=False)
    other = None
    if test is not None:
        other = given_data(test, plan.data, BadRecords(), test_labels, labelled=False).documents
    return checks.check(given.documents, account, other, token_reader(plan.text))
