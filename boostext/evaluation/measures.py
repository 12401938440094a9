"""All measures by name, and fast repeated computation of one of them for early stopping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Scores
from boostext.evaluation import calibration as probabilities
from boostext.evaluation import decided as decisions
from boostext.evaluation import ranked as rankings
from boostext.evaluation.calibration import Calibration, calibration
from boostext.evaluation.decided import Decided, decided
from boostext.evaluation.gold import Booleans, Gold, Sums
from boostext.evaluation.ranked import Ranked, ranked
from boostext.model.calibration import Curve
from boostext.model.predict import greatest
from boostext.settings import BoostingSettings


class Parts(Protocol):
    """The three kinds of sums over examples from which measures are computed."""

    @property
    def decided(self) -> Decided: ...
    @property
    def ranked(self) -> Ranked: ...
    @property
    def calibration(self) -> Calibration: ...


@dataclass(frozen=True, eq=False)
class Tally(Sums):
    """All parts, for data that is measured in pieces that are added up."""

    decided: Decided
    ranked: Ranked
    calibration: Calibration


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores (m, k), the given labels and those of the model (m, k), with parts on demand.

    link: from scores to probabilities (see `model.predict.link_of`). curves: those of a calibrated
    model, which are used instead. signed: a score above 0 is evidence for its label.
    """

    scores: Scores
    gold: Gold
    given: Booleans
    multilabel: bool
    link: float = 2.0
    curves: tuple[Curve, ...] = ()
    signed: bool = True

    @cached_property
    def decided(self) -> Decided:
        return decided(self.scores, self.gold, self.given, self.multilabel, self.signed)

    @cached_property
    def ranked(self) -> Ranked:
        return ranked(self.scores, self.gold)

    @cached_property
    def calibration(self) -> Calibration:
        return calibration(self.scores, self.gold, self.multilabel, self.link, self.curves)

    def tally(self) -> Tally:
        # the decided ones last: their arrays of a number for each label are kept
        ranked, calibration = self.ranked, self.calibration
        return Tally(self.decided, ranked, calibration)


@dataclass(frozen=True)
class Measure:
    """A measure. value: computes it from the parts; NaN without examples. greater: is better."""

    value: Callable[[Parts], float]
    greater: bool = False


MEASURES: Mapping[str, Measure] = {
    "error": Measure(lambda parts: decisions.error(parts.decided)),
    "one-error": Measure(lambda parts: decisions.one_error(parts.decided)),
    "hamming-loss": Measure(lambda parts: decisions.hamming_loss(parts.decided)),
    "subset-accuracy": Measure(lambda parts: decisions.subset_accuracy(parts.decided), True),
    "micro-precision": Measure(lambda parts: decisions.micro(parts.decided)[0], True),
    "micro-recall": Measure(lambda parts: decisions.micro(parts.decided)[1], True),
    "micro-f1": Measure(lambda parts: decisions.micro(parts.decided)[2], True),
    "macro-precision": Measure(lambda parts: decisions.macro(parts.decided)[0], True),
    "macro-recall": Measure(lambda parts: decisions.macro(parts.decided)[1], True),
    "macro-f1": Measure(lambda parts: decisions.macro(parts.decided)[2], True),
    "ranking-loss": Measure(lambda parts: rankings.ranking_loss(parts.ranked)),
    "coverage": Measure(lambda parts: rankings.coverage(parts.ranked)),
    "average-precision": Measure(lambda parts: rankings.average_precision(parts.ranked), True),
    "log-loss": Measure(lambda parts: probabilities.log_loss(parts.calibration)),
    "brier": Measure(lambda parts: probabilities.brier(parts.calibration)),
    "ece": Measure(lambda parts: probabilities.expected_calibration_error(parts.calibration)),
}


def monitored(name: str, multilabel: bool) -> str:
    """The measure that `auto` means: error, or micro-f1 if there are several labels."""
    if name != "auto":
        return name
    return "micro-f1" if multilabel else "error"


class Monitor:
    """Computes one measure repeatedly for the same examples while their scores change.

    name: one of settings.MONITORS, or "auto". Only the part that the measure needs is computed. The
    decided label is that with the highest score or, if there may be several labels, all labels with
    scores above the threshold are.
    """

    def __init__(
        self,
        name: str,
        gold: Gold,
        multilabel: bool,
        link: float = 2.0,
        threshold: float = 0.0,
        signed: bool = True,
    ) -> None:
        self.name = monitored(name, multilabel)
        self.measure = MEASURES[self.name]
        self._gold, self._multilabel, self._link = gold, multilabel, link
        self._threshold, self._signed = threshold, signed

    @staticmethod
    def of(name: str, gold: Gold, multilabel: bool, boosting: BoostingSettings) -> Monitor:
        """Create a monitor with the link, the threshold and the kind of scores of the settings."""
        row = ALGORITHMS[boosting.algorithm]
        return Monitor(name, gold, multilabel, row.link, boosting.threshold, row.signed)

    def value(self, scores: Scores) -> float:
        """The measure for scores (m, k) of the examples of `gold`."""
        given = scores > self._threshold if self._multilabel else greatest(scores)
        scored = Scored(
            scores, self._gold, given, self._multilabel, self._link, signed=self._signed
        )
        return self.measure.value(scored)

    def is_better(self, value: float, than: float) -> bool:
        """Whether a value is better than an earlier one. Equal values and NaN never are."""
        return value > than if self.measure.greater else value < than
