"""Reading on the workers: files, or parts of files cut at line ends, become documents there, and
these the lists of conditions; what is told of documents to this process are ids, labels, weights
and attributes.

The features that come of it are those that one process makes, condition by condition and in the
same order, so that the model is the same.
"""

from __future__ import annotations

import glob
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.boosting.choice import mix
from boostext.corpus.corpus import digest_of
from boostext.corpus.documents import Attribute, Document, Told
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
from boostext.corpus.sources import BadRecords, SeenLabels, Span
from boostext.corpus.stems import stem_file
from boostext.distributed import terms
from boostext.distributed.cluster import Cluster
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.features.attributes import WordColumn
from boostext.features.conditions import Condition
from boostext.features.extract import Parts
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather, joined_lists
from boostext.features.ngrams import ONE, Step, keeps_tokens, steps
from boostext.features.terms import least_documents, most_documents
from boostext.settings import TextSettings
from boostext.training.plan import Plan

LOG = logging.getLogger("boostext")
STEMS = (".data", ".dev", ".test")
PIECE = 1 << 26
"""Bytes of a part of a file that can be cut."""


def reason_to_read_here(paths: Sequence[str], plan: Plan) -> str:
    """Why workers cannot read the data, in words; "" where they can."""
    own = [plan.text.of_field(name) for name in plan.data.text]
    reasons = {
        "the data is in memory": not paths,
        "stdin is read by whoever has it": STDIN in paths,
        "documents stay together by --group": plan.stop.group,
        "there is prior knowledge of them": plan.known.knowledge,
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
    """The files of patterns such as parts/*.jsonl, sorted; DataError where there is none."""
    found: list[str] = []
    for path in paths:
        if not glob.has_magic(path) or (not is_address(path) and Path(path).exists()):
            found.append(path)
            continue
        files = _far_files(path) if is_address(path) else sorted(glob.glob(path, recursive=True))  # noqa: PTH207  of patterns that begin at /
        if not files:
            raise DataError(path, 0, "no file has such a name; mend the pattern")
        found += files
    return found


def _far_files(pattern: str) -> list[str]:
    """The addresses that match a pattern, sorted."""
    import fsspec

    system, inside = fsspec.core.url_to_fs(pattern)
    return sorted(system.unstrip_protocol(name) for name in system.glob(inside))


def cuts(given: Input, piece: int) -> list[Span]:
    """Where a file of one JSON object a line may be cut, the lines before each part yet to be
    counted; one span for every other file.
    """
    source, settings = given.source, given.settings
    path = Path(source.path)
    plain = given.format == "jsonl" and not compression(source.path) and path.is_file()
    bytewise = settings.encoding.lower() in ("utf-8", "utf8", "ascii")
    whole = settings.where or (settings.label_columns == "auto" and len(settings.label) > 1)
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
    """Lines of a part, and those of them that are not blank."""
    lines = filled = 0
    with open_bytes(path, span) as file:
        for line in file:
            lines += 1
            filled += not line.isspace()
    return lines, filled


class Read(NamedTuple):
    """A part that was read. error: why it could not be read to the end; what is before counts."""

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


def told_of(read: Read) -> Read:
    """The same without texts."""
    documents: list[Document] = [
        Told(
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


def some_documents(read: Read, places: Sequence[int]) -> list[Document]:
    return [read.documents[place] for place in places]


# This process --------------------------------------------------------------------------------


@dataclass
class FarFiles:
    """Files that the workers of a cluster read, each with an account of its own, joined in theirs.

    piece: bytes of a part of a file that can be cut.
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
        """What `begin_part` gives for each part, in their order: something, and what has become of
        a future of an object with an account and an error, which is raised.

        ahead: parts that are begun before their turn, at most.
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
        """The file in parts, where it can be cut and is large."""
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
        """A part of a file, with an account of its own."""
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
        """Mend what counting lines could not know: that a line holds several records."""
        if account.understood:
            raise SettingsError(
                f"{given.source.path} is an export of a tool, which is not read in parts; compress "
                "it, or leave out --workers"
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
class FarData(FarFiles):
    """Training data that the workers read. `documents` is to be gone through first."""

    _parts: list[Any] = field(default_factory=list)
    _lists: FarLists | None = None

    def documents(self) -> Iterator[Document]:
        """What is told of the documents, in their order; the first error of all is raised."""
        self._parts = []
        for part, read in self.walk(self._begun, 4 * len(self.cluster) + 4):
            self._parts.append(part)
            for place, document in enumerate(read.documents):
                yield replace(document, part=len(self._parts) - 1, place=place)

    def _begun(self, given: Input) -> tuple[Any, Any]:
        part = self.cluster.submit(read_part, given, self.labelled)
        return part, self.cluster.submit(told_of, part)

    def whole(self, documents: Iterable[Document]) -> list[Document]:
        """With their texts, which come from the workers."""
        found: list[Document] = []
        marked = [d for d in documents if isinstance(d, Told)]
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
        """The features of documents that `documents` gave; see features.extract."""
        columns = _Columns()
        chosen: dict[int, list[int]] = {}
        for document in documents:
            assert isinstance(document, Told)
            chosen.setdefault(document.part, []).append(document.place)
            columns.add(document)
        places = [np.array(chosen.get(p, []), np.int64) for p in range(len(self._parts))]
        counting = Counting(self.cluster, self._parts, places)
        made = [counting.field(name, settings.of_field(name)) for name in fields]
        others = columns.conditions(settings, declared or {})
        features = counting.held(made, others, settings)
        far: Any = features.yes
        self._lists = far
        return features

    def release(self) -> None:
        """Let the workers forget the documents."""
        self._parts = []

    def close(self) -> None:
        """Let go of what the workers hold."""
        if self._lists is not None:
            self._lists.close()


class _Columns:
    """The attributes of documents, as `features.extract` gathers them."""

    def __init__(self) -> None:
        self.count = 0
        self._values: dict[str, list[Attribute]] = {}
        self._words: dict[str, WordColumn] = {}

    def add(self, document: Document) -> None:
        for name in document.attributes:
            if name not in self._values:
                self._values[name] = [None] * self.count
        for name, value in document.word_values().items():
            self._words.setdefault(name, WordColumn()).add(self.count, value)
        self.count += 1
        for name, values in self._values.items():
            values.append(document.attributes.get(name))

    def conditions(self, settings: TextSettings, declared: Mapping[str, Sequence[str]]) -> Parts:
        parts = Parts(settings.simplest_name)
        for name, values in self._values.items():
            parts.add_column(name, values, declared.get(name))
        parts.numeric += [
            column.finish(name, self.count)
            for name, column in self._words.items()
            if name not in self._values
        ]
        return parts


class FieldSteps(NamedTuple):
    """What was counted of a field: kept steps, the parts of each, and how many tokens there are."""

    name: str
    settings: TextSettings
    texts: list[Any]
    steps: list[Step]
    known: list[list[Any]]
    tokens: Int64


class Counting:
    """The steps from texts to lists. parts: futures of Read; places: of the documents to use."""

    def __init__(self, cluster: Cluster, parts: Sequence[Any], places: Sequence[Int64]) -> None:
        self._cluster, self._parts, self._places = cluster, parts, places
        self._buckets = len(cluster)
        sizes = [len(chosen) for chosen in places]
        self._before = [0, *np.cumsum(sizes).tolist()]
        self.count = self._before[-1]

    def field(self, name: str, settings: TextSettings) -> FieldSteps:
        """Which terms of a text field are in enough documents, step by step."""
        submit, least = self._cluster.submit, least_documents(settings, self.count)
        texts = [
            submit(tokenized_part, part, chosen, name, settings)
            for part, chosen in zip(self._parts, self._places, strict=True)
        ]
        sizes = self._cluster.results([submit(token_count, text) for text in texts])
        counted = [submit(terms.count_tokens, text, self._buckets) for text in texts]
        known = {ONE: self._known(counted, least)}
        kept = [(terms.TOKENS, known[ONE])] if keeps_tokens(settings) else []
        for level in steps(settings):
            made = {}
            for step in level:
                pairs = zip(known[step.left], known[step.right], strict=True)
                counted = [
                    submit(terms.count_pairs, left, right, step, self._buckets)
                    for left, right in pairs
                ]
                made[step.places] = self._known(counted, least)
                if step.kept:
                    kept.append((step, made[step.places]))
            known = made
        return FieldSteps(
            name,
            settings,
            texts,
            [step for step, _ in kept],
            [parts for _, parts in kept],
            np.array(sizes, np.int64),
        )

    def _known(self, counted: list[Any], least: float) -> list[Any]:
        """The terms of a step that are in so many documents, by part."""
        submit, answers = self._cluster.submit, []
        for bucket in range(self._buckets):
            chunks = [submit(terms.chunk, part, bucket) for part in counted]
            kept = submit(add_up, least, bucket, self._buckets, *chunks)
            answers.append([submit(terms.told, kept, part) for part in range(len(counted))])
        return [
            submit(known_part, part, *(told[number] for told in answers))
            for number, part in enumerate(counted)
        ]

    def held(
        self, fields: Sequence[FieldSteps], others: Parts, settings: TextSettings
    ) -> FeatureMatrix:
        """The lists on the workers that are to hold them, in the order of all conditions."""
        submit, W = self._cluster.submit, self._buckets
        listed, orders, sizes = self._listed(fields)
        last = self._last(fields, sizes, settings)
        shipments: list[list[list[Any]]] = [[] for _ in range(W)]
        numbers: list[int] = []
        for f, given in enumerate(fields):
            most = most_documents(given.settings, self.count)
            for s, step in enumerate(given.steps):
                numbers.append(f)
                own = [submit(terms.owners_of, each, most, last[f], W) for each in sizes[f][s]]
                for worker in range(W):
                    shipments[worker].append(
                        [
                            submit(
                                shipped_part,
                                given.name,
                                worker,
                                step,
                                listed[f][s][p],
                                given.known[s][p],
                                given.texts[p],
                                orders[f][s][p],
                                *own,
                            )
                            for p in range(len(self._parts))
                        ]
                    )
        attributes = _attributes(others, len(fields))
        owners = (mix(terms.hashes_of(attributes.lists)) % np.uint64(W)).astype(np.int64)
        held = [
            submit(
                held_conditions,
                numbers,
                len(self._parts),
                terms.some_of(attributes, np.flatnonzero(owners == worker)),
                settings.simplest_name,
                *(part for step in shipments[worker] for part in step),
                workers=[self._cluster.addresses[worker]],
            )
            for worker in range(W)
        ]
        tokens = sum(int(given.tokens.sum()) for given in fields)
        return far_features(self._cluster, held, others, self.count, tokens)

    def _listed(self, fields: Sequence[FieldSteps]) -> tuple[list[Any], list[Any], list[Any]]:
        """Of each field, step and part lists and orders; of each field, step and bucket sizes."""
        submit, W = self._cluster.submit, self._buckets
        all_lists: list[Any] = []
        all_orders: list[Any] = []
        all_sizes: list[Any] = []
        for given in fields:
            before = [0, *np.cumsum(given.tokens).tolist()]
            counts = given.settings.counts
            lists, orders, sizes = [], [], []
            for step, parts in zip(given.steps, given.known, strict=True):
                lists.append(
                    [
                        submit(terms.listed, part, counts, self._before[p])
                        for p, part in enumerate(parts)
                    ]
                )
                orders.append(
                    [
                        submit(terms.orders_of, part, step, given.settings, before[p])
                        for p, part in enumerate(parts)
                    ]
                )
                pairs = list(zip(lists[-1], orders[-1], strict=True))
                sizes.append(
                    [
                        submit(
                            add_sizes,
                            *(
                                submit(terms.sizes_of, part, order, len(counts), bucket, W)
                                for part, order in pairs
                            ),
                        )
                        for bucket in range(W)
                    ]
                )
            all_lists.append(lists)
            all_orders.append(orders)
            all_sizes.append(sizes)
        return all_lists, all_orders, all_sizes

    def _last(
        self, fields: Sequence[FieldSteps], sizes: Sequence[Any], settings: TextSettings
    ) -> list[tuple[int, int] | None]:
        """Of each field frequency and order of the last term that max_terms lets stay."""
        if not settings.max_terms:
            return [None] * len(fields)
        frequencies, orders, which = [], [], []
        for f, given in enumerate(fields):
            most = most_documents(given.settings, self.count)
            futures = [
                self._cluster.submit(terms.ranking, each, most)
                for step in sizes[f]
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
        # in fields before that of the last term all equally frequent terms stay; behind it none
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
    """The conditions of categories."""
    names = [source.condition(i) for source in parts.sources for i in range(len(source))]
    lists = joined_lists(parts.lists) if parts.lists else Lists.of([])
    places = np.concatenate([np.zeros(0, np.int64), *parts.place]) + fields * terms.FIELD
    unknown = np.concatenate([np.zeros(0, np.int32), *parts.unknown_list])
    return terms.Held(places, lists, unknown, names)


# Tasks with lists of futures as further arguments, which Dask then sees


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
    step: Step,
    lists: terms.Listed,
    known: terms.Known,
    text: terms.Text,
    orders: Int64,
    *owners: terms.Owners,
) -> terms.Shipment:
    return terms.shipped(lists, known, text, step, orders, owners, name, worker)


def held_conditions(
    fields: Sequence[int],
    parts: int,
    others: terms.Held,
    simplest: bool,
    *shipments: terms.Shipment,
) -> terms.Held:
    steps = [shipments[i : i + parts] for i in range(0, len(shipments), parts)]
    return terms.held(steps, fields, others, simplest)


# Features whose lists are elsewhere ----------------------------------------------------------


class Placed(NamedTuple):
    """What this process knows of the conditions of a worker."""

    places: Int64
    sizes: Int64
    unknown_list: Int32


def placed(conditions: terms.Held) -> Placed:
    sizes = np.diff(conditions.lists.starts)
    return Placed(conditions.places, sizes, conditions.unknown_list)


class FarLists:
    """Lists of documents that workers hold; in place of arrays.Lists.

    starts: as there. owners: the worker of each list. held: futures of terms.Held, one a worker.
    ask: how to get the documents of a list, and its condition, once an engine has begun. fetch: all
    that the workers hold. known: conditions that have been spelled.
    """

    def __init__(
        self,
        sizes: Int64,
        owners: Int32,
        held: Sequence[Any],
        fetch: Callable[[], list[terms.Held]],
    ) -> None:
        self._fetch: Callable[[], list[terms.Held]] | None = fetch
        self._items: Int32 | None = None
        self._lock = threading.Lock()
        self.names: list[Condition] | None = None
        self.known: dict[int, Condition] = {}
        self.starts: Int64 = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self.owners, self.held = owners, held
        self.ask: Callable[[int, str, Any], Any] = _gone

    def __len__(self) -> int:
        return len(self.owners)

    def __getitem__(self, j: int) -> Int32:
        documents: Int32 = self.ask(int(self.owners[j]), "documents", j)
        return documents

    @property
    def items(self) -> Int32:
        """All lists, brought into this process: cross-validation cuts them anew."""
        with self._lock:
            if self._items is None:
                self._items = self._fetched()
        return self._items

    def _fetched(self) -> Int32:
        if self._fetch is None:
            raise BoostextError(GONE)
        LOG.info("this process collects the lists of all terms for cross-validation")
        held = self._fetch()
        order = np.argsort(np.argsort(self.owners, kind="stable"), kind="stable")
        names = [name for each in held for name in each.names]
        self.names = [names[int(i)] for i in order]
        return gather(joined_lists([each.lists for each in held]), order).items

    def __reduce__(self) -> tuple[Any, ...]:
        return Lists, (self.starts, self.items)

    def close(self) -> None:
        """The workers are let go."""
        self._fetch, self.ask = None, _gone


GONE = (
    "the documents of all terms were held by workers, which have been let go; train without "
    "workers for reports and audits of labels"
)


def _gone(worker: int, method: str, argument: Any) -> Any:
    raise BoostextError(GONE)


class Spelled(tuple[Condition, ...]):
    """ConditionNames of lists that were collected."""

    __slots__ = ()

    def aliases(self, j: int) -> tuple[Condition, ...]:
        return ()


class FarNames:
    """ConditionNames of FarLists."""

    def __init__(self, lists: FarLists) -> None:
        self._lists = lists

    def __len__(self) -> int:
        return len(self._lists)

    def __getitem__(self, j: int) -> Condition:
        if self._lists.names is not None:
            return self._lists.names[j]
        known = self._lists.known
        if j not in known:
            known[j] = self._lists.ask(int(self._lists.owners[j]), "condition", j)
        return known[j]

    def __reduce__(self) -> tuple[Any, ...]:
        _ = self._lists.items  # collects the names as well
        return Spelled, (self._lists.names,)

    def aliases(self, j: int) -> tuple[Condition, ...]:
        return ()

    def number(self, condition: Condition) -> int | None:
        """The inverse of spelling."""
        for worker in range(len(self._lists.held)):
            found: int | None = self._lists.ask(worker, "number", condition)
            if found is not None:
                return found
        return None


def far_features(
    cluster: Cluster, held: Sequence[Any], others: Parts, count: int, tokens: int
) -> FeatureMatrix:
    """The features, with the order of all conditions."""
    found: list[Placed] = cluster.results([cluster.submit(placed, each) for each in held])
    places = np.concatenate([each.places for each in found])
    if not len(places) and not others.numeric:
        raise SettingsError(
            f"no terms are left of {tokens:,} tokens in {count:,} documents; lower --min-df, raise "
            "--max-df, or name the fields that are read by --text"
        )
    order = np.argsort(places)
    owners = np.repeat(np.arange(len(found), dtype=np.int32), [len(each.places) for each in found])
    sizes = np.concatenate([each.sizes for each in found])[order]
    unknown_list = np.concatenate([each.unknown_list for each in found])[order]

    def fetch() -> list[terms.Held]:
        return list(cluster.results(held))

    lists: Any = FarLists(sizes, owners[order], held, fetch)
    return FeatureMatrix(
        count,
        FarNames(lists),
        lists,
        unknown_list,
        Lists.of(others.unknown),
        tuple(others.numeric),
        tokens,
    )
