"""What trials learn from and are measured on: folds, and the features of each way to make terms."""

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
"""Folds are learned without until so many documents have been held out, or all have."""
AT_LAST = 10_000
"""The same for the longest trials, between which the choice is made; not where they are slow."""
LONG = 3_000_000
"""Characters of all texts, above which letters and gaps are not tried: they make too many terms."""
SLOW = 5_000_000
"""Characters of all texts, above which trials are slow, so that fewer are made."""
OFTEN = 10
"""Documents of the same text, above which it is no accident: such texts are met again."""


class Parts:
    """The parts of the folds, made when they are first asked for. slow: whether trials are."""

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
        """Whether to try it on such data: no letters and gaps where texts are long, unless that is
        asked for.
        """
        return not (self._long and _is_wide(plan.text)) or _is_wide(self._plan.text)

    def folds(self, at_last: bool) -> int:
        """How many folds, from the first on, trials are learned without."""
        wanted = AT_LAST if at_last and not self.slow else HELD_OUT
        sizes = [len(self._folds.held(fold)) for fold in range(FOLDS)]
        before = np.cumsum([0, *sizes[:-1]])
        return int(np.count_nonzero(before < wanted))

    def of(self, plan: Plan, folds: int) -> list[Split]:
        """Of the first folds, with the plan's terms; BoostextError where it finds none."""
        text = plan.text
        if text not in self._prepared:
            self._prepared[text] = prepare(self._documents, replace(plan, stop=self._plan.stop))
            self._made[text] = []
        made = self._made[text]
        made += [split(self._prepared[text], self._folds, n) for n in range(len(made), folds)]
        return made[:folds]

    def forget(self, kept: Collection[TextSettings]) -> None:
        """Let go of all other ways to make terms."""
        self._prepared = {k: v for k, v in self._prepared.items() if k in kept}
        self._made = {k: v for k, v in self._made.items() if k in kept}


def tuning_folds(corpus: Corpus, seed: int, groups: Groups, documents: Sequence[Document]) -> Folds:
    """Documents of one group are held out together, or those of the same text if that can be."""
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
    """(m,): what documents of the same text share, so that they are held out together.

    Case, blanks and marks do not count. None for texts that are there but once, or so often that
    they will be met again.
    """
    keys = ["".join(filter(str.isalnum, "".join(d.texts.values()).casefold())) for d in documents]
    times = Counter(keys)
    return [key if 1 < times[key] <= OFTEN else None for key in keys]


def _is_wide(text: TextSettings) -> bool:
    """Whether there are many times as many terms as words."""
    return text.analyzer == "char" or text.expert == "sparse"
