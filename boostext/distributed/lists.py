"""Lists of documents that workers hold, in place of those of a feature matrix in this process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.distributed import terms
from boostext.distributed.cluster import Cluster
from boostext.errors import BoostextError, SettingsError
from boostext.features.conditions import Condition
from boostext.features.extract import Parts
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather, joined_lists

LOG = logging.getLogger("boostext")


class RemotePlaces(NamedTuple):
    """What this process knows about the conditions of a worker; see terms.Held."""

    places: Int64
    sizes: Int64
    unknown_list: Int32


def remote_places(conditions: terms.Held) -> RemotePlaces:
    sizes = np.diff(conditions.lists.starts)
    return RemotePlaces(conditions.places, sizes, conditions.unknown_list)


class RemoteLists:
    """Lists of documents that workers hold, with the interface of arrays.Lists.

    starts: as in Lists. owners: the worker of each list. held: a future of terms.Held for each
    worker. ask: calls a method of the engine's part on a worker, once there is an engine. known:
    a cache of the conditions by number. names: all conditions, once they were collected.
    """

    def __init__(
        self,
        sizes: Int64,
        owners: Int32,
        held: Sequence[Any],
        fetch: Callable[[], list[terms.Held]],
    ) -> None:
        """sizes: those of the lists. fetch: returns everything that the workers hold."""
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
        if self._items is not None:
            return self._items[self.starts[j] : self.starts[j + 1]]
        documents: Int32 = self.ask(int(self.owners[j]), "documents", j)
        return documents

    @property
    def items(self) -> Int32:
        """Return all lists, which are collected in this process when this is first called."""
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
        """Release the lists on the workers, which cannot be used afterwards."""
        self._fetch, self.ask = None, _gone


GONE = (
    "the documents of all terms were on workers, which were released; train without workers for "
    "reports and audits of labels"
)


def _gone(worker: int, method: str, argument: Any) -> Any:
    raise BoostextError(GONE)


class CollectedNames(tuple[Condition, ...]):
    """The ConditionNames of lists that were collected."""

    __slots__ = ()

    def aliases(self, j: int) -> tuple[Condition, ...]:
        return ()


class RemoteNames:
    """The ConditionNames of FarLists."""

    def __init__(self, lists: RemoteLists) -> None:
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
        return CollectedNames, (self._lists.names,)

    def aliases(self, j: int) -> tuple[Condition, ...]:
        return ()

    def number(self, condition: Condition) -> int | None:
        """Return the number of a condition, or None if no worker has it."""
        for worker in range(len(self._lists.held)):
            found: int | None = self._lists.ask(worker, "number", condition)
            if found is not None:
                return found
        return None


def remote_features(
    cluster: Cluster, held: Sequence[Any], others: Parts, count: int, tokens: int
) -> FeatureMatrix:
    """Return the features, whose lists stay on the workers.

    held: a future of terms.Held for each worker. others: numeric columns and the documents for
    which a category is not known. count, tokens: the numbers of documents and of tokens.
    """
    found: list[RemotePlaces] = cluster.results(
        [cluster.submit(remote_places, each) for each in held]
    )
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

    lists: Any = RemoteLists(sizes, owners[order], held, fetch)
    return FeatureMatrix(
        count,
        RemoteNames(lists),
        lists,
        unknown_list,
        Lists.of(others.unknown),
        tuple(others.numeric),
        tokens,
    )
