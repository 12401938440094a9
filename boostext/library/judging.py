"""The search for likely label errors in the training data."""

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
from boostext.training.term_weights import term_votes

LOG = logging.getLogger("boostext")
SOURCES = ("auto", "cv", "weights", "cumulated")
"""The methods for finding likely label errors."""


def audited(
    source: str,
    prepared: Prepared,
    on_fold: Callable[[int, int], None] = lambda done, total: None,
    jobs: Jobs | None = None,
) -> tuple[str, Audit | None]:
    """Return the method, and the audit if the method is "cv".

    "auto" is "weights" if the data is very large or has too few documents for the folds, and a
    message says so. on_fold: called with the numbers of folds done and to do. jobs: where the folds
    run, by default in threads.
    """
    if source not in SOURCES:
        raise SettingsError(f"source is {source!r}; expected one of {', '.join(SOURCES)}")
    if source not in ("auto", "cv"):
        return source, None
    asked = effort(prepared)
    if source == "auto" and asked.is_great:
        LOG.info(
            "likely label errors are found by boosting weight, because cross-validation would take "
            "minutes; --outliers cv uses cross-validation"
        )
        return "weights", None
    times = f", with {asked.splits} different splits" if asked.splits > 1 else ""
    LOG.info(
        "finding likely label errors by cross-validation of a linear model of the terms with "
        f"{asked.folds} folds{times}; options for rules and prior knowledge do not affect it"
    )
    try:
        return "cv", audit(prepared, on_fold, jobs=jobs)
    except SettingsError as error:
        if source == "cv":
            raise
        LOG.info(f"likely label errors are found by boosting weight: {error}")
        return "weights", None


def explained_rows(found: Audit, rows: Sequence[OutlierRow]) -> list[OutlierRow]:
    """Return the rows with the strongest terms against and for the given labels.

    The weights of the terms are those of the classifier that was trained without the document.
    """
    fold_of = {int(i): fold for fold in found.folds for i in fold.examples}
    labels, fields = found.prepared.corpus.labels, len(found.prepared.plan.data.text)
    explained = []
    for row in rows:
        fold = fold_of.get(row.example)
        sides = dispute(row, labels).astype(np.float32)
        votes_by_term = term_votes(found.terms, fold.learned, row.example, sides) if fold else []
        against = [(column, votes / MH.link) for column, votes in votes_by_term if votes > 0][:MOST]
        support = [
            (column, -votes / MH.link) for column, votes in votes_by_term[::-1] if votes < 0
        ][:MOST]
        objections, supports = (
            tuple(Objection(found.terms.name(column, fields), votes) for column, votes in side)
            for side in (against, support)
        )
        explained.append(replace(row, objections=objections, supports=supports))
    return explained
