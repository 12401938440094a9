"""Likely label errors of training data: where they come from, and the work of finding them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from boostext.errors import SettingsError
from boostext.training.audit import Audit, audit, effort
from boostext.training.run import Prepared

LOG = logging.getLogger("boostext")
SOURCES = ("auto", "cv", "weights", "cumulated")
"""What a listing of likely label errors may go by."""


def audited(
    source: str, prepared: Prepared, on_fold: Callable[[int, int], None] = lambda done, total: None
) -> tuple[str, Audit | None]:
    """Where outliers come from, and the audit if it is that: `auto` does without on great data, or
    where there are too few documents for the folds, and says so.

    on_fold: folds done and to do.
    """
    if source not in SOURCES:
        raise SettingsError(f"source is {source!r}; expected one of {', '.join(SOURCES)}")
    if source not in ("auto", "cv"):
        return source, None
    asked = effort(prepared)
    if source == "auto" and asked.is_great:
        LOG.info(
            "outliers by weight: judging every document by what is learned without it would take "
            "minutes here; --outliers cv does it all the same"
        )
        return "weights", None
    times = f", {asked.splits} times over" if asked.splits > 1 else ""
    LOG.info(
        f"judging the labels in all folds of a cross-validation: of each of {asked.folds} parts of "
        f"the documents, by what is learned without it{times}"
    )
    try:
        return "cv", audit(prepared, on_fold)
    except SettingsError as error:
        if source == "cv":
            raise
        LOG.info(f"outliers by weight: {error}")
        return "weights", None
