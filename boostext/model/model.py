"""The model: rules, labels, and all settings that prediction needs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from boostext.arrays import Places
from boostext.boosting.rules import Rule
from boostext.errors import ModelError
from boostext.features.conditions import Always, AtLeast, Condition, Equals
from boostext.fields import count
from boostext.knowledge.terms import conditions_of
from boostext.model.calibration import Curve, check_curves
from boostext.model.prior import Prior, check_prior
from boostext.settings import BoostingSettings, DataSettings, TextSettings


@dataclass(frozen=True)
class History:
    """For each round, the gain of the criterion and the actual normalizer Z."""

    gain: tuple[float, ...] = ()
    z: tuple[float, ...] = ()


EARLIER = (
    "if nothing in them has changed, an earlier version of boostext wrote the model and computed "
    "the digest of its training data in another way: such a model still predicts, but has to be "
    "trained anew before it can be resumed or pruned with data"
)


@dataclass(frozen=True)
class Provenance:
    """The origin of a model, without times, threads or paths: equal training gives equal bytes.

    digest: a digest of the training data. stopped: why training ended ("all rounds", "no condition
    helps", "best round on validation data", "interrupted"). rounds_done: the number of rounds
    before the model was cut. corrected: the number of documents whose labels --labels-from changed.
    edited: whether the model was changed by hand after it was written, and accepted nonetheless.
    """

    version: str = ""
    documents: int = 0
    tokens: int = 0
    conditions: int = 0
    digest: str = ""
    stopped: str = ""
    rounds_done: int = 0
    command: str = ""
    corrected: int = 0
    edited: bool = False

    def other_documents(self, number: int) -> str:
        """Return the message for `number` documents whose digest is not that of the training data.

        If the counts are equal, the documents may still be those of training: earlier versions
        of boostext computed the digest differently, and a model does not record its version.
        """
        note = "these are not the very documents the model was trained on"
        if self.corrected:
            note += (
                f", or not their labels: the labels of {count(self.corrected, 'document')} were "
                "corrected for training; give the same --labels-from FILE here"
            )
        here = count(number, "document")
        if number != self.documents:
            return f"{note} ({here}, where it learned from {self.documents:,})"
        return f"{note} (as many as in training, {here}; {EARLIER})"


@dataclass(frozen=True)
class Model:
    """Everything that prediction, explanation and inspection need.

    labels: k names in label order. multilabel: whether any training example had no label or
    several. rules: T rules in the order learned. thresholds: k scores above which a label is
    assigned, or empty for 0. code: k rows of equal length like "+-+-" if labels are coded, else
    empty; votes and their sums are then for the columns of the code, and are decoded into scores
    of labels. calibration: k curves from scores to probabilities; if empty, the link of the
    algorithm gives the probabilities. round_sizes: the number of rules of each round, or empty if
    each round gave one rule. prior: prior knowledge, whose scores f_0 are added to the votes, or
    None.
    """

    labels: tuple[str, ...]
    multilabel: bool
    rules: tuple[Rule, ...]
    data: DataSettings = field(default_factory=DataSettings)
    text: TextSettings = field(default_factory=TextSettings)
    boosting: BoostingSettings = field(default_factory=BoostingSettings)
    history: History = field(default_factory=History)
    provenance: Provenance = field(default_factory=Provenance)
    thresholds: tuple[float, ...] = ()
    code: tuple[str, ...] = ()
    calibration: tuple[Curve, ...] = ()
    round_sizes: tuple[int, ...] = ()
    prior: Prior | None = None

    @property
    def round_count(self) -> int:
        return len(self.round_sizes or self.rules)

    @property
    def rule_rounds(self) -> Iterator[int]:
        """Yield the round, from 1, of each rule."""
        sizes = self.round_sizes or (1,) * len(self.rules)
        return (number for number, size in enumerate(sizes, 1) for _ in range(size))

    @property
    def columns(self) -> tuple[str, ...]:
        """What votes are for: the labels, or the columns of the code, each as "A B | C D"."""
        if not self.code:
            return self.labels
        return tuple(
            f"{' '.join(self._side(j, '+'))} | {' '.join(self._side(j, '-'))}"
            for j in range(len(self.code[0]))
        )

    @property
    def width(self) -> int:
        """The number of votes in a block: one for each label, or for each column of the code."""
        return len(self.code[0]) if self.code else len(self.labels)

    def _side(self, column: int, sign: str) -> list[str]:
        rows = zip(self.labels, self.code, strict=True)
        return [label for label, row in rows if row[column] == sign]


def asked_conditions(model: Model) -> set[Condition]:
    """Return all conditions that rules and their preconditions use.

    A rule that votes on every document has none.
    """
    asked = {rule.condition for rule in model.rules}
    asked |= {condition for rule in model.rules for condition, _ in rule.precondition}
    return asked - {Always()}


def known_conditions(model: Model) -> set[Condition]:
    """Return all conditions that the prior knowledge uses to compute f_0, if the model has any.

    These are the terms of its rules, and the conditions of the older model.
    """
    prior = model.prior
    if prior is None or not prior.speaks:
        return set()
    terms = {term for rule in prior.knowledge.rules for term in rule.terms}
    found = {c for term in terms for c in conditions_of(term, model.text, model.data.text)}
    old = prior.old
    return found if old is None else found | asked_conditions(old) | known_conditions(old)


def asked_attributes(model: Model) -> tuple[str, ...]:
    """Return the attributes and scored texts that rules or prior knowledge use.

    Those named in training come first.

    A condition on a scored text has the name `column:word`. If a name contains a colon and training
    did not name the column, it may be either an attribute or a scored text, so both names are
    returned.
    """
    conditions = asked_conditions(model) | known_conditions(model)
    columns = {c.column for c in conditions if isinstance(c, Equals | AtLeast)}
    named = [
        name
        for name in model.data.attribute
        if any(column == name or column.startswith(f"{name}:") for column in columns)
    ]
    others = (c for c in columns if not any(c == n or c.startswith(f"{n}:") for n in named))
    return (*named, *sorted({name for c in others for name in (c, c.partition(":")[0])}))


def check_model(model: Model) -> None:
    """Raise ModelError if the parts of the model are inconsistent or a number is not finite."""
    if not model.labels:
        raise ModelError("no labels; expected at least one")
    if not Places(model.labels).distinct:
        raise ModelError("a label is there twice")
    if len(model.thresholds) not in (0, len(model.labels)):
        raise ModelError(
            f"{len(model.thresholds)} thresholds for {len(model.labels)} labels; "
            "expected one each, or none"
        )
    _check_code(model)
    check_curves(model.calibration, len(model.labels))
    if model.prior:
        check_prior(model.prior, model.labels)
    numbers = (*model.thresholds, *model.history.gain, *model.history.z)
    if not all(map(math.isfinite, numbers)):
        raise ModelError("a threshold, gain or normalizer that is not a finite number")
    sizes = model.round_sizes
    if sizes and (min(sizes) < 1 or sum(sizes) != len(model.rules)):
        raise ModelError(f"its round sizes do not add up to {len(model.rules)} rules")
    for number, rule in enumerate(model.rules, 1):
        _check_rule(number, rule, model.width)


def _check_code(model: Model) -> None:
    rows = model.code
    sound = all(row and set(row) <= {"+", "-"} for row in rows) and len({len(r) for r in rows}) < 2
    if len(rows) not in (0, len(model.labels)) or not sound:
        raise ModelError("its code has not one row of + and - for each label")


def _check_rule(number: int, rule: Rule, width: int) -> None:
    if rule.votes.shape != (3, width):
        raise ModelError(
            f"rule {number} has votes of shape {rule.votes.shape}; expected (3, {width})"
        )
    if not (np.isfinite(rule.votes).all() and math.isfinite(rule.alpha)):
        raise ModelError(f"rule {number} has a vote or alpha that is not a finite number")
