"""Folds and trials on workers give what they give in threads, in the same order."""

import pickle
import threading
import time

import numpy as np
import pytest

import boostext
from boostext.distributed.cluster import checked, connected
from boostext.distributed.jobs import REPORT_INTERVAL, JobActor, OnWorkers
from boostext.errors import SettingsError, WorkerError
from boostext.evaluation.folds import make_folds
from boostext.model.file import model_bytes
from boostext.training.courses import Trials, trial
from boostext.training.jobs import InThreads
from boostext.training.plan import Plan
from boostext.training.run import prepare

from .test_reading import files
from .test_training import corpus


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return files(tmp_path_factory.mktemp("data"), 3)


@pytest.mark.parametrize("algorithm", [{"preset": "paper"}, {"algorithm": "mp", "rounds": 20}])
def test_cross_validation_is_that_of_one_process(client, paths, algorithm):
    given = {"folds": 3, "splits": 2, "rounds": 12, "attribute": ["color", "size"], **algorithm}
    here, there = (boostext.crossval(paths, **given, **at) for at in ({}, {"client": client}))
    assert there.to_dict() == here.to_dict()
    assert np.array_equal(there.found.scores(7), here.found.scores(7), equal_nan=True)


def test_tuning_is_that_of_one_process(client):
    texts, labels = zip(*((d.texts["text"], d.labels[0]) for d in corpus(1)), strict=True)
    given = {"preset": "readable", "rounds": 20}
    here, there = (boostext.tune(texts, labels, **given, **at) for at in ({}, {"client": client}))
    assert there.to_dict() == here.to_dict()
    assert there.to_yaml() == here.to_yaml()


def test_reports_are_those_of_one_process(client, paths, tmp_path):
    result = boostext.train(paths, rounds=8)
    for name, at in (("here", {}), ("there", {"client": client})):
        boostext.report(result, tmp_path / name, source="cv", **at)
    files = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert "outliers.tsv" in files
    for name in files:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_what_training_chooses_is_chosen_on_workers_that_read(client, paths):
    given = {"rounds": 20, "calibrate": "sigmoid", "folds": 3, "preset": "paper"}
    here, there = (boostext.train(paths, **given, **at) for at in ({}, {"client": client}))
    assert model_bytes(there.trained.model) == model_bytes(here.trained.model)
    remote, near = there.trained.prepared.features, here.trained.prepared.features
    copy = pickle.loads(pickle.dumps(remote))  # noqa: S301  # as it is sent to other processes
    assert copy.yes.items.tolist() == near.yes.items.tolist()
    assert list(copy.names) == [near.names[j] for j in range(len(near.yes))]
    assert copy.names.aliases(0) == ()


def test_another_process_repeats_the_trials_of_the_one_that_began(first):
    prepared = prepare(corpus(2), Plan.of())
    folds = make_folds(prepared.corpus.label_sets, 3, 0)
    here, boosting = Trials(prepared, folds), prepared.plan.boosting
    run = InThreads(1).run

    def to(trials, *lasts):
        (found,) = run(trial, trials, [("a", 1, boosting, lasts, 1e9)], lambda *told: False)
        return found

    to(here, 21)
    copy = pickle.loads(pickle.dumps(here))  # noqa: S301
    first, second = to(here, 21, 45), to(copy, 21, 45)
    assert first[:4] == second[:4]
    assert first.losses.tolist() == second.losses.tolist()
    assert 21 in [mark.round for mark in to(here, 45).marks]


def counting(shared, count, threads):
    """A job that ends by itself after `count` steps, or where it is told to."""
    for number in range(1, count + 1):
        if (yield number):
            return number, "stopped"
    return count, "done"


def failing(shared, count, threads):
    yield 1
    raise SettingsError(f"job {count} fails")


class Shared:
    """What jobs share; it must be hashable by identity."""


@pytest.mark.parametrize("place", ["threads", "workers"])
def test_results_come_in_the_order_of_the_jobs(first, place):
    jobs = InThreads(2) if place == "threads" else OnWorkers(first(2))
    shared, told = Shared(), []

    def tell(number, progress):
        told.append((number, progress))
        return False

    counts = [(3,), (0,), (5,), (1,)]
    found = jobs.run(counting, shared, counts, tell)
    assert found == [(3, "done"), (0, "done"), (5, "done"), (1, "done")]
    assert {(0, 3), (2, 5), (3, 1)} <= set(told)
    endless = [(10**9,), (10**9,), (10**9,)]
    stopped = jobs.run(counting, shared, endless, lambda number, progress: True)
    assert all(why == "stopped" for _, why in stopped)
    with pytest.raises(SettingsError, match="job 1 fails"):
        jobs.run(failing, shared, [(1,)], lambda number, progress: False)
    if place == "threads":
        return
    jobs._cluster.addresses = ("inproc://nowhere/1/1", *jobs._cluster.addresses[1:])
    with pytest.raises(WorkerError, match="the worker inproc://nowhere/1/1 was lost"):
        jobs.run(counting, shared, counts, lambda number, progress: False)


def test_a_worker_reports_in_between_and_stops_where_told():
    actor, began = JobActor(None, 1), time.monotonic()
    said = actor.advance(counting, (10**9,), stop=False)
    assert not said.ended
    assert said.progress > 1
    assert time.monotonic() - began < 10 * REPORT_INTERVAL
    assert actor.advance(counting, None, stop=True) == (None, True, (said.progress, "stopped"))


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        BlockingIOError(11, "Resource temporarily unavailable"),
    ],
)
def test_where_no_process_may_start_it_is_said_what_to_do(monkeypatch, error):
    def refused(**options):
        raise error

    monkeypatch.setattr("distributed.LocalCluster", refused)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    with (
        pytest.raises(WorkerError, match=r"(new thread|unavailable); ask for fewer with --workers"),
        connected(2),
    ):
        pass


@pytest.mark.parametrize("asked", ["0", "1025", "9" * 5000, "nan", "two", ""])
def test_a_number_of_workers_that_cannot_be_is_refused(asked):
    with pytest.raises(SettingsError, match="expected a number of processes from 1 to 1024"):
        checked(asked)


def test_too_few_threads_are_noticed_before_dask_starts(monkeypatch):
    start, left = threading.Thread.start, iter(range(12))

    def limited(thread):
        if next(left, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    before = threading.active_count()
    said = r"2 workers could not be started: can't start new"
    with pytest.raises(WorkerError, match=said), connected(2, threads=1):
        pass
    assert threading.active_count() == before
