"""Search the readers by coverage for input that anything but an error of boostext comes out of.

    python benchmarks/fuzz.py .jsonl --seconds 120       a format, by its ending
    python benchmarks/fuzz.py model                      .boostext; also json, shyp, config,
                                                         knowledge, corrections, trials

Needs atheris (pip install atheris). Begins with the sound files of robust.py, keeps what covers
more in --corpus, and stops at the first input that fails, which it writes there; a line tells what
it was. No thread is started.

Bytes changed at random end at the digest of a model and at the footer of a Parquet file. Most
changes are therefore made to what such a file holds, which is then packed again: values of the
JSON and numbers of the arrays of a model, with a right digest, and columns of a table. A model that
is accepted is also used.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris
import numpy as np

with atheris.instrument_imports(include=["boostext"], enable_loader_override=False):
    import robust_trials

    from boostext.algorithms import ALGORITHMS
    from boostext.corpus.readers import read_documents
    from boostext.corpus.sources import BadRecords
    from boostext.errors import BoostextError
    from boostext.model.calibration import Isotonic, Sigmoid
    from boostext.model.description import with_digest
    from boostext.model.file import model_bytes, read_model_from
    from boostext.model.json_form import model_from_json, model_to_json
    from boostext.model.model import Model
    from boostext.model.predict import Predictor
    from boostext.model.prior import Prior
    from boostext.model.shyp import read_stem_model
    from boostext.settings import DataSettings, TextSettings

Change = Callable[[bytes, random.Random], bytes]
"""What changes the content of a sound file, so that it can still be read."""
PLAIN = 0.2
"""Share of the changes that are made to the bytes where there is a Change."""


@dataclasses.dataclass(frozen=True)
class Target:
    """read: takes the content and a folder of its own. sound: contents to begin with."""

    read: Callable[[bytes, Path], object]
    sound: tuple[bytes, ...]
    change: Change | None = None


def targets() -> dict[str, Target]:
    """All that can be searched."""
    models = tuple(sound_models())
    as_json = tuple(map(model_to_json, models))
    found = {
        "model": Target(_model, tuple(map(model_bytes, models)), robust_trials.forged_bytes),
        "json": Target(lambda content, _: _used(model_from_json(content)), as_json, _forged_json),
        "shyp": Target(_shyp, (NAMES + SHYP,)),
    }
    for name, (read, content) in robust_trials.texts_and_readers().items():
        found[name] = Target(_by_path(read), (content,))
    for ending, content in robust_trials.seeds().items():
        change = _changed_table(ending) if ending in (".parquet", ".arrow") else None
        found[ending] = Target(_by_path(_reading, f"d{ending}"), (content,), change)
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


# Models --------------------------------------------------------------------------------------

NAMES = b"l0, l1, l2.\ntext: text: expert_type=ngram.\nage: continuous.\ncolor: red, blue.\n"
SHYP = b"""3

   1.0 Text:SGRAM:text:own0

0.1 -0.2 -0.3
-0.5 1.5 0.25

   1.0 Text:SGRAM:color:1

0.1 -0.2 -0.3
-0.5 1.5 0.25

   0.5 Text:THRESHOLD:age:

0.1 -0.2 -0.3
-0.5 1.5 0.25
0.0 0.0 1e-3

2.5

"""


def sound_models() -> list[Model]:
    """One of each algorithm, and one with thresholds, calibration and knowledge."""
    models = [robust_trials.trained(algorithm)[1] for algorithm in ALGORITHMS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "known.yaml"
        read, content = robust_trials.texts_and_readers()["knowledge"]
        path.write_bytes(content)
        knowledge: Any = read(path)
    curves = (Sigmoid(1.5, -0.5), Isotonic((-1.0, 0.0, 2.0), (0.1, 0.5, 0.9)), Sigmoid(2.0, 0.0))
    rich = {"calibration": curves, "thresholds": (0.5, 0.0, -0.5), "multilabel": True}
    logistic = robust_trials.trained("logistic")[1]
    return [*models, dataclasses.replace(logistic, prior=Prior(knowledge, 2.0, logistic), **rich)]


def _model(content: bytes, folder: Path) -> None:
    _used(read_model_from(io.BytesIO(content)))


def _used(model: Model) -> None:
    """Predict and explain with a model, and write it in both forms."""
    with np.errstate(all="ignore"):
        predictor = Predictor(model)
        predictor.batch_scores(robust_trials.documents(3))
        predictor.contributions(robust_trials.documents(1)[0])
        model_to_json(model)
        assert model_bytes(read_model_from(io.BytesIO(model_bytes(model)))) == model_bytes(model)


def _shyp(content: bytes, folder: Path) -> None:
    """The .names is what comes before the number of rules, the first line without a letter."""
    lines = content.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if line.strip().isdigit()), len(lines))
    (folder / "m.names").write_bytes(b"".join(lines[:start]))
    (folder / "m.shyp").write_bytes(b"".join(lines[start:]))
    _used(read_stem_model(str(folder / "m.shyp"), DataSettings(), TextSettings(), False))


def _forged_json(content: bytes, rng: random.Random) -> bytes:
    words = json.loads(content)
    robust_trials.alter(words, rng)
    return json.dumps(with_digest(words)).encode()


# Tables --------------------------------------------------------------------------------------

HEADS = ("text", "label", "labels", "id", "weight", "age", "split", "\ufeffText", "")
CELLS: tuple[Any, ...] = (
    *("", "l0", "own1 word", "a\0b\n", '["a", "b"]', "nan", "0", "\U0001f600" * 9, b"\xff", b"x"),
    *(0, 1, -1, 2**62, 0.5, float("nan"), float("inf"), True, [], ["l0", None], [["l1"]], [1, 2]),
    *({}, {"a": 1}, {"text": "x"}),
)
FEATURES = (
    {"label": {"names": ["a", "b"], "_type": "ClassLabel"}},
    {"label": [{"names": ["a"], "_type": "ClassLabel"}], "text": None},
    {"labels": {"feature": {"names": [1, None], "_type": "ClassLabel"}, "_type": "Sequence"}},
    {"label": {"names": {}, "_type": "ClassLabel"}},
    [],
)
"""What Hugging Face says of the columns, right and wrong."""


def _changed_table(ending: str) -> Change:
    """Change a column, the rows or the metadata of a table, and write it in another way."""
    import pyarrow
    from pyarrow import feather, parquet

    def change(content: bytes, rng: random.Random) -> bytes:
        source, out = io.BytesIO(content), io.BytesIO()
        read = parquet.read_table if ending == ".parquet" else feather.read_table
        table = read(source)
        table.validate(full=True)
        match rng.randrange(6):
            case 0 if table.num_columns:
                table = table.remove_column(rng.randrange(table.num_columns))
            case 1:
                table = pyarrow.concat_tables([table, table])[: rng.choice((0, 1, 300))]
            case 2:
                info = json.dumps({"info": {"features": rng.choice(FEATURES)}})
                table = table.replace_schema_metadata({"huggingface": info})
            case 3 if table.num_columns:
                heads = [rng.choice((name, *HEADS)) for name in table.column_names]
                table = table.rename_columns(heads)
            case _:
                column = _column(table.num_rows, rng)
                table = table.append_column(rng.choice(HEADS), column)
        if ending == ".parquet":
            way = {"compression": rng.choice(("none", "snappy", "gzip", "zstd"))}
            way |= {"use_dictionary": rng.random() < 0.5, "row_group_size": rng.choice((1, 5, 99))}
            parquet.write_table(table, out, **way)
        else:
            feather.write_feather(table, out, compression=rng.choice(("uncompressed", "lz4")))
        return out.getvalue()

    def _column(rows: int, rng: random.Random) -> Any:
        like = rng.choice(CELLS)
        cells = [c for c in CELLS if type(c) is type(like)] + [None]
        column = pyarrow.array([rng.choice(cells) for _ in range(rows)])
        if rng.random() < 0.3:
            return column.dictionary_encode()
        kinds = ("string", "large_string", "binary", "date32", "timestamp[ms]", "float16", "int8")
        return column.cast(rng.choice(kinds)) if rng.random() < 0.3 else column

    return change


# The search ----------------------------------------------------------------------------------


def mutator(change: Change) -> Callable[[bytes, int, int], bytes]:
    """What libFuzzer calls with a content, its greatest length and a seed."""

    def mutate(content: bytes, longest: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() >= PLAIN:
            with contextlib.suppress(Exception):  # not every content can be unpacked and changed
                changed = content
                for _ in range(rng.choice((1, 1, 2, 4))):
                    changed = change(changed, rng)
                if len(changed) <= longest:
                    return changed
        return bytes(atheris.Mutate(content, len(content)))

    return mutate


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--corpus", default="fuzz-corpus")
    options = parser.parse_args()
    known = targets()
    if options.target not in known:
        parser.error(f"{options.target} is none of {', '.join(known)}")
    target = known[options.target]
    corpus = Path(options.corpus) / options.target.strip(".")
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(target.sound):
        (corpus / f"sound{number}").write_bytes(content)
    words = [f"-max_total_time={options.seconds}", "-timeout=10", "-rss_limit_mb=2000"]
    words += ["-max_len=65536", f"-artifact_prefix={corpus}/failed-", str(corpus)]
    own = {"custom_mutator": mutator(target.change)} if target.change else {}
    with tempfile.TemporaryDirectory() as place:

        def one(content: bytes) -> None:
            with contextlib.suppress(BoostextError):
                target.read(content, Path(place))

        atheris.Setup([sys.argv[0], *words], one, **own)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
