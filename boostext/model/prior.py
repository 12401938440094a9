"""Prior knowledge in a model: the scores f_0 to which the votes of rules are added."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.boosting.beliefs import prior_scores
from boostext.corpus.documents import Document
from boostext.errors import ModelError
from boostext.fields import count
from boostext.knowledge.knowledge import Knowledge
from boostext.knowledge.probabilities import probabilities
from boostext.knowledge.terms import Bools, Firing
from boostext.settings import TextSettings

if TYPE_CHECKING:
    from boostext.model.model import Model


@dataclass(frozen=True)
class Prior:
    """The prior knowledge of a model.

    knowledge: as read. weight: eta, the weight of the knowledge in training. old: the model that
    provides the initial probabilities, which is an older one or was taught by the rules.
    unlabelled: the number of documents without labels that were used in training. digest: SHA-256,
    in hex, of those documents. scale: the factor by which f_0 is multiplied. apart: whether the
    rules were learned from the labels alone, and f_0 is only added to their votes; otherwise
    boosting started from f_0.
    """

    knowledge: Knowledge
    weight: float
    old: Model | None = None
    unlabelled: int = 0
    digest: str = ""
    scale: float = 1.0
    apart: bool = False

    @property
    def speaks(self) -> bool:
        """Whether there are scores f_0; otherwise the knowledge only restricts terms."""
        return self.weight > 0 and (self.knowledge.believes or self.old is not None)

    @property
    def taught(self) -> bool:
        """Whether `old` was learned from documents without labels, as the rules classify them."""
        return self.old is not None and not self.old.provenance.digest

    @property
    def old_digest(self) -> str:
        """The digest of the older model, which is the same for equal models."""
        if self.old is None:
            return ""
        from boostext.model.json_form import model_to_json  # it imports this module

        return hashlib.sha256(model_to_json(self.old)).hexdigest()


def check_prior(prior: Prior, labels: Sequence[str]) -> None:
    """Raise ModelError if the knowledge names unknown labels or its weight is invalid."""
    strange = {label for label, _ in prior.knowledge.named()} - set(labels)
    if strange:
        raise ModelError(f"its knowledge is about the label {min(strange)[:40]!r}, which it lacks")
    if not 0 <= prior.weight < float("inf"):
        raise ModelError(f"its knowledge has weight {prior.weight}; expected 0 or more")
    if not 0 <= prior.scale < float("inf"):
        raise ModelError(f"its knowledge has scale {prior.scale}; expected 0 or more")


class Evidence(NamedTuple):
    """What prior knowledge provides before the labels are known.

    fired: (n, r), which rules hold for each document. before: (n, k'), the probabilities of the
    older model, if there is one.
    """

    fired: Bools
    before: Float64 | None = None

    @staticmethod
    def joined(parts: Sequence[Evidence]) -> Evidence:
        before = [part.before for part in parts if part.before is not None]
        fired = np.concatenate([part.fired for part in parts])
        return Evidence(fired, np.concatenate(before) if before else None)


class KnowledgeEvaluator:
    """Evaluate prior knowledge on documents in two steps.

    First find the rules that hold; then, once the labels are known, compute their probabilities.
    """

    def __init__(self, prior: Prior, settings: TextSettings, fields: Sequence[str]) -> None:
        from boostext.model.predict import Predictor  # it imports this module

        self._prior, self._settings, self._fields = prior, settings, fields
        self.firing = Firing(prior.knowledge.rules, settings, fields)
        self._old = Predictor(prior.old) if prior.old else None

    def beginning_with(self, prior: Prior) -> KnowledgeEvaluator:
        """The same rules and counts with another model that provides initial probabilities."""
        other = KnowledgeEvaluator(prior, self._settings, self._fields)
        other.firing = self.firing
        return other

    def evidence(self, documents: Sequence[Document], threads: int = 1) -> Evidence:
        """Compute the part that does not depend on the labels."""
        fired = self.firing.fired(documents, threads)
        if self._old is None:
            return Evidence(fired)
        from boostext.model.predict import probabilities as probabilities_of

        return Evidence(fired, probabilities_of(self._old.batch_scores(documents), self._old.model))

    def probabilities(self, evidence: Evidence, labels: Sequence[str], multilabel: bool) -> Float64:
        """Return (n, k): the probabilities pi of the labels, from the result of `evidence`."""
        before = None
        if self._old is not None and evidence.before is not None:
            before = _of_labels(evidence.before, self._old.model, labels)
        return probabilities(self._prior.knowledge, labels, multilabel, evidence.fired, before)


def _of_labels(before: Float64, old: Model, labels: Sequence[str]) -> Float64:
    """Return (n, k): the older model's probabilities, and 1/k for labels that it does not have."""
    columns = np.array(columns_of(labels, old.labels), dtype=np.int64)
    found = np.full((len(before), len(labels)), 1 / max(len(labels), 1))
    found[:, columns >= 0] = before[:, columns[columns >= 0]]
    return found


def columns_of(labels: Sequence[str], old: Sequence[str]) -> list[int]:
    """Return the place of each label among the labels of an older model, or -1."""
    number = {label: j for j, label in enumerate(old)}
    return [number.get(label, -1) for label in labels]


class PriorScores:
    """Compute the scores f_0 of documents for a model with prior knowledge."""

    def __init__(self, model: Model, prior: Prior, link: float, threads: int = 1) -> None:
        self._model, self._link, self._threads = model, link, threads
        self._scale = prior.scale
        self.evaluator = KnowledgeEvaluator(prior, model.text, model.data.text)

    def scores(self, documents: Sequence[Document]) -> Scores:
        """Return (n, k): ln(pi / (1 - pi)) / link, times the scale of the knowledge."""
        evidence = self.evaluator.evidence(documents, self._threads)
        found = self.evaluator.probabilities(evidence, self._model.labels, self._model.multilabel)
        return self._scale * prior_scores(found, self._link)

    def fired(self, document: Document) -> tuple[str, ...]:
        """Return the rules that hold for one document, in readable form."""
        (row,) = self.evaluator.firing.fired([document])
        return tuple(
            str(rule) for rule, holds in zip(self.evaluator.firing.rules, row, strict=True) if holds
        )


def influence(prior: Prior) -> str:
    """Return how the scores of prior knowledge and the votes of rules are combined, in words."""
    times = f"the scores of the knowledge times {prior.scale:g}"
    if prior.apart:
        return f"{times} are added to rules that were learned from the labels alone"
    return f"boosting starts from {times}"


def prior_in_short(prior: Prior) -> str:
    """Return a summary: `12 rules, weight 0.4 a document, 300 documents without labels`."""
    parts = [count(len(prior.knowledge.rules), "rule")]
    parts += [] if prior.apart else [f"weight {prior.weight:g} a document"]
    parts += [influence(prior)] if prior.apart or prior.scale != 1 else []
    if prior.old and not prior.taught:
        parts.insert(0, f"an older model of {count(len(prior.old.rules), 'rule')}")
    if prior.old and prior.taught:
        learned = f"{count(len(prior.old.rules), 'rule')} learned from"
        parts.append(f"{learned} {count(prior.unlabelled, 'document')} without labels")
    elif prior.unlabelled:
        parts.append(f"{count(prior.unlabelled, 'document')} without labels")
    return ", ".join(parts)
