"""Folds for the trials of tuning, and the features for each kind of terms."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.evaluation.folds import Folds, make_folds
from boostext.settings import TextSettings
from boostext.training.courses import Split, split
from boostext.training.groups import Groups
from boostext.training.plan import Plan
from boostext.training.run import Prepared, prepare

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
    """The parts of the folds, created on demand. slow: whether trials are slow."""

    def __init__(
        self, documents: Sequence[Document], corpus: Corpus, plan: Plan, groups: Groups
    ) -> None:
        self._documents, self._plan = documents, plan
        self._folds = tuning_folds(corpus, plan.boosting.seed, groups, documents)
        texts = (text for document in documents for text in document.texts.values())
        characters = sum(map(len, texts))
        self._long, self.slow = characters > LONG, characters > SLOW
        self._prepared: dict[TextSettings, Prepared] = {}
        self._made: dict[TextSettings, list[Split]] = {}

    def suit(self, plan: Plan) -> bool:
        """Whether a plan is worth trying on this data. Letters and gaps are not tried on long texts
        unless requested.
        """
        return not (self._long and _is_wide(plan.text)) or _is_wide(self._plan.text)

    def folds(self, at_last: bool) -> int:
        """The number of folds, from the first on, that trials hold out in turn."""
        wanted = AT_LAST if at_last and not self.slow else HELD_OUT
        sizes = [len(self._folds.held(fold)) for fold in range(FOLDS)]
        before = np.cumsum([0, *sizes[:-1]])
        return int(np.count_nonzero(before < wanted))

    def of(self, plan: Plan, folds: int) -> list[Split]:
        """The parts of the first folds, with the plan's terms; BoostextError if it finds none."""
        text = plan.text
        if text not in self._prepared:
            self._prepared[text] = prepare(self._documents, replace(plan, stop=self._plan.stop))
            self._made[text] = []
        made = self._made[text]
        made += [split(self._prepared[text], self._folds, n) for n in range(len(made), folds)]
        return made[:folds]

    def forget(self, kept: Collection[TextSettings]) -> None:
        """Release the features of all other kinds of terms."""
        self._prepared = {k: v for k, v in self._prepared.items() if k in kept}
        self._made = {k: v for k, v in self._made.items() if k in kept}


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
