"""Learn new votes for some of a model's conditions on its training data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.corpus.documents import Document
from boostext.errors import BoostextError
from boostext.evaluation.comparing import Comparison, compare
from boostext.evaluation.folds import make_folds
from boostext.fields import count
from boostext.model.model import Model
from boostext.model.prune import cut, influential, merged
from boostext.settings import RunSettings
from boostext.training.plan import Plan
from boostext.training.run import Hooks, Prepared, learn, prepare

ROUNDS_PER_TERM = 10
"""Maximum number of rules that a refit learns for each term. More hardly change the votes."""


def refit(
    documents: Iterable[Document],
    model: Model,
    terms: int,
    rounds: int | None = None,
    run: RunSettings | None = None,
    hooks: Hooks | None = None,
) -> Model:
    """A model of the (at most) `terms` most influential terms of the model, with one rule for each.

    Boosting runs again with the model's settings but only these terms, and the rules of each term
    are then merged. rounds: of that run; by default as many as the model has, but at most 10 for
    each term. Raises BoostextError if the documents are not the training data of the model.
    """
    if model.prior and model.prior.unlabelled:
        raise BoostextError(
            f"the model also learned from {count(model.prior.unlabelled, 'document')} without "
            "labels, which are not read here; use --rules instead"
        )
    kept = influential(model, terms)
    if rounds is None:
        rounds = min(model.round_count, ROUNDS_PER_TERM * terms)
    boosting = replace(model.boosting, rounds=max(rounds, 1), terms=terms)
    plan = Plan(model.data, model.text, boosting, run=run or RunSettings())
    prepared = _prepared(documents, model, plan)
    fitted = merged(learn(prepared, hooks, only=kept).model)
    command = f"{model.provenance.command} (pruned to {terms} terms)"
    return replace(
        fitted,
        boosting=replace(boosting, rounds=model.boosting.rounds),
        provenance=replace(
            fitted.provenance, command=command, corrected=model.provenance.corrected
        ),
    )


def _prepared(documents: Iterable[Document], model: Model, plan: Plan) -> Prepared:
    """Prepare the documents by the plan; BoostextError if they are not the model's own."""
    prepared = prepare(documents, plan, prior=model.prior)
    if prepared.corpus.digest != model.provenance.digest:
        raise BoostextError(
            f"{model.provenance.other_documents(len(prepared.corpus))}; name its training data"
        )
    return prepared


def fold_prices(
    documents: Sequence[Document],
    model: Model,
    folds: int,
    terms: int | None = None,
    rules: int | None = None,
    run: RunSettings | None = None,
    hooks: Hooks | None = None,
) -> Iterator[Comparison]:
    """The effect of pruning on each fold: a model of the other folds, complete and pruned.

    The models have the settings and the number of rounds of `model`, and are pruned like it to
    `terms` terms or `rules` rules. The terms to keep are chosen without the fold. Raises
    BoostextError if the documents are not the training data of the model, and SettingsError if
    there are too few for the folds.
    """
    hooks = hooks or Hooks()
    _prepared(documents, model, Plan(model.data, model.text, model.boosting))
    numbers = {name: j for j, name in enumerate(model.labels)}
    used = [d for d in documents if d.labels or (d.labelled and model.multilabel)]
    labels = Lists.of([numbers[name] for name in d.labels if name in numbers] for d in used)
    cuts = make_folds(labels, folds, model.boosting.seed)
    boosting = replace(model.boosting, rounds=model.round_count)
    plan = Plan(model.data, model.text, boosting, run=run or RunSettings())
    for fold in range(folds):
        learned = _chosen(used, cuts.learned(fold))
        whole = learn(prepare(learned, plan, prior=model.prior), hooks).model
        small = refit(learned, whole, terms, rules, run, hooks) if terms else cut(whole, rules or 1)
        if hooks.should_stop():
            return
        yield compare((whole, small), _chosen(used, cuts.held(fold)), plan.threads)


def _chosen(documents: Sequence[Document], places: Int64) -> list[Document]:
    return [documents[int(place)] for place in np.sort(places)]
