"""Collect what prior knowledge says about the training documents while they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from boostext import fields
from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Int64, Lists, Scores
from boostext.boosting.beliefs import Belief, prior_scores
from boostext.boosting.rounds import Booster
from boostext.corpus.corpus import Corpus, fingerprint
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import ModelError, SettingsError
from boostext.features.conditions import YES
from boostext.features.conditions import Known as KnownRules
from boostext.features.matrix import FeatureMatrix, first_documents
from boostext.knowledge.knowledge import Forbidden, Knowledge
from boostext.knowledge.reading import read_knowledge
from boostext.knowledge.restraints import Restraints
from boostext.knowledge.terms import Bools
from boostext.model.file import read_model
from boostext.model.model import Model
from boostext.model.predict import Contribution, has_probabilities
from boostext.model.predict import probabilities as probabilities_of
from boostext.model.prior import Evidence, KnowledgeEvaluator, Prior, prior_in_short
from boostext.settings import BoostingSettings
from boostext.training.examples import Held
from boostext.training.plan import Plan

BATCH = 512
NEARLY_ALL = 0.9
"""Share of documents for which a rule holds, from which on it carries hardly any information."""
TEACHING = 100
"""Number of documents without labels from which on the rules teach a model on them."""
LESSONS = 200
"""Number of rounds of that model."""
SHOWN = 5
"""Maximum number of missing terms in a message."""


@dataclass(frozen=True, eq=False)
class Known:
    """Prior knowledge about M documents: the m training documents, then `more` without labels.

    features: of all M documents. probabilities: (M, k). evaluator: has counted which rules hold
    for them. link: the algorithm's function from scores to probabilities. fired: (M, r), whether
    each rule holds.
    """

    prior: Prior
    features: FeatureMatrix
    probabilities: Float64
    evaluator: KnowledgeEvaluator
    link: float
    multilabel: bool
    fired: Bools
    more: int

    def belief(self, examples: Int64) -> Belief | None:
        """The belief about these training documents and about all documents without labels; None if
        rules are learned from the labels alone.
        """
        if self.prior.apart:
            return None
        probabilities = self.probabilities[self.with_unlabelled(examples)]
        return Belief(probabilities, self.prior.weight, scale=self.prior.scale)

    def with_unlabelled(self, examples: Int64) -> Int64:
        """The numbers of these training documents and of all without labels, ascending."""
        M = len(self.probabilities)
        return np.concatenate([examples, np.arange(M - self.more, M)])

    def scores(self, examples: Int64) -> Scores:
        """The scores f_0 of training documents, times the scale of the knowledge."""
        return self.prior.scale * prior_scores(self.probabilities[examples], self.link)

    def contribution(self, example: int) -> Contribution:
        """The knowledge's contribution to a training document, as in `Predictor.contributions`."""
        rules = zip(self.evaluator.firing.rules, self.fired[example], strict=True)
        names = tuple(str(rule) for rule, holds in rules if holds)
        return Contribution(KnownRules(names), YES, self.scores(np.array([example]))[0], ())

    def collector(self, plan: Plan) -> EvidenceCollector:
        """Collects what the knowledge says about further documents."""
        return EvidenceCollector(
            KnowledgeEvaluator(self.prior, plan.text, plan.data.text), plan.threads
        )

    def scores_of(self, collector: EvidenceCollector, labels: Sequence[str]) -> Scores:
        """The scores f_0 of further documents, before they are scaled."""
        probabilities = self.evaluator.probabilities(collector.evidence(), labels, self.multilabel)
        return prior_scores(probabilities, self.link)

    def labelled_features(self) -> FeatureMatrix:
        """The features of the training documents only. Conditions have the same numbers."""
        if not self.more:
            return self.features
        return first_documents(self.features, len(self.probabilities) - self.more)

    def counted(self, scale: float, apart: bool) -> Known:
        """The same knowledge with another influence on the model; see Prior."""
        prior = replace(self.prior, scale=scale, apart=apart)
        return replace(self.without_more() if apart else self, prior=prior)

    def without_more(self) -> Known:
        """The same knowledge about the training documents only."""
        m = len(self.probabilities) - self.more
        features, probabilities, fired = (
            self.labelled_features(),
            self.probabilities[:m],
            self.fired[:m],
        )
        return replace(self, features=features, probabilities=probabilities, fired=fired, more=0)


def prior_of(plan: Plan) -> Prior | None:
    """The knowledge in the files of the plan; None if there is none."""
    if not plan.known.knowledge:
        return None
    path = Path(plan.known.knowledge)
    if path.is_fifo():
        raise SettingsError(
            f"{path}: is a pipe, and training reads knowledge several times; name a file"
        )
    if plan.text.term_fields(plan.data.text).keys() != set(plan.data.text):
        raise SettingsError(
            f"{path}: knowledge is about words, and does not go with n-grams of letters beside "
            "them; leave out --letters"
        )
    knowledge = read_knowledge(path)
    counts = plan.known.knowledge_weight != 0 and knowledge.believes
    check_boosting(plan.boosting, knowledge, counts)
    if not (counts or knowledge.restrains):
        return None
    return Prior(knowledge, float(counts), older_model(path, knowledge.old) if counts else None)


def older_model(path: Path, name: str) -> Model | None:
    """The model on which the knowledge is based. Its name is relative to the file at `path`."""
    if not name:
        return None
    old = read_model(path.parent / name)
    if not has_probabilities(old):
        raise ModelError(
            f"{path}: the model {name} gives no probabilities to begin with; name one of mh or "
            "logistic, or a calibrated one"
        )
    return old


def check_boosting(settings: BoostingSettings, knowledge: Knowledge, counts: bool) -> None:
    """Raise SettingsError if boosting does not support the knowledge.

    counts: whether the knowledge has any weight. All algorithms can exclude terms.
    """
    if not (counts or knowledge.takes_sides):
        return
    refused = {
        f"--algorithm {settings.algorithm}": settings.algorithm not in ("mh", "logistic"),
        f"--learner {settings.learner}": settings.learner_name() != "stump",
        f"--alpha {settings.alpha}": settings.alpha_name() != "own",
        f"--index {settings.index}": settings.index != "z",
        "--resample": settings.resample,
        "--votes discrete": settings.votes_name() != "real" and knowledge.takes_sides,
    }
    for option, wrong in refused.items():
        if wrong:
            raise SettingsError(
                f"{knowledge.path}: knowledge does not go with {option}; it goes with --algorithm "
                "mh or logistic, real votes, and rules of one condition"
            )


def unlabelled_documents(plan: Plan, account: BadRecords) -> Iterator[Document]:
    """The documents that are used only with prior knowledge. Their labels are ignored."""
    paths = plan.known.unlabelled
    if paths:
        for document in read_documents(paths, plan.reading, account, labelled=False):
            yield replace(document, labels=(), labelled=False)


class EvidenceCollector:
    """Collects what prior knowledge says about documents while they are read."""

    def __init__(self, evaluator: KnowledgeEvaluator, threads: int) -> None:
        self._evaluator, self._threads = evaluator, threads
        self._evidence: list[Evidence] = []

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass documents on."""
        group: list[Document] = []
        for document in documents:
            group.append(document)
            yield document
            if len(group) == BATCH:
                self._evidence.append(self._evaluator.evidence(group, self._threads))
                group = []
        self._evidence.append(self._evaluator.evidence(group, self._threads))

    def evidence(self) -> Evidence:
        """What the knowledge says about all documents so far."""
        return Evidence.joined(self._evidence)


class Knowing:
    """Applies prior knowledge to the training documents and to those without labels.

    apart: holds the latter while the training documents are read.
    """

    def __init__(self, prior: Prior, plan: Plan) -> None:
        self._prior, self._plan = prior, plan
        self._evaluator = KnowledgeEvaluator(prior, plan.text, plan.data.text)
        self._collector = EvidenceCollector(self._evaluator, plan.threads)
        self._unlabelled, self._digest = 0, hashlib.sha256(b"boostext unlabelled 1\n")
        self.apart = Held()

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass all documents on, the training documents first."""
        return self._collector.watch(chain(documents, self._set_apart()))

    def _set_apart(self) -> Iterator[Document]:
        for document in self.apart:
            self._unlabelled += 1
            self._digest.update(fingerprint(document))
            yield document

    def labels(self, found: Sequence[str]) -> tuple[str, ...]:
        """Labels of the model in addition to those of documents. found: labels of documents."""
        knowledge, old = self._prior.knowledge, self._prior.old
        known = [*(label for label, _ in knowledge.labels), *(old.labels if old else ())]
        if not (known or found):
            known = [label for rule in knowledge.rules for label, _ in rule.then]
        return tuple(dict.fromkeys(known))

    def prior(self, documents: int, labels: int) -> Prior:
        """The knowledge for the new model. Knowledge from a model keeps its weight."""
        known = self._plan.known
        return replace(
            self._prior,
            weight=known.weight(documents, labels) if known.knowledge else self._prior.weight,
            unlabelled=self._unlabelled,
            digest=self._digest.hexdigest() if self._unlabelled else "",
        )

    def known(self, corpus: Corpus, features: FeatureMatrix, multilabel: bool) -> Known:
        """What the knowledge says, after all labels are known."""
        evidence = self._collector.evidence()
        probabilities = self._evaluator.probabilities(evidence, corpus.labels, multilabel)
        prior = self.prior(len(corpus) or len(probabilities), len(corpus.labels))
        link = ALGORITHMS[self._plan.boosting.algorithm].link
        known = Known(
            prior,
            features,
            probabilities,
            self._evaluator,
            link,
            multilabel,
            evidence.fired,
            prior.unlabelled,
        )
        teaches = prior.unlabelled >= TEACHING and evidence.fired.any()
        if not teaches or prior.old or self._plan.boosting.terms:
            return known
        known = taught(known, corpus.labels, self._plan)
        # the documents without labels have taught the model from which boosting starts
        fades = self._plan.known.knowledge_weight == "auto" and len(corpus) > 0
        return known.without_more() if fades else known


def taught(known: Known, labels: Sequence[str], plan: Plan) -> Known:
    """Add to the knowledge what other terms of the documents tell about the labels.

    A model learns the probabilities that the rules give to all documents for which a rule holds.
    It must not use the terms of the rules, so that it finds terms that occur together with them.
    In the knowledge that is returned, this model provides the initial probabilities. It also has
    something to say about documents for which no rule holds.
    Source: Blum & Mitchell 1998 (co-training), with the terms of the rules as one of the two views.
    """
    knowledge, M = known.prior.knowledge, len(known.probabilities)
    terms = dict.fromkeys(term for rule in knowledge.rules for term in rule.terms)
    forbid = (*knowledge.forbid, *map(Forbidden, terms))
    given = plan.boosting
    boosting = BoostingSettings(
        algorithm=given.algorithm, task=given.task, seed=given.seed, rounds=LESSONS
    )
    speaks = known.fired.any(axis=1, keepdims=True).astype(np.float64)
    nothing = Lists(np.zeros(M + 1, np.int64), np.zeros(0, np.int32))
    booster = Booster(
        known.features,
        nothing,
        len(labels),
        np.zeros(M),
        boosting,
        engine=plan.run.engine,
        threads=plan.threads,
        labels=labels,
        belief=Belief(known.probabilities, speaks, starts=False),
        restraints=Restraints(replace(knowledge, forbid=forbid), labels, plan.text, plan.data.text),
    )
    rules = tuple(rule for made in booster.rounds() for rule in made.rules)
    old = Model(
        tuple(labels), known.multilabel, rules, data=plan.data, text=plan.text, boosting=boosting
    )
    prior = replace(known.prior, old=old)
    evaluator = known.evaluator.beginning_with(prior)
    evidence = Evidence(known.fired, probabilities_of(booster.label_scores(), old))
    probabilities = evaluator.probabilities(evidence, labels, known.multilabel)
    return replace(known, prior=prior, evaluator=evaluator, probabilities=probabilities)


def restraints_of(prior: Prior | None, labels: Sequence[str], plan: Plan) -> Restraints | None:
    """Terms and votes that rules must not use; None if everything is allowed."""
    if prior is None or not prior.knowledge.restrains:
        return None
    return Restraints(prior.knowledge, labels, plan.text, plan.data.text)


def check_labels(prior: Prior | None, labels: Sequence[str], multilabel: bool) -> None:
    """Raise SettingsError for a rule with an unknown label or probabilities above 1 in total."""
    if prior is None:
        return
    knowledge, known = prior.knowledge, set(labels)
    for label, line in knowledge.named():
        if label not in known:
            near = fields.nearest(label, labels)
            raise SettingsError(
                f"{knowledge.path}:{line}: no document has the label {label!r}{near or ''}; if it "
                "is intended, also name it under `labels:`"
            )
    for rule in () if multilabel else knowledge.rules:
        if sum(share for _, share in rule.then) > 1 + 1e-9:
            raise SettingsError(
                f"{knowledge.path}:{rule.line}: the probabilities of a rule add up to more than 1; "
                "these documents have one label each (--task multi allows several)"
            )


def label_sets_of(known: Known, sets: Lists) -> Lists:
    """The label sets of training documents, followed by empty ones for those without labels."""
    last = np.full(known.more, sets.starts[-1], np.int64)
    return Lists(np.concatenate([sets.starts, last]), sets.items)


def known_remarks(known: Known) -> Iterator[str]:
    """Messages about how the knowledge is used."""
    yield f"knowledge: {prior_in_short(known.prior)}"


def known_warnings(known: Known) -> Iterator[str]:
    """Warnings about terms that no document has and about rules without information."""
    firing, path = known.evaluator.firing, known.prior.knowledge.path
    counts = firing.counts
    lines = {term: rule.line for rule in reversed(firing.rules) for term in rule.terms}
    missing = [term for term in firing.conditions if not counts[term]]
    if missing:
        shown = ", ".join(f"{term!r} (line {lines[term]})" for term in missing[:SHOWN])
        more = ", ..." if len(missing) > SHOWN else ""
        yield (
            f"{path}: {len(missing)} of {len(firing.conditions)} terms are in no document: "
            f"{shown}{more}"
        )
    for rule in firing.rules:
        if not counts[rule] and any(counts[term] for term in rule.terms):
            yield f"{path}:{rule.line}: the rule {rule} holds for no document"
        elif counts[rule] >= NEARLY_ALL * firing.documents:
            share = f"{counts[rule]:,} of {firing.documents:,}"
            yield f"{path}:{rule.line}: the rule {rule} holds for nearly all documents, {share}"
