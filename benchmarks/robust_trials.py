"""The trials of robust.py: each takes a source of chance, and gives what failed, or None."""

from __future__ import annotations

import bz2
import contextlib
import dataclasses
import gzip
import io
import json
import lzma
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.cli import main as program
from boostext.cli.talk import LINE
from boostext.corpus.corrections import read_corrections
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.corpus.writers import write_documents
from boostext.errors import BoostextError
from boostext.knowledge.reading import read_knowledge
from boostext.library.config import read_config
from boostext.model.description import with_digest
from boostext.model.file import ARRAYS, WORDS, model_bytes, read_model_from, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import Model
from boostext.model.npy import to_npy
from boostext.model.predict import Predictor
from boostext.model.shyp import read_stem_model, write_stem_model
from boostext.settings import ALL_GROUPS, DataSettings, TextSettings
from boostext.training.plan import Plan
from boostext.training.run import Prepared, learn, prepare
from boostext.training.trial_log import TrialLog


@dataclasses.dataclass
class Place:
    """A folder for one trial at a time; what failed is copied to `kept`."""

    root: Path
    kept: Path | None
    name: str = ""

    def begin(self, name: str) -> None:
        self.name = name
        self.folder.mkdir()

    @property
    def folder(self) -> Path:
        return self.root / "trial"

    def end(self, failure: str | None) -> None:
        if failure and self.kept:
            shutil.copytree(self.folder, self.kept / self.name, dirs_exist_ok=True)
            (self.kept / f"{self.name}.txt").write_text(failure, encoding="utf-8")
        shutil.rmtree(self.folder)


@dataclasses.dataclass(frozen=True)
class Trial:
    """share: of the time. slow: it may take long, as it starts programs. least: so many trials an
    hour are made on a slow machine, too.
    """

    trial: Callable[[random.Random, Place], str | None]
    share: float = 1.0
    slow: bool = False
    least: int = 0


STUCK = 60
"""Seconds of processor time after which a trial, or a program that it starts, is ended."""
STOPPING = (signal.SIGINT, signal.SIGTERM)


# What is mutated -------------------------------------------------------------------------------

WORDS_PUT_IN = rb"""" "" ' , ; | { } [ ] [[[[[[[[ {} null NaN 1e999 -1 0 true "text": "label":
"labels":["a","b"] \ \ud800 \u0000 : - &a *a !!python/object % # __label__ __label__a =1 <> <b>
(1,2) 1.0 . .. ../x 999999999999999999999 inf PAR1"""
PIECES = (
    *WORDS_PUT_IN.split(),
    *(
        b"",
        b"\0",
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b"  ",
        b": ",
    ),
    *(b"9" * 400, b"a" * 5000, b"\xe2\x80\xae", b"\x1b[2J", b"\xf0\x9f\x98\x80", b"PK\x03\x04"),
)
"""What is put in somewhere: what readers look for, and what they should not meet."""


def mutated(content: bytes, rng: random.Random) -> bytes:
    """With some bytes changed, taken out, put in, doubled or moved."""
    parts = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start = rng.randrange(len(parts) + 1)
        stop = min(len(parts), start + rng.choice((0, 1, 1, 2, 4, 16, 200)))
        match rng.randrange(6):
            case 0:
                parts[start:stop] = rng.choice(PIECES)
            case 1:
                parts[start:start] = rng.choice(PIECES)
            case 2:
                parts[start:stop] = bytes(rng.randrange(256) for _ in range(stop - start))
            case 3 if start < len(parts):
                parts[start] ^= 1 << rng.randrange(8)
            case 4:
                parts[start:start] = parts[start:stop] * rng.choice((1, 2, 50))
            case _:
                del parts[start : rng.choice((stop, stop, len(parts)))]
    return bytes(parts)


def documents(count: int = 24) -> list[Document]:
    """Three labels, a word for each, a number and a category."""
    return [
        Document(
            f"d{n}",
            {"text": f"own{n % 3} common{n % 5} w{n % 7} é{n % 2}"},
            (f"l{n % 3}",),
            attributes={"age": float(n % 4), "color": "red" if n % 2 else "blue"},
            origin=Origin("drawn", n + 1),
        )
        for n in range(count)
    ]


def _written(ending: str) -> bytes:
    """The documents in a format that boostext writes."""
    import tempfile

    plain = [dataclasses.replace(d, attributes={}) for d in documents()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"d{ending}"
        given = documents() if ending in (".jsonl", ".json", ".csv", ".tsv") else plain
        write_documents(given, str(path), DataSettings(), lossy=True)
        return path.read_bytes()


def _arrow(ending: str) -> bytes:
    import pyarrow
    from pyarrow import feather, parquet

    label = [list(d.labels) for d in documents()]
    table = pyarrow.table({"text": [d.texts["text"] for d in documents()], "label": label})
    sink = io.BytesIO()
    if ending == ".parquet":
        parquet.write_table(table, sink)
    else:
        feather.write_feather(table, sink, compression="uncompressed")
    return sink.getvalue()


RASA = b"""version: "3.1"
nlu:
- intent: greet
  examples: |
    - hello [Berlin](city)
    - good morning
- intent: bye
  examples: |
    - see you
- synonym: hi
  examples: |
    - hey
"""
CHOICES = [{"type": "choices", "from_name": "l", "value": {"choices": ["l0"]}}]
TASK = {"id": 1, "data": {"text": "a text"}, "annotations": [{"result": CHOICES}]}
STUDIO = json.dumps([TASK, {**TASK, "id": 2}]).encode()
NAMES = b"l0, l1, l2.\ntext: text.\nage: continuous.\ncolor: red, blue.\n"
STEM = b"".join(b"own%d word, %d, red, l%d.\n" % (n % 3, n, n % 3) for n in range(12))


@cache
def seeds() -> dict[str, bytes]:
    """Ending of a file -> a sound one."""
    found = {ending: _written(ending) for ending in (".jsonl", ".json", ".csv", ".tsv", ".ft")}
    found |= {
        ".txt": b"__label__a one two\n__label__b three\n",
        ".yml": RASA,
        ".studio.json": STUDIO,
        ".vw": b"1 1.0 tag|text own word\n2 |text other |n age:3\n",
        ".libsvm": b"1 1:0.5 3:2\n-1 2:1\n",
        ".data": STEM,
        ".jsonl.gz": gzip.compress(found[".jsonl"], mtime=0),
        ".csv.bz2": bz2.compress(found[".csv"]),
        ".tsv.xz": lzma.compress(found[".tsv"]),
    }
    with contextlib.suppress(ImportError):
        found |= {ending: _arrow(ending) for ending in (".parquet", ".arrow")}
    return found


# Inputs ----------------------------------------------------------------------------------------


def inputs(rng: random.Random, place: Place) -> str | None:
    """A mutated file of any format is read, or refused; and now and then learned from."""
    ending = rng.choice(list(seeds()))
    content = mutated(seeds()[ending], rng)
    path = place.folder / f"d{ending}"
    path.write_bytes(content)
    if ending == ".data":
        names = NAMES if rng.random() < 0.5 else mutated(NAMES, rng)
        (place.folder / "d.names").write_bytes(names)
    skip, replace = rng.random() < 0.5, rng.random() < 0.3
    with contextlib.suppress(BoostextError):
        settings = DataSettings(skip_bad=skip, encoding_errors="replace" if replace else "strict")
        read = read_documents([str(path)], settings, BadRecords(), labelled=rng.random() < 0.7)
        found = list(read)
        if rng.random() < 0.1:
            learn(prepare(found, Plan.of(rounds=2, threads=1, engine="plain")))
        if rng.random() < 0.1:
            target = rng.choice((".jsonl", ".csv", ".ft", ".data"))
            write_documents(found, str(place.folder / f"o{target}"), settings, lossy=True)
    return None


def texts(rng: random.Random, place: Place) -> str | None:
    """Configurations, knowledge, corrections and trial files are read, or refused."""
    read, content = rng.choice(list(texts_and_readers().values()))
    path = place.folder / "t.yaml"
    path.write_bytes(mutated(content, rng))
    with contextlib.suppress(BoostextError):
        read(path)
    return None


@cache
def texts_and_readers() -> dict[str, tuple[Callable[[Path], object], bytes]]:
    config = b"rounds: 50\nngrams: 1-3\ncounts: [1, 2]\nstop-words: [the, a]\nsparse: true\n"
    knowledge = (
        b"labels: {l0: 0.5, l1: 0.25}\nrules:\n- if: own0\n  then: {l0: 0.9}\n"
        b"- if: {any: [a, b], none: [c]}\n  then: {l1: 0.8}\nforbid: [w1]\n"
    )
    corrections = b"id,label\nd1,l2\nd2,l0\n"
    trial = {"settings": "--x", "last": 3, "seconds": 1.0, "whole": True, "folds": 1}
    trial |= {"marks": [[1, 1, 0.5, 0.0]], "losses": "eJxjsGBgYLABAAFaAHU="}
    log = json.dumps({"format": "boostext trials", "a": 1}) + f"\n{json.dumps(trial)}\n"
    return {
        "config": (lambda path: read_config(path, list(ALL_GROUPS)), config),
        "knowledge": (lambda path: read_knowledge(str(path)), knowledge),
        "corrections": (lambda path: read_corrections(str(path)), corrections),
        "trials": (lambda path: TrialLog.open(path, {"a": 1}), log.encode()),
    }


# Models and checkpoints ------------------------------------------------------------------------


@cache
def trained(algorithm: str) -> tuple[Prepared, Model, bytes]:
    """What six rounds prepare, the model of four, and the bytes of six without a break."""
    shared = {"algorithm": algorithm, "threads": 1, "engine": "plain", "smoothing": 0.05}
    prepared = prepare(documents(), Plan.of(rounds=6, **shared))
    first = learn(prepare(documents(), Plan.of(rounds=4, **shared))).model
    return prepared, first, model_bytes(learn(prepared).model)


def models(rng: random.Random, place: Place) -> str | None:
    """A mutated model is the same model, or refused, in both forms; one of .shyp may be another."""
    _, model, _ = trained(rng.choice(list(ALGORITHMS)))
    form = rng.choice(("boostext", "members", "json", "shyp"))
    if form == "shyp":
        return _shyp(model, rng, place)
    content = model_to_json(model) if form == "json" else model_bytes(model)
    content = _with_member(content, rng) if form == "members" else mutated(content, rng)
    path = place.folder / f"m.{form}"
    path.write_bytes(content)
    try:
        found = model_from_json(content) if form == "json" else read_model_from(io.BytesIO(content))
    except BoostextError:
        return None
    return None if model_bytes(found) == model_bytes(model) else "taken for another model"


def _with_member(content: bytes, rng: random.Random) -> bytes:
    """The file with one member mutated, and all checksums of the zip made right."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    parts[name] = mutated(parts[name], rng)
    return _zipped(parts)


def _zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


def _shyp(model: Model, rng: random.Random, place: Place) -> str | None:
    path = place.folder / "m.shyp"
    with contextlib.suppress(BoostextError):
        write_stem_model(model, str(path), False, None)
        which = rng.choice((path, path.with_suffix(".names")))
        which.write_bytes(mutated(which.read_bytes(), rng))
        found = read_stem_model(str(path), DataSettings(), TextSettings(), False)
        Predictor(found).batch_scores(documents(3))
    return None


def forged(rng: random.Random, place: Place) -> str | None:
    """A model whose numbers or words were altered and whose digest was made right does no harm:
    it is refused, or it can be used, and to go on from it is refused or changes nothing.
    """
    prepared, model, whole = trained(rng.choice(list(ALGORITHMS)))
    content = forged_bytes(model_bytes(model), rng)
    (place.folder / "m.boostext").write_bytes(content)
    with np.errstate(all="ignore"):
        try:
            found = read_model_from(io.BytesIO(content))
            used = Predictor(found)
            used.batch_scores(documents(3))
            used.contributions(documents(1)[0])
            model_to_json(found)
        except BoostextError:
            return None
        try:
            again = learn(prepared, old=found).model
        except BoostextError:
            return None
    if [r.condition for r in again.rules] == [r.condition for r in _model(whole).rules]:
        return None
    return "training went on to other rules"


def _model(content: bytes) -> Model:
    return read_model_from(io.BytesIO(content))


def forged_bytes(content: bytes, rng: random.Random) -> bytes:
    """The file with a number or a value of its description altered, and a right digest."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    words = json.loads(parts[WORDS])
    if rng.random() < 0.5:
        name = rng.choice(ARRAYS)
        kind = np.int32 if name == "conditions.npy" else np.float64
        array = np.load(io.BytesIO(parts[name]), allow_pickle=False).astype(kind)
        if array.size:
            odd = (
                rng.choice((0, 1, -1, 2, 3)) if kind is np.int32 else rng.choice((0, 1, -1, 1e300))
            )
            array.flat[rng.randrange(array.size)] += odd
            array = array[:-1] if rng.random() < 0.1 else array
        parts[name] = to_npy(array)
    else:
        alter(words, rng)
    arrays = [parts[name] for name in ARRAYS]
    parts[WORDS] = json.dumps(with_digest(words, *arrays)).encode()
    return _zipped(parts)


VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2,
    10**6,
    0.5,
    -2.5,
    "",
    "x",
    "l1",
    "\ud800",
    [],
    ["x"],
    {},
    [[0, "yes"]],
)


def alter(words: object, rng: random.Random) -> None:
    """Take out, double or replace a value at a random place of nested lists and objects."""
    while isinstance(words, list | dict) and words:
        key = rng.choice(list(words)) if isinstance(words, dict) else rng.randrange(len(words))
        inner = words[key]  # type: ignore[index]
        if not isinstance(inner, list | dict) or not inner or rng.random() < 0.2:
            match rng.randrange(8):
                case 0:
                    del words[key]  # type: ignore[arg-type]
                case 1 if isinstance(words, list):
                    words.append(inner)
                case _:
                    words[key] = rng.choice(VALUES)  # type: ignore[index]
            return
        words = inner


def same_bytes(rng: random.Random, place: Place) -> str | None:
    """Threads, engines, and a break after any round give the same model."""
    algorithm = rng.choice(list(ALGORITHMS))
    rounds, seed = rng.randrange(2, 12), rng.randrange(100)
    shared = {"algorithm": algorithm, "rounds": rounds, "seed": seed, "smoothing": 0.05}
    plan = Plan.of(**shared, threads=1, engine="plain", ngrams=rng.choice(("1-1", "1-2")))
    prepared = prepare(documents(), plan)
    whole = model_bytes(learn(prepared).model)
    half = dataclasses.replace(
        prepared,
        plan=dataclasses.replace(
            plan, boosting=dataclasses.replace(plan.boosting, rounds=rng.randrange(1, rounds))
        ),
    )
    old = learn(half).model
    if (
        old.provenance.stopped == "all rounds"
        and model_bytes(learn(prepared, old=old).model) != whole
    ):
        return f"{algorithm}: going on gives another model"
    other = dataclasses.replace(plan, run=dataclasses.replace(plan.run, threads=2, engine="auto"))
    with contextlib.suppress(BoostextError):
        if model_bytes(learn(prepare(documents(), other)).model) != whole:
            return f"{algorithm}: another engine or number of threads gives another model"
    return None


# Processes -------------------------------------------------------------------------------------

DATA, MODEL = "d.jsonl", "m.boostext"
ROUNDS = ("--rounds", "25", "--threads", "1", "--smoothing", "0.05")
TRAIN = ("train", DATA, "-o", MODEL, *ROUNDS, "--checkpoint-every", "0.001", "-q")
ANY = (*TRAIN, "--algorithm", "any")
"""Any algorithm, which is drawn for each trial."""
COMMANDS: tuple[tuple[str, ...], ...] = (
    TRAIN,
    ANY,
    ANY,
    (*TRAIN, "--report", "out"),
    ("convert", DATA, "c.csv", "--force"),
    ("convert", DATA, "c.data", "--force", "--lossy"),
    ("convert", DATA, "folders/", "--force", "--lossy"),
    ("convert", "old.boostext", "c.json", "--force"),
    ("prune", "old.boostext", DATA, "-o", "p.boostext", "--terms", "2"),
    ("inspect", "old.boostext", DATA, "-o", "page"),
    ("crossval", DATA, *ROUNDS, "--folds", "2", "--report", "cv"),
    ("tune", DATA, "-o", "t.yaml", "--rounds", "4", "--threads", "1"),
    ("predict", "old.boostext", DATA, "--output", "csv"),
    ("suggest", "old.boostext", DATA, "-o", "s.csv", "--force"),
)
"""What is killed, and what meets a full disk."""


def _drawn(rng: random.Random) -> tuple[str, ...]:
    """A command to run."""
    command = rng.choice(COMMANDS)
    return (*ANY[:-1], rng.choice(list(ALGORITHMS))) if command is ANY else command


@cache
def _whole(command: Sequence[str] = TRAIN) -> tuple[bytes, bytes]:
    """The data as JSONL, and the model that a command learns from it."""
    import tempfile

    data = seeds()[".jsonl"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / DATA).write_bytes(data)
        code, _ = _ended(_start(command, Path(folder)))
        assert code == 0, command
        return data, (Path(folder) / MODEL).read_bytes()


def _learns(command: Sequence[str]) -> bool:
    """Whether a command learns one model, without a report."""
    return command[: len(TRAIN)] == TRAIN and "--report" not in command


def _start(command: Sequence[str], folder: Path, limit: Callable[[], None] = lambda: None) -> int:
    """Run a command in a child of this process, which has everything loaded; its number."""
    sys.stdout.flush()
    (folder / "stderr").touch()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        return child
    code = 99
    try:  # nothing of the parent may go on here
        for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        _bounded()
        os.chdir(folder)
        for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
            file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
            os.dup2(file, number)
            os.close(file)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        limit()
        code = program(list(command), standalone_mode=False)
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os._exit(code)


def _bounded() -> None:
    """Let a signal end this process after STUCK seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (STUCK, STUCK + 5))


def _ended(child: int) -> tuple[int, float]:
    """Its exit code, negative where a signal ended it; seconds of processor time."""
    try:
        _, status, used = os.wait4(child, 0)
    except BaseException:  # the trial is stopped, and so is what it started
        os.kill(child, signal.SIGKILL)
        raise
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _prepared(place: Place) -> Path:
    data, model = _whole()
    (place.folder / DATA).write_bytes(data)
    (place.folder / "old.boostext").write_bytes(model)
    return place.folder


def _harm(folder: Path) -> str | None:
    """What a run must never leave: a model that cannot be read, or an error that nobody wrote."""
    for path in (*folder.glob("*.boostext"), *folder.glob("*.checkpoint")):
        with path.open("rb") as file:
            try:
                read_model_from(file)
            except BoostextError as error:
                return f"{path.name}: {error}"
    said = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
    return f"traceback: {said.splitlines()[-1]}" if "Traceback" in said else _wordy(said)


def kills(rng: random.Random, place: Place) -> str | None:
    """A command that is killed leaves whole files or none; training goes on to the same bytes."""
    folder, command = _prepared(place), _drawn(rng)
    child = _start(command, folder)
    time.sleep(rng.random() ** 2 * 0.6)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))
    _ended(child)
    if failure := _harm(folder):
        return f"{command[0]}: {failure}"
    again = (*command, "--resume") if command[0] == "train" else command
    code, _ = _ended(_start(again, folder))
    if failure := _harm(folder):
        return f"{command[0]} after a kill: {failure}"
    if code:
        said = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
        return f"{command[0]} after a kill exits with {code}: {said[-200:]}"
    whole = _whole(command if _learns(command) else TRAIN)[1]
    if command[0] == "train" and (folder / MODEL).read_bytes() != whole:
        return "the model that training went on to has other bytes"
    left = [path.name for path in folder.rglob(".boostext-*")]
    return f"{command[0]} after a kill leaves {left}" if left else None


def disks(rng: random.Random, place: Place) -> str | None:
    """Where files cannot grow, or no more can be opened, there is an error of one line."""
    folder, command = _prepared(place), _drawn(rng)
    what = rng.choice((resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE))
    most = rng.randrange(5000) if what == resource.RLIMIT_FSIZE else rng.randrange(3, 24)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(what, (most, most))

    code, _ = _ended(_start(command, folder, limit))
    if failure := _harm(folder):
        return f"{command[0]}: {failure}"
    if code not in (0, 1, 2):
        return f"{command[0]} exits with {code}"
    return None


def writers(rng: random.Random, place: Place) -> str | None:
    """Two programs that write the same files at the same time leave whole files."""
    folder, command = _prepared(place), _drawn(rng)
    first = _start(command, folder)
    time.sleep(rng.random() * 0.1)
    second = _start(rng.choice((command, TRAIN)), folder)
    codes = [_ended(child)[0] for child in (first, second)]
    if failure := _harm(folder):
        return f"{command[0]} twice: {failure}"
    if not set(codes) <= {0, 1}:
        return f"{command[0]} twice: exit codes {codes}"
    if command == TRAIN and codes == [0, 0] and (folder / MODEL).read_bytes() != _whole()[1]:
        return "a model that two wrote at once has other bytes"
    return None


def changes(rng: random.Random, place: Place) -> str | None:
    """Data that change while they are read give an error or a result, and never a traceback."""
    folder, command = _prepared(place), _drawn(rng)
    data = folder / DATA
    content = data.read_bytes() * rng.choice((1, 50))
    data.write_bytes(content)
    child = _start(command, folder)
    for _ in range(rng.randrange(1, 6)):
        time.sleep(rng.random() ** 2 * 0.2)
        match rng.randrange(5):
            case 0:
                os.truncate(data, rng.randrange(len(content)))
            case 1:
                data.write_bytes(mutated(content, rng))
            case 2:
                with data.open("ab") as file:
                    file.write(content[: rng.randrange(len(content))])
            case 3:
                data.unlink(missing_ok=True)
                data.write_bytes(content)
            case _:
                (folder / "old.boostext").write_bytes(mutated(_whole()[1], rng))
    code, _ = _ended(child)
    (folder / "old.boostext").unlink()
    if failure := _harm(folder):
        return f"{command[0]}: {failure}"
    return None if code in (0, 1, 2) else f"{command[0]} exits with {code}"


# Bombs -----------------------------------------------------------------------------------------


def _bombs() -> dict[str, tuple[str, Callable[[], bytes]]]:
    """Name -> ending of the file, and what makes its content."""
    many = 60 << 20
    return {
        "bz2 of one line": (".jsonl.bz2", lambda: bz2.compress(b'{"text":"' + b"a" * many)),
        "gz of one line": (".jsonl.gz", lambda: gzip.compress(b'{"text":"' + b"a" * many)),
        "xz of one cell": (
            ".csv.xz",
            lambda: lzma.compress(b'text,label\n"' + b"a\n" * (many >> 1)),
        ),
        "a long line": (".jsonl", lambda: b'{"text":"' + b"ab " * (many // 3) + b'"}'),
        "a record of 15 MB": (
            ".jsonl",
            lambda: b'{"text":"' + b"ab " * (5 << 20) + b'","label":"a"}',
        ),
        "deep JSON": (".json", lambda: b"[" * 10**6),
        "deep objects": (".jsonl", lambda: b'{"text":' * 10**5 + b"1" + b"}" * 10**5),
        "many small values": (".jsonl", lambda: b'{"text":"a","x":[' + b"{}," * (5 << 20) + b"1]}"),
        "deep YAML": (".yml", lambda: b"nlu: " + b"[" * 10**5),
        "wide YAML": (".yml", lambda: b"nlu:\n" + b"- intent: a\n  examples: |\n    - b\n" * 10**4),
        "an open quote": (".csv", lambda: b'text,label\n"' + b"c,d\n" * (many >> 2)),
        "many columns": (".csv", lambda: b"text,label," + b"a," * 10**6 + b"b\n"),
        "a long label list": (".ft", lambda: b"__label__a " * 10**6 + b"text\n"),
        "zeros": (".jsonl", lambda: b"\0" * many),
        "short lines in a quote": (".csv", lambda: b'text,label\n"' + b"\n" * many),
        "different words": (
            ".jsonl",
            lambda: _record(" ".join(f"x{n:x}" for n in range(1_900_000))),
        ),
        "short words": (".jsonl", lambda: _record("a " * (7 << 20))),
        "emoji": (".jsonl", lambda: _record("\U0001f600" * (3 << 20))),
        "ideographs": (".jsonl", lambda: _record("\u65e5" * (5 << 20))),
        "one word": (".jsonl", lambda: _record("a" * (15 << 20))),
        "Parquet of one text": (".parquet", lambda: _packed_table(".parquet", ["ab " * many])),
        "Arrow of one text": (".arrow", lambda: _packed_table(".arrow", ["ab " * many])),
        "Parquet of nothing": (".parquet", lambda: _packed_table(".parquet", _nothing(many))),
        "Arrow of nothing": (".arrow", lambda: _packed_table(".arrow", _nothing(4 * many))),
    }


def _packed_table(ending: str, column: Any) -> bytes:
    """A table of one record that takes hardly any room in a file."""
    import pyarrow
    from pyarrow import feather, parquet

    out, table = io.BytesIO(), pyarrow.table({"text": ["a"], "label": ["b"], "more": column})
    write = parquet.write_table if ending == ".parquet" else feather.write_feather
    write(table, out, compression="zstd")
    return out.getvalue()


def _nothing(count: int) -> Any:
    """A list of nulls."""
    import pyarrow

    ends = pyarrow.array([0, count], pyarrow.int32())
    return pyarrow.ListArray.from_arrays(ends, pyarrow.nulls(count, pyarrow.int8()))


def _record(text: str) -> bytes:
    return json.dumps({"text": text, "label": "l1"}, ensure_ascii=False).encode() + b"\n"


MANY_LABELS = "a model of many labels"


def _bomb(name: str, rng: random.Random, place: Place) -> tuple[tuple[str, ...], int]:
    """A command, and how much it reads at a time."""
    ending, content = _bombs()[name]
    path = _prepared(place) / f"bomb{ending}"
    path.write_bytes(content())
    model = str(place.folder / "old.boostext")
    learned = (str(path), str(place.folder / DATA), "-o", str(place.folder / MODEL))
    command = rng.choice(
        (
            *((("train", *learned, "--rounds", "5"),) * 5 if name == "different words" else ()),
            ("check", str(path)),
            ("predict", model, str(path)),
            ("predict", model, str(path), "--explain", "3"),
            ("convert", str(path), str(place.folder / "o.csv"), "--force"),
            ("evaluate", model, str(path)),
        )
    )
    # of tables some records are unpacked at a time, whatever the size of the file
    size = 16 << 20 if ending in (".parquet", ".arrow") else path.stat().st_size
    return command, min(size, 16 << 20)


def _of_many_labels(rng: random.Random, place: Place) -> tuple[tuple[str, ...], int]:
    """A command on models of very many labels and 24 documents; the size of all models."""
    folder = _prepared(place)
    data = str(folder / DATA)
    paths = [folder / f"{letter}.boostext" for letter in "lm"]
    for path in paths:
        write_model(Model(tuple(f"{path.stem}{n}" for n in range(800_000)), False, ()), path)
    size, model, other = paths[0].stat().st_size, *map(str, paths)
    return rng.choice(
        (
            (("predict", model, data), size),
            (("evaluate", model, data), size),
            (("compare", model, model, data), 2 * size),
            (("compare", model, other, data), 2 * size),
            (("convert", model, str(folder / "o.json"), "--force"), size),
            (("inspect", model), size),
            (("inspect", model, data), size),
            (("suggest", model, data, "--include-labelled"), size),
            (("suggest", model, data, "--include-labelled", "-o", str(folder / "s.html")), size),
        )
    )


def bombs(rng: random.Random, place: Place) -> str | None:
    """Commands end within their memory: four times the input, and 200 MB."""
    name = rng.choice((MANY_LABELS, *_bombs()))
    make = _of_many_labels if name == MANY_LABELS else partial(_bomb, name)
    command, size = make(rng, place)
    code, peak, silent, said = _measured(command)
    if code not in (0, 1) or "Traceback" in said:
        return f"{command[0]} {name}: exit {code}: {said[-200:]}"
    most = 4 * size / 2**20 + 200
    if peak > most:
        return f"{command[0]} {name}: {peak:.0f} MB, where {most:.0f} are allowed"
    if silent > 10:
        return f"{command[0]} {name}: silent for {silent:.0f} s"
    return _wordy(said)


MEASURED = """
import sys
from boostext.cli import main
try:
    sys.exit(main(sys.argv[1:], standalone_mode=False))
finally:
    status = open("/proc/self/status", encoding="ascii").read()
    print("PEAK", status.split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


def _measured(command: Sequence[str]) -> tuple[int, float, float, str]:
    """Exit code, peak memory in MB, the longest silence in seconds and the messages of a program.

    A silence is long in seconds and in processor time; the lesser one counts, as a program that
    waits for its turn on a busy machine cannot speak.
    """
    with subprocess.Popen(
        [sys.executable, "-c", MEASURED, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        preexec_fn=_bounded,  # no thread of this process holds a lock
    ) as running:
        assert running.stderr is not None
        try:
            said, silent, last = [], 0.0, (time.monotonic(), 0.0)
            for line in running.stderr:
                said.append(line)
                now = (time.monotonic(), _spent(running.pid))
                silent = max(silent, min(now[0] - last[0], now[1] - last[1]))
                last = now
        except BaseException:  # the trial is stopped, and so is what it started
            running.kill()
            raise
    peak = said.pop().removeprefix("PEAK ") if said and said[-1].startswith("PEAK ") else "0"
    return running.returncode, float(peak) / 1024, silent, "".join(said)


def _spent(number: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wordy(said: str) -> str | None:
    """The first message of a program that is longer than messages may be."""
    long = next((line for line in said.splitlines() if len(line) > LINE), None)
    return long and f"a message of {len(long)} characters: {long[:80]}"


KINDS = {
    "inputs": Trial(inputs, 2.0),
    "texts": Trial(texts, 0.5),
    "models": Trial(models, 2.0),
    "forged models": Trial(forged, 2.0),
    "same bytes": Trial(same_bytes),
    "kills": Trial(kills, 4.0, slow=True, least=1100),
    "disks": Trial(disks, 1.0, slow=True),
    "writers": Trial(writers, 0.5, slow=True),
    "changes": Trial(changes, 0.5, slow=True),
    "bombs": Trial(bombs, 1.0, slow=True, least=30),
}
"""name -> trial"""
