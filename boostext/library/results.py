"""Predictions for documents, as records and as text."""

from __future__ import annotations

import io
import json
import logging
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from boostext.arrays import Float64, Scores
from boostext.corpus.alike import Reading
from boostext.corpus.checks import alike_words
from boostext.corpus.documents import Document
from boostext.corpus.files import STDIN, stored_size
from boostext.corpus.readers import Input, begin, no_record_has, read_input
from boostext.corpus.roles import shown
from boostext.corpus.sources import BadRecords, SeenLabels
from boostext.corpus.table_writer import row_writer, safe_cell
from boostext.errors import BoostextError, SettingsError
from boostext.library.data import IN_MEMORY, given_data, paths_of, report_reading
from boostext.model.model import Model, asked_attributes
from boostext.model.plain import PART, Members, json_parts
from boostext.model.predict import (
    BATCH,
    Contribution,
    Predictor,
    decisions,
    given_numbers,
    has_probabilities,
    probabilities,
    ranked_labels,
)
from boostext.reports.escape import tsv_field, tsv_names, visible
from boostext.reports.explanations import Votes

if TYPE_CHECKING:
    from rich.text import Text

    from boostext.distributed.cluster import Cluster
    from boostext.reports.layout import Page


LOG = logging.getLogger("boostext")


@dataclass(frozen=True)
class Wanted:
    """Options for predictions.

    top: number of labels whose scores are shown, or None if not specified. explain: number of rules
    for each label. threshold, probability: predict labels with a score, or a probability, above it.
    title: title of a page. columns: whether the fields of the input come before the result; table:
    their names in the header of a table. safe_cells: see `table_writer.safe_cell`.
    """

    top: int | None
    all_scores: bool
    proba: bool
    explain: int | None
    title: str = ""
    columns: bool = False
    threshold: float | None = None
    probability: float | None = None
    table: Mapping[str, str] = field(default_factory=dict)
    safe_cells: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """A document with its scores, shape (k,), and its predicted labels.

    The other attributes are indices of labels: best, all labels in descending order of their
    scores; given, the predicted labels; shown, the labels whose scores are shown.
    """

    document: Document
    best: Sequence[int]
    given: Sequence[int]
    shown: Sequence[int]
    scores: Scores
    probabilities: Float64 | None
    explanation: tuple[Contribution, ...] | None


LINES = 8
"""Number of rules that a page shows for each label by default."""


def checked(wanted: Wanted, model: Model) -> Wanted:
    """Return the options. Raises SettingsError if they need probabilities that the model lacks."""
    for asked, option in ((wanted.proba, "proba"), (wanted.probability, "threshold-proba")):
        if asked and not has_probabilities(model):
            raise SettingsError(
                f"scores of {model.boosting.algorithm} are not log odds and cannot be converted "
                f"to probabilities; leave out --{option}, or train with --calibrate sigmoid"
            )
    return wanted


def for_page(wanted: Wanted, model: Model) -> Wanted:
    """Return the options with the explanations that a page shows by default."""
    return replace(
        wanted, proba=wanted.proba or has_probabilities(model), explain=wanted.explain or LINES
    )


def documents_to_label(
    model: Model,
    data: Any,
    account: BadRecords,
    reading: Mapping[str, Any] | None = None,
    texts: bool = False,
    labels: bool = False,
    columns: bool = False,
) -> Iterable[Document]:
    """Return the documents as the model reads them, without their labels and weights.

    texts: whether strings are texts, and only Path objects are paths. labels: whether labels are
    read if there are any. columns: whether documents include the fields of their records.
    """
    # prediction does not depend on whether annotators accepted the label
    how = Reading(model.data, {"answers": "all", **(reading or {})})
    asked = how.for_prediction(asked_attributes(model), labels)
    paths = paths_of(data, texts)
    for remark in asked.remarks(paths):
        LOG.info(remark)
    account.seen = SeenLabels(how.of((*paths, IN_MEMORY)[0]))
    given = given_data(data, asked.of, account, labelled=False, texts=texts, columns=columns)
    return given.documents


# On workers ----------------------------------------------------------------------------------

PIECE = 1 << 22
"""Size in bytes of the parts of a file that are processed separately."""
IN_PARTS = ("jsonl", "tsv", "csv", "labels")
"""Keys of FORMATS whose results do not depend on earlier ones."""


class Labelled(NamedTuple):
    """The results for a part of the data as text, their number, and the error that ended it."""

    text: str
    number: int
    account: BadRecords
    error: BoostextError | None


def spread(model: Model, cluster: Cluster, paths: Sequence[str]) -> Any:
    """Return a future of a predictor on each worker, which expects its share of the files."""
    predictor = Predictor(model)
    predictor.expect(sum(map(stored_size, paths)) // len(cluster))
    return cluster.spread(predictor)


def labelled_part(given: Input, predictor: Predictor, wanted: Wanted, form: str) -> Labelled:
    """Predict the labels of a file, or of a part of one, on a worker."""
    _, text = FORMATS[form](wanted, predictor.model)
    account, parts, error = given.source.bad, list[str](), None
    begin(account, given.settings, labelled=False)
    try:
        documents = read_input(given, labelled=False)
        parts.extend(text(result) for result in results_of(predictor, documents, wanted))
    except BoostextError as raised:
        error = raised
    return Labelled("".join(parts), len(parts), account, error)


def labelled_on_workers(
    model: Model,
    paths: Sequence[str],
    account: BadRecords,
    wanted: Wanted,
    form: str,
    workers: Any,
    reading: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, int]]:
    """Yield the text of results and the number of results so far, in the order of the documents.

    The first item is the header. Workers read the files. Raises SettingsError for formats that
    cannot be written in parts.
    """
    from boostext.distributed.cluster import connected
    from boostext.distributed.reading import RemoteFiles, matched

    if form not in IN_PARTS or (wanted.columns and form in TABLES):
        raise SettingsError(
            f"--workers supports the outputs {', '.join(IN_PARTS)}, no --keep-columns in tables; "
            "leave out --workers"
        )
    if STDIN in paths:
        raise SettingsError("workers cannot read stdin (-); leave out --workers")
    how = Reading(model.data, {"answers": "all", **(reading or {})})
    asked = how.for_prediction(asked_attributes(model))
    paths = matched(paths)
    for remark in asked.remarks(paths):
        LOG.info(remark)
    account.seen = SeenLabels(how.of(paths[0]))
    with connected(workers, threads=1) as cluster:
        LOG.info(str(cluster))
        predictor = spread(model, cluster, paths)
        remote = RemoteFiles(cluster, paths, asked.of, account, False, wanted.columns, PIECE)

        def work(given: Input) -> tuple[None, Any]:
            return None, cluster.submit(labelled_part, given, predictor, wanted, form)

        yield FORMATS[form](wanted, model)[0], 0
        total = 0
        for _, made in remote.walk(work, 2 * sum(cluster.threads) + 2):
            total += made.number
            yield made.text, total


def tell_labelling(account: BadRecords, model: Model, paths: Sequence[str]) -> None:
    """Log what was found in the documents, after all of them have been processed."""
    report_reading(account)
    account.unmet = {name for name in account.unmet if ":" not in name}  # scored words are rare
    if account.unmet and account.fields:
        missing = no_record_has(account, (*paths, IN_MEMORY)[0])
        LOG.warning(f"{missing}; it is unknown to the rules that use it")
    seen = account.seen
    if seen and (alike := alike_words(seen.counts, model.labels, "the model's")):
        LOG.warning(f"labels of the data look like labels of the model; are they the same? {alike}")


def results_of(
    predictor: Predictor, documents: Iterable[Document], wanted: Wanted, batch: int = BATCH
) -> Iterator[Result]:
    """Yield a result for each document, in order, as the documents are read."""
    model = predictor.model
    for found in predictor.batches(documents, batch):
        ranks = ranked_labels(found.scores, model)
        given = given_numbers(decisions(found.scores, model, wanted.threshold, wanted.probability))
        with_probabilities = wanted.proba or (wanted.explain and has_probabilities(model))
        likely = probabilities(found.scores, model) if with_probabilities else None
        for i, document in enumerate(found.documents):
            yield _result(
                document,
                array("q", ranks[i].tobytes()),  # a fifth of the memory of a list
                given[i],
                wanted,
                found.scores[i],
                None if likely is None else likely[i],
                predictor.contributions(document) if wanted.explain else None,
            )


def _result(
    document: Document, best: Sequence[int], given: list[int], wanted: Wanted, *more: Any
) -> Result:
    listed = best
    if (wanted.top or 1) < len(best):
        reported = {*best[: wanted.top or 1], *given}
        listed = [number for number in best if number in reported]
    return Result(document, best, given, listed, *more)


def record_of(
    result: Result, wanted: Wanted, model: Model, made: Callable[[Pairs], Any] = dict
) -> dict[str, Any]:
    """Return one result as values for JSON. made: creates an object from names and values."""
    record: dict[str, Any] = {
        "id": result.document.id,
        "labels": [model.labels[number] for number in result.given],
        "scores": made(_by_label(result.scores, result.shown, model)),
    }
    if result.probabilities is not None:
        record["probabilities"] = made(_by_label(result.probabilities, result.shown, model))
    if result.explanation is not None:
        votes = Votes(model, result.document, result.explanation)
        record["explanation"] = {
            model.labels[n]: votes.explain(n, float(result.scores[n]), wanted.explain or 0)
            for n in result.shown
        }
    if wanted.columns:
        given = carried(result.document)
        names = names_beside(given, record)
        record = {names[name]: value for name, value in given.items()} | record
    return record


Pairs = Iterable[tuple[str, float]]


def _by_label(values: Float64, shown: Iterable[int], model: Model) -> Pairs:
    return ((model.labels[number], float(values[number])) for number in shown)


# As text -------------------------------------------------------------------------------------

Write = Callable[[Result], str]
"""A function that returns the text of one result."""
Line = Callable[[Sequence[str], Sequence[str], Sequence[str]], str]
"""A function that formats the cells before the labels, the labels, and the cells after them."""


def jsonl(wanted: Wanted, model: Model) -> tuple[str, Write]:
    """Return the header, which is empty, and a function that writes one line of JSON."""

    def write(result: Result) -> str:
        if len(result.shown) > PART:
            record = record_of(result, wanted, model, Members)
            return "".join((*json_parts(record, ensure_ascii=False), "\n"))
        return json.dumps(record_of(result, wanted, model), ensure_ascii=False) + "\n"

    return "", write


def tsv(wanted: Wanted, model: Model) -> tuple[str, Write]:
    """Return the header of a TSV file, and a function that writes one line.

    Tabs, line ends and backslashes are escaped, and several labels are joined by |.
    """

    def line(first: Sequence[str], names: Sequence[str], rest: Sequence[str]) -> str:
        cells = [*map(tsv_field, first), tsv_names(names), *map(tsv_field, rest)]
        return "\t".join(map(safe_cell, cells) if wanted.safe_cells else cells) + "\n"

    return _table(line, wanted, model)


def comma_separated(wanted: Wanted, model: Model) -> tuple[str, Write]:
    r"""Return the header of a CSV file (RFC 4180, with LF), and a function that writes one line.

    Several labels are joined by |; a | within a label is written as \|.
    """

    def line(first: Sequence[str], names: Sequence[str], rest: Sequence[str]) -> str:
        joined = "|".join(name.replace("\\", "\\\\").replace("|", "\\|") for name in names)
        text = io.StringIO(newline="")
        row_writer(text, ",", wanted.safe_cells)([*first, joined, *rest])
        return text.getvalue()

    return _table(line, wanted, model)


def bare_labels(wanted: Wanted, model: Model) -> tuple[str, Write]:
    """Return the header, which is empty, and a function that writes a line of labels.

    These are the predicted labels or, if their number is given, the best ones, joined by |.
    """

    def write(result: Result) -> str:
        chosen = result.best[: wanted.top] if wanted.top else result.given
        return tsv_names([model.labels[number] for number in chosen]) + "\n"

    return "", write


def html(wanted: Wanted, model: Model) -> tuple[str, Write]:
    """Return the beginning of a page, and a function that writes the section of a document."""
    # jinja2 is slow to import, and only pages need it
    from boostext.reports.page.documents import Explained, document_section, page_head

    def write(result: Result) -> str:
        explained = Explained(
            result.document,
            result.explanation or (),
            result.scores,
            result.given,
            result.shown,
            wanted.explain or 0,
            result.probabilities,
        )
        return document_section(model, explained)

    return page_head(wanted.title), write


FORMATS: Mapping[str, Callable[[Wanted, Model], tuple[str, Write]]] = {
    "jsonl": jsonl,
    "tsv": tsv,
    "csv": comma_separated,
    "labels": bare_labels,
    "html": html,
}
"""Maps formats to the header of the output, and the text of each result."""
TABLES = ("csv", "tsv")
"""The formats with a header."""


def written(
    predictor: Predictor, documents: Iterator[Document], wanted: Wanted, form: str, batch: int
) -> Iterator[str]:
    """Yield the header, which may be empty, and then the text of each result."""
    model = predictor.model
    if wanted.columns and form in TABLES and (first := next(documents, None)) is not None:
        documents = chain([first], documents)
        wanted = with_header(wanted, first, model)
    head, text = FORMATS[form](wanted, model)
    yield head
    yield from map(text, results_of(predictor, documents, wanted, batch))


def drawn(result: Result, wanted: Wanted, model: Model, page: Page) -> Text:
    """Draw the explanation of the labels of a document, for a terminal."""
    # rich is slow to import, and only drawings need it
    from rich.text import Text

    from boostext.reports.explanations import explanation_rows
    from boostext.reports.layout import HEAD, stack
    from boostext.reports.listings import explanation_list

    names = " + ".join(model.labels[number] for number in result.given) or "(none)"
    contributions, fields = result.explanation or (), len(model.data.text)
    rows = explanation_rows(contributions, model.labels, result.shown, wanted.explain or 0, fields)
    probabilities = {} if result.probabilities is None else result.probabilities.tolist()
    likely = {model.labels[n]: probabilities[n] for n in result.shown} if probabilities else {}
    head = Text(visible(f"{result.document.id}: {names}"), style=HEAD)
    return stack([head, explanation_list(rows, page, likely)])


def with_header(wanted: Wanted, first: Document, model: Model) -> Wanted:
    """Return the options with the columns for the fields of the first document."""
    return replace(
        wanted, table=names_beside(carried(first), ["id", "labels", *_head(wanted, model)])
    )


def _table(line: Line, wanted: Wanted, model: Model) -> tuple[str, Write]:
    """Return the header of a table, and a function that writes one line.

    The columns are id, labels, and the scores of all labels, or the best labels with their scores.
    """
    warned = not wanted.columns

    def write(result: Result) -> str:
        nonlocal warned
        given = carried(result.document) if wanted.columns else {}
        if not warned and (further := given.keys() - wanted.table.keys()):
            warned = True
            LOG.warning(
                f"{result.document.origin}: the field {shown(min(further))} is not in the first "
                "record, whose fields are the columns; such fields are left out, but --output "
                "jsonl includes them"
            )
        names = [model.labels[number] for number in result.given]
        cells = [cell(given.get(name)) for name in wanted.table]
        return line([*cells, result.document.id], names, _cells(result, wanted, model))

    return line([*wanted.table.values(), "id"], ["labels"], _head(wanted, model)), write


def _head(wanted: Wanted, model: Model) -> list[str]:
    """Return the names of the columns after id and labels."""
    kinds = ["score", "probability"] if wanted.proba else ["score"]
    if wanted.all_scores:
        return [f"{kind}:{label}" for kind in kinds for label in model.labels]
    places = range(1, min(wanted.top or 1, len(model.labels)) + 1)
    return [f"{name}{n}" for n in places for name in ("label", *kinds)]


def _cells(result: Result, wanted: Wanted, model: Model) -> list[str]:
    kinds = [result.scores] + ([] if result.probabilities is None else [result.probabilities])
    if wanted.all_scores:
        return [repr(float(value)) for values in kinds for value in values]
    cells = []
    for number in result.best[: wanted.top or 1]:
        cells += [model.labels[number], *(repr(float(values[number])) for values in kinds)]
    return cells


# Fields of the input -------------------------------------------------------------------------

PREFIX = "input_"
"""Prefix of a field's name if a result has the same name."""


def carried(document: Document) -> Mapping[str, object]:
    """The fields of the document's record, or texts and attributes if the format has no fields."""
    if document.columns is not None:
        return document.columns
    return {**document.texts, **document.attributes, **document.scored}


def names_beside(fields: Iterable[str], results: Iterable[str]) -> dict[str, str]:
    """field -> its name in the output: unchanged, or with PREFIX if a result has that name."""
    found, theirs = {name: name for name in fields}, frozenset(results)
    taken = {*found, *theirs}
    for name in [name for name in found if name in theirs]:
        while found[name] in taken:
            found[name] = PREFIX + found[name]
        taken.add(found[name])
    return found


def cell(value: object) -> str:
    """A value as the cell of a table: strings unchanged, null as "", everything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
