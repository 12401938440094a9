"""Training documents whose labels look wrong: BoosTexter's outliers, by weight.

Boosting gives weight to what it gets wrong, so wrong labels end up heavy (BT00, TAB). But with
enough rounds it learns them by heart, and the last weights say less and less. So the weight here
is the one under tapered scores, in which a rule counts the less the later it came:

    f'(x, l) = sum over rounds t = 1..T of sqrt((T - t + 1)/T) * h_t(x, l).

Power 1 in place of the root gives the mean of the scores after each round (compare the area under
the margin, Pleiss et al. 2020), power 0 BoosTexter's last weights. Of 30 labels planted wrong among
the 2,000 calls of sample_data, the first 60 outliers held, by number of rounds:

    rounds             50   100   200   300   500  1000  1500
    power 0            17    22    23    29    27    22    26
    power 1/2          20    22    26    28    29    29    28
    power 1            20    22    25    26    28    29    29
    0, abstaining      17    20    23    23    26    22    21
    1/2, abstaining    14    17    22    24    26    27    27
    1, abstaining       8    15    19    22    25    27    26
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from boostext.arrays import Float64, Int8, Int64, Scores, Signs
from boostext.boosting.rules import Rule
from boostext.corpus.corpus import Corpus
from boostext.model.model import Model
from boostext.reports.escape import one_line, tsv_field, tsv_names, tsv_number


@dataclass(frozen=True)
class Objection:
    """A term of the document and how much it speaks for the suggestion, against what is given."""

    term: str
    votes: float


@dataclass(frozen=True)
class OutlierRow:
    """One training document whose labels are in doubt.

    rank: by weight, from 1. example: its place in the corpus, from 0. given, suggested: labels.
    kind: "wrong" label, "missing" label, "extra" label, or "agrees" where the tapered model would
    give the same labels, only barely.
    score: 0 to 1, how sure the tapered model is that the labels are wrong; above 0.5 it would
    give others. 1/(1 + exp(margin)), or 1/(1 + exp(2 margin)) where labels are not exclusive.
    margin: least score of a given label minus greatest score of another; where labels are not
    exclusive, the least of score times sign.
    weight: 1 is the average document; share: of the weight of all documents.
    label_rank, label_count: place among the documents with the same given label (of several, the
    one of least score), so that rare and frequent labels can be compared.
    snippet: the text's beginning on one line.
    """

    rank: int
    example: int
    id: str
    origin: str
    given: tuple[str, ...]
    suggested: tuple[str, ...]
    kind: str
    score: float
    margin: float
    weight: float
    share: float
    label_rank: int
    label_count: int
    objections: tuple[Objection, ...]
    snippet: str


def tapered(model: Model) -> Model:
    """The model whose scores are the tapered scores.

    Scores for `outlier_rows` and contributions for `with_objections` come from this one.
    """
    factors = np.sqrt(np.arange(len(model.rules), 0, -1) / max(len(model.rules), 1)).tolist()
    rules = (
        Rule(rule.condition, rule.votes * factor, rule.alpha * factor)
        for rule, factor in zip(model.rules, factors, strict=True)
    )
    return replace(model, rules=tuple(rules))


def outlier_rows(model: Model, corpus: Corpus, scores: Scores, top: int = 100) -> list[OutlierRow]:
    """The `top` heaviest documents; scores (m, k) of the tapered model, in the model's labels.

    Labels the model does not know are given labels that no score supports. Rows come without
    objections; `with_objections` adds them.
    """
    signs = label_signs(model, corpus)
    log_weights = document_log_weights(scores, signs, corpus.weights)
    shares = _shares(log_weights)
    order = np.argsort(-shares, kind="stable")
    places = _places_in_label(corpus, scores, signs, order)
    judged = _judgment(model, corpus, scores, signs)
    return [
        _row(rank, int(i), corpus, judged, float(shares[i]), places)
        for rank, i in enumerate(order[:top], start=1)
    ]


def label_signs(model: Model, corpus: Corpus) -> Signs:
    """(m, k) in -1, +1: the corpus's labels in the order of the model's."""
    number = {label: j for j, label in enumerate(model.labels)}
    column = np.array([number.get(label, -1) for label in corpus.labels], dtype=np.int64)
    lists = corpus.label_sets
    examples = np.repeat(np.arange(len(corpus)), np.diff(lists.starts))
    columns = column[lists.items] if len(lists.items) else np.zeros(0, np.int64)
    known = columns >= 0
    signs = np.full((len(corpus), len(model.labels)), -1, np.int8)
    signs[examples[known], columns[known]] = 1
    return signs


def document_log_weights(scores: Scores, signs: Signs, base: Float64) -> Float64:
    """(m,): ln of base(i) * sum over labels of exp(-Y f), without overflow."""
    exponents = -scores * signs
    greatest = exponents.max(axis=1)
    sums = np.exp(exponents - greatest[:, None]).sum(axis=1)
    with np.errstate(divide="ignore"):  # a document of weight 0 is no outlier: -inf
        return np.asarray(np.log(base) + greatest + np.log(sums))


def _shares(log_weights: Float64) -> Float64:
    weights = np.exp(log_weights - log_weights.max(initial=-np.inf))
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, eq=False)
class _Judgment:
    """Per document: margins (m,), probabilities that something is wrong (m,); label sets."""

    labels: tuple[str, ...]
    margins: Float64
    doubts: Float64
    suggested: Int8


def _judgment(model: Model, corpus: Corpus, scores: Scores, signs: Signs) -> _Judgment:
    margins = (signs * scores).min(axis=1) if model.multilabel else _leads(scores, signs)
    half = margins if model.multilabel else margins / 2
    doubts = 0.5 * (1 - np.tanh(half))  # 1/(1 + exp(2 half))
    return _Judgment(model.labels, margins, doubts, _suggested(model, corpus, scores))


def _leads(scores: Scores, signs: Signs) -> Float64:
    """Least score of a given label minus greatest of another; 0 stands for a side without any."""
    given = np.where(signs > 0, scores, np.inf).min(axis=1)
    others = np.where(signs > 0, -np.inf, scores).max(axis=1)
    return np.where(np.isinf(given), 0.0, given) - np.where(np.isinf(others), 0.0, others)


def _suggested(model: Model, corpus: Corpus, scores: Scores) -> Int8:
    """(m, k) 0 or 1; some label always, unless documents without labels are in the data."""
    best = scores.argmax(axis=1)
    chosen = np.zeros(scores.shape, np.int8)
    if model.multilabel:
        chosen = (scores > 0).astype(np.int8)
    if not model.multilabel or (np.diff(corpus.label_sets.starts) > 0).all():
        empty = chosen.sum(axis=1) == 0
        chosen[empty, best[empty]] = 1
    return chosen


def _places_in_label(
    corpus: Corpus, scores: Scores, signs: Signs, order: Int64
) -> tuple[Int64, Int64]:
    """(m,) place by weight among the documents of the same weakest given label; their number."""
    weakest = np.where(signs > 0, scores, np.inf).argmin(axis=1)
    keys = np.where((signs > 0).any(axis=1), weakest, -1)
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    by_group = order[np.argsort(inverse[order], kind="stable")]
    places = np.empty(len(corpus), np.int64)
    starts = np.cumsum(counts) - counts
    places[by_group] = np.arange(len(corpus)) - np.repeat(starts, counts) + 1
    return places, counts[inverse]


def _row(
    rank: int,
    i: int,
    corpus: Corpus,
    judged: _Judgment,
    share: float,
    places: tuple[Int64, Int64],
) -> OutlierRow:
    given = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
    suggested = tuple(judged.labels[j] for j in np.flatnonzero(judged.suggested[i]).tolist())
    return OutlierRow(
        rank=rank,
        example=i,
        id=corpus.ids[i],
        origin=str(corpus.origins[i]),
        given=given,
        suggested=suggested,
        kind=_kind(set(given), set(suggested)),
        score=float(judged.doubts[i]),
        margin=float(judged.margins[i]),
        weight=share * len(corpus),
        share=share,
        label_rank=int(places[0][i]),
        label_count=int(places[1][i]),
        objections=(),
        snippet=one_line(corpus.snippets[i]),
    )


def _kind(given: set[str], suggested: set[str]) -> str:
    if given == suggested:
        return "agrees"
    if given < suggested:
        return "missing"
    return "extra" if suggested < given else "wrong"


def outlier_json(row: OutlierRow) -> dict[str, object]:
    """As JSON, by the names of the fields; labels as lists."""
    return asdict(row)


def outliers_tsv(rows: Iterable[OutlierRow]) -> Iterator[str]:
    r"""Lines of outliers.tsv, heaviest first; columns as the fields of OutlierRow.

    Several labels or objections in one field are joined by `|` (one of their own is `\|`).
    """
    yield "\t".join(_COLUMNS) + "\n"
    for row in rows:
        objections = [f"{spoken.term} {spoken.votes:+.2f}" for spoken in row.objections]
        names = [tsv_names(row.given), tsv_names(row.suggested)]
        numbers = map(tsv_number, (row.score, row.margin, row.weight, row.share))
        places = [str(row.label_rank), str(row.label_count)]
        fields = [str(row.rank), tsv_field(row.id), tsv_field(row.origin), *names, row.kind]
        fields += [*numbers, *places, tsv_names(objections), tsv_field(row.snippet)]
        yield "\t".join(fields) + "\n"


_COLUMNS = [
    "rank", "id", "origin", "given", "suggested", "kind", "score", "margin", "weight", "share",
    "label_rank", "label_count", "objections", "snippet",
]  # fmt: skip
