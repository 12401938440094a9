"""Threads are this process's share of the machine."""

import os

import pytest

from boostext import threads


@pytest.fixture
def cgroups(tmp_path, monkeypatch):
    """Writes files below a root of cgroups, and the line that says which one is ours."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "CGROUP", tmp_path / "fs")
    monkeypatch.setattr(threads, "OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(threads, "_affinity", lambda: 16)

    def write(own, files):
        (tmp_path / "own").write_text(own, encoding="ascii")
        for name, content in files.items():
            path = tmp_path / "fs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="ascii")

    return write


@pytest.mark.parametrize(
    ("own", "files", "count"),
    [
        ("", {}, 16),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 16),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "max 100000"}, 3),
        (
            "4:cpu,cpuacct:/docker/x\n1:memory:/y\n",
            {
                "cpu,cpuacct/docker/x/cpu.cfs_quota_us": "400000",
                "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000",
            },
            4,
        ),
        ("", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 16),
        ("0::/\n", {"cpu.max": "rubbish"}, 16),
        ("0::/\n", {"cpu.max": "5 0"}, 16),
    ],
)
def test_the_quota_of_every_group_above_counts(cgroups, own, files, count):
    cgroups(own, files)
    assert threads.usable_threads() == count


@pytest.mark.parametrize(
    ("value", "count"), [("3", 3), ("64", 64), ("4,2", 4), ("0", 16), ("many", 16), ("", 16)]
)
def test_the_environment_goes_before(cgroups, monkeypatch, value, count):
    cgroups("", {})
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert threads.usable_threads() == count


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinities")
def test_affinity_counts():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert threads._affinity() == 1
    finally:
        os.sched_setaffinity(0, before)
