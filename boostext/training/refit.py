"""Votes anew for some of a model's conditions, on its training data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.corpus.documents import Document
from boostext.errors import BoostextError
from boostext.evaluation.comparing import Comparison, compare
from boostext.evaluation.folds import make_folds
from boostext.model.model import Model
from boostext.model.prune import cut, influential, merged
from boostext.settings import RunSettings
from boostext.training.plan import Plan
from boostext.training.run import Hooks, Prepared, learn, prepare

ROUNDS_PER_TERM = 10
"""Rules that a refit learns at most for each term: votes have settled by then."""


def refit(
    documents: Iterable[Document],
    model: Model,
    terms: int,
    rounds: int | None = None,
    run: RunSettings | None = None,
    hooks: Hooks | None = None,
) -> Model:
    """A model of at most `terms` terms, one rule for each: the most influential of the model's.

    Boosting runs once more with the model's settings, but asks for no other terms; then the rules
    of each are merged. rounds: of that run; as many as the model has unless said, at most 10 a
    term. Raises BoostextError where the documents are not those that the model was trained on.
    """
    if model.prior and model.prior.unlabelled:
        raise BoostextError(
            f"the model also learned from {model.prior.unlabelled:,} documents without labels, "
            "which are not read here; use --rules instead"
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
    """The documents as the plan reads them; BoostextError where they are not the model's own."""
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
    """For each fold, what pruning costs on it: a model of the other folds, whole and pruned.

    The models have the settings and the number of rounds of `model`, and are pruned as it would
    be, to `terms` terms or `rules` rules; which terms stay is decided without the fold. Raises
    BoostextError where the documents are not those that the model was trained on, and SettingsError
    where they are too few for the folds.
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
