"""How many threads this process may use: its share of the machine, not the machine."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def usable_threads() -> int:
    """The CPUs of this process by affinity and cgroup quota; OMP_NUM_THREADS goes before both."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isascii() and wanted.isdigit() and int(wanted) > 0:
        return min(int(wanted), 1024)
    return max(1, min([_affinity(), *_quotas()]))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas() -> list[int]:
    """Whole CPUs that each cgroup around this process allows, rounded up; v2, then v1."""
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
    """The folders of this process's cgroups and of all above them, down from the mount."""
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
    """Quota over period, from one file with both or two with one each; 0 where there is none."""
    words = [word for file in files for line in _lines(file) for word in line.split()]
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) == 0:
        return 0
    return -(-int(words[0]) // int(words[1]))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
