"""The training pipeline: from documents to features, rounds and a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np

from boostext import __version__
from boostext.arrays import Float64, Int64, Scores
from boostext.boosting.engines.choose import Maker, check_engine, made_here
from boostext.boosting.membership import Membership, OtherMembership
from boostext.boosting.rounds import ALL_TERMS, Booster
from boostext.boosting.rules import Round
from boostext.corpus.column_types import typed
from boostext.corpus.corpus import Corpus, CorpusBuilder
from boostext.corpus.documents import Attribute, Document
from boostext.corpus.notes import Notes
from boostext.errors import BoostextError, SettingsError, WorkerError
from boostext.evaluation.measures import Monitor
from boostext.features.conditions import Condition
from boostext.features.extract import extract
from boostext.features.matrix import FeatureMatrix, parts
from boostext.features.merge import gather
from boostext.model.model import History, Model, Provenance
from boostext.model.predict import code_rows
from boostext.model.prior import Prior
from boostext.presets import Choices
from boostext.settings import BoostingSettings, StopSettings, TextSettings, column_kinds
from boostext.training.choosing import decided
from boostext.training.columns import declared_categories, declared_labels, with_known_types
from boostext.training.examples import Groups, Holdout, Unlabelled, example_weights, is_multilabel
from boostext.training.knowing import (
    Knowing,
    Known,
    check_labels,
    label_sets_of,
    prior_of,
    restraints_of,
)
from boostext.training.plan import Plan, command_line
from boostext.training.resuming import check_same_code, check_same_round, check_same_work
from boostext.training.validation import BestRound, ValidationSet, is_measured

BEST_ROUND = "best round on validation data"
INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Prepared:
    """Everything that learning needs. The texts are no longer in memory.

    weights: (m,), including class weights. validation: None if nothing is held out. groups: (m,),
    values of the field that `--group` names; None without it. unlabelled: the documents that were
    left out. notes: what was guessed about columns. corrected: number of documents whose labels
    were changed by corrections. known: prior knowledge, if any; documents without labels are used
    only there. prior: the same for the model; it may also only exclude terms from rules. chosen:
    settings that were chosen from the data, by name.
    """

    plan: Plan
    corpus: Corpus
    features: FeatureMatrix
    multilabel: bool
    weights: Float64
    validation: ValidationSet | None
    groups: tuple[Attribute, ...] | None = None
    unlabelled: Unlabelled = field(default_factory=lambda: Unlabelled("auto"))
    notes: Notes = field(default_factory=Notes)
    corrected: int = 0
    prior: Prior | None = None
    known: Known | None = None
    chosen: Choices = field(default_factory=dict)

    def parts(self, learned: Int64, held: Int64) -> tuple[FeatureMatrix, FeatureMatrix]:
        """The features of training documents to learn from and of held-out ones to measure on."""
        if self.known is None:
            return parts(self.features, learned, held)
        return parts(self.known.features, self.known.with_unlabelled(learned), held)

    def booster(
        self,
        features: FeatureMatrix,
        examples: Int64,
        boosting: BoostingSettings,
        threads: int,
        make: Maker = made_here,
    ) -> Booster:
        """A booster for some of the training documents. features: theirs, from `parts`."""
        corpus, sets = self.corpus, gather(self.corpus.label_sets, examples)
        weights, belief = self.weights[examples], None
        if self.known is not None:
            sets, belief = label_sets_of(self.known, sets), self.known.belief(examples)
            weights = np.concatenate([weights, np.zeros(self.known.more)])
        return Booster(
            features,
            sets,
            len(corpus.labels),
            weights,
            boosting,
            engine=self.plan.run.engine,
            threads=threads,
            labels=corpus.labels,
            belief=belief,
            restraints=restraints_of(self.prior, corpus.labels, self.plan),
            make=make,
        )

    def start(self, examples: Int64) -> Scores | None:
        """(n, k): the initial scores of training documents before any rule; None if all are 0."""
        return None if self.known is None else self.known.scores(examples)

    def knowing(self, scale: float, apart: bool) -> Prepared:
        """With another influence of the knowledge on the model; see Prior."""
        assert self.known is not None, "there is knowledge"
        known = self.known.counted(scale, apart)
        validation = self.validation and self.validation.scaled(scale)
        return replace(self, known=known, prior=known.prior, validation=validation)

    @property
    def start_of_all(self) -> Scores | None:
        """`start` of every training document."""
        return self.start(np.arange(len(self.corpus)))


@dataclass(frozen=True, eq=False)
class Moment:
    """The state after a round. valid: the monitored measure; None if it was not computed."""

    round: Round
    valid: float | None
    scores: Callable[[], Scores]


@dataclass(frozen=True)
class Hooks:
    """Callbacks for the caller during learning.

    checkpoint: called with a model of all rounds so far, every `checkpoint_every` seconds.
    """

    on_round: Callable[[Moment], None] = lambda moment: None
    should_stop: Callable[[], bool] = lambda: False
    checkpoint: Callable[[Model], None] | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """A model and its training history.

    rounds: all rounds, including those that were removed from the model. start_bound: the bound of
    the loss before the first round. best: the monitored measure on the validation data.
    interrupted: the caller stopped training; `whole` then has every rule, to resume later.
    """

    model: Model
    whole: Model
    prepared: Prepared
    members: Membership
    rounds: Sequence[Round]
    best: BestRound | None = None
    interrupted: bool = False
    start_bound: float = 1.0


def train(
    documents: Iterable[Document],
    plan: Plan,
    valid: Iterable[Document] | None = None,
    hooks: Hooks | None = None,
    old: Model | None = None,
) -> Trained:
    """Learn a model from labelled documents, which are read once.

    valid: documents to choose the number of rounds with, in addition to those that plan.stop holds
    out; plan.stop.valid, which names files, is ignored here. old: a model of the same data and
    settings to resume; the result is identical to the model of an uninterrupted run. Choices that
    need held-out documents are made in `held_out`, so rounds must be a number here. Raises
    BoostextError and its subclasses.
    """
    return learn(prepare(documents, plan, valid), hooks, old)


class RemoteTexts(Protocol):
    """The texts of documents that are in other processes, and their features."""

    def extract(
        self,
        documents: Iterable[Document],
        settings: TextSettings,
        fields: Sequence[str],
        attributes: Sequence[str] | None = None,
        threads: int = 1,
        declared: Mapping[str, Sequence[str]] | None = None,
    ) -> FeatureMatrix:
        """See features.extract."""

    def whole(self, documents: Iterable[Document]) -> Iterable[Document]:
        """The documents with their texts."""


def prepare(
    documents: Iterable[Document],
    plan: Plan,
    valid: Iterable[Document] | None = None,
    prior: Prior | None = None,
    remote: RemoteTexts | None = None,
) -> Prepared:
    """Read the documents: corpus and features in one pass, then the validation documents.

    prior: prior knowledge, such as that of a model; by default the knowledge that the plan names.
    remote: provides the texts if documents come without them.
    """
    validates = valid is not None or plan.stop.valid_fraction > 0
    check_patience(plan, validates)
    check_engine(plan.run.engine, plan.boosting)
    whole = remote.whole if remote else tuple
    documents, plan, chosen = decided(documents, plan, whole)
    check_engine(plan.run.engine, plan.boosting)
    builder, groups, notes = CorpusBuilder(), Groups(plan.stop.group), Notes()
    prior = prior or prior_of(plan)
    knowing = Knowing(prior, plan) if prior and prior.speaks else None
    holdout = Holdout(plan.stop.valid_fraction, plan.boosting.seed, plan.stop.group)
    unlabelled = Unlabelled(plan.boosting.task, apart=knowing.apart if knowing else None)
    learned = builder.watch(groups.taken(holdout.training(unlabelled.left_out(documents))))
    features = (remote.extract if remote else extract)(
        knowing.watch(learned) if knowing else learned,
        plan.text,
        plan.data.text,
        attributes=None,
        threads=plan.threads,
        declared=declared_categories(plan),
    )
    more = knowing.labels(builder.label_names) if knowing else ()
    corpus = builder.corpus(declared_labels(plan), more)
    plan = with_known_types(plan, corpus, notes)
    multilabel = is_multilabel(corpus, plan.boosting)
    check_labels(prior, corpus.labels, multilabel)
    known = knowing.known(corpus, features, multilabel) if knowing else None
    held = _held(chain(whole(holdout.held), valid or ()), plan, multilabel)
    return Prepared(
        plan,
        corpus,
        known.labelled_features() if known else features,
        multilabel=multilabel,
        weights=example_weights(corpus, plan.boosting) if len(corpus) or not known else np.zeros(0),
        validation=_validation(held, plan, corpus.labels, known) if validates else None,
        groups=groups.values(),
        unlabelled=unlabelled,
        notes=notes,
        prior=known.prior if known else prior,
        known=known,
        chosen=chosen,
    )


def check_patience(plan: Plan, validates: bool) -> None:
    """Raise SettingsError if patience is set without validation data."""
    if plan.stop.patience and not validates:
        raise SettingsError("--patience needs validation data; add --valid or --valid-fraction")


def _held(documents: Iterable[Document], plan: Plan, multilabel: bool) -> Iterable[Document]:
    """The validation documents to measure on: those with a label, unless there are several."""
    held = typed(documents, column_kinds(plan.data))
    return (document for document in held if multilabel or document.labels)


def _validation(
    documents: Iterable[Document],
    plan: Plan,
    labels: tuple[str, ...],
    known: Known | None,
) -> ValidationSet:
    collector = known.collector(plan) if known else None
    found = ValidationSet(
        collector.watch(documents) if collector else documents,
        plan.text,
        plan.data.text,
        labels,
        plan.boosting.unknown_categories,
        plan.threads,
        partial(known.scores_of, collector, labels) if known and collector else None,
    )
    if not len(found):
        raise BoostextError(_nothing_held(plan.stop))
    return found.scaled(known.prior.scale) if known else found


def _nothing_held(stop: StopSettings) -> str:
    if stop.valid:
        return f"no labelled documents in {', '.join(stop.valid)}; give --valid another file"
    return (
        f"--valid-fraction {stop.valid_fraction:g} holds out none of so few documents, because "
        "the first of each label is for training; leave it out, or give --valid a file"
    )


def learn(
    prepared: Prepared,
    hooks: Hooks | None = None,
    old: Model | None = None,
    only: Collection[Condition] = (),
    make: Maker = made_here,
) -> Trained:
    """Run the rounds on prepared data; see `train`.

    only: the conditions that rules may use; None allows all. make: creates the engine.
    """
    run = _Learning(prepared, hooks or Hooks(), old, make)
    if only:
        run.booster.keep_only(only)
    try:
        for made in run.booster.rounds(**_done(old), should_stop=run.stops):
            if old is not None:
                check_same_round(old, made)
            if run.after(made):
                break
    except WorkerError:
        run.save()
        raise
    return run.trained()


class _Learning:
    """The state between the rounds of one run."""

    def __init__(self, prepared: Prepared, hooks: Hooks, old: Model | None, make: Maker) -> None:
        plan, known, everyone = prepared.plan, prepared.known, np.arange(len(prepared.corpus))
        if old is not None:
            check_same_work(old, prepared.corpus, plan, prepared.prior)
        self.prepared, self.hooks = prepared, hooks
        features = known.features if known else prepared.features
        self.booster = prepared.booster(features, everyone, plan.boosting, plan.threads, make)
        if old is not None:
            check_same_code(old, code_rows(self.booster.code))
        self.rounds: list[Round] = []
        self.best: BestRound | None = None
        if prepared.validation is not None:
            gold = prepared.validation.gold
            multilabel = prepared.multilabel
            self.best = BestRound(Monitor.of(plan.stop.monitor, gold, multilabel, plan.boosting))
            self._held = prepared.validation.tally()
        self.interrupted = False
        self._saved_at = time.monotonic()

    def after(self, made: Round) -> bool:
        """Process a round, and return whether it was the last one."""
        self.rounds.append(made)
        value = self._validate(made)
        self.hooks.on_round(Moment(made, value, self._scores))
        stops = self.stops()
        self._checkpoint()
        return stops or self._out_of_patience(made.number)

    def stops(self) -> bool:
        """Return whether the caller stops training, and note it."""
        self.interrupted = self.hooks.should_stop()
        return self.interrupted

    def _scores(self) -> Scores:
        """The scores of the training documents."""
        found = self.booster.label_scores()[: len(self.prepared.corpus)]
        known, start = self.prepared.known, self.prepared.start_of_all
        return found if start is None or not (known and known.prior.apart) else start + found

    def _validate(self, made: Round) -> float | None:
        if self.best is None:
            return None
        for rule in made.rules:
            self._held.add(rule.votes, rule.condition, rule.precondition)
        at_end = made.is_last or made.number == self.prepared.plan.boosting.rounds
        if is_measured(made.number) or at_end:
            return self.best.take(made.number, self.booster.decode(self._held.value()))
        return None

    def _out_of_patience(self, number: int) -> bool:
        patience = self.prepared.plan.stop.patience
        best = self.best.number if self.best else 0
        return bool(patience and best and number - best >= patience)

    def _checkpoint(self) -> None:
        every = self.prepared.plan.run.checkpoint_every
        if every and time.monotonic() - self._saved_at >= every and not self.interrupted:
            self.save()

    def save(self) -> None:
        """Save all rounds so far, so that training can be resumed."""
        if self.hooks.checkpoint and self.rounds:
            self.hooks.checkpoint(self._model(len(self.rounds), INTERRUPTED))
            self._saved_at = time.monotonic()

    def trained(self) -> Trained:
        done = len(self.rounds)
        kept = (self.best.number if self.best else 0) or done
        cut = kept < done or self._out_of_patience(done)
        stopped = BEST_ROUND if cut else self.booster.stopped
        model = self._model(kept, INTERRUPTED if self.interrupted else stopped)
        whole = self._model(done, INTERRUPTED) if self.interrupted else model
        members = self.booster.members
        if self.prepared.known and self.prepared.known.more:
            members = OtherMembership(self.prepared.features, members)
        return Trained(
            model,
            whole,
            self.prepared,
            members,
            self.rounds,
            self.best,
            self.interrupted,
            self.booster.start_bound,
        )

    def _model(self, kept: int, stopped: str) -> Model:
        """A model of the first `kept` rounds. stopped: why, unless the last of them ends a run."""
        prepared, plan = self.prepared, self.prepared.plan
        rounds = self.rounds[:kept]
        if rounds and rounds[-1].is_last:
            stopped = ALL_TERMS
        return Model(
            labels=prepared.corpus.labels,
            multilabel=prepared.multilabel,
            rules=tuple(rule for made in rounds for rule in made.rules),
            round_sizes=_sizes(rounds),
            data=plan.data,
            text=plan.text,
            boosting=plan.boosting,
            thresholds=_thresholds(prepared),
            code=code_rows(self.booster.code),
            prior=prepared.prior,
            history=History(tuple(r.gain for r in rounds), tuple(r.z for r in rounds)),
            provenance=Provenance(
                version=__version__,
                documents=len(prepared.corpus),
                tokens=prepared.features.token_count,
                conditions=len(self.booster.members),
                digest=prepared.corpus.digest,
                stopped=stopped,
                rounds_done=len(self.rounds),
                command=command_line(plan),
                corrected=prepared.corrected,
            ),
        )


def _thresholds(prepared: Prepared) -> tuple[float, ...]:
    """The plan's threshold for each label; empty if documents have one label or it is 0."""
    threshold = prepared.plan.boosting.threshold
    asked = prepared.multilabel and threshold != 0
    return (threshold,) * len(prepared.corpus.labels) if asked else ()


def _sizes(rounds: Sequence[Round]) -> tuple[int, ...]:
    """The number of rules of each round; empty if every round has one."""
    sizes = tuple(len(made.rules) for made in rounds)
    return sizes if any(size != 1 for size in sizes) else ()


def _done(old: Model | None) -> dict[str, Any]:
    """What `Booster.rounds` needs to go on from a model."""
    if old is None:
        return {}
    ended = old.provenance.stopped == ALL_TERMS
    return {
        "replay": old.rules,
        "sizes": old.round_sizes,
        "gains": old.history.gain,
        "ended": ended,
    }
