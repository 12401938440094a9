"""Training on workers gives the bytes of one process, whatever is learned and on how many."""

import asyncio
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import boostext
from boostext.corpus.documents import Document, Origin
from boostext.distributed.cluster import checked, connected
from boostext.distributed.engine import WorkerPool, assigned, maker
from boostext.distributed.part import packed, unpacked
from boostext.errors import SettingsError, WorkerError
from boostext.model.file import model_bytes
from boostext.training.plan import Plan
from boostext.training.run import Hooks, learn, prepare


def corpus(seed, count=40, several=False):
    """Texts, a category and a number, some of which are missing."""
    draws = random.Random(seed)
    for number in range(count):
        label = draws.randrange(3)
        words = [f"l{label}w{draws.randrange(3)}", *(f"c{draws.randrange(6)}" for _ in range(4))]
        labels = {f"l{label}", f"l{draws.randrange(3)}"} if several else {f"l{label}"}
        size = draws.choice([1.0, 2.5, 7.0, None])
        attributes = {"color": draws.choice(["red", "blue", None]), "size": size}
        text = " ".join(draws.sample(words, draws.randrange(len(words) + 1)))
        yield Document(
            str(number),
            {"text": text},
            tuple(sorted(labels)),
            draws.choice([1.0, 2.0]),
            attributes,
            Origin("drawn", number + 1),
        )


def trained(prepared, make=None, old=None, hooks=None):
    return learn(prepared, hooks, old, **({"make": make} if make else {})).model


KINDS = (
    {},
    {"votes": "discrete"},
    {"abstain": True},
    {"algorithm": "logistic", "abstain": True},
    {"term_fraction": 0.5, "seed": 3},
    {"reuse": 0.5},
    {"terms": 4},
    {"rarity": 1.0},
    {"counts": "1,2", "ngrams": "1-2"},
    {"prior_rule": True, "shrinkage": 0.5},
    {"unknown_categories": False},
    {"max_terms": 1},
    {"class_weight": ["balanced"]},
)


@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.booleans(), st.integers(1, 3))
@example(488318, {"terms": 4}, True, 3)
@settings(max_examples=20)
def test_models_are_those_of_one_process(first, seed, kind, several, workers):
    for engine in ("incremental", "plain"):
        plan = Plan.of(rounds=8, engine=engine, **kind)
        prepared = prepare(corpus(seed, several=several), plan)
        here = trained(prepared)
        there = trained(prepared, maker(first(workers)))
        assert model_bytes(there) == model_bytes(here)


def test_training_goes_on_on_other_workers(first):
    short, whole = Plan.of(rounds=6, engine="incremental"), Plan.of(rounds=20, engine="incremental")
    old = trained(prepare(corpus(1), short), maker(first(2)))
    here = model_bytes(trained(prepare(corpus(1), whole)))
    assert model_bytes(trained(prepare(corpus(1), whole), maker(first(3)), old)) == here
    assert model_bytes(trained(prepare(corpus(1), whole), None, old)) == here


def test_early_stopping_is_that_of_one_process(first):
    plan = Plan.of(rounds=40, valid_fraction=0.3, patience=3, engine="incremental")
    one, many = prepare(corpus(2), plan), prepare(corpus(2), plan)
    assert model_bytes(trained(one)) == model_bytes(trained(many, maker(first(3))))


def test_the_api_takes_a_client_and_leaves_it_open(client):
    texts, labels = ["my bill is wrong", "the bill", "we move", "I move"], ["b", "b", "m", "m"]
    here = boostext.train(texts, labels, rounds=5)
    there = boostext.train(texts, labels, rounds=5, client=client)
    assert there.model.predict(["a bill"]) == ["b"]
    assert model_bytes(there.trained.model) == model_bytes(here.trained.model)
    assert client.status == "running"


def test_a_lost_worker_ends_training_with_a_whole_checkpoint(first):
    """As if the first worker were gone after round 3."""
    plan, saved, cluster = Plan.of(rounds=20, engine="incremental"), [], first(2)

    def after(moment):
        if moment.round.number == 3:
            cluster.addresses = ("inproc://nowhere/1/1", *cluster.addresses[1:])

    prepared = prepare(corpus(4), plan)
    with pytest.raises(WorkerError, match="the worker inproc://nowhere/1/1 was lost"):
        trained(prepared, maker(cluster), hooks=Hooks(after, checkpoint=saved.append))
    assert len(saved[-1].rules) >= 3
    resumed = trained(prepare(corpus(4), plan), None, saved[-1])
    assert model_bytes(resumed) == model_bytes(trained(prepare(corpus(4), plan)))


@pytest.mark.parametrize("kind", [{"learner": "tree"}, {"algorithm": "mp"}, {"index": "gini"}])
def test_what_is_not_learned_on_workers_is_refused(kind):
    with pytest.raises(SettingsError, match="is not learned on workers"):
        WorkerPool.check_learner(Plan.of(**kind).boosting)


@pytest.mark.parametrize("asked", ["0", "-2", "host:8786", "two", "2000"])
def test_what_no_workers_are_is_refused(asked):
    with pytest.raises(SettingsError, match="expected a number of processes"):
        checked(asked)


def test_auto_needs_the_address_of_a_scheduler():
    import dask

    unset = dask.config.set({"scheduler-address": None})
    with unset, pytest.raises(SettingsError, match="which is not set"), connected("auto"):
        pass


def test_without_dask_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(SettingsError, match=r"pip install 'boostext\[dask\]'"), connected("2"):
        pass


@given(st.sets(st.integers(0, 99)))
def test_documents_are_packed_and_unpacked(documents):
    ascending = np.array(sorted(documents), np.int32)
    sent = packed(ascending, 100)
    # as Dask hands over what it received: read-only, and at any address
    received = np.frombuffer(b"x" + sent.tobytes(), sent.dtype, offset=1)
    assert unpacked(received, 100).tolist() == sorted(documents)
    assert unpacked(received, 100).flags.carray
    assert packed(ascending, 100).nbytes <= min(4 * len(documents), 13)


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 7))
def test_every_worker_gets_about_as_many_documents(sizes, workers):
    lists = boostext.arrays.Lists.of([range(size) for size in sizes])
    owners = assigned(lists, workers)
    sums = np.bincount(owners, sizes, workers) if sizes else np.zeros(1)
    assert sums.max() - sums.min() <= max(sizes, default=0)


def test_a_result_that_takes_long_is_asked_for_once(first, monkeypatch):
    """A worker would prepare it anew each time, and never be done with one that is large."""
    asked, cluster = [], first(1)

    class Slow:
        def __await__(self):
            asked.append(self)
            yield from asyncio.sleep(0.1).__await__()
            return 5

    monkeypatch.setattr("boostext.distributed.cluster.CHECK_INTERVAL", 0.01)
    assert cluster.results([Slow(), cluster.submit(abs, -2)]) == [5, 2]
    assert len(asked) == 1
