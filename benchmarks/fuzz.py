"""Search the readers by coverage for input that anything but an error of boostext comes out of.

    python benchmarks/fuzz.py .jsonl --seconds 120       a format, by its ending
    python benchmarks/fuzz.py model                      .boostext; also json, shyp, config,
                                                         knowledge, corrections, trials

Needs atheris (pip install atheris). Begins with the sound files of robust.py, keeps what covers
more in --corpus, and stops at the first input that fails, which it writes there; a line tells what
it was. No thread is started.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["boostext"], enable_loader_override=False):
    import robust_trials

    from boostext.corpus.readers import read_documents
    from boostext.corpus.sources import BadRecords
    from boostext.errors import BoostextError
    from boostext.model.file import model_bytes, read_model_from
    from boostext.model.json_form import model_from_json, model_to_json
    from boostext.model.shyp import read_stem_model, write_stem_model
    from boostext.settings import DataSettings, TextSettings

Target = tuple[Callable[[bytes, Path], object], bytes]
"""What reads the content, given a folder of its own, and a sound content."""


def targets(folder: Path) -> dict[str, Target]:
    """All that can be searched."""
    _, model, _ = robust_trials.trained("mh")
    write_stem_model(model, str(folder / "m.shyp"), False, None)
    found: dict[str, Target] = {
        "model": (lambda content, _: read_model_from(io.BytesIO(content)), model_bytes(model)),
        "json": (lambda content, _: model_from_json(content, True), model_to_json(model)),
        "shyp": (_shyp, (folder / "m.shyp").read_bytes()),
    }
    for name, (read, content) in robust_trials.texts_and_readers().items():
        found[name] = _by_path(read), content
    for ending, content in robust_trials.seeds().items():
        found[ending] = _by_path(_reading, f"d{ending}"), content
    return found


def _by_path(
    read: Callable[[Path], object], name: str = "t.yaml"
) -> Callable[[bytes, Path], object]:
    def reading(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return reading


def _reading(path: Path) -> object:
    if path.suffix == ".data":
        path.with_suffix(".names").write_bytes(robust_trials.NAMES)
    settings = DataSettings(skip_bad=True, max_record=1)
    return list(read_documents([str(path)], settings, BadRecords()))


def _shyp(content: bytes, folder: Path) -> object:
    path = folder / "m.shyp"
    path.write_bytes(content)
    return read_stem_model(str(path), DataSettings(), TextSettings(), False)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--corpus", default="fuzz-corpus")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = targets(folder)
        if options.target not in known:
            parser.error(f"{options.target} is none of {', '.join(known)}")
        read, sound = known[options.target]
        corpus = Path(options.corpus) / options.target.strip(".")
        corpus.mkdir(parents=True, exist_ok=True)
        (corpus / "sound").write_bytes(sound)

        def one(content: bytes) -> None:
            with contextlib.suppress(BoostextError):
                read(content, folder)

        words = [f"-max_total_time={options.seconds}", "-timeout=10", "-rss_limit_mb=2000"]
        atheris.Setup([sys.argv[0], *words, f"-artifact_prefix={corpus}/failed-", str(corpus)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
