"""The results of training, and messages about the data for the user."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from boostext.algorithms import ALGORITHMS, Algorithm
from boostext.arrays import Scores
from boostext.boosting import codings
from boostext.boosting.losses import STARTS, one_error_factor
from boostext.corpus.checks import alike_labels, count_labels, lookalikes, spelled
from boostext.corpus.corpus import Corpus
from boostext.corpus.sources import BadRecords
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import MEASURES, Monitor, Scored, monitored
from boostext.fields import count, option_words
from boostext.model.model import asked_conditions
from boostext.model.predict import code_of, decisions, link_of
from boostext.settings import BoostingSettings, DataSettings
from boostext.training.examples import label_counts
from boostext.training.knowing import known_remarks, known_warnings
from boostext.training.members import condition_numbers, training_scores
from boostext.training.run import Prepared, Trained


@dataclass(frozen=True)
class Summary:
    """The results of a training run. measure: the monitored one; training, validation: its values.

    baseline: the same measure if every example gets the most frequent label, `majority`; on the
    validation data, or on the training data if there are none. Unknown values are NaN.
    bound: see `loss_bound`. bounded: the name of the loss on the training data that cannot exceed
    the bound (see `bounded_loss`), "" for none. one_error, one_error_bound: the share of documents
    whose highest score belongs to a wrong label, and its bound; NaN if no bound is known.
    """

    rules: int
    rounds: int
    rounds_done: int
    stopped: str
    terms: int
    measure: str
    training: float
    validation: float
    majority: str
    baseline: float
    hamming_loss: float
    bounded: str
    bounded_loss: float
    bound: float
    one_error: float
    one_error_bound: float

    @property
    def bounds(self) -> list[tuple[str, float, float]]:
        """Each loss with a known upper bound: its name, its value, and the bound."""
        rows = [(self.bounded, self.bounded_loss, self.bound)]
        if self.bounded != "error":  # "error" is the one-error then
            rows.append(("one-error", self.one_error, self.one_error_bound))
        return [row for row in rows if row[0] and not (math.isnan(row[1]) or math.isnan(row[2]))]

    def lines(self, name: str) -> list[str]:
        """The summary as lines of text. name: of the model."""
        rounds = count(self.rules, "rule")
        if self.rules != self.rounds:
            rounds += f" in {count(self.rounds, 'round')}"
        if self.rounds != self.rounds_done:
            rounds += f" of {self.rounds_done}"
        training = f"{self.measure} on the training data {self.training:.4f}"
        lines = [f"{name}: {rounds} over {count(self.terms, 'condition')}; {self.stopped}"]
        if not math.isnan(self.validation):
            training += f", on validation data {self.validation:.4f}"
        if not math.isnan(self.baseline):
            lines.append(f"{training}; always {self.majority!r}: {self.baseline:.4f}")
        return lines + [
            f"{name} {loss:.4f}, its bound {most:.4f}" for name, loss, most in self.bounds
        ]

    @property
    def helps(self) -> bool:
        """Whether the model is better than its baseline."""
        value = self.training if math.isnan(self.validation) else self.validation
        greater = MEASURES[self.measure].greater
        return value > self.baseline if greater else value < self.baseline


def summary(trained: Trained) -> Summary:
    """Measure the model on its training data; the validation value is that of its last round."""
    model, prepared = trained.model, trained.prepared
    gold = corpus_gold(prepared.corpus, len(model.labels))
    scores = model_scores(trained)
    given, link = decisions(scores, model), link_of(model)
    signed = ALGORITHMS[model.boosting.algorithm].signed
    scored = Scored(scores, gold, given, model.multilabel, link, model.calibration, signed)
    measure = monitored(prepared.plan.stop.monitor, model.multilabel)
    majority, baseline = _baseline(prepared, measure, gold)
    bounded, loss = bounded_loss(prepared, scored)
    return Summary(
        rules=len(model.rules),
        rounds=model.round_count,
        rounds_done=len(trained.rounds),
        stopped=model.provenance.stopped,
        terms=len(asked_conditions(model)),
        measure=measure,
        training=MEASURES[measure].value(scored),
        validation=trained.best.value if trained.best else math.nan,
        majority=majority,
        baseline=baseline,
        hamming_loss=MEASURES["hamming-loss"].value(scored),
        bounded=bounded,
        bounded_loss=loss,
        bound=loss_bound(trained),
        one_error=MEASURES["one-error"].value(scored),
        one_error_bound=one_error_bound(trained),
    )


def training_json(trained: Trained, result: Summary, bad: BadRecords) -> dict[str, Any]:
    """The results as values that JSON can represent. bad: the account of the reading."""
    numbers = {name: None if value != value else value for name, value in asdict(result).items()}
    provenance, prepared = trained.model.provenance, trained.prepared
    return {
        "command": provenance.command,
        "documents": provenance.documents,
        "tokens": provenance.tokens,
        "conditions": provenance.conditions,
        "labels": len(trained.model.labels),
        "multilabel": trained.model.multilabel,
        "bad_records": bad.count,
        "without_labels_left_out": prepared.unlabelled.count,
        "weights": weights_used(prepared),
        "notes": [note.to_dict() for note in (*bad.notes, *prepared.notes)],
        "seed": trained.model.boosting.seed,
        "threads": prepared.plan.threads,
        **numbers,
    }


def bounded_loss(prepared: Prepared, scored: Scored) -> tuple[str, float]:
    """The loss that `loss_bound` bounds, by name and on the training data.

    Hamming loss uses the signs of the scores and the initial weights of boosting. Other losses are
    given only if all documents have the same weight. ("", NaN) if no bound is known.
    """
    boosting, weights = prepared.plan.boosting, prepared.weights
    row = ALGORITHMS[boosting.algorithm]
    name = _bounds_of_code(boosting, row, prepared.corpus) if row.coded else row.bounds
    if not len(weights) or _apart(prepared):
        return "", math.nan
    equal = bool((weights == weights[0]).all())
    if name == "Hamming loss":
        start = STARTS[boosting.start](weights, prepared.corpus.label_sets, scored.scores.shape[1])
        wrong = (scored.scores > 0) != scored.gold.matrix
        factors = np.where(scored.gold.matrix, start.positive, start.negative)
        plain = equal and boosting.start == "uniform"
        kind = name if plain else f"weighted {name}"
        return kind, float((start.example[:, None] * factors * wrong).sum())
    if name and equal:
        return name, MEASURES[name.replace(" ", "-")].value(scored)
    return "", math.nan


def _apart(prepared: Prepared) -> bool:
    """Whether scores of prior knowledge, which no bound includes, are added to those of rules."""
    return prepared.known is not None and prepared.known.prior.apart


def loss_bound(trained: Trained) -> float:
    """The initial loss times the product of Z. If labels are coded, SS99 Theorem 5 turns it into a
    bound of the error.
    """
    model = trained.model
    product = trained.start_bound * float(np.prod(model.history.z))
    if not model.code:
        return product
    return codings.error_bound(code_of(model), model.boosting.decoding, product)


def one_error_bound(trained: Trained) -> float:
    """The bound of the one-error; see `one_error_factor`.

    NaN if no bound is known, if documents have different weights, or if some have no label, which
    the one-error leaves out.
    """
    weights, boosting = trained.prepared.weights, trained.model.boosting
    row, k = ALGORITHMS[boosting.algorithm], len(trained.model.labels)
    factor = one_error_factor(row, boosting.start, k)
    whole = (
        len(weights) > 0
        and not _apart(trained.prepared)
        and bool((weights == weights[0]).all() and label_counts(trained.prepared.corpus).all())
    )
    return factor * loss_bound(trained) if factor is not None and whole else math.nan


def _bounds_of_code(boosting: BoostingSettings, row: Algorithm, corpus: Corpus) -> str:
    """The loss with a bound: "error", or "" if decoding uses another loss than boosting does, or if
    two labels have the same row in the code.
    """
    code = codings.code_matrix(boosting, len(corpus.labels), corpus.labels)
    fits = row.loss == "exponential" or boosting.decoding == "hamming"
    return "error" if fits and codings.least_distance(code) else ""


def corpus_gold(corpus: Corpus, known: int) -> Gold:
    """The labels of a corpus in the form that measures use; the first `known` are the model's."""
    return Gold(corpus.labels, known, corpus.label_sets)


def model_scores(trained: Trained) -> Scores:
    """(m, k): the model's scores of its training documents, computed from lists of conditions."""
    numbers = condition_numbers(trained.rounds)
    start = trained.prepared.start_of_all
    return training_scores(trained.members, trained.model, numbers, start)


def _baseline(prepared: Prepared, measure: str, training: Gold) -> tuple[str, float]:
    """The most frequent training label, and the measure if every example gets it."""
    corpus = prepared.corpus
    counts = np.bincount(corpus.label_sets.items, minlength=len(corpus.labels))
    most = int(counts.argmax())
    gold = prepared.validation.gold if prepared.validation else training
    scores = np.full((len(gold), len(corpus.labels)), -1.0)
    scores[:, most] = 1.0
    return corpus.labels[most], Monitor(measure, gold, prepared.multilabel).value(scores)


# Messages before learning begins --------------------------------------------------------------


def remarks(prepared: Prepared) -> Iterator[str]:
    """Messages about how the data is used, if the settings do not determine it."""
    corpus, left = prepared.corpus, prepared.unlabelled
    if prepared.chosen:
        yield f"chosen by the data: {chosen_words(prepared)}"
    if "analyzer" in prepared.chosen:
        yield (
            "terms are sequences of characters, because the texts have no spaces; if words are "
            "separated by spaces, --analyzer word takes words, which are easier to read"
        )
    if "letters" in prepared.chosen:
        yield (
            "terms are words, pairs of words, and n-grams of letters, because the texts are short; "
            "--letters 0 leaves out the letters: such rules are easier to read, but less accurate"
        )
    if prepared.known:
        yield from known_remarks(prepared.known)
    elif left.count:
        yield (
            f"{left.count:,} of {left.count + len(corpus):,} documents have no label and are left "
            f"out, the first at {left.first}; --task multi learns from them, too, as documents to "
            "which no label applies"
        )
    yield from map(str, prepared.notes)
    yield from used_by_name(prepared)
    others = np.flatnonzero(label_counts(corpus) != 1)
    if prepared.multilabel and len(others):
        first = corpus.origins[int(others[0])]
        yield (
            f"several labels: {len(others)} of {len(corpus)} documents have not exactly one "
            f"label, the first at {first}"
        )


def chosen_words(prepared: Prepared) -> str:
    """The settings that were chosen from the data, as options, without those still to be found."""
    declared = (f for group in prepared.plan.groups for f in group.options())
    chosen = dict(prepared.chosen)
    if "threshold" in chosen:
        del chosen["threshold"]
        chosen.pop("rounds", None)
    words = (option_words(f, chosen[f.name]) for f in declared if f.name in chosen)
    return " ".join(word for option in words for word in option)


def threshold_words(prepared: Prepared) -> str:
    """The rounds and the threshold that were chosen on held-out documents."""
    found = prepared.plan.boosting
    return f"chosen on documents held out: --rounds {found.rounds} --threshold {found.threshold:g}"


def weights_used(prepared: Prepared) -> dict[str, Any] | None:
    """The field of the weights and their range; None if all documents have weight 1."""
    weights = prepared.corpus.weights
    if not len(weights):  # the model is what is known, and no more
        return None
    least, greatest = float(weights.min()), float(weights.max())
    if least == greatest == 1:
        return None
    return {"field": prepared.plan.data.weight, "least": least, "greatest": greatest}


def used_by_name(prepared: Prepared) -> Iterator[str]:
    """Messages about fields that were not named and that change what is learned."""
    corpus, data = prepared.corpus, prepared.plan.data
    used = weights_used(prepared)
    if used and data.weight == DataSettings().weight:
        least, greatest = used["least"], used["greatest"]
        yield f"weights from the field 'weight', {least:g} to {greatest:g}; --weight '' uses none"
    columns = [name for name in corpus.attributes if name not in data.attribute]
    columns += dict.fromkeys(name.rpartition(":")[0] for name in corpus.scored)
    if columns and not data.schema:
        names = ", ".join(map(repr, columns[:5])) + (", ..." if len(columns) > 5 else "")
        yield f"attributes from the records: {names}; --attribute '' uses none"


def warnings(prepared: Prepared) -> Iterator[str]:
    """Warnings about what is probably a mistake."""
    corpus = prepared.corpus
    if len(corpus.labels) == 1:
        yield f"all documents have the label {corpus.labels[0]!r}; there is nothing to distinguish"
    yield from _near_duplicates(corpus)
    if prepared.known:
        yield from known_warnings(prepared.known)
    yield from _repeated_ids(corpus)
    if prepared.validation is not None:
        yield from _unknown_labels(prepared.validation.gold)


def _near_duplicates(corpus: Corpus) -> Iterator[str]:
    for group in alike_labels(count_labels(corpus)):
        names = ", ".join(f"{spelled(label)} ({count:,})" for label, count in group.items())
        yield f"labels that look alike; is one of them meant? {names}"


def _repeated_ids(corpus: Corpus) -> Iterator[str]:
    repeated = [id for id, count in Counter(corpus.ids).items() if count > 1]
    if repeated:
        shown = ", ".join(map(repr, repeated[:3]))
        many = f"{len(repeated)} ids are" if len(repeated) > 1 else "1 id is"
        yield f"{many} given to several documents, such as {shown}"


def _unknown_labels(gold: Gold) -> Iterator[str]:
    strange = gold.sets.items[gold.sets.items >= gold.known]
    if len(strange):
        unknown = gold.labels[gold.known :]
        names = [spelled(label) for label in unknown]
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        yield (
            f"{int((gold.strange > 0).sum())} validation documents have labels that no training "
            f"document has ({shown}); they count as errors"
        )
        for label, known in lookalikes(unknown, gold.labels[: gold.known]).items():
            like = f"{spelled(label)} looks like {spelled(known)}"
            yield f"validation label {like} in the training data"
