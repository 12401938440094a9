"""Workers in the process of the tests."""

import pytest

from boostext.distributed.cluster import Cluster

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    """Three workers."""
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(3)
        yield client


@pytest.fixture(scope="session")
def first(client):
    """The cluster as if it had so many workers."""

    def of(number):
        cluster = Cluster(client, 3)
        for name in ("addresses", "threads", "memory"):
            setattr(cluster, name, getattr(cluster, name)[:number])
        return cluster

    return of
