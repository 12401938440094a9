"""Determine how many threads this process may use, which can be fewer than the machine has."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def usable_threads() -> int:
    """Return the number of CPUs by affinity and cgroup quota; OMP_NUM_THREADS overrides both."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isascii() and wanted.isdigit() and int(wanted) > 0:
        return min(int(wanted), 1024)
    return max(1, min([_affinity(), *_quotas()]))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas() -> list[int]:
    """Return the CPUs that each cgroup of this process allows, rounded up; v2, then v1."""
    return [
        quota
        for folder in _cgroup_folders()
        for quota in (
            _quota(folder / "cpu.max"),
            _quota(folder / "cpu.cfs_quota_us", folder / "cpu.cfs_period_us"),
        )
        if quota
    ]


def _cgroup_folders() -> list[Path]:
    """Return the folders of the cgroups of this process and their parents, from the mount down."""
    folders = {CGROUP, CGROUP / "cpu", CGROUP / "cpu,cpuacct"}
    for line in _lines(OWN_CGROUP):
        _, controllers, name = [*line.split(":", 2), "", ""][:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        for root in [CGROUP / controllers, CGROUP / "cpu"] if controllers else [CGROUP]:
            place = root / name.lstrip("/")
            folders |= {place, *(p for p in place.parents if p.is_relative_to(root))}
    return sorted(folders)


def _quota(*files: Path) -> int:
    """Return quota over period, read from one file or from two files; 0 if there is no quota."""
    words = [word for file in files for line in _lines(file) for word in line.split()]
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) == 0:
        return 0
    return -(-int(words[0]) // int(words[1]))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
