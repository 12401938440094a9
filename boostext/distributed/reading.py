"""Read data on the workers of a cluster.

Workers read files, or parts of files that are cut at line ends, and convert the documents to lists
of conditions. This process receives the ids, labels, weights and attributes of the documents, but
not their texts. The features have the same conditions in the same order as those that a single
process extracts, so that the model is the same.
"""

from __future__ import annotations

import glob
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.boosting.choice import mix
from boostext.corpus.corpus import digest_of
from boostext.corpus.documents import Document, RemoteDocument
from boostext.corpus.files import STDIN, compression, first_bytes, is_address, open_bytes
from boostext.corpus.jsonl import spans_lines
from boostext.corpus.readers import (
    Input,
    ReadingSettings,
    begin,
    check_attributes,
    inputs_of,
    read_input,
)
from boostext.corpus.roles import DEFAULTS
from boostext.corpus.sources import BadRecords, SeenLabels, Span
from boostext.corpus.stems import stem_file
from boostext.distributed import terms
from boostext.distributed.cluster import Cluster
from boostext.distributed.lists import RemoteLists, remote_features
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.features.extract import Columns, Parts
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import joined_lists
from boostext.features.ngrams import ONE, Step, keeps_tokens, steps
from boostext.features.terms import least_documents, most_documents
from boostext.settings import TextSettings
from boostext.training.plan import Plan

LOG = logging.getLogger("boostext")
STEMS = (".data", ".dev", ".test")
PIECE = 1 << 26
"""Number of bytes of each part of a file that can be cut."""

BLANK = re.compile(rb"\n[ \t\r\f\v]*(?=\n)")
"""Matches the end of the line before a blank line, and all of the blank line but its own end."""


def reason_to_read_here(paths: Sequence[str], plan: Plan) -> str:
    """Return why workers cannot read the data, in words, or "" if they can."""
    own = [plan.text.of_field(name) for name in plan.text.term_fields(plan.data.text)]
    reasons = {
        "the data is in memory": not paths,
        "only this process has its stdin": STDIN in paths,
        "documents stay together by --group": plan.stop.group,
        "there is prior knowledge about them": plan.known.knowledge,
        "--expert full looks at texts of one token": any(
            each.expert == "full" and each.ngrams[1] > 1 for each in own
        ),
        "--drop looks at the spelling of all terms": any(each.drop for each in own),
        "the columns of a stem have settings of their own": plan.data.schema
        or any(stem_file(path) != path or path.endswith(STEMS) for path in paths),
    }
    return next((words for words, holds in reasons.items() if holds), "")


# Parts of files ------------------------------------------------------------------------------


def matched(paths: Sequence[str]) -> list[str]:
    """Return the files that match patterns such as parts/*.jsonl, sorted.

    Raises DataError if no file matches a pattern.
    """
    found: list[str] = []
    for path in paths:
        if not glob.has_magic(path) or (not is_address(path) and Path(path).exists()):
            found.append(path)
            continue
        files = _remote_files(path) if is_address(path) else sorted(glob.glob(path, recursive=True))  # noqa: PTH207  of patterns that begin at /
        if not files:
            raise DataError(path, 0, "no file matches this pattern; correct it")
        found += files
    return found


def _remote_files(pattern: str) -> list[str]:
    """Return the addresses that match a pattern, sorted."""
    import fsspec

    system, inside = fsspec.core.url_to_fs(pattern)
    return sorted(system.unstrip_protocol(name) for name in system.glob(inside))


def cuts(given: Input, piece: int) -> list[Span]:
    """Return the parts into which a file can be cut, or a single one for the whole file.

    Only uncompressed files with one JSON object per line can be cut. The lines before each part are
    not counted yet. piece: the minimum number of bytes of a part, except for the last one.
    """
    source, settings = given.source, given.settings
    path = Path(source.path)
    plain = given.format == "jsonl" and not compression(source.path) and path.is_file()
    bytewise = settings.encoding.lower() in ("utf-8", "utf8", "ascii")
    columns = len(settings.label) > 1 and settings.label != DEFAULTS.label
    whole = settings.where or (columns and settings.label_columns == "auto")
    size = path.stat().st_size if plain and bytewise and not whole else 0
    if size <= piece:
        return [Span()]
    with open_bytes(source.path) as file:
        if spans_lines(first_bytes(file, source)[1].decode("utf-8", "replace")):
            return [Span()]
    ends = [0]
    with path.open("rb") as file:
        while ends[-1] + piece < size:
            file.seek(ends[-1] + piece - 1)
            file.readline()
            ends.append(file.tell())
    if ends[-1] == size:
        ends.pop()
    return [Span(*pair) for pair in zip_longest(ends, ends[1:])]


def line_counts(path: str, span: Span) -> tuple[int, int]:
    """Return the number of lines of a part, and the number of those that are not blank.

    The last line must have a line end.
    """
    with open_bytes(path, span) as file:
        data = b"\n" + file.read()
    lines = data.count(b"\n") - 1
    return lines, lines - len(BLANK.findall(data))


class Read(NamedTuple):
    """A part that was read.

    error: why it could not be read to the end, if so; the documents before the error are valid.
    """

    documents: list[Document]
    account: BadRecords
    error: BoostextError | None


def read_part(given: Input, labelled: bool) -> Read:
    documents: list[Document] = []
    account = given.source.bad
    begin(account, given.settings, labelled)
    try:
        documents.extend(read_input(given, labelled))
    except BoostextError as error:
        return Read(documents, account, error)
    return Read(documents, account, None)


def without_texts(read: Read) -> Read:
    """Return the documents of a part without their texts."""
    documents: list[Document] = [
        RemoteDocument(
            d.id,
            {},
            d.labels,
            d.weight,
            d.attributes,
            d.origin,
            d.labelled,
            d.scored,
            digest=digest_of(d),
            characters=sum(map(len, d.texts.values())),
        )
        for d in read.documents
    ]
    return read._replace(documents=documents)


def without(read: Read, used: Int64) -> Read:
    """Return a part in which documents are empty if their texts are not needed any more."""
    documents, empty = list(read.documents), Document("", {})
    for place in used.tolist():
        documents[place] = empty
    return read._replace(documents=documents)


def some_documents(read: Read, places: Sequence[int]) -> list[Document]:
    return [read.documents[place] for place in places]


# This process --------------------------------------------------------------------------------


@dataclass
class RemoteFiles:
    """Files that the workers of a cluster read.

    account: collects the accounts of all parts. labelled, columns: see `read_documents`. piece: the
    number of bytes of each part of a file that can be cut.
    """

    cluster: Cluster
    paths: Sequence[str]
    settings: ReadingSettings
    account: BadRecords
    labelled: bool = True
    columns: bool = False
    piece: int = PIECE

    def walk(
        self, begin_part: Callable[[Input], tuple[Any, Any]], ahead: int
    ) -> Iterator[tuple[Any, Any]]:
        """Process all parts on the workers, and yield a pair for each part, in order.

        begin_part: begins to process a part. It returns any object, which is the first item of the
        pair, and a future, whose result is the second. The result has the attributes `account`, and
        `error`, which is raised after the pair. ahead: how many parts may be begun before their
        turn.
        """
        inputs = [
            self._with(given, Span())
            for given in inputs_of(self.paths, self.settings, self.account, self.columns, True)
        ]
        begin(self.account, inputs[0].settings, self.labelled)
        todo = deque(part for given in inputs for part in self._cut(given))
        running: deque[tuple[Input, Any, Any]] = deque()
        while todo or running:
            while todo and len(running) < ahead:
                given = todo.popleft()
                running.append((given, *begin_part(given)))
            given, kept, future = running.popleft()
            (made,) = self.cluster.results([future])
            del future
            if given.source.span.stop is not None and made.error is None:
                self._check_cut(given, made.account, running, todo, begin_part)
            yield kept, made
            self.account.join(made.account)
            if made.error is not None:
                raise made.error
        check_attributes(self.account, inputs[0].source.path, self.labelled)

    def _cut(self, given: Input) -> list[Input]:
        """Return the parts of a file, with the numbers of their first lines."""
        source, spans = given.source, cuts(given, self.piece)
        if len(spans) == 1:
            return [given]
        counts = self.cluster.results(
            [self.cluster.submit(line_counts, source.path, span) for span in spans[:-1]]
        )
        lines = accumulate((lines for lines, _ in counts), initial=0)
        records = accumulate((filled for _, filled in counts), initial=0)
        return [
            self._with(given, span._replace(lines=before, records=filled))
            for span, before, filled in zip(spans, lines, records, strict=True)
        ]

    def _with(self, given: Input, span: Span) -> Input:
        """Return a part of a file that has its own account."""
        seen = self.account.seen
        bad = BadRecords(self.account.limit, seen=SeenLabels(seen.settings) if seen else None)
        return replace(given, source=replace(given.source, span=span, bad=bad))

    def _check_cut(
        self,
        given: Input,
        account: BadRecords,
        running: deque[tuple[Input, Any, Any]],
        todo: deque[Input],
        begin_part: Callable[[Input], tuple[Any, Any]],
    ) -> None:
        """Correct the numbers of later records if a line of this part holds several of them."""
        if account.understood:
            raise SettingsError(
                f"{given.source.path} is an export of a tool, which cannot be read in parts; "
                "compress it, or leave out --workers"
            )
        following = running[0][0] if running else todo[0]
        known = given.source.span.records + account.records
        missing = known - following.source.span.records
        if not missing:
            return
        path = given.source.path
        later = [part for part, _, _ in running if part.source.path == path]
        for place, part in enumerate(later):
            mended = self._moved(part, missing)
            running[place] = (mended, *begin_part(mended))
        for place, part in enumerate(todo):
            if part.source.path == path:
                todo[place] = self._moved(part, missing)

    def _moved(self, part: Input, records: int) -> Input:
        span = part.source.span
        return self._with(part, span._replace(records=span.records + records))


@dataclass
class RemoteData(RemoteFiles):
    """Training data that the workers read. Call `documents` before the other methods."""

    _parts: list[Any] = field(default_factory=list)
    _lists: RemoteLists | None = None

    def documents(self) -> Iterator[Document]:
        """Yield the documents in order, without their texts, up to the first error."""
        self._parts = []
        for part, read in self.walk(self._begun, 4 * len(self.cluster) + 4):
            self._parts.append(part)
            for place, document in enumerate(read.documents):
                yield replace(document, part=len(self._parts) - 1, place=place)

    def _begun(self, given: Input) -> tuple[Any, Any]:
        part = self.cluster.submit(read_part, given, self.labelled)
        return part, self.cluster.submit(without_texts, part)

    def whole(self, documents: Iterable[Document]) -> list[Document]:
        """Return documents with their texts, which are fetched from the workers."""
        found: list[Document] = []
        marked = [d for d in documents if isinstance(d, RemoteDocument)]
        for part, group in groupby(marked, lambda d: d.part):
            places = [d.place for d in group]
            future = self.cluster.submit(some_documents, self._parts[part], places)
            found += self.cluster.results([future])[0]
        return found

    def extract(
        self,
        documents: Iterable[Document],
        settings: TextSettings,
        fields: Sequence[str],
        attributes: Sequence[str] | None = None,
        threads: int = 1,
        declared: Mapping[str, Sequence[str]] | None = None,
    ) -> FeatureMatrix:
        """Return the features of documents from `documents`; see features.extract."""
        columns = Columns(attributes)
        chosen: dict[int, list[int]] = {}
        for document in documents:
            assert isinstance(document, RemoteDocument)
            chosen.setdefault(document.part, []).append(document.place)
            columns.add(document)
        places = [np.array(chosen.get(p, []), np.int64) for p in range(len(self._parts))]
        submit, texts = self.cluster.submit, {}
        text_fields = settings.term_fields(fields)
        for name, text_field in text_fields.items():
            own = settings.of_field(name)
            texts[name] = [
                submit(tokenized_part, part, used, text_field, own)
                for part, used in zip(self._parts, places, strict=True)
            ]
        # subtle: whatever is not needed any more is released at once, as memory may be short
        self._parts = [
            submit(without, part, used) for part, used in zip(self._parts, places, strict=True)
        ]
        counting = Counting(self.cluster, [len(used) for used in places])
        made = [
            counting.field(name, settings.of_field(name), texts.pop(name)) for name in text_fields
        ]
        others = Parts(settings.simplest_name)
        columns.add_to(others, declared or {})
        features = counting.held(made, others, settings)
        remote: Any = features.yes
        self._lists = remote
        return features

    def release(self) -> None:
        """Release the documents on the workers."""
        self._parts = []

    def close(self) -> None:
        """Release the lists on the workers."""
        if self._lists is not None:
            self._lists.close()


class FieldLists(NamedTuple):
    """The lists of a text field.

    steps: those whose terms are conditions. lists: for each step, a future of terms.Listed for each
    part. sizes: for each step, a future of terms.Sizes for each bucket. tokens: their number.
    """

    name: str
    settings: TextSettings
    steps: list[Step]
    lists: list[list[Any]]
    sizes: list[list[Any]]
    tokens: int


class Counting:
    """The steps from tokens to lists. sizes: number of documents that are used of each part."""

    def __init__(self, cluster: Cluster, sizes: Sequence[int]) -> None:
        self._cluster, self._buckets = cluster, len(cluster)
        self._before = [0, *np.cumsum(sizes).tolist()]
        self.count = self._before[-1]

    def field(self, name: str, settings: TextSettings, texts: list[Any]) -> FieldLists:
        """Find the terms of a text field that are in enough documents, step by step.

        texts: a future of terms.Text for each part.
        """
        submit, least = self._cluster.submit, least_documents(settings, self.count)
        tokens = self._cluster.results([submit(token_count, text) for text in texts])
        before = [0, *np.cumsum(tokens, dtype=np.int64).tolist()]
        made = FieldLists(name, settings, [], [], [], before[-1])
        counted = [submit(terms.count_tokens, text, self._buckets) for text in texts]
        known = {ONE: self._known(counted, least)}
        if keeps_tokens(settings):
            self._list(made, terms.TOKENS, known[ONE], texts, before)
        for level in steps(settings):
            longer = {}
            for step in level:
                pairs = zip(known[step.left], known[step.right], strict=True)
                counted = [
                    submit(terms.count_pairs, left, right, step, self._buckets)
                    for left, right in pairs
                ]
                longer[step.places] = self._known(counted, least)
                if step.kept:
                    self._list(made, step, longer[step.places], texts, before)
            known = longer
        return made

    def _known(self, counted: list[Any], least: float) -> list[Any]:
        """Return futures of the terms of a step that are in enough documents, for each part."""
        submit, answers = self._cluster.submit, []
        for bucket in range(self._buckets):
            chunks = [submit(terms.chunk, part, bucket) for part in counted]
            kept = submit(add_up, least, bucket, self._buckets, *chunks)
            answers.append([submit(terms.of_part, kept, part) for part in range(len(counted))])
        return [
            submit(known_part, part, *(answer[number] for answer in answers))
            for number, part in enumerate(counted)
        ]

    def _list(
        self, made: FieldLists, step: Step, known: list[Any], texts: list[Any], tokens: list[int]
    ) -> None:
        """Add the lists of a step. tokens: the number of tokens before each part."""
        submit, counts, W = self._cluster.submit, len(made.settings.counts), self._buckets
        lists = [
            submit(terms.listed, part, text, step, self._before[p], tokens[p])
            for p, (part, text) in enumerate(zip(known, texts, strict=True))
        ]
        made.steps.append(step)
        made.lists.append(lists)
        made.sizes.append(
            [
                submit(
                    add_sizes, *(submit(terms.sizes_of, part, counts, bucket, W) for part in lists)
                )
                for bucket in range(W)
            ]
        )

    def held(
        self, fields: Sequence[FieldLists], others: Parts, settings: TextSettings
    ) -> FeatureMatrix:
        """Create the lists on the workers that hold them, and return the features.

        The lists of the fields are released.
        """
        submit, W = self._cluster.submit, self._buckets
        shipments = self._shipments(fields, settings)
        attributes = _attributes(others, len(fields))
        owners = (mix(terms.hashes_of(attributes.lists)) % np.uint64(W)).astype(np.int64)
        numbers = [f for f, given in enumerate(fields) for _ in given.steps]
        held = [
            submit(
                held_conditions,
                numbers,
                len(self._before) - 1,
                terms.some_of(attributes, np.flatnonzero(owners == worker)),
                settings.simplest_name,
                *shipments.pop(0),
                workers=[self._cluster.addresses[worker]],
            )
            for worker in range(W)
        ]
        tokens = sum(given.tokens for given in fields)
        return remote_features(self._cluster, held, others, self.count, tokens)

    def _shipments(self, fields: Sequence[FieldLists], settings: TextSettings) -> list[list[Any]]:
        """Return futures of terms.Shipment for each worker, by step and part."""
        submit, W = self._cluster.submit, self._buckets
        shipments: list[list[Any]] = [[] for _ in range(W)]
        for given, last in zip(fields, self._last(fields, settings), strict=True):
            most, counts = most_documents(given.settings, self.count), given.settings.counts
            for step, lists, sizes in zip(given.steps, given.lists, given.sizes, strict=True):
                own = [submit(terms.owners_of, each, most, last, W) for each in sizes]
                for part in lists:
                    for worker in range(W):
                        shipments[worker].append(
                            submit(shipped_part, given.name, worker, counts, step, part, *own)
                        )
            given.lists.clear()
            given.sizes.clear()
        return shipments

    def _last(
        self, fields: Sequence[FieldLists], settings: TextSettings
    ) -> list[tuple[int, int] | None]:
        """Return, for each field, the frequency and order of the last term within max_terms."""
        if not settings.max_terms:
            return [None] * len(fields)
        frequencies, orders, which = [], [], []
        for f, given in enumerate(fields):
            most = most_documents(given.settings, self.count)
            futures = [
                self._cluster.submit(terms.ranking, each, most)
                for step in given.sizes
                for each in step
            ]
            for frequency, order in self._cluster.results(futures):
                frequencies.append(frequency)
                orders.append(order)
                which.append(np.full(len(order), f))
        frequency, order, of = map(np.concatenate, (frequencies, orders, which))
        if len(frequency) <= settings.max_terms:
            return [None] * len(fields)
        place = np.lexsort((order, of, -frequency))[settings.max_terms - 1]
        # equally frequent terms of earlier fields are all kept, and those of later fields are not
        least, field_of_last = int(frequency[place]), int(of[place])
        all_stay, none_stays = (least, terms.FIELD), (least, -1)
        return [
            all_stay
            if f < field_of_last
            else none_stays
            if f > field_of_last
            else (least, int(order[place]))
            for f in range(len(fields))
        ]


def _attributes(parts: Parts, fields: int) -> terms.Held:
    """Return the conditions on categories."""
    names = [source.condition(i) for source in parts.sources for i in range(len(source))]
    lists = joined_lists(parts.lists) if parts.lists else Lists.of([])
    places = np.concatenate([np.zeros(0, np.int64), *parts.place]) + fields * terms.FIELD
    unknown = np.concatenate([np.zeros(0, np.int32), *parts.unknown_list])
    return terms.Held(places, lists, unknown, names)


# Tasks whose last arguments are several futures, which Dask only finds outside of lists


def tokenized_part(read: Read, chosen: Int64, name: str, settings: TextSettings) -> terms.Text:
    return terms.tokenized(read.documents, chosen, name, settings)


def token_count(text: terms.Text) -> int:
    return len(text.tokens.numbers)


def add_up(least: float, bucket: int, buckets: int, *chunks: terms.Chunk) -> list[terms.Kept]:
    return terms.add_up(chunks, least, bucket, buckets)


def known_part(counted: terms.Counted, *kept: terms.Kept) -> terms.Known:
    return terms.known(counted, kept)


def add_sizes(*parts: terms.Sizes) -> terms.Sizes:
    return terms.all_sizes(parts)


def shipped_part(
    name: str,
    worker: int,
    counts: tuple[int, ...],
    step: Step,
    lists: terms.Listed,
    *owners: terms.Owners,
) -> terms.Shipment:
    return terms.shipped(lists, step, counts, owners, name, worker)


def held_conditions(
    fields: Sequence[int],
    parts: int,
    others: terms.Held,
    simplest: bool,
    *shipments: terms.Shipment,
) -> terms.Held:
    steps = [shipments[i : i + parts] for i in range(0, len(shipments), parts)]
    return terms.held(steps, fields, others, simplest)
