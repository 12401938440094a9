"""Prior knowledge for people: what was told apart from what was learned."""

from __future__ import annotations

from collections.abc import Iterator

from boostext.knowledge.knowledge import Knowledge, Told
from boostext.model.prior import Prior, prior_in_short


def prior_lines(prior: Prior) -> Iterator[str]:
    """What people told, a line each."""
    knowledge = prior.knowledge
    yield f"knowledge: {prior_in_short(prior)}"
    known = [f"{label} {share:g}" for label, share in knowledge.labels if share is not None]
    if known:
        yield f"  labels: {', '.join(known)}"
    yield from (f"  {told_line(told)}" for told in knowledge.rules)
    yield from _kept_out(knowledge)


def told_line(told: Told) -> str:
    """`collect -> Collect 0.9`."""
    then = ", ".join(f"{label} {chance:g}" for label, chance in told.then)
    return f"{told} -> {then}"


def _kept_out(knowledge: Knowledge) -> Iterator[str]:
    for forbidden in knowledge.forbid:
        labels = f" for {', '.join(forbidden.labels)}" if forbidden.labels else ""
        yield f"  forbidden{labels}: {forbidden.term}"
    for one in knowledge.only:
        yield f"  {one.term}: only {'for' if one.sign > 0 else 'against'} {one.label}"
