"""What `train --dry-run` tells: how much there is, and how much memory training would take."""

from __future__ import annotations

import json
import sys

import click

from boostext.training.run import Prepared

MB = 1024 * 1024


def show_sizes(prepared: Prepared, as_json: bool) -> None:
    facts = sizes_of(prepared)
    if as_json:
        click.echo(json.dumps(facts))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}  {value:>13,}")


def sizes_of(prepared: Prepared) -> dict[str, int]:
    """Counts, and the estimated peak of memory in megabytes."""
    corpus, features = prepared.corpus, prepared.features
    postings = len(features.yes.items)
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
    """Bytes: what this process has taken so far, and what the engine will add."""
    corpus, features = prepared.corpus, prepared.features
    m, k, n = len(corpus), len(corpus.labels), len(features.yes)
    # (m, k): signs, weights, scores and two of work; (n, k): sums of both signs and their gains;
    # postings once more by document, with the values that a sparse product needs
    engine = m * k * 40 + n * k * 40 + len(features.yes.items) * 16
    return peak_so_far() + engine


def peak_so_far() -> int:
    """Bytes of memory this process had at most; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
