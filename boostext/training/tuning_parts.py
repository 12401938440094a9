"""Folds for the trials of tuning, and the features for each kind of terms."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.evaluation.folds import Folds, make_folds
from boostext.settings import TextSettings
from boostext.training.courses import (
    A_RULE,
    OF_CONDITIONS,
    OF_LABELS,
    OF_POSTINGS,
    Trials,
)
from boostext.training.examples import Groups
from boostext.training.plan import Plan
from boostext.training.run import prepare

FOLDS = 5
HELD_OUT = 1000
"""Folds are held out in turn until this many documents, or all of them, have been held out."""
ENOUGH = 2000
"""The same for a trial that no other can beat any more, to choose its rounds by."""
AT_LAST = 10_000
"""The same for the longest trials, which decide the choice, unless trials are slow."""
BUDGET, BUDGET_OF_MILLION = 40.0, 5.0
"""Seconds of CPU time for a search, and more of them for each million characters of all texts."""
OF_DOCUMENT, OF_CHARACTER, OF_WIDE = 1e-5, 4e-8, 4e-7
"""Seconds to extract the terms of a document and of its characters; the last if they are wide."""
WORDS, WIDE = 0.15, 2.7
"""Terms of a document for each of its characters, for words alone, and for letters or gaps."""
MEMBERS = 15
"""Documents of a typical term in a rule, and conditions for each term of a document, in estimates.
"""
LONG = 3_000_000
"""Characters of all texts above which letters and gaps, with too many terms, are not tried."""
SLOW = 5_000_000
"""Number of characters of all texts above which trials are slow, so that fewer are made."""
OFTEN = 10
"""Number of documents with the same text above which the text is likely to occur again."""


class Parts:
    """The features of each kind of terms, created on demand, and what they cost.

    multilabel: whether documents may have several labels. labels: their number. slow: whether
    trials are slow.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        corpus: Corpus,
        plan: Plan,
        groups: Groups,
        multilabel: bool,
    ) -> None:
        self._documents, self._plan = documents, plan
        self.multilabel, self.labels = multilabel, len(corpus.labels)
        self._folds = tuning_folds(corpus, plan.boosting.seed, groups, documents)
        texts = (text for document in documents for text in document.texts.values())
        self._characters = sum(map(len, texts))
        self._long, self.slow = self._characters > LONG, self._characters > SLOW
        self._made: dict[TextSettings, Trials] = {}
        self._counted: set[TextSettings] = set()

    @property
    def has_texts(self) -> bool:
        return self._characters > 0

    @property
    def budget(self) -> float:
        """Seconds of CPU time that a search may take unless the user says otherwise."""
        return BUDGET + BUDGET_OF_MILLION * self._characters / 1e6

    def cost_of(self, text: TextSettings) -> float:
        """Counted seconds to make the features of these terms; 0 if they have been counted."""
        if text in self._counted:
            return 0.0
        self._counted.add(text)
        each = OF_WIDE if _is_wide(text) else OF_CHARACTER
        return OF_DOCUMENT * len(self._documents) + each * self._characters

    def estimate(self, plans: Sequence[Plan], lengths: Sequence[tuple[int, int]]) -> float:
        """Rough seconds of CPU time of trials, before any feature is known.

        lengths: for each heat, the steps up to which trials learn, and the folds in which they do.
        Half of the trials are expected to go on to the next heat, and to end halfway through the
        last lengths.
        """
        total, trials, before = 0.0, float(len(plans)), (0, 0)
        for steps, folds in lengths:
            rules = max(steps * folds - before[0] * before[1], 0)
            total += sum(rules * self._rule(plan) for plan in plans) * trials / len(plans)
            trials, before = trials / 2, (steps, folds)
        return total

    def _rule(self, plan: Plan) -> float:
        """Rough seconds for a step of a plan."""
        each = WIDE if _is_wide(plan.text) else WORDS * plan.text.ngrams[1]
        postings = each * self._characters
        search = A_RULE + OF_LABELS * self.labels + OF_CONDITIONS * postings / MEMBERS
        changed = MEMBERS * postings / max(len(self._documents), 1)
        return (search + OF_POSTINGS * changed) / plan.boosting.shrinkage

    def suit(self, plan: Plan) -> bool:
        """Whether a plan is worth trying on this data. Unless requested, letters and gaps are not
        tried on long texts, nor a last round of all terms on data without texts.
        """
        if plan.boosting.finish and not (self.has_texts or self._plan.boosting.finish):
            return False
        return not (self._long and _is_wide(plan.text)) or _is_wide(self._plan.text)

    def folds(self, at_last: bool) -> int:
        """The number of folds, from the first on, that trials hold out in turn."""
        wanted = AT_LAST if at_last and not self.slow else HELD_OUT
        before = np.cumsum([0, *self.sizes[:-1]])
        return int(np.count_nonzero(before < wanted))

    def enough(self, folds: int) -> bool:
        """Whether so many folds are enough for a trial without rivals."""
        return sum(self.sizes[:folds]) >= min(ENOUGH, sum(self.sizes))

    @cached_property
    def sizes(self) -> list[int]:
        """The number of documents that each fold holds out."""
        return [len(self._folds.held(fold)) for fold in range(FOLDS)]

    def of(self, plan: Plan) -> Trials:
        """The trials with the plan's terms; BoostextError if it finds none."""
        text = plan.text
        if text not in self._made:
            prepared = prepare(self._documents, replace(plan, stop=self._plan.stop))
            self._made[text] = Trials(prepared, self._folds)
        return self._made[text]

    def keep(self, texts: Collection[TextSettings], names: Collection[str]) -> None:
        """Release the features of all other kinds of terms, and all other trials."""
        self._made = {k: v for k, v in self._made.items() if k in texts}
        self._counted &= set(texts)
        for trials in self._made.values():
            trials.keep(names)


def tuning_folds(corpus: Corpus, seed: int, groups: Groups, documents: Sequence[Document]) -> Folds:
    """Folds in which documents of a group or, if possible, of the same text stay together."""
    sets = corpus.label_sets
    try:
        if groups.name:
            return make_folds(sets, FOLDS, seed, groups.values())
        with contextlib.suppress(SettingsError):
            return make_folds(sets, FOLDS, seed, same_texts(documents))
        return make_folds(sets, FOLDS, seed)
    except SettingsError:
        raise SettingsError(
            f"too few documents to choose settings by: {len(documents)}, of which each part needs "
            "some of every label; train without tuning, or with settings of your own"
        ) from None


def same_texts(documents: Sequence[Document]) -> list[str | None]:
    """(m,): a key that documents with the same text share, so that they are held out together.

    Case, white space and punctuation are ignored. None for texts that occur only once, or so often
    that they are likely to occur again.
    """
    keys = ["".join(filter(str.isalnum, "".join(d.texts.values()).casefold())) for d in documents]
    times = Counter(keys)
    return [key if 1 < times[key] <= OFTEN else None for key in keys]


def _is_wide(text: TextSettings) -> bool:
    """Whether the settings give many times as many terms as words."""
    return text.analyzer == "char" or text.letters > 0 or text.expert == "sparse"
