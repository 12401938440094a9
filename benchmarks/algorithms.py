"""Every algorithm on some corpora: error on the test part, and CPU seconds of learning.

    python benchmarks/algorithms.py                      sample calls; two of BOOSTEXT_DATA if there
    python benchmarks/algorithms.py --rounds 50 DIR ...  folders with train.jsonl and test.jsonl
    python benchmarks/algorithms.py --only oc --only mh-real DIR
    python benchmarks/algorithms.py --smoke              few sample calls: does it run?

A row for each file of configs/, whose boosting settings are taken; terms are single words for all,
and the number of rounds is the same for all but those that stop before. The error is the share of
documents whose label of greatest score is wrong; - where an algorithm needs exactly one label for
each document. Reading and measuring cost no seconds. One thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from papers.common import DATA, PROJECT, SMOKE, Corpus, Experiment, documents, percent, table

from boostext.errors import SettingsError
from boostext.library.config import read_config
from boostext.settings import ALL_GROUPS, BoostingSettings

CALLS = PROJECT / "sample_data"
OTHERS = ("reuters-r8", "trec6")
LEFT_OUT = ("icsiboost",)
"""Settings of another program, mh by its algorithm."""
SAME = ("rounds", "smoothing", "seed")
"""Settings that are the same for all."""


def main() -> None:
    given = _options()
    configs = {path.stem: path for path in sorted((PROJECT / "configs").glob("*.yaml"))}
    names = given.only or [name for name in configs if name not in LEFT_OUT]
    experiments = [
        Experiment(one, measure="one-error")
        for one in corpora(given.folders, SMOKE if given.smoke else None)
    ]
    heads = ["algorithm", *(f"{one.name} {what}" for one in experiments for what in COLUMNS)]
    rows = []
    for name in names:
        settings = boosting(configs[name])
        cells = [cell for one in experiments for cell in measured(one, settings, given.rounds)]
        rows.append([name, *cells])
    print(table(heads, rows))


COLUMNS = ("error %", "rounds", "CPU s")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--only", action="append", default=[], help="a file of configs/; repeat")
    parser.add_argument("--smoke", action="store_true")
    given = parser.parse_args()
    if given.smoke:
        given.rounds = min(given.rounds, 5)
    elif not given.folders:
        given.folders = [DATA / name for name in OTHERS if (DATA / name).is_dir()]
    return given


def corpora(folders: Sequence[Path], most: int | None) -> list[Corpus]:
    """The sample calls, and the folders."""
    calls = (documents(CALLS / f"calls.{part}.jsonl", most) for part in ("train", "test"))
    return [Corpus("calls", *calls), *(read(folder, most) for folder in folders)]


def read(folder: Path, most: int | None) -> Corpus:
    parts = (documents(next(folder.glob(f"{part}.jsonl*")), most) for part in ("train", "test"))
    return Corpus(folder.name, *parts)


def boosting(path: Path) -> dict[str, Any]:
    """What the file says of boosting, but for what is the same for all."""
    names = {field.name for field in BoostingSettings.fields()} - set(SAME)
    return {name: v for name, v in read_config(path, ALL_GROUPS).items() if name in names}


def measured(experiment: Experiment, settings: dict[str, Any], rounds: int) -> list[str]:
    """A cell for each of COLUMNS."""
    try:
        point = experiment.curve([rounds], **settings)[-1]
    except SettingsError:
        return ["-"] * len(COLUMNS)
    return [percent(point.test), str(point.round), f"{point.seconds:.1f}"]


if __name__ == "__main__":
    main()
