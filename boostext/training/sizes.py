"""Report the size of the training data, and estimate the memory that training takes."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from boostext.compiled import loaded, notice
from boostext.errors import BoostextError
from boostext.fields import count
from boostext.training.run import Prepared

MB = 1024 * 1024
KERNELS = 120 * MB
"""Memory that numba takes."""


def sizes(prepared: Prepared) -> str:
    """A line with the size of the data that was read."""
    corpus, features = prepared.corpus, prepared.features
    parts = [
        count(len(corpus), "document"), count(len(corpus.labels), "label"),
        count(features.token_count, "token"), count(len(features.yes), "condition"),
    ]  # fmt: skip
    words = sum(column.is_word for column in features.numeric)
    if columns := len(features.numeric) - words:
        parts.append(count(columns, "numeric column"))
    if words:
        parts.append(count(words, "scored word"))
    if prepared.validation is not None:
        parts.append(count(len(prepared.validation), "validation document"))
    return ", ".join(parts)


def sizes_of(prepared: Prepared) -> dict[str, int]:
    """Counts, and the estimated peak of memory in megabytes."""
    corpus, features = prepared.corpus, prepared.features
    postings = int(features.yes.starts[-1])
    validation = len(prepared.validation) if prepared.validation else 0
    return {
        "documents": len(corpus),
        "validation_documents": validation,
        "labels": len(corpus.labels),
        "tokens": features.token_count,
        "conditions": len(features.yes),
        "numeric_columns": len(features.numeric),
        "postings": postings,
        "peak_memory_mb": estimated_peak(prepared) // MB,
    }


def estimated_peak(prepared: Prepared) -> int:
    """Bytes that this process has used so far, plus those that the engine will add.

    The actual peak was 0.6 to 1.1 times this on six corpora of 2 to 736 labels.
    """
    corpus, features = prepared.corpus, prepared.features
    m, k, n = len(corpus), len(corpus.labels), len(features.yes)
    postings, numbers = int(features.yes.starts[-1]), sum(len(c.known) for c in features.numeric)
    if prepared.plan.run.engine == "plain" or notice():
        return peak_so_far() + m * k * 64 + n * k * 24 + postings * 16 + numbers * 64
    kernels = 0 if loaded() else KERNELS
    return peak_so_far() + kernels + m * k * 32 + n * 64 + postings * 16 + numbers * 600


LEAST_SHARE = 0.5
"""The share of the estimate that learning certainly takes."""
CGROUP = Path("/sys/fs/cgroup/memory.max")


def check_memory(prepared: Prepared) -> None:
    """Raise BoostextError if learning takes more memory than is available.

    Systems that overcommit memory would otherwise kill the process later without a message.
    """
    needed, there = estimated_peak(prepared), memory_of_machine()
    if there and needed * LEAST_SHARE > there:
        corpus = prepared.corpus
        raise BoostextError(
            f"learning {count(len(corpus.labels), 'label')} from {count(len(corpus), 'document')} "
            f"takes about {needed // MB:,} MB of memory, and there are {there // MB:,}; leave out "
            "rare labels, or learn from fewer documents"
        )


def memory_of_machine() -> int:
    """Bytes of memory of the machine or its container; 0 if the system does not report it."""
    sizes = []
    with contextlib.suppress(ValueError, OSError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ValueError, OSError):
        sizes.append(int(CGROUP.read_text(encoding="ascii")))
    return min((size for size in sizes if size > 0), default=0)


def peak_so_far() -> int:
    """Peak memory of this process in bytes; 0 if the system does not report it."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
