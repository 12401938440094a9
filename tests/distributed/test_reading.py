"""What workers read is what one process reads: documents, conditions, order, faults and model."""

import copy
import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boostext
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.distributed import reading
from boostext.distributed.engine import WorkerPool, maker
from boostext.errors import BoostextError, DataError, SettingsError, WorkerError
from boostext.library.training import run, sizes
from boostext.model.file import model_bytes
from boostext.training.plan import Plan
from boostext.training.run import learn, prepare
from boostext.training.sizes import extent_of, memory_of, text_size

KINDS = (
    {"ngrams": "1-2"},
    {"ngrams": "1-3", "expert": "sparse", "min_df": 2},
    {"ngrams": "1-3", "expert": "icsi-sparse"},
    {"ngrams": "2-2", "counts": "1,2"},
    {"counts": "2,3", "ngrams": "1-2", "max_df": 0.6},
    {"max_terms": 5, "ngrams": "1-2"},
    {"analyzer": "char", "ngrams": "2-3", "min_df": 0.1},
    {"ngrams": "1-2", "letters": 3, "text": ["text", "title"], "per_field": ["title:letters=0"]},
    {"simplest_name": False, "ngrams": "1-2"},
    {"text": ["text", "title"], "max_terms": 4},
    {"valid_fraction": 0.3, "patience": 2},
    {"attribute_type": ["size=category"]},
    {"task": "multi"},
    {"term_fraction": 0.5},
)


def record(draws, last=False):
    words = [f"w{draws.randrange(9)}" for _ in range(draws.randrange(9))]
    made = {"text": " ".join(words), "label": "only here" if last else f"l{draws.randrange(3)}"}
    if draws.random() < 0.7:
        made |= {"color": draws.choice(["red", "blue"]), "size": draws.randrange(4)}
    return made | {"title": f"t{draws.randrange(3)} w1"}


def files(folder, seed):
    """One file without documents, one that is compressed, one that is cut."""
    draws = random.Random(seed)
    parts = {"a.jsonl": 25, "b.jsonl": 0, "c.jsonl.gz": 12, "d.jsonl": 8}
    for name, count in parts.items():
        records = [record(draws, name[0] == "d" and n == 7) for n in range(count)]
        text = "\n".join([*map(json.dumps, records), ""])
        written = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        (folder / name).write_bytes(written)
    return [str(folder / name) for name in parts]


def here(paths, plan):
    account = BadRecords()
    return prepare(read_documents(paths, plan.reading, account), plan), account


def there(cluster, paths, plan):
    account = BadRecords()
    remote = reading.RemoteData(cluster, paths, plan.reading, account, piece=500)
    return prepare(remote.documents(), plan, remote=remote), account


@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(1, 3))
@settings(max_examples=6)
def test_models_are_those_of_one_process_that_reads(first, tmp_path_factory, seed, kind, workers):
    plan = Plan.of(rounds=6, engine="incremental", **{"attribute": ["color", "size"], **kind})
    paths = files(tmp_path_factory.mktemp("data"), seed)
    (one, account), (many, remote_account) = here(paths, plan), there(first(workers), paths, plan)
    lists, remote = one.features.yes, many.features.yes
    assert remote.starts.tolist() == lists.starts.tolist()
    assert many.corpus.origins[:] == one.corpus.origins[:] or list(many.corpus.origins) == list(
        one.corpus.origins
    )
    assert (many.corpus.ids, many.corpus.digest) == (one.corpus.ids, one.corpus.digest)
    assert [str(note) for note in remote_account.notes] == [str(note) for note in account.notes]
    model = learn(many, make=maker(first(workers))).model
    assert model_bytes(model) == model_bytes(learn(one).model)
    for j in range(0, len(lists), 7):
        assert many.features.names[j] == one.features.names[j]
        assert many.features.names.number(one.features.names[j]) == j
        assert remote[j].tolist() == lists[j].tolist()


def test_training_goes_on_where_workers_read(client, tmp_path):
    paths = files(tmp_path, 5)
    kept = {"engine": "incremental", "checkpoint_every": 1e-9}
    paper = {"preset": "paper", **kept}
    boostext.train(paths, rounds=4, **paper, client=client).model.save(tmp_path / "m")
    old = boostext.load(tmp_path / "m").content
    plan = Plan.of(rounds=9, **kept)
    resumed = run(paths, None, plan, old=old, workers=client).trained.model
    assert model_bytes(resumed) == model_bytes(
        boostext.train(paths, rounds=9, **paper).trained.model
    )


def test_the_first_fault_in_the_order_of_the_files_is_told(first, tmp_path):
    paths, plan = files(tmp_path, 1), Plan.of(rounds=2)
    lines = (tmp_path / "a.jsonl").read_text("utf-8").split("\n")
    lines[20] = lines[20][:-3]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "d.jsonl").write_text("{", "utf-8")
    with pytest.raises(DataError) as expected:
        here(paths, plan)
    with pytest.raises(DataError) as raised:
        there(first(2), paths, plan)
    assert str(raised.value) == str(expected.value)
    assert "a.jsonl:21: " in str(raised.value)


def test_bad_records_are_counted_in_all_parts(first, tmp_path):
    paths, plan = files(tmp_path, 2), Plan.of(rounds=2, skip_bad=True)
    for name in ("a.jsonl", "d.jsonl"):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write('\n{"text": 5}\n\n')
    (_, expected), (_, account) = here(paths, plan), there(first(3), paths, plan)
    assert (account.count, account.blank_lines) == (expected.count, expected.blank_lines) == (2, 4)
    assert account.first == expected.first


def test_no_term_left_is_told(first, tmp_path):
    with pytest.raises(SettingsError, match="no terms are left of"):
        there(first(2), files(tmp_path, 3), Plan.of(min_df=1000, attribute=[""]))


def test_reports_say_that_the_terms_are_elsewhere(client, tmp_path):
    result = boostext.train(files(tmp_path, 4), rounds=3, client=client)
    assert result.measures["training error"] < 1
    with pytest.raises(BoostextError, match="train without workers"):
        boostext.outliers(result)


def test_patterns_stand_for_files_and_must_match(tmp_path):
    paths = files(tmp_path, 0)
    assert reading.matched([str(tmp_path / "*.jsonl"), paths[2]]) == [
        *paths[:2],
        paths[3],
        paths[2],
    ]
    with pytest.raises(DataError, match="no file matches this pattern"):
        reading.matched([str(tmp_path / "*.csv")])


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"group": "color"}, "--group"),
        ({"expert": "full", "ngrams": "2-2"}, "--expert full"),
        ({"drop": "x"}, "--drop"),
    ],
)
def test_what_workers_cannot_read_is_told(settings, why):
    assert why in reading.reason_to_read_here(["a.jsonl"], Plan.of(**settings))
    assert not reading.reason_to_read_here(["a.jsonl"], Plan.of())
    assert reading.reason_to_read_here(["-"], Plan.of())


def test_a_dry_run_tells_the_memory_of_a_worker_and_too_little_is_refused(client, first, tmp_path):
    paths = files(tmp_path, 6)
    facts, alone = sizes(paths, workers=client), sizes(paths)
    assert facts["memory_per_worker_mb"] >= 205
    assert facts["postings"] == alone["postings"]
    plan, cluster = Plan.of(rounds=2), first(2)
    prepared = here(paths, plan)[0]
    alike, assigned = memory_of(extent_of(prepared))
    cluster.memory = [alike + assigned // 3 + 1, 1 << 40]
    with pytest.raises(WorkerError, match="take 3 workers with as much memory each"):
        WorkerPool(cluster).make_for(prepared)
    cluster.memory = [alike]
    with pytest.raises(WorkerError, match="take more memory, or fewer labels or documents"):
        WorkerPool(cluster).make_for(prepared)


def test_workers_refuse_what_a_sample_shows_to_be_too_large(first, tmp_path, monkeypatch):
    paths, cluster = files(tmp_path, 6)[:1], first(2)
    cluster.memory = [1 << 10, 1 << 10]
    monkeypatch.setattr("boostext.training.sizes.SAMPLE", 900)
    with pytest.raises(BoostextError, match="on each of 2 workers, and there are 0, as a sample"):
        WorkerPool(cluster).reading(paths, Plan.of(ngrams="1-2"), BadRecords())


def test_workers_read_addresses_and_one_process_does_not(first, tmp_path):
    import fsspec

    system = fsspec.filesystem("memory")
    for path in files(tmp_path, 7):
        system.put(path, f"/far/{Path(path).name}")
    plan = Plan.of(rounds=3, engine="incremental")
    addresses = reading.matched(["memory://far/*"])
    assert [Path(address).name for address in addresses] == sorted(
        p.name for p in tmp_path.iterdir()
    )
    remote, _ = there(first(2), addresses, plan)
    near, _ = here(files(tmp_path, 7), plan)
    assert remote.features.yes.starts.tolist() == near.features.yes.starts.tolist()
    assert text_size(addresses) == text_size(files(tmp_path, 7)) > 0
    assert text_size(["memory://far/none.jsonl"]) == 0
    with pytest.raises(DataError, match="is an address, which only workers"):
        here(addresses, plan)
    with pytest.raises(DataError, match="no such file"):
        there(first(1), ["memory://far/none.jsonl"], plan)


def test_large_files_are_cut_unless_all_records_decide_how_they_are_read(tmp_path):
    paths = files(tmp_path, 4)
    kinds = (({}, 3), ({"label": ["label", "color"]}, 1), ({"where": ["size=1"]}, 1))
    for chosen, number in kinds:
        inputs = reading.inputs_of(paths, Plan.of(**chosen).data, BadRecords())
        assert [len(reading.cuts(each, 700)) for each in inputs] == [number, 1, 1, 1]
    spans = reading.cuts(reading.inputs_of(paths, Plan.of().data, BadRecords())[0], 700)
    text = (tmp_path / "a.jsonl").read_bytes()
    assert b"".join(text[span.start : span.stop] for span in spans) == text


def test_dask_knows_how_large_a_part_is(tmp_path):
    from dask.sizeof import sizeof

    text = "a few words " * 500
    (tmp_path / "a.jsonl").write_text(
        "\n".join([json.dumps({"text": text, "label": "l"})] * 40), "ascii"
    )
    (given,) = reading.inputs_of([str(tmp_path / "a.jsonl")], Plan.of().data, BadRecords())
    read = reading.read_part(given, labelled=True)
    assert sizeof(read) == pytest.approx(40 * len(text), rel=0.2)
    tokens = reading.tokenized_part(read, np.arange(40), "text", Plan.of().text)
    assert sizeof(tokens) == pytest.approx(4 * 40 * 1500, rel=0.2)
    for document in (read.documents[0], reading.without_texts(read).documents[0]):
        assert copy.copy(document) == document
        assert type(copy.copy(document)) is type(document)
