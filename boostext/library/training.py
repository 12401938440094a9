"""`boostext.train`: data in any form to a model, and what is known of how it came about."""

from __future__ import annotations

import dataclasses
import logging
import math
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import FrameType
from typing import Any

from boostext.corpus.documents import Document
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.library.classifier import Classifier
from boostext.library.data import Given, given_data
from boostext.library.rereading import reading_again
from boostext.model.model import Model
from boostext.presets import PRESETS, Preset
from boostext.reports.page.content import Read, nothing_read
from boostext.training.columns import described
from boostext.training.crossval import CrossValidation
from boostext.training.held_out import check_held_out, finished, settled
from boostext.training.knowing import unlabelled_documents
from boostext.training.plan import Plan
from boostext.training.run import Hooks, Moment, Prepared, Trained, check_patience, learn, prepare
from boostext.training.summary import (
    Summary,
    remarks,
    summary,
    training_json,
    warnings,
)
from boostext.training.tuning import tune

LOG = logging.getLogger("boostext")


@dataclass(frozen=True)
class Step:
    """How far training is after a round.

    round, rounds: done, and to do at most. bound: of the training loss. valid: the measure that
    early stopping goes by, on the validation data; None where it was not taken.
    """

    round: int
    rounds: int
    bound: float
    valid: float | None


@dataclass(frozen=True, eq=False)
class Result:
    """A trained model and what led to it. `boostext.train` gives it.

    model: ready for use. trained: the rounds and the features. account: what reading left out or
    guessed. cross: the cross-validation, where settings left something to it. read: gives
    documents once more, for reports.
    """

    model: Classifier
    trained: Trained
    account: BadRecords
    cross: CrossValidation | None = None
    read: Read = nothing_read

    @cached_property
    def summary(self) -> Summary:
        """All numbers of the training."""
        return summary(self.trained)

    @property
    def measures(self) -> dict[str, float]:
        """The measure that early stopping goes by on the training and the validation data; the
        baseline, which is the same of always giving the most frequent label; Hamming loss and
        one-error on the training data. What is not known is left out.
        """
        told = self.summary
        values = {
            f"training {told.measure}": told.training,
            f"validation {told.measure}": told.validation,
            f"baseline {told.measure}": told.baseline,
            "training hamming-loss": told.hamming_loss, "training one-error": told.one_error,
        }  # fmt: skip
        return {name: value for name, value in values.items() if not math.isnan(value)}

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the training early."""
        return self.trained.interrupted

    def to_dict(self) -> dict[str, Any]:
        """As `boostext train --json` prints it, without the name of the model file."""
        return training_json(self.trained, self.summary, self.account)

    def __reduce__(self) -> tuple[Any, ...]:
        # what reads documents once more is bound to this process and its files
        return type(self), (self.model, self.trained, self.account, self.cross)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value:.4f}" for name, value in self.measures.items())
        return f"<boostext.Result: {self.model!r}; {told}>"

    def _repr_html_(self) -> str:
        return self.model._repr_html_()


def train(
    data: Any,
    labels: Any = None,
    valid: Any = None,
    *,
    valid_labels: Any = None,
    preset: str | None = None,
    progress: Callable[[Step], None] | None = None,
    **settings: Any,
) -> Result:
    """Learn a model from labelled data; docs/python.md has all forms that data may have.

    labels: those of each item, in order; or the name of the column that holds them. valid,
    valid_labels: the same of data to choose the number of rounds on. preset: readable, accurate or
    fast, for what settings do not say. progress: called after every round. settings: the options
    of `boostext train` by name, as values or as text.

    Ctrl-C while rules are learned ends training after the round and gives the model so far.
    Raises BoostextError and its children; TypeError for data of another kind.

    >>> import boostext
    >>> texts = ["my bill is wrong", "the bill again", "we move house", "I move"]
    >>> result = boostext.train(texts, ["bill", "bill", "move", "move"], rounds=10)
    >>> result.model.predict(["a bill"]), result.measures["training error"]
    (['bill'], 0.0)
    """
    account, chosen = BadRecords(), preset_of(preset)
    plan = Plan.of(**{**chosen.settings, **settings})
    given = _all_given(data, labels, plan, account)
    held = None
    if valid is not None:
        held = given_data(valid, plan.reading, account, valid_labels).documents
    plan = described(given.paths, plan)
    if chosen.search:
        given = dataclasses.replace(given, documents=list(given.documents))
        plan = tune(list(given.documents), plan, chosen.search, given=settings).plan
    prepared, found = prepared_for(given, plan, account, held)
    trained = learned(prepared, found, progress)
    read = _reading(data, labels, prepared)
    return Result(Classifier(trained.model), trained, account, found, read)


def _all_given(data: Any, labels: Any, plan: Plan, account: BadRecords) -> Given:
    """With the documents without labels, which may also be among the others where there is
    knowledge of them.
    """
    given = given_data(data, plan.reading, account, labels, labelled=not plan.known.knowledge)
    more = unlabelled_documents(plan, account)
    return dataclasses.replace(given, documents=chain(given.documents, more))


def _reading(data: Any, labels: Any, prepared: Prepared) -> Read:
    """Gives documents of the data once more; nothing of data that can be read only once."""
    if isinstance(data, Iterator):
        return nothing_read
    settings, has_labels = prepared.plan.reading, labels is not None

    def again() -> Iterable[Document]:
        return given_data(data, settings, BadRecords(), labels, has_labels).documents

    return reading_again(again, prepared.corpus)


def preset_of(name: str | None) -> Preset:
    """The preset of that name; one that sets nothing for None."""
    if name is not None and name not in PRESETS:
        raise SettingsError(f"preset is {name!r}; expected one of {', '.join(PRESETS)}")
    return PRESETS[name] if name else Preset("")


def prepared_for(
    given: Given,
    plan: Plan,
    account: BadRecords | None = None,
    valid: Iterable[Document] | None = None,
) -> tuple[Prepared, CrossValidation | None]:
    """Documents to features, with a word on what was found; and whatever the plan leaves to
    cross-validation.
    """
    validates = valid is not None or plan.stop.valid_fraction > 0
    check_patience(plan, validates)
    check_held_out(plan, validates)
    prepared = prepare(given.documents, plan, valid)
    prepared = dataclasses.replace(prepared, plan=prepared.plan.as_read(account or BadRecords()))
    for remark in remarks(prepared):
        LOG.info(remark)
    for warning in warnings(prepared):
        LOG.warning(warning)
    return settled(prepared)


def learned(
    prepared: Prepared,
    found: CrossValidation | None,
    progress: Callable[[Step], None] | None = None,
    old: Model | None = None,
) -> Trained:
    """Learn, and calibrate where the plan asks for it. old: a model to go on from."""
    rounds = prepared.plan.boosting.rounds

    def tell(moment: Moment) -> None:
        if progress is not None:
            made = moment.round
            progress(Step(made.number, rounds, made.bound, moment.valid))

    with interrupts() as interrupted:
        trained = learn(prepared, Hooks(tell, interrupted), old)
    return finished(trained, found, LOG.warning)


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed inside the block; pressed once more, it raises KeyboardInterrupt.

    Threads other than the main one hear no signals, and are never interrupted.
    """
    heard = False

    def receive(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        if heard:
            raise KeyboardInterrupt
        heard = True

    hears = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not hears:
        yield lambda: heard
        return
    before = signal.signal(signal.SIGINT, receive)
    try:
        yield lambda: heard
    finally:
        signal.signal(signal.SIGINT, before)
