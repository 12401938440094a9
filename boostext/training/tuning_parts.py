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
from boostext.training.courses import Trials
from boostext.training.plan import Plan
from boostext.training.run import prepare
from boostext.training.split import Groups

FOLDS = 5
HELD_OUT = 2000
"""Folds are held out in turn until this many documents, or all of them, have been held out."""
AT_LAST = 10_000
"""The same for the longest trials, which decide the choice, unless trials are slow."""
LONG = 3_000_000
"""Characters of all texts above which letters and gaps, with too many terms, are not tried."""
SLOW = 5_000_000
"""Number of characters of all texts above which trials are slow, so that fewer are made."""
OFTEN = 10
"""Number of documents with the same text above which the text is likely to occur again."""


class Parts:
    """The features of each kind of terms, created on demand. slow: whether trials are slow."""

    def __init__(
        self, documents: Sequence[Document], corpus: Corpus, plan: Plan, groups: Groups
    ) -> None:
        self._documents, self._plan = documents, plan
        self._folds = tuning_folds(corpus, plan.boosting.seed, groups, documents)
        texts = (text for document in documents for text in document.texts.values())
        characters = sum(map(len, texts))
        self._long, self.slow = characters > LONG, characters > SLOW
        self._made: dict[TextSettings, Trials] = {}

    def suit(self, plan: Plan) -> bool:
        """Whether a plan is worth trying on this data. Letters and gaps are not tried on long texts
        unless requested.
        """
        return not (self._long and _is_wide(plan.text)) or _is_wide(self._plan.text)

    def folds(self, at_last: bool) -> int:
        """The number of folds, from the first on, that trials hold out in turn."""
        wanted = AT_LAST if at_last and not self.slow else HELD_OUT
        before = np.cumsum([0, *self.sizes[:-1]])
        return int(np.count_nonzero(before < wanted))

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
    return text.analyzer == "char" or text.expert == "sparse"
