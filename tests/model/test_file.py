"""The model file: what is written comes back, and nothing else is ever taken for a model."""

import contextlib
import dataclasses
import io
import json
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boostext
from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.errors import ModelError
from boostext.features.conditions import Occurs
from boostext.model import description, prior_form
from boostext.model.file import ARRAYS, WORDS, read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import Provenance
from boostext.model.npy import to_npy
from boostext.model.plain import JSON_LIMIT
from boostext.model.predict import Predictor
from tests.model.models import coded_model, mixed_model, rich_model, same, text_model, whole

FIXTURES = Path(__file__).parent / "fixtures"
FIXTURE = FIXTURES / "v1.boostext"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.boostext"


@pytest.fixture
def good(path):
    write_model(mixed_model(), path)
    return path.read_bytes()


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts, compression=zipfile.ZIP_STORED):
    """parts: (name, content) pairs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()


def changed(content, **words):
    """The file with other values in model.json."""
    parts = members(content)
    parts[WORDS] = json.dumps(json.loads(parts[WORDS]) | words).encode("utf-8")
    return zipped(parts.items())


def refusal(path, content):
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


# What is written comes back ------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        mixed_model(),
        text_model(),
        text_model(0),
        text_model(300, tuple(f"label {j}" for j in range(40))),
        dataclasses.replace(text_model(), rules=text_model().rules[:1]),
    ],
)
def test_a_model_comes_back_as_it_was(model, path):
    write_model(model, path)
    assert same(read_model(path), model)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_labels_terms_and_numbers_come_back(tmp_path_factory, data):
    words = st.text(st.characters(), max_size=8)
    labels = data.draw(st.lists(words, min_size=1, max_size=4, unique=True))
    finite = st.floats(allow_nan=False, allow_infinity=False)
    rows = st.lists(finite, min_size=len(labels), max_size=len(labels))
    rules = data.draw(
        st.lists(
            st.builds(
                lambda field, term, votes: Rule(Occurs(field, tuple(term)), np.array(votes)),
                words,
                st.lists(words.filter(bool), min_size=1, max_size=3),
                st.lists(rows, min_size=3, max_size=3),
            ),
            max_size=4,
        )
    )
    model = dataclasses.replace(text_model(), labels=tuple(labels), rules=tuple(rules))
    path = tmp_path_factory.mktemp("any") / "m.boostext"
    write_model(model, path)
    assert same(read_model(path), joined_surrogates(model))


def joined_surrogates(model):
    """Two halves of a surrogate pair side by side are one character wherever text is encoded."""

    def join(text):
        return json.loads(json.dumps(text))

    rules = tuple(
        dataclasses.replace(
            r, condition=Occurs(join(r.condition.field), tuple(map(join, r.condition.term)))
        )
        for r in model.rules
    )
    return dataclasses.replace(model, labels=tuple(map(join, model.labels)), rules=rules)


def test_equal_models_give_equal_bytes_whatever_the_system(tmp_path, monkeypatch):
    write_model(mixed_model(), tmp_path / "one")
    monkeypatch.setattr(sys, "platform", "win32")  # what zipfile asks for the system's number
    monkeypatch.setattr("time.localtime", lambda *_: (2040, 5, 5, 5, 5, 5, 0, 0, 0))
    write_model(read_model(tmp_path / "one"), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_numpy_reads_the_arrays_without_pickle(good):
    for name in ARRAYS:
        assert np.load(io.BytesIO(members(good)[name]), allow_pickle=False).dtype.hasobject is False


def test_arrays_written_by_numpy_itself_are_read(path):
    parts = members_of(path)
    for name in ARRAYS:
        out = io.BytesIO()
        np.save(out, np.load(io.BytesIO(parts[name])))
        parts[name] = out.getvalue()
    path.write_bytes(zipped(parts.items()))
    assert same(read_model(path), mixed_model())


def members_of(path):
    write_model(mixed_model(), path)
    return members(path.read_bytes())


def test_text_models_do_not_store_the_block_they_never_use(path):
    write_model(text_model(), path)
    parts = members(path.read_bytes())
    assert json.loads(parts[WORDS])["blocks"] == ["no", "yes"]
    assert np.load(io.BytesIO(parts["votes.npy"])).shape == (2, 2, 2)


@pytest.mark.parametrize("name", ["v1.boostext", "v1.json", "v3.boostext", "v3.json"])
def test_every_format_is_readable_for_ever(name):
    """Each file was written once, when its format was new; it must never be written anew."""
    content = (FIXTURES / name).read_bytes()
    is_json = name.endswith(".json")
    model = model_from_json(content) if is_json else read_model(FIXTURES / name)
    assert same(model, with_settings(mixed_model(), model))  # defaults may change, values may not
    stored = json.loads(content if is_json else members(content)[WORDS])["settings"]
    for group in ("data", "text", "boosting"):
        found = getattr(model, group).to_dict()
        assert {name: found[name] for name in stored[group]} == stored[group]


@pytest.mark.parametrize("ending", ["boostext", "json"])
@pytest.mark.parametrize(("name", "make"), [("rich", rich_model), ("coded", coded_model)])
def test_every_part_of_format_3_is_readable_for_ever(name, make, ending):
    path = FIXTURES / f"v3-{name}.{ending}"
    model = model_from_json(path.read_bytes()) if ending == "json" else read_model(path)
    assert whole(model) == whole(make())


def test_models_of_all_terms_at_once_are_readable_for_ever():
    of_json = model_from_json((FIXTURES / "v3-parallel.json").read_bytes())
    assert same(read_model(FIXTURES / "v3-parallel.boostext"), of_json)
    assert (of_json.boosting.algorithm, of_json.boosting.updates) == ("parallel-logistic", 5)
    found = Predictor(of_json).batch_scores([Document("a", {"text": "my line and my bill"})])
    assert found == pytest.approx(np.array([[110.0019, -24.52464, -137.0853]]), rel=1e-5)


def test_a_file_that_stays_has_every_name_that_a_model_may_have():
    """Whoever adds a name writes a model that has it to a new file."""
    found = {"model": set(), "prior": set(), "provenance": set(), "rule": set()}
    kinds = set()
    for path in FIXTURES.glob("v*"):
        is_json = path.suffix == ".json"
        content = path.read_bytes()
        words = json.loads(content if is_json else members(content)[WORDS])
        found["model"] |= words.keys()
        found["prior"] |= words.get("prior", {}).keys()
        found["provenance"] |= words["provenance"].keys()
        rules = words["rules"] if is_json else []
        found["rule"] |= {name for rule in rules for name in rule}
        conditions = [rule["condition"] for rule in rules] + words.get("conditions", [])
        kinds |= {part["kind"] for part in (*conditions, *words.get("calibration", []))}
    of_forms = {"rules", "blocks", "preconditions", "history"}
    assert found == {
        "model": {*description._NAMES, *description._LATER, *of_forms},
        "prior": set(prior_form._NAMES),
        "provenance": {field.name for field in dataclasses.fields(Provenance)},
        "rule": {"condition", "alpha", "votes", "precondition"},
    }
    assert kinds == {*description.CONDITIONS, "sigmoid", "isotonic"}


def with_settings(model, other):
    return dataclasses.replace(model, data=other.data, text=other.text, boosting=other.boosting)


def test_models_with_knowledge_are_readable_for_ever():
    of_json = model_from_json((FIXTURES / "v2.json").read_bytes())
    assert of_json.prior
    for name in ("v2.boostext", "v3-knowledge.boostext"):
        assert same(read_model(FIXTURES / name), of_json)


def test_load_is_read_model(path):
    write_model(text_model(), path)
    assert same(boostext.load(path).content, text_model())


def test_a_model_that_is_not_sound_is_not_written(path):
    rule = Rule(Occurs("text", ("x",)), np.full((3, 2), np.nan))
    with pytest.raises(ModelError, match="rule 1 has a vote"):
        write_model(dataclasses.replace(text_model(), rules=(rule,)), path)
    assert not path.exists()


# What is no model ----------------------------------------------------------------------------

FOREIGN = {
    "empty": (b"", "the file is empty"),
    "gzip": (b"\x1f\x8b\x08\x00rest", "packed by gzip; unpack it first"),
    "xz": (b"\xfd7zXZ\x00rest", "packed by xz"),
    "zstd": (b"\x28\xb5\x2f\xfdrest", "packed by zstd"),
    "bzip2": (b"BZh91AY", "packed by bzip2"),
    "pickle": (pickle.dumps({"a": 1}), "Python pickle, which boostext never opens"),
    "fasttext": (struct.pack("<ii", 793712314, 12), "fastText model"),
    "numpy": (b"\x93NUMPY\x01\x00", "numpy array"),
    "json": (b' {"format": "boostext model"}', "boostext convert"),
    "text": (b"10\n\n   1.0 Text:SGRAM:text:free\n", "text file, not a boostext model"),
    "binary": (b"\x7fELF\x02\x01\x00\x00", "not a boostext model"),
    "docx": (zipped([("word/document.xml", b"<w/>")], zipfile.ZIP_DEFLATED), "zip file without"),
    "other json": (zipped([(WORDS, b'{"format": "keras"}')]), "does not say"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_named(name, path):
    content, sentence = FOREIGN[name]
    assert sentence in refusal(path, content)


def test_what_cannot_be_opened_is_told(tmp_path):
    for name, words in {"none": "No such file", "": "not a regular file", "a\0b": "null"}.items():
        with pytest.raises(ModelError, match=words):
            read_model(f"{tmp_path}/{name}")


def test_a_later_format_asks_for_an_upgrade(path, good):
    said = refusal(path, changed(good, version=4, writer="9.1.0", more=[1]))
    assert said.startswith("written by boostext 9.1.0 in format 4;")
    assert said.endswith("Upgrade boostext")


def test_another_tokenizer_is_never_replaced_by_ours(path, good):
    assert "made with tokenizer 99" in refusal(path, changed(good, tokenizer=99))


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_cut_file_is_told_from_a_foreign_one(path, good, share):
    said = refusal(path, good[: max(4, int(len(good) * share))])
    assert said.startswith("cut short or damaged: the end of the file is missing")


def test_a_changed_byte_is_noticed_or_harmless(path):
    write_model(text_model(), path)
    good = path.read_bytes()
    for place in range(0, len(good), 3):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0xFF]) + good[place + 1 :])
        same_or_refused(path, text_model())


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_any_damage_is_noticed_or_harmless(data):
    good = FIXTURE.read_bytes()
    content = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        gone = data.draw(st.integers(0, 40))
        content[start : start + gone] = data.draw(st.binary(max_size=40))
    with scratch() as path:
        path.write_bytes(content)
        same_or_refused(path, read_model(FIXTURE))


def same_or_refused(path, model):
    try:
        found = read_model(path)
    except ModelError:
        return
    assert same(found, model)


@contextlib.contextmanager
def scratch():
    """A path of its own for every example that Hypothesis tries."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "m.boostext"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_any_words_in_a_sound_zip_give_a_model_or_one_error(data):
    parts = members(FIXTURE.read_bytes())
    words = json.loads(parts[WORDS])
    record = words
    while True:  # down a random path to the value to replace
        name = data.draw(st.sampled_from(sorted(record)))
        if not (isinstance(record[name], dict) and data.draw(st.booleans())):
            break
        record = record[name]
    record[name] = data.draw(values)
    parts[WORDS] = json.dumps(words).encode("utf-8")
    with scratch() as path:
        path.write_bytes(zipped(parts.items()))
        with contextlib.suppress(ModelError):
            read_model(path)


# What was changed since it was written --------------------------------------------------------


def edits(words):
    """The words of a model with another number in them, in every place that has one."""
    for name, value in words.items():
        if isinstance(value, dict):
            yield from (words | {name: other} for other in edits(value))
        elif type(value) is list and value and type(value[0]) in (dict, float):
            first = edits(value[0]) if isinstance(value[0], dict) else [value[0] / 2 + 0.25]
            yield from (words | {name: [other, *value[1:]]} for other in first)
        elif type(value) is float or (type(value) is int and name != "version"):
            yield words | {name: value + 1}


def test_an_edited_json_is_refused_unless_it_is_accepted():
    """A number changed anywhere is no model, or one that says that it was edited."""
    tried = 0
    for words in edits(json.loads(model_to_json(mixed_model()))):
        content = json.dumps(words).encode()
        with pytest.raises(ModelError) as caught:
            model_from_json(content)
        if "--accept-edits" in str(caught.value):
            tried += 1
            again = model_from_json(content, accept_edits=True)
            assert again.provenance.edited
            assert model_from_json(model_to_json(again)).provenance.edited
    assert tried > 8


def test_json_that_is_only_laid_out_anew_is_no_edit():
    model = text_model()
    words = json.loads(model_to_json(model))
    laid_out = json.dumps(dict(reversed(words.items())), indent=2)
    assert same(model_from_json(laid_out.encode()), model)


def test_members_that_were_changed_and_packed_anew_are_refused(path, good):
    parts = members(good)
    parts["votes.npy"] = parts["votes.npy"][:-8] + np.float64(0.75).tobytes()
    assert "sha256" in refusal(path, zipped(parts.items()))
    assert "sha256" in refusal(path, changed(good, multilabel=False))
    assert read_model(path, accept_edits=True).provenance.edited


def test_a_model_says_no_older_format_to_lose_its_digest(path, good):
    assert "sha256" in refusal(path, changed(good, version=1))


DAMAGED = {
    "labels": (list("abcda"), "a label is there twice"),
    "multilabel": (1, "multilabel is 1; expected true or false"),
    "rules": (4, "conditions.npy is"),
    "blocks": (["no"], "blocks is no"),
    "thresholds": ([1.0], "1 thresholds for 5 labels"),
    "conditions": ([], "points outside the 0 conditions"),
    "unheard": (1, "'unheard', which this boostext does not know"),
    "settings": ({"data": {}, "text": {"ngram": 3}, "boosting": {}}, "unknown settings: ngram"),
    "provenance": ({"documents": "7"}, "documents is '7'; expected a whole number"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_words_that_do_not_fit_are_named(name, path, good):
    value, sentence = DAMAGED[name]
    assert sentence in refusal(path, changed(good, **{name: value}))


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"{", "cannot be read"),
        (b'{"a": \xff}', "cannot be read"),
        (b'{"a": NaN}', "not finite"),
        (b'{"a": 1e999}', "not finite"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b"[]", "not an object"),
        (b'{"a": ' + b"[" * 200_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "cannot be read"),
    ],
)
def test_json_that_is_none_is_refused(raw, sentence, path, good):
    assert sentence in refusal(path, zipped((members(good) | {WORDS: raw}).items()))


ARRAY = to_npy(np.zeros((5, 3, 5)))
HOSTILE_ARRAYS = {
    "objects": ARRAY.replace(b"'<f8'", b"'|O'"),
    "code": ARRAY.replace(b"(5, 3, 5)", b"(exit(), )"),
    "huge": ARRAY.replace(b"(5, 3, 5)", b"(999999999999, 3, 5)"),
    "other shape": to_npy(np.zeros((5, 3, 4))),
    "other type": to_npy(np.zeros((5, 3, 5), np.int32)),
    "fortran order": ARRAY.replace(b"False", b"True"),
    "short": ARRAY[:-8],
    "long": ARRAY + b"\0",
    "no header": b"",
    "pickle": pickle.dumps([1.0]),
    "not finite": to_npy(np.full((5, 3, 5), np.inf)),
}


@pytest.mark.parametrize("name", HOSTILE_ARRAYS)
def test_arrays_that_are_not_as_expected_are_refused(name, path, good):
    content = zipped((members(good) | {"votes.npy": HOSTILE_ARRAYS[name]}).items())
    said = refusal(path, content)
    assert "votes.npy" in said or "rule 1" in said


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_members_are_refused(path, good):
    parts = members(good)
    assert "a member is there twice" in refusal(path, zipped([*parts.items(), ("z.npy", b"")]))
    assert "its members are not" in refusal(path, zipped([*parts.items(), ("../../x", b"")]))
    del parts["z.npy"]
    assert "its members are not" in refusal(path, zipped(parts.items()))
    many = [(f"{n}.npy", b"") for n in range(100)]
    assert "zip file of another kind" in refusal(path, zipped(many))


def test_a_packed_model_says_how_to_pack_it(path, good):
    said = refusal(path, zipped(members(good).items(), zipfile.ZIP_DEFLATED))
    assert "Pack it without compression" in said


# What would take memory ----------------------------------------------------------------------

LIMITED = """
import resource, sys
from boostext.errors import ModelError
from boostext.model.file import read_model
import numpy
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
try:
    read_model(sys.argv[1])
except ModelError as error:
    print(str(error)[-300:])
"""


def read_in_little_memory(path):
    pytest.importorskip("resource")
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_bomb_does_not_unfold(path):
    path.write_bytes(zipped([(WORDS, b" " * (1 << 28))], zipfile.ZIP_DEFLATED))
    assert path.stat().st_size < 1 << 20
    assert "packed anew" in read_in_little_memory(path)


def test_votes_are_never_much_larger_than_the_file(path, good):
    parts = members(good)
    count, labels = 20_000, [str(j) for j in range(20_000)]
    words = {"rules": count, "labels": labels, "thresholds": [], "blocks": []}
    parts["conditions.npy"] = to_npy(np.zeros(count, np.int32))
    parts["alphas.npy"] = to_npy(np.ones(count))
    parts["votes.npy"] = to_npy(np.zeros((count, 0, len(labels))))
    path.write_bytes(changed(zipped(parts.items()), **words))
    assert "expected those" in read_in_little_memory(path)


def test_hostile_json_takes_bounded_memory(path, good):
    many = b'{"a": [' + b'{"b":1},' * (1 << 22) + b"1]}"
    path.write_bytes(zipped((members(good) | {WORDS: many}).items()))
    assert "parts" in read_in_little_memory(path)
    most = b'{"a": [' + b'{"b":1},' * (1 << 20) + b"1]}"
    path.write_bytes(zipped((members(good) | {WORDS: most}).items()))
    assert "does not say" in read_in_little_memory(path)
    path.write_bytes(zipped((members(good) | {WORDS: b" " * (JSON_LIMIT + 1)}).items()))
    assert "at most" in read_in_little_memory(path)
