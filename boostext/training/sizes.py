"""Report the size of the training data, and estimate the memory that training takes."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Int64
from boostext.boosting.growers.parallel import MOST_VOTES
from boostext.built import has_built
from boostext.compiled import has_compiled, loaded, notice
from boostext.corpus.documents import Document
from boostext.corpus.files import DAMAGED, compression, head_of, stored_size
from boostext.corpus.readers import inputs_of, read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.fields import count
from boostext.settings import DataSettings, KnowledgeSettings, StopSettings
from boostext.training.plan import Plan
from boostext.training.run import Prepared, prepare

MB = 1024 * 1024
LOADING, ASSEMBLING, COMPILING = 50 * MB, 100 * MB, 230 * MB
"""Memory for kernels: to load all of them from the cache, to compile those that were built with the
package, or to compile them with numba.
"""


def sizes(prepared: Prepared) -> str:
    """A line with the size of the data that was read."""
    corpus, features = prepared.corpus, prepared.features
    parts = [
        count(len(corpus), "document"),
        count(len(corpus.labels), "label"),
        count(features.token_count, "token"),
        count(len(features.yes), "condition"),
    ]
    words = sum(column.is_word for column in features.numeric)
    if columns := len(features.numeric) - words:
        parts.append(count(columns, "numeric column"))
    if words:
        parts.append(count(words, "scored word"))
    if prepared.validation is not None:
        parts.append(count(len(prepared.validation), "validation document"))
    return ", ".join(parts)


class Extent(NamedTuple):
    """The size of training data, or an estimate of it.

    numbers: values of numeric attributes. postings: documents in the lists of all conditions.
    frequencies: (n',), the number of documents of each condition, or of the more frequent ones.
    """

    documents: int
    labels: int
    tokens: int
    conditions: int
    columns: int
    numbers: int
    postings: int
    frequencies: Int64

    def facts(self, validation: int = 0) -> dict[str, int]:
        """The counts by name. validation: the number of validation documents."""
        return {
            "documents": self.documents,
            "validation_documents": validation,
            "labels": self.labels,
            "tokens": self.tokens,
            "conditions": self.conditions,
            "numeric_columns": self.columns,
            "postings": self.postings,
        }


def extent_of(prepared: Prepared) -> Extent:
    """The size of data that was read."""
    corpus, features = prepared.corpus, prepared.features
    frequencies = np.diff(features.yes.starts)
    return Extent(
        len(corpus),
        len(corpus.labels),
        features.token_count,
        len(frequencies),
        len(features.numeric),
        sum(len(column.known) for column in features.numeric),
        int(frequencies.sum()),
        frequencies,
    )


def sizes_of(prepared: Prepared) -> dict[str, int]:
    """Counts, and the estimated peak of memory in megabytes."""
    validation = len(prepared.validation) if prepared.validation else 0
    facts = extent_of(prepared).facts(validation)
    return {**facts, "peak_memory_mb": estimated_peak(prepared) // MB}


def estimated_peak(prepared: Prepared) -> int:
    """Bytes that this process has used so far, plus those that the engine will add.

    The actual peak was 0.6 to 1.1 times this on six corpora of 2 to 736 labels.
    """
    of = extent_of(prepared)
    m, k, n, postings, numbers = of.documents, of.labels, of.conditions, of.postings, of.numbers
    boosting, last = prepared.plan.boosting, 0
    if boosting.finish:
        last = m * k * 32 + min(n, MOST_VOTES // max(k, 1)) * (k * 96 + 700) + postings * 44
    if prepared.plan.run.engine == "plain" or notice():
        return peak_so_far() + m * k * 64 + n * k * 24 + postings * 16 + numbers * 64 + last
    first = ASSEMBLING if has_built() else COMPILING
    kernels = 0 if loaded() else LOADING if has_compiled() else first
    most = peak_so_far() + kernels + m * k * 32 + n * 64 + postings * 16 + numbers * 600
    if ALGORITHMS[boosting.algorithm].all_at_once:  # tables of conditions and labels, and rules
        most += m * k * 32 + n * k * 64 + max(boosting.rounds, 1) * n * (k * 32 + 700)
    return most + last


PROCESS = 205 * MB
"""Bytes that a worker takes with Dask and the compiled code, before it stores any data."""
OF_WEIGHT, OF_NUMBER, OF_CONDITION, OF_OWN, OF_POSTING = 32, 600, 64, 650, 16
"""Bytes for each document and label; for each number of an attribute; for each condition, on every
worker and on the one that stores it; and for each document in the list of a condition. The measured
memory of workers was 0.97 to 1.09 times the sum of these.
"""


def memory_of(extent: Extent) -> tuple[int, int]:
    """The bytes that every worker takes, and those that are divided among the workers."""
    n, pairs = extent.conditions, extent.documents * extent.labels
    alike = PROCESS + pairs * OF_WEIGHT + n * OF_CONDITION + extent.numbers * OF_NUMBER
    return alike, n * OF_OWN + extent.postings * OF_POSTING


def what_fits(extent: Extent, there: int, workers: int = 1) -> str:
    """What would let data of this size be learned. there: bytes of memory on each of the workers,
    or in the only process.
    """
    alike, dealt = memory_of(extent)
    if alike >= there:
        return (
            f"every process needs {alike // MB:,} MB of it, mostly for the weights of all "
            "documents; take more memory, or fewer labels or documents"
        )
    ways = [f"take {-(-dealt // (there - alike)):,} workers with as much memory each (--workers)"]
    frequencies = np.sort(extent.frequencies)[::-1]
    taken = np.cumsum(OF_OWN + OF_CONDITION + frequencies * OF_POSTING)
    room = (there - alike + extent.conditions * OF_CONDITION) * workers
    kept = int(np.searchsorted(taken, room, side="right"))
    if 0 < kept < len(frequencies):
        ways.append(f"raise --min-df to {int(frequencies[kept]) + 1:,}")
    return ", or ".join(ways)


# Estimates from a sample -----------------------------------------------------------------------

SAMPLE, FILES = 1 << 24, 8
"""Bytes of text that are read to estimate the size of all data, from at most so many files."""
STEEPEST = 1.3
"""The greatest power of the number of documents with which a size is taken to grow."""
BY_LINES = ("jsonl", "csv", "tsv", "fasttext", "lines", "vw", "libsvm")
"""Formats in which the first lines of a file are a file as well."""
PACKED, BYTES = 4, 3
"""Decompressed bytes of each byte of a compressed file, and bytes of memory for each byte of text
and each length of n-grams; both are rough, and only decide whether a sample is worth its time.
"""
OVER = 1.25
"""How many times the memory that there is may be needed by an estimate before it is believed."""


def sampled(paths: Sequence[str], plan: Plan) -> Extent | None:
    """An estimate of the size of the data in some files, from their beginnings.

    Sizes are taken to grow with a power of the number of documents, which follows from half of the
    sample and all of it. None if most of the data would have to be read, or if the format of the
    files does not allow it.
    """
    inputs = inputs_of(paths, plan.reading, BadRecords(), addresses=True)
    given = inputs[0]
    if given.format not in BY_LINES or any(each.format != given.format for each in inputs):
        return None
    data = replace(given.settings, format=given.format, skip_bad=True)
    plan = replace(plan, stop=StopSettings(), known=KnowledgeSettings())
    try:
        documents, share = _beginnings([each.source.path for each in inputs], data)
        if share > 1 / 2:
            return None
        drawn = np.random.default_rng(0).random(len(documents)) < 1 / 2
        half = extent_of(prepare(compress(documents, drawn), plan))
        whole = extent_of(prepare(documents, plan))
    except (BoostextError, *DAMAGED):
        return None  # reading all of it will say what is wrong
    return _grown(half, whole, 1 / share)


def _beginnings(paths: Sequence[str], data: DataSettings) -> tuple[list[Document], float]:
    """Documents from the beginnings of some files, and the share of all files that they are."""
    chosen, read, size = paths[:: -(-len(paths) // FILES)], 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        heads = [str(Path(folder, f"{n}.{data.format}")) for n in range(len(chosen))]
        for path, name in zip(chosen, heads, strict=True):
            head, stored, whole = head_of(path, SAMPLE // len(chosen))
            Path(name).write_bytes(head)
            read, size = read + stored, size + whole
        share = read / max(size, 1) * len(chosen) / len(paths)
        return list(read_documents(heads, data)), share


def _grown(half: Extent, whole: Extent, factor: float) -> Extent:
    """The extent of `factor` times as many documents as in `whole`."""
    doubling = math.log(whole.documents / max(half.documents, 1))

    def grown(name: str) -> int:
        before, now = max(getattr(half, name), 1), max(getattr(whole, name), 1)
        power = min(max(math.log(now / before) / max(doubling, 1e-9), 0.0), STEEPEST)
        return int(getattr(whole, name) * factor**power)

    return Extent(
        round(whole.documents * factor),
        grown("labels"),
        round(whole.tokens * factor),
        grown("conditions"),
        whole.columns,
        round(whole.numbers * factor),
        grown("postings"),
        np.round(whole.frequencies * factor).astype(np.int64),
    )


def check_beforehand(paths: Sequence[str], plan: Plan, there: int, workers: int = 1) -> None:
    """Raise BoostextError if a sample shows that the data does not fit into memory.

    there: bytes of memory on each of the workers, or in the only process; 0 if it is not known.
    """
    levels = plan.text.ngrams[1] - plan.text.ngrams[0] + 1
    if not there or text_size(paths) * BYTES * levels / workers < there / 2:
        return
    extent = sampled(paths, plan)
    if extent is None:
        return
    alike, dealt = memory_of(extent)
    needed = alike + dealt // workers
    if needed > there * OVER:
        where = f"on each of {workers} workers" if workers > 1 else "in one process"
        raise BoostextError(
            f"learning {count(extent.labels, 'label')} from about {extent.documents:,} documents "
            f"takes about {needed // MB:,} MB of memory {where}, and there are {there // MB:,}, as "
            f"a sample of the data shows; {what_fits(extent, there, workers)}"
        )


def text_size(paths: Sequence[str]) -> int:
    """Roughly the bytes of the decompressed files; 0 for files whose size is not known."""
    return sum(stored_size(path) * (PACKED if compression(path) else 1) for path in paths)


# The memory that there is ----------------------------------------------------------------------

LEAST_SHARE = 0.5
"""The share of the estimate that learning certainly takes."""
CGROUP = Path("/sys/fs/cgroup/memory.max")


def check_memory(prepared: Prepared) -> None:
    """Raise BoostextError if learning takes more memory than is available.

    Systems that overcommit memory would otherwise kill the process later without a message.
    """
    needed, there = estimated_peak(prepared), memory_of_machine()
    if there and needed * LEAST_SHARE > there:
        extent = extent_of(prepared)
        ways = what_fits(extent, there)
        if ALGORITHMS[prepared.plan.boosting.algorithm].all_at_once:
            ways = "choose fewer terms (--min-df, --max-terms), or a single round (--rounds 1)"
        raise BoostextError(
            f"learning {count(extent.labels, 'label')} from {count(extent.documents, 'document')} "
            f"takes about {needed // MB:,} MB of memory, and there are {there // MB:,}; {ways}"
        )


def memory_of_machine() -> int:
    """Bytes of memory that this process may use, by the limits of the machine, its container and
    the process; 0 if the system does not report it.
    """
    sizes = []
    with contextlib.suppress(ValueError, OSError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ValueError, OSError):
        sizes.append(int(CGROUP.read_text(encoding="ascii")))
    if sys.platform != "win32":
        import resource

        sizes += [
            resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        ]
    return min((size for size in sizes if size > 0), default=0)


def peak_so_far() -> int:
    """Peak memory of this process in bytes; 0 if the system does not report it."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
