"""The findings of `boostext check`: a summary of a corpus and its likely problems."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from boostext.arrays import Int64
from boostext.corpus.column_types import CATEGORY, NUMBER, as_number, column_type
from boostext.corpus.corpus import Corpus, CorpusBuilder
from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.sources import BadRecords

LISTED = 1000
"""Maximum number of groups, and of members of a group, that are listed. Counts include all."""
LONG = 2**20
WORD = re.compile(r"\S+")

ReadText = Callable[[str, str], str]
"""(text field, text) -> a key that is equal for texts that are equal to a learner; "" if it sees
no token in the text"""


def _folded(text: str) -> str:
    """Fold the case of letters, and replace each run of white space by one space."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def as_written(field: str, text: str) -> str:
    """The key of a text for learners that ignore only case and white space."""
    return _folded(text)


@dataclass(frozen=True)
class Spread:
    """A summary of numbers, one for each document."""

    least: float
    median: float
    greatest: float
    total: float


@dataclass(frozen=True)
class Member:
    """One document of a group: its id, its origin and its labels."""

    id: str
    origin: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Documents that have something in common. count: all of them; members: the first ones."""

    count: int
    members: tuple[Member, ...]
    snippet: str


@dataclass(frozen=True)
class Groups:
    """count: number of groups; documents: number of documents in them; listed: the first groups."""

    count: int
    documents: int
    listed: tuple[Group, ...]


@dataclass(frozen=True)
class Column:
    """An attribute, with the number of documents for each type of value.

    values: number of distinct values. kind: the type that training would choose. strays: number of
    strings in a column of numbers, which training treats as unknown; first_stray: the origin and
    the value of the first.
    """

    numbers: int
    categories: int
    missing: int
    values: int
    kind: str = NUMBER
    strays: int = 0
    first_stray: str = ""


@dataclass(frozen=True)
class Comparison:
    """Test data compared with the training data.

    unseen_labels: labels without a training example, with their counts. alike_labels: those of
    them that look like a label of the training data -> that label. untested_labels: labels without
    a test example. same_texts: texts that are in both; `documents` counts those of the test data.
    """

    documents: int
    unseen_labels: dict[str, int]
    alike_labels: dict[str, str]
    untested_labels: tuple[str, ...]
    same_ids: int
    same_texts: Groups


@dataclass(frozen=True)
class Findings:
    """What `check` found; `to_dict` returns it as plain data.

    labels: name -> number of examples, most frequent first. label_set_sizes: number of labels of a
    document -> number of documents. cardinality: mean number of labels per document. words: words
    separated by white space. text_fields: name -> number of documents that have it. scored_texts:
    name -> number of distinct words. tokenless: documents whose text contains no token for rules.
    same_texts: documents with the same tokens; conflicts: those of them whose labels differ.
    rare_labels: labels with one example. alike_labels: groups of labels that look alike, with their
    number of examples. bad_records: the first ones, as (place, message). notes: sentences about
    what was guessed.
    """

    documents: int
    digest: str
    labels: dict[str, int]
    label_set_sizes: dict[str, int]
    cardinality: float
    rare_labels: tuple[str, ...]
    alike_labels: tuple[dict[str, int], ...]
    unlabelled: Group
    characters: Spread
    words: Spread
    weights: Spread
    text_fields: dict[str, int]
    empty_texts: Group
    tokenless: Group
    duplicate_ids: Groups
    same_texts: Groups
    conflicts: Groups
    attributes: dict[str, Column]
    scored_texts: dict[str, int]
    bad_count: int
    bad_records: tuple[tuple[str, str], ...]
    blank_lines: int
    replaced_lines: int
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, object]:
        """Convert to values that JSON can represent."""
        return asdict(self)


def check(
    documents: Iterable[Document],
    bad: BadRecords | None = None,
    test: Iterable[Document] | None = None,
    read: ReadText = as_written,
) -> Findings:
    """Read documents once and summarize them. Only a hash of each text is kept in memory.

    bad: the account of the reading, complete after the last document. test: documents to compare
    with. read: see ReadText.
    """
    tally = _Tally(documents, read)
    corpus, account = tally.corpus, bad or BadRecords()
    counts, sizes = count_labels(corpus), np.diff(corpus.label_sets.starts)
    same = _equal_rows(tally.text_keys(), tally.words > 0)
    conflicting = [group for group in same if len({_labels(corpus, j) for j in group}) > 1]
    return Findings(
        documents=len(corpus),
        digest=corpus.digest,
        labels=counts,
        label_set_sizes={str(n): int(c) for n, c in enumerate(np.bincount(sizes)) if c},
        cardinality=float(sizes.mean()) if len(sizes) else 0.0,
        rare_labels=tuple(name for name, count in counts.items() if count == 1),
        alike_labels=alike_labels(counts),
        unlabelled=_group(corpus, np.flatnonzero(sizes == 0)),
        characters=_spread(tally.characters),
        words=_spread(tally.words),
        weights=_spread(corpus.weights),
        text_fields=dict(tally.fields),
        empty_texts=_group(corpus, np.flatnonzero(tally.words == 0)),
        tokenless=_group(corpus, np.flatnonzero((tally.words > 0) & ~tally.has_tokens)),
        duplicate_ids=_groups(corpus, _equal_rows(_keys(corpus.ids))),
        same_texts=_groups(corpus, same),
        conflicts=_groups(corpus, conflicting),
        attributes=_columns(corpus),
        scored_texts=_scored_texts(corpus),
        bad_count=account.count,
        bad_records=tuple((str(origin), message) for origin, message in account.first),
        blank_lines=account.blank_lines,
        replaced_lines=account.replaced,
        notes=tuple(map(str, account.notes)),
        comparison=None if test is None else _compare(tally, _Tally(test, read)),
    )


class _Tally:
    """One pass over documents: their corpus, and a hash and the size of each text.

    characters, words: (m,), the totals of all text fields. has_tokens: (m,), whether `read` finds a
    token in any text field; texts without tokens are the same only if they are written the same.
    """

    def __init__(self, documents: Iterable[Document], read: ReadText) -> None:
        self.fields: Counter[str] = Counter()
        self._hashes = bytearray()
        builder, characters, words, seen = CorpusBuilder(), array("q"), array("q"), bytearray()
        for document in builder.watch(documents):
            texts = document.texts
            spelled = [read(name, text) for name, text in texts.items()]
            seen.append(any(spelled))
            if not any(spelled):
                spelled = ["", *map(_folded, texts.values())]
            self.fields.update(texts.keys())
            self._hashes += _hash("\0".join(spelled))
            characters.append(sum(map(len, texts.values())))
            words.append(sum(map(_word_count, texts.values())))
        self.corpus = builder.corpus()
        self.characters, self.words = np.array(characters), np.array(words)
        self.has_tokens = np.frombuffer(bytes(seen), np.bool_)

    def text_keys(self) -> Int64:
        """(m, 2): equal for equal texts; different texts collide with negligible probability."""
        return np.frombuffer(bytes(self._hashes), np.int64).reshape(-1, 2)


def _word_count(text: str) -> int:
    """Number of words; those of a long text are not made into a list, which takes more memory."""
    return len(text.split()) if len(text) < LONG else sum(1 for _ in WORD.finditer(text))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _keys(names: Iterable[str]) -> Int64:
    return np.frombuffer(b"".join(map(_hash, names)), np.int64).reshape(-1, 2)


def _equal_rows(keys: Int64, wanted: np.ndarray | None = None) -> list[Int64]:
    """Indices of equal rows, ascending, for each row that occurs more than once; by first index.

    keys: (m, 2). wanted: (m,) bool, the rows that count.
    """
    places = np.arange(len(keys)) if wanted is None else np.flatnonzero(wanted)
    kept = keys[places]
    order = np.lexsort((kept[:, 1], kept[:, 0]))  # stable: indices ascend within equal rows
    changes = np.flatnonzero((np.diff(kept[order], axis=0) != 0).any(axis=1)) + 1
    groups = [group for group in np.split(places[order], changes) if len(group) > 1]
    return sorted(groups, key=lambda group: int(group[0]))


def _labels(corpus: Corpus, j: int) -> frozenset[int]:
    return frozenset(corpus.label_sets[j].tolist())


def _member(corpus: Corpus, j: int) -> Member:
    labels = tuple(corpus.labels[label] for label in corpus.label_sets[j])
    return Member(corpus.ids[j], str(corpus.origins[j]), labels)


def _group(corpus: Corpus, places: Int64) -> Group:
    members = tuple(_member(corpus, int(j)) for j in places[:LISTED])
    return Group(len(places), members, corpus.snippets[int(places[0])] if len(places) else "")


def _groups(corpus: Corpus, groups: Sequence[Int64]) -> Groups:
    listed = tuple(_group(corpus, group) for group in groups[:LISTED])
    return Groups(len(groups), sum(map(len, groups)), listed)


def _spread(values: np.ndarray) -> Spread:
    if not len(values):
        return Spread(0.0, 0.0, 0.0, 0.0)
    least, greatest, total = values.min(), values.max(), values.sum()
    return Spread(float(least), float(np.median(values)), float(greatest), float(total))


def count_labels(corpus: Corpus) -> dict[str, int]:
    """Label -> number of examples, most frequent first."""
    counts = np.bincount(corpus.label_sets.items, minlength=len(corpus.labels))
    pairs = zip(corpus.labels, counts.tolist(), strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def _columns(corpus: Corpus) -> dict[str, Column]:
    return {name: _column(values, corpus.origins) for name, values in corpus.attributes.items()}


def _column(values: Sequence[Attribute], origins: Sequence[Origin]) -> Column:
    found = column_type(values)
    missing = sum(value is None for value in values)
    numbers = sum(isinstance(as_number(value, found.kind), int | float) for value in values)
    if found.kind == CATEGORY:
        numbers = sum(isinstance(value, int | float) for value in values)
    stray = f"{origins[found.first_stray]}: {values[found.first_stray]}" if found.strays else ""
    return Column(
        numbers,
        len(values) - numbers - missing,
        missing,
        len(set(values) - {None}),
        found.kind,
        found.strays,
        stray,
    )


def _scored_texts(corpus: Corpus) -> dict[str, int]:
    """Scored text -> number of distinct words. Colons are more likely in names than in words."""
    return dict(Counter(name.rpartition(":")[0] for name in corpus.scored))


def _compare(train: _Tally, test: _Tally) -> Comparison:
    trained, tested = count_labels(train.corpus), count_labels(test.corpus)
    known = set(train.corpus.ids)
    return Comparison(
        documents=len(test.corpus),
        unseen_labels={name: count for name, count in tested.items() if name not in trained},
        alike_labels=lookalikes(tested, tuple(trained)),
        untested_labels=tuple(name for name in trained if name not in tested),
        same_ids=sum(name in known for name in test.corpus.ids),
        same_texts=_leaks(train, test),
    )


def _leaks(train: _Tally, test: _Tally) -> Groups:
    """Texts that are in both; the members from the training data come first."""
    keys = np.concatenate([train.text_keys(), test.text_keys()])
    filled = np.concatenate([train.words, test.words]) > 0
    m = len(train.corpus)
    both = [group for group in _equal_rows(keys, filled) if group[0] < m <= group[-1]]
    listed = tuple(_joined(train.corpus, test.corpus, group) for group in both[:LISTED])
    return Groups(len(both), sum(int((group >= m).sum()) for group in both), listed)


def _joined(train: Corpus, test: Corpus, places: Int64) -> Group:
    """A group over both corpora; indices from m on belong to the test data."""
    m = len(train)
    sides = ((train, places[places < m]), (test, places[places >= m] - m))
    members = tuple(_member(side, int(j)) for side, js in sides for j in js[: LISTED // 2])
    return Group(len(places), members, train.snippets[int(places[0])])


# Labels that look alike ----------------------------------------------------------------------

LOOSE_END = re.compile(r"""[\s.,;:!?'"]+$""")
MOST_SHOWN = 5
"""Maximum number of pairs in a message."""
_WHOLE_NUMBER = re.compile(r"([+-]?\d+)\.0+")
_HIDDEN = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u3164]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


def likeness(label: str) -> str:
    """A key that is equal for labels that look alike.

    Such labels differ only in case, white space, invisible characters, Unicode composition of the
    same letters, the kind of dash or punctuation at the end, or like `1` and `1.0`.
    """
    plain = unicodedata.normalize("NFKC", label)
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")
        plain = _DASHES.sub("-", _HIDDEN.sub("", plain))
    plain = " ".join(plain.casefold().split())
    plain = LOOSE_END.sub("", plain) or plain
    number = _WHOLE_NUMBER.fullmatch(plain)
    return number[1] if number else plain


def alike_labels(counts: Mapping[str, int]) -> tuple[dict[str, int], ...]:
    """Groups of labels that look alike: label -> number of examples."""
    names: dict[str, list[str]] = {}
    for name in counts:
        names.setdefault(likeness(name), []).append(name)
    return tuple({name: counts[name] for name in group} for group in names.values() if group[1:])


def lookalikes(labels: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """label -> the known label that it looks like, for labels that are not known themselves."""
    strange = set(labels).difference(known)
    if not strange:
        return {}
    wanted = set(map(likeness, strange))
    by_likeness = {like: name for name in reversed(known) if (like := likeness(name)) in wanted}
    alike = sorted(label for label in strange if likeness(label) in by_likeness)
    return {label: by_likeness[likeness(label)] for label in alike}


def alike_words(counts: Mapping[str, int], known: Sequence[str], whose: str) -> str:
    """Such as `'Billing' (2) looks like the model's 'billing'`; MOST_SHOWN at most, "" for none."""
    found = lookalikes(counts, known)
    described = [
        f"{spelled(label)} ({counts[label]:,}) looks like {whose} {spelled(name)}"
        for label, name in list(found.items())[:MOST_SHOWN]
    ]
    more = f" and {len(found) - MOST_SHOWN:,} more" if len(found) > MOST_SHOWN else ""
    return ", ".join(described) + more


def spelled(label: str) -> str:
    r"""A label in quotes, with escapes for invisible and easily confused characters.

    `spelled("x\u200b")` is `'x\u200b'`. Combining marks of a label that is not in Unicode's
    composed form are also escaped, and so are compatibility characters such as ligatures.
    """
    composed = unicodedata.is_normalized("NFC", label)
    return "".join(_described(char, composed) for char in repr(label))


def as_listed(label: str) -> str:
    """A label for a table, as in `spelled` if it is not what it appears to be."""
    described = spelled(label)
    return label if described[1:-1] == label == label.strip() else described


def _described(char: str, composed: bool) -> str:
    if char.isascii():
        return char  # and the escapes that repr makes
    mark = unicodedata.category(char)[0] == "M" and (not composed or _HIDDEN.match(char))
    other = not unicodedata.is_normalized("NFKC", char) or _HIDDEN.match(char)
    return char.encode("unicode_escape").decode("ascii") if mark or other else char
