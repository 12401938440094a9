"""Choose rounds, probabilities and thresholds on documents that are not used for learning.

These are the validation data, if there are any. Otherwise cross-validation holds out each part of
the training data in turn, with the model's number of rounds, and the model itself is then learned
from all of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Scores
from boostext.boosting.codings import decode
from boostext.errors import SettingsError
from boostext.evaluation.calibration import fit
from boostext.evaluation.folds import make_folds
from boostext.evaluation.gold import Gold
from boostext.evaluation.thresholds import tuned_thresholds
from boostext.features.merge import gather
from boostext.fields import count
from boostext.knowledge.terms import Bools
from boostext.training.courses import marks_held_out
from boostext.training.crossval import (
    MOST_ROUNDS,
    CrossValidation,
    HeldOut,
    code_of,
    cross_validate,
    held_out,
    with_rounds,
)
from boostext.training.jobs import InThreads, Jobs
from boostext.training.plan import Plan
from boostext.training.run import Hooks, Prepared, Trained, learn

ENOUGH = 1000
"""Number of documents that are held out to choose a threshold, or all if there are fewer."""
SEVERAL = 200
"""Number of documents that are held out to choose the influence of prior knowledge."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Scores (m, k) of documents that the model has not learned from, and their labels."""

    scores: Scores
    gold: Gold


def learn_and_judge(prepared: Prepared, hooks: Hooks | None = None) -> Trained:
    """`with_knowledge`, `settled`, `learn` and `finished` in one."""
    hooks = hooks or Hooks()
    prepared = with_knowledge(prepared, should_stop=hooks.should_stop)
    prepared, found = settled(prepared, should_stop=hooks.should_stop)
    return finished(learn(prepared, hooks), found)


def check_held_out(plan: Plan, validates: bool) -> None:
    """Raise SettingsError if the settings are incompatible."""
    if plan.boosting.rounds == 0 and validates:
        raise SettingsError(
            "--rounds auto uses cross-validation of all training data; leave out --valid and "
            "--valid-fraction, or give a number of --rounds"
        )


def check_thresholds(prepared: Prepared) -> None:
    """Raise SettingsError if thresholds have no meaning."""
    if prepared.plan.stop.tune_thresholds and not prepared.multilabel:
        raise SettingsError(
            "these documents have one label each, and their model gives the label with the highest "
            "score; leave out --tune-thresholds, or add --task multi"
        )


def wants_cross_validation(prepared: Prepared) -> bool:
    """Whether any setting is to be chosen by cross-validation."""
    plan = prepared.plan
    judges = plan.stop.calibrate != "none" or bool(plan.stop.tune_thresholds)
    return plan.boosting.rounds == 0 or (judges and prepared.validation is None)


def settled(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> tuple[Prepared, CrossValidation | None]:
    """Choose the number of rounds if the plan leaves it open; also return the cross-validation.

    This is the smallest of the best numbers of rounds, and at most MOST_ROUNDS. jobs: where the
    folds are learned, by default in threads.
    """
    if prepared.multilabel and "threshold" in prepared.chosen:
        prepared = with_threshold(prepared, on_round, should_stop, jobs)
    plan = prepared.plan
    check_held_out(plan, prepared.validation is not None)
    check_thresholds(prepared)
    if not wants_cross_validation(prepared):
        return prepared, None
    trial = prepared if plan.boosting.rounds else with_rounds(prepared, MOST_ROUNDS)
    found = cross_validate(
        trial, plan.stop.folds, plan.stop.splits, prepared.groups, on_round, should_stop, jobs
    )
    rounds = plan.boosting.rounds or max(found.best, 1)
    return with_rounds(prepared, rounds), found


def with_threshold(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> Prepared:
    """Choose one threshold for all labels if none is given, and the best number of rounds.

    Both maximize micro-F1 on `ENOUGH` held-out documents, up to the plan's number of rounds. The
    threshold is the mean of those after rounds near the best one, because each is estimated from
    few documents. If there are validation data, they determine the final threshold. With too few
    documents it remains 0.
    """
    plan = prepared.plan
    if prepared.validation is not None:
        stop = replace(plan.stop, tune_thresholds="micro-f1")
        return replace(prepared, plan=replace(plan, stop=stop))
    try:
        found = marks_held_out(prepared, ENOUGH, on_round, should_stop, jobs)
    except SettingsError:
        return prepared
    marks = [mark for mark in found if mark.value == mark.value]
    if not marks:
        return prepared
    free = "rounds" in prepared.chosen
    best = max(marks if free else marks[-1:], key=lambda mark: (mark.value, -mark.round))
    near = [mark.threshold for mark in marks if 2 / 3 < mark.round / best.round < 3 / 2]
    boosting = replace(plan.boosting, threshold=round(sum(near) / len(near), 4))
    if free:
        boosting = replace(boosting, rounds=best.round)
    chosen = {name: getattr(boosting, name, value) for name, value in prepared.chosen.items()}
    return replace(prepared, plan=replace(plan, boosting=boosting), chosen=chosen)


def with_knowledge(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> Prepared:
    """Choose how prior knowledge is combined with the labels, if its weight is automatic.

    Boosting either starts from the knowledge, or learns from the labels alone, and the scores of
    the knowledge are added. Both are learned in folds until `SEVERAL` documents have been held out,
    and `best_scale` finds by which factor the scores of the knowledge are multiplied. The lower
    loss decides. With too few documents, nothing changes. Prior knowledge that has a factor already
    keeps it.
    """
    plan, known = prepared.plan, prepared.known
    if known is None or plan.known.knowledge_weight != "auto" or not plan.known.knowledge:
        return prepared
    sets = prepared.corpus.label_sets
    try:
        folds = make_folds(sets, plan.stop.folds, plan.boosting.seed, prepared.groups)
    except SettingsError:
        return prepared
    sizes = np.cumsum([0, *(len(folds.held(n)) for n in range(folds.count - 1))])
    each = [(folds, n) for n in range(int(np.count_nonzero(sizes < SEVERAL)))]
    trial = prepared if plan.boosting.rounds else with_rounds(prepared, MOST_ROUNDS)
    done = [0] * (2 * len(each))
    found = []
    for apart in (False, True):

        def on_rounds(number: int, rounds: int, first: int = apart * len(each)) -> bool:
            done[first + number] = rounds
            on_round(sum(done), len(done) * trial.plan.boosting.rounds)
            return should_stop()

        candidate = trial.knowing(1.0, apart)
        held = list((jobs or InThreads(plan.threads)).run(held_out, candidate, each, on_rounds))
        found.append((*_scale_of(held, candidate), apart))
    _, scale, apart = min(found)
    return prepared.knowing(scale, apart)


SCALES = (0.0, *(2.0 ** (n / 2) for n in range(-6, 9)))
"""Factors of the scores of prior knowledge that are tried."""
ABOUT_EQUAL = 1.01
"""Losses up to this many times the lowest one are not distinguished from it."""


def _scale_of(held: Sequence[HeldOut], prepared: Prepared) -> tuple[float, float]:
    """The loss on held-out documents, and the scale for which it is lowest."""
    examples = np.concatenate([fold.examples for fold in held])
    start = np.concatenate([fold.start for fold in held if fold.start is not None])
    sums = np.concatenate([fold.sums(len(fold.rounds)) for fold in held])
    labels = prepared.corpus.labels
    gold = Gold(labels, len(labels), gather(prepared.corpus.label_sets, examples)).matrix
    return best_scale(start, sums - start, gold, prepared.multilabel)


def best_scale(known: Scores, votes: Scores, gold: Bools, several: bool) -> tuple[float, float]:
    """Return the lowest logistic loss of v (s known + votes) with v > 0 and s in SCALES, and s.

    The factor v makes the loss independent of how large scores are: it is fitted for each s, and
    then forgotten, because it does not change the order of labels. known, votes: (m, k) scores.
    gold: (m, k), which labels are right. several: whether documents may have several labels. Of
    scales with about equal losses, the one nearest to 1 is returned.
    Source: Wolpert 1992 (stacked generalization).
    """
    sign = np.where(gold, -1.0, 1.0)

    def loss_and_slope(v: float, f: Scores) -> tuple[float, float]:
        """The mean loss over documents, and its derivative by v."""
        if several:
            losses = np.logaddexp(0.0, sign * v * f)
            slopes = sign * f / (1 + np.exp(np.minimum(-sign * v * f, 700.0)))
            return float(losses.sum(axis=1).mean()), float(slopes.sum(axis=1).mean())
        z = v * (f - f.max(axis=1, keepdims=True))
        odds = np.exp(z)
        total = odds.sum(axis=1)
        right = gold / gold.sum(axis=1, keepdims=True)
        losses = np.log(total) - (right * z).sum(axis=1)
        slopes = (odds * f).sum(axis=1) / total - (right * f).sum(axis=1)
        return float(losses.mean()), float(slopes.mean())

    def lowest(s: float) -> float:
        f, low, high = s * known + votes, -6.0, 6.0  # the loss is convex in v = exp(x)
        for _ in range(16):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if loss_and_slope(np.exp(middle), f)[1] < 0 else (low, middle)
            )
        return loss_and_slope(np.exp(low), f)[0]

    losses = [lowest(s) for s in SCALES]
    equal = [s for s, loss in zip(SCALES, losses, strict=True) if loss <= min(losses) * ABOUT_EQUAL]
    return min(losses), min(equal, key=lambda s: max(s, 1) / max(min(s, 1), SCALES[1] / 2))


def finished(
    trained: Trained,
    found: CrossValidation | None,
    warn: Callable[[str], None] = lambda message: None,
) -> Trained:
    """Add the calibration and thresholds that the plan asks for, unless it was interrupted.

    warn: called with a message about labels that have too few documents for their own curve.
    """
    stop = trained.prepared.plan.stop
    asked = stop.calibrate != "none" or stop.tune_thresholds
    if not asked or trained.interrupted:
        return trained
    judged = _judged(trained, found)
    model = trained.model
    if stop.calibrate != "none":
        fitted = fit(judged.scores, judged.gold.matrix, stop.calibrate, trained.model.multilabel)
        model = replace(model, calibration=fitted.curves)
        if fitted.rare:
            warn(_rare(fitted.rare, judged.gold))
    if stop.tune_thresholds:
        tuned = tuned_thresholds(judged.scores, judged.gold, stop.tune_thresholds)
        model = replace(model, thresholds=tuned)
    return replace(trained, model=model, whole=model)


def _judged(trained: Trained, found: CrossValidation | None) -> Judged:
    prepared, model = trained.prepared, trained.model
    labels = prepared.corpus.labels
    if prepared.validation is not None:
        sums = prepared.validation.sums_of(model.rules)
        code = code_of(model.boosting, labels)
        scores = (
            decode(sums, code, model.boosting.decoding) if model.rules or prepared.known else None
        )
        gold = prepared.validation.gold
        return Judged(np.zeros((len(gold), len(labels))) if scores is None else scores, gold)
    assert found is not None, "settled() makes it"
    return held_out_scores(found, max(len(model.rules), 1))


def held_out_scores(found: CrossValidation, rounds: int) -> Judged:
    """Scores and labels of the documents that at least one fold holds out."""
    corpus = found.prepared.corpus
    scores = found.scores(rounds)
    kept = np.flatnonzero(~np.isnan(scores).any(axis=1))
    gold = Gold(corpus.labels, len(corpus.labels), gather(corpus.label_sets, kept))
    return Judged(scores[kept], gold)


def _rare(rare: Sequence[int], gold: Gold) -> str:
    counts = gold.matrix.sum(axis=0)
    shown = ", ".join(f"{gold.labels[j]!r} ({counts[j]})" for j in rare[:5])
    more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
    return (
        f"too few documents to calibrate {count(len(rare), 'label')} separately: {shown}{more}; "
        "the probabilities use the curve of all labels, adjusted to the label's frequency"
    )
