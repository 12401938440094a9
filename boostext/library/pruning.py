"""Pruning of models, and its cost in accuracy."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from boostext.corpus.documents import Document
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation.comparing import Comparison, compare
from boostext.fields import count
from boostext.library.classifier import Classifier
from boostext.library.data import Paths, can_be_read_again, corrections_of, model_data, name_of
from boostext.library.watch import Watch, until_stopped
from boostext.model.model import Model, asked_conditions
from boostext.model.prune import cut
from boostext.settings import RunSettings
from boostext.threads import usable_threads
from boostext.training.refit import fold_prices, refit
from boostext.training.run import Hooks

LOG = logging.getLogger("boostext")
STOPPED = "stopped; nothing was written"


@dataclass(frozen=True)
class Price:
    """The cost of pruning.

    data: the kind of data on which it was measured, in one word. measure: name of the measure.
    before, after: its values for both models. won, lost: number of documents on which only the
    smaller model is right, and only the original one.
    """

    data: str
    measure: str
    before: float
    after: float
    won: int
    lost: int

    def __str__(self) -> str:
        return (
            f"{self.measure} on {self.data} data {self.before:.4f} before, {self.after:.4f} "
            f"after; documents won {self.won:,}, lost {self.lost:,}"
        )


@dataclass(frozen=True, eq=False)
class Pruned:
    """The smaller model, and the cost of pruning, or None if there was no data to measure it."""

    model: Classifier
    price: Price | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what `boostext prune --json` prints, without the name of the model file."""
        content = self.model.content
        record = {"rules": len(content.rules), "terms": len(asked_conditions(content))}
        return record | ({"price": asdict(self.price)} if self.price else {})


def prune(
    model: Classifier,
    *,
    rules: int | None = None,
    terms: int | None = None,
    data: Any = None,
    labels: Any = None,
    valid: Any = None,
    valid_labels: Any = None,
    folds: int | None = None,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    **reading: Any,
) -> Pruned:
    """Return a model of the first `rules` rules, or of the `terms` most important terms.

    To keep terms, their votes are fitted again to `data`, which must be the training data of the
    model. Calibration and thresholds are removed, because they were fitted to all rules. The cost
    is measured on `valid`, by cross-validation on `data` with `folds` folds, or on `data` itself.

    labels_from, new_labels, reading: as for `boostext.evaluate`. watch: receives the progress.
    """
    watch, mended = watch or Watch(), corrections_of(labels_from, new_labels)
    content, run = model.content, RunSettings(threads=model.threads, checkpoint_every=0)
    # subtle: the digest of the training data is of values as they came, before types were known
    untyped = replace(content, data=replace(content.data, known_types=()))
    hooks = Hooks(should_stop=watch.stop)
    if terms is not None:
        read = model_data(untyped, data, labels, reading, mended)
        small = refit(read, content, terms, rules, run, hooks)
        watch.stop.check(STOPPED)
    else:
        small = _with_rules(content, rules)
    if content.calibration or (content.thresholds and content.thresholds != small.thresholds):
        LOG.warning(
            "thresholds and probabilities were fitted to all rules and are left out; fit them again"
        )
    price = None
    if folds:
        refits = terms is not None
        documents = model_data(untyped, data, labels, reading, mended, again=refits)
        held = list(until_stopped(documents, watch.stop))
        prices = fold_prices(held, content, folds, terms, rules, run, hooks)
        found = []
        for comparison in prices:
            found.append(comparison)
            watch.pricing(len(found), folds)
        watch.stop.check(STOPPED)
        price = _mean_price("held-out", content, found)
    elif valid is not None:
        documents = model_data(content, valid, valid_labels, reading)
        price = _price("validation", (content, small), documents, watch, valid, model.threads)
    elif data is not None and can_be_read_again(data, labels):
        documents = model_data(content, data, labels, reading, mended, again=True)
        price = _price("training", (content, small), documents, watch, data, model.threads)
    return Pruned(Classifier(small, model.threads), price)


def _with_rules(model: Model, rules: int | None) -> Model:
    if rules is None:
        raise SettingsError("nothing to prune; give rules or terms")
    if rules > model.round_count:
        rounds = model.round_count
        had = f"{count(rounds, 'round')} of rules" if model.round_sizes else count(rounds, "rule")
        way = "; train a smaller model with train --terms" if model.round_sizes else ""
        raise BoostextError(f"the model has {had}, fewer than {rules}{way}")
    return cut(model, rules)


def _price(
    kind: str,
    models: tuple[Model, Model],
    documents: Iterable[Document],
    watch: Watch,
    data: Any,
    threads: int,
) -> Price:
    """Compare the models before and after pruning. data: origin of the documents, for errors."""
    found = compare(models, until_stopped(documents, watch.stop), threads or usable_threads())
    if not found.first.examples:
        raise BoostextError(f"no labelled documents in {name_of(data)}")
    return _mean_price(kind, models[0], [found])


def _mean_price(kind: str, model: Model, found: Sequence[Comparison]) -> Price:
    """Return the mean measures and the total counts of several comparisons."""
    name = "micro-f1" if model.multilabel else "error"
    return Price(
        kind,
        name,
        fmean(comparison.first.measures[name] for comparison in found),
        fmean(comparison.second.measures[name] for comparison in found),
        sum(comparison.won for comparison in found),
        sum(comparison.lost for comparison in found),
    )
