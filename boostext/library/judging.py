"""Likely label errors of training data: where they come from, and the work of finding them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from boostext.algorithms import MH
from boostext.errors import SettingsError
from boostext.reports.objections import MOST, dispute
from boostext.reports.outliers import Objection, OutlierRow
from boostext.training.audit import Audit, audit, effort
from boostext.training.jobs import Jobs
from boostext.training.run import Prepared
from boostext.training.term_weights import terms_said

LOG = logging.getLogger("boostext")
SOURCES = ("auto", "cv", "weights", "cumulated")
"""What a listing of likely label errors may go by."""


def audited(
    source: str,
    prepared: Prepared,
    on_fold: Callable[[int, int], None] = lambda done, total: None,
    jobs: Jobs | None = None,
) -> tuple[str, Audit | None]:
    """Where outliers come from, and the audit if it is that: `auto` does without on great data, or
    where there are too few documents for the folds, and says so.

    on_fold: folds done and to do. jobs: where the folds are learned, by default in threads.
    """
    if source not in SOURCES:
        raise SettingsError(f"source is {source!r}; expected one of {', '.join(SOURCES)}")
    if source not in ("auto", "cv"):
        return source, None
    asked = effort(prepared)
    if source == "auto" and asked.is_great:
        LOG.info(
            "likely label errors are found by weight, as learning without each document would take "
            "minutes here; --outliers cv does that all the same"
        )
        return "weights", None
    times = f", {asked.splits} times over" if asked.splits > 1 else ""
    LOG.info(
        f"judging the labels in all folds of a cross-validation: those of each of {asked.folds} "
        f"parts of the documents by what is learned from the other parts{times}"
    )
    try:
        return "cv", audit(prepared, on_fold, jobs=jobs)
    except SettingsError as error:
        if source == "cv":
            raise
        LOG.info(f"likely label errors are found by weight: {error}")
        return "weights", None


def explained(found: Audit, rows: Sequence[OutlierRow]) -> list[OutlierRow]:
    """The rows with the terms that object most, and those that support the given labels most, by
    the weights that were learned without the document.
    """
    fold_of = {int(i): fold for fold in found.folds for i in fold.examples}
    labels, fields = found.prepared.corpus.labels, len(found.prepared.plan.data.text)
    told = []
    for row in rows:
        fold = fold_of.get(row.example)
        sides = dispute(row, labels).astype(np.float32)
        said = terms_said(found.terms, fold.learned, row.example, sides) if fold else []
        against = [(column, votes / MH.link) for column, votes in said if votes > 0][:MOST]
        support = [(column, -votes / MH.link) for column, votes in said[::-1] if votes < 0][:MOST]
        objections, supports = (
            tuple(Objection(found.terms.name(column, fields), votes) for column, votes in side)
            for side in (against, support)
        )
        told.append(replace(row, objections=objections, supports=supports))
    return told
