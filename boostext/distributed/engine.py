"""The engine that keeps conditions on workers: all workers search, and the best condition wins.

A round takes two messages. First every worker searches its conditions and returns the best one.
Then the worker with the winner creates the rule, applies it and returns its documents, which are
sent to the other workers with the next message. All workers have bitwise equal weights, because
all update them with the same steps: sums of different workers are never added, and the number of
workers does not affect the model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists, Scores, Weights
from boostext.boosting.choice import Candidates, Choice, Eligible, first_of_best
from boostext.boosting.engines.choose import Maker, fits, made_here
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.rules import Growth, Place, Placed
from boostext.corpus.sources import BadRecords
from boostext.distributed.cluster import Actors, Cluster
from boostext.distributed.jobs import OnWorkers
from boostext.distributed.lists import RemoteLists
from boostext.distributed.part import AppliedRule, Part, PreferenceChange, without_lists
from boostext.distributed.reading import RemoteData, matched, reason_to_read_here
from boostext.distributed.terms import Held
from boostext.errors import SettingsError, WorkerError
from boostext.features.conditions import Condition
from boostext.features.merge import gather
from boostext.settings import BoostingSettings
from boostext.training.plan import Plan
from boostext.training.run import Prepared
from boostext.training.sizes import MB, Extent, check_beforehand, extent_of, memory_of, what_fits

LOG = logging.getLogger("boostext")
MOST_PENDING = 8
"""Maximum number of rules that a worker may not have applied yet."""


class WorkerPool:
    """The workers used for training. jobs: runs folds and trials on them."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self.jobs = cluster, OnWorkers(cluster)

    @staticmethod
    def check_learner(settings: BoostingSettings) -> None:
        """Raise SettingsError if rules cannot be learned on workers with these settings."""
        if not fits(settings):
            raise SettingsError(
                f"--algorithm {settings.algorithm} with these settings is not learned on workers, "
                "which search for rules of one condition by real or discrete votes; leave out "
                "--workers, or choose mh or logistic with the learner stump"
            )

    def make_for(self, prepared: Prepared, or_here: bool = False) -> Maker:
        """Return a factory of engines on workers. Raises WorkerError if they lack memory.

        or_here: if the rules cannot be learned on workers, learn them in this process, because the
        settings were chosen by trials or from the data, and not by the user.
        """
        if or_here and not fits(prepared.plan.boosting):
            LOG.info("this process learns the rules, which workers cannot with these settings")
            return made_here
        self.check_learner(prepared.plan.boosting)
        self._check_memory(prepared)
        return maker(self._cluster)

    def files(self, paths: Sequence[str]) -> list[str]:
        """Return the files that patterns stand for."""
        return matched(paths)

    def memory(self, extent: Extent) -> int:
        """Return the number of bytes that training takes on each worker."""
        shared, divided = memory_of(extent)
        return shared + divided // len(self._cluster)

    def _check_memory(self, prepared: Prepared) -> None:
        extent, there = extent_of(prepared), min(self._cluster.memory, default=0)
        needed = self.memory(extent)
        if there and needed > there:
            raise WorkerError(
                f"learning takes about {needed // MB:,} MB on each of {self._cluster}, which have "
                f"{there // MB:,} MB each; {what_fits(extent, there, len(self._cluster))}"
            )

    def reading(self, paths: Sequence[str], plan: Plan, account: BadRecords) -> RemoteData | None:
        """Return the data for workers to read, or None, with a message, if they cannot read it."""
        why = reason_to_read_here(paths, plan)
        if why:
            LOG.info(f"this process reads the documents: {why}")
            return None
        paths = matched(paths)
        there = min(self._cluster.memory, default=0)
        check_beforehand(paths, plan, there, len(self._cluster))
        return RemoteData(self._cluster, paths, plan.reading, account)


def maker(cluster: Cluster) -> Maker:
    """Return a factory of engines on the workers of a cluster."""

    def make(name: str, problem: Problem) -> Engine:
        remote: Any = problem.members.features.yes  # lists in this process, or on workers
        kind = DistributedIncrementalEngine if name == "incremental" else DistributedEngine
        if not isinstance(remote, RemoteLists):
            owners = assigned(remote, len(cluster))
            return kind(parts(cluster, name, problem, owners), owners)
        actors = parts_of_remote_lists(cluster, name, problem, remote)
        remote.ask = lambda worker, method, argument: actors.call(method, {worker: (argument,)})[0]
        return kind(actors, remote.owners, remote.known)

    return make


def assigned(lists: Lists, workers: int) -> Int32:
    """Assign each list to a worker, so that all workers have about the same number of documents.

    Lists are sorted by length, longest first, and dealt to the workers in serpentine order.
    """
    order = np.argsort(-np.diff(lists.starts), kind="stable")
    owners = np.empty(len(lists), np.int32)
    turn = np.arange(len(lists)) % (2 * workers)
    owners[order] = np.minimum(turn, 2 * workers - 1 - turn)
    return owners


def parts(cluster: Cluster, name: str, problem: Problem, owners: Int32) -> Actors:
    """Create an actor with its lists on each worker."""
    shared = cluster.spread(replace(problem, members=without_lists(problem.members)))
    own = [np.flatnonzero(owners == worker) for worker in range(len(cluster))]
    held = cluster.placed([(mine, gather(problem.members.features.yes, mine)) for mine in own])
    arguments = zip(held, cluster.threads, strict=True)
    return cluster.actors(part_with_lists, [(name, shared, lists, n) for lists, n in arguments])


def parts_of_remote_lists(
    cluster: Cluster, name: str, problem: Problem, lists: RemoteLists
) -> Actors:
    """Create the actors for lists that workers already have."""
    shared = cluster.spread(replace(problem, members=without_lists(problem.members)))
    own = [np.flatnonzero(lists.owners == worker) for worker in range(len(cluster))]
    each = zip(own, lists.held, cluster.threads, strict=True)
    return cluster.actors(part_with_held_lists, [(name, shared, *arguments) for arguments in each])


def part_with_held_lists(
    name: str, problem: Problem, mine: Int64, held: Held, threads: int
) -> Part:
    return Part(name, problem, mine, held.lists, threads, held.names)


def part_with_lists(name: str, problem: Problem, held: tuple[Int64, Lists], threads: int) -> Part:
    return Part(name, problem, *held, threads)


class DistributedEngine:
    """The engine that uses actors of `Part`.

    owners: the worker of each listed condition. known: a cache of conditions by number, if only
    workers know them.
    """

    def __init__(
        self, actors: Actors, owners: Int32, known: dict[int, Condition] | None = None
    ) -> None:
        self._actors, self._owners = actors, owners
        self._known = {} if known is None else known
        self._pending: list[list[AppliedRule]] = [[] for _ in range(len(actors))]
        self._preference: Float64 | None = None
        self._changed: set[int] = set()

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        condition = self._found(preference, draw)
        if condition is None:
            return None
        return Choice(condition, self.gain(Place((), condition)))

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        change = self._preference_change(preference)
        found = self._all("find", change, draw)
        numbers = np.concatenate([each.numbers for each in found])
        values = np.concatenate([each.values for each in found])
        numbers, places = np.unique(numbers, return_index=True)  # all workers have thresholds
        return Candidates(numbers, values[places])

    def block_weights(self, place: Place) -> Float64:
        W: Float64 = self._ask(self._owner(place.condition), "block_weights", place.condition)[0]
        return W

    def gain(self, place: Place) -> float:
        owner = self._owner(place.condition)
        return float(self._ask(owner, "block_weights", place.condition)[1])

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        (rule,) = rules
        owner = self._owner(rule.place.condition)
        return self._schedule(self._ask(owner, "take", rule, tuple(pulls)), owner)

    def scores(self) -> Scores:
        scores: Scores = self._ask(0, "scores")
        return scores

    def weights(self) -> Weights:
        weights: Weights = self._ask(0, "weights")
        return weights

    # ---------------------------------------------------------------- messages to the workers

    def _found(self, preference: Float64, draw: Eligible) -> int | None:
        """Return the best condition of all, the first at ties, or None if no condition helps."""
        numbers, values = self.candidates(preference, draw)
        if not len(numbers):
            return None
        preferred = preference[numbers]
        best = first_of_best(values, preferred)
        return int(numbers[best]) if preferred[best] > 0 else None

    def _owner(self, condition: int) -> int:
        """Return the worker that has the condition's documents, the first if all have them."""
        return int(self._owners[condition]) if 0 <= condition < len(self._owners) else 0

    def _ask(self, worker: int, method: str, *arguments: Any) -> Any:
        return self._call(method, [worker], arguments)[0]

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        return self._call(method, range(len(self._actors)), arguments)

    def _call(self, method: str, workers: Iterable[int], arguments: tuple[Any, ...]) -> list[Any]:
        """Return the results of some workers, which also get the rules not yet applied there."""
        each = {worker: (self._pending[worker], *arguments) for worker in workers}
        for worker in each:
            self._pending[worker] = []
        return self._actors.call(method, each)

    def _schedule(self, applied: AppliedRule, owner: int) -> float:
        """Schedule a rule that its owner has applied for the other workers, and return Z."""
        self._changed.add(applied.condition)
        for worker, pending in enumerate(self._pending):
            if worker != owner:
                pending.append(applied)
        if any(len(pending) >= MOST_PENDING for pending in self._pending):
            self._all("catch_up")
        return applied.z

    def _preference_change(self, preference: Float64) -> PreferenceChange | None:
        """Return how `preference` changed since it was last sent.

        Only conditions of rules added since are compared, unless it is another array.
        """
        none, changed = np.zeros(0, np.int64), np.array(sorted(self._changed - {-1}), np.int64)
        self._changed.clear()
        if preference is self._preference:
            return PreferenceChange(changed, preference[changed]) if len(changed) else None
        self._preference = preference
        if len(preference) and (preference == preference[0]).all():
            return PreferenceChange(none, np.zeros(0), float(preference[0]))
        return PreferenceChange(none, np.zeros(0), preference)


class DistributedIncrementalEngine(DistributedEngine):
    """The distributed engine over parts that create rules themselves, as incremental engines do."""

    def grow(self, preference: Float64, ahead: Callable[[], Sequence[Eligible]]) -> Growth | None:
        condition = self._found(preference, ahead()[0])
        if condition is None:
            return None
        owner = self._owner(condition)
        new = self._ask(owner, "grow", condition)
        if new is None:
            return None
        applied = new.applied
        if new.condition is not None:
            self._known[condition] = new.condition
        self._schedule(applied, owner)
        rule = Placed(Place((), condition), applied.votes, applied.alpha)
        return Growth((rule,), new.gain, z=applied.z)
