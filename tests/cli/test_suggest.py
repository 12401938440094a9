"""`boostext suggest`: formats, what is left out, and the way back into training."""

import csv
import json

import pytest

from .conftest import records, write_jsonl


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    rows = [{"id": r["id"], "text": r["text"]} for r in records()]
    return write_jsonl(tmp_path_factory.mktemp("pool") / "pool.jsonl", rows)


def test_jsonl_goes_to_stdout_and_can_be_read_as_data_again(run, model, pool, tmp_path):
    done = run("suggest", model, pool, "-n", 4)
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["suggestion"]["rank"] for row in rows] == [1, 2, 3, 4]
    assert all(row["suggestion"]["margin"] >= 0 for row in rows)
    again = tmp_path / "next.jsonl"
    again.write_text(done.stdout, encoding="utf-8")
    assert run("predict", model, again).exit_code == 0


def test_a_filled_in_csv_gives_labels_to_documents_that_had_none(run, model, pool, tmp_path):
    file = tmp_path / "next.csv"
    assert run("suggest", model, pool, "-n", 12, "-o", file).exit_code == 0
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["label"] for row in rows] == [""] * 12
    assert {row["likeliest"] for row in rows} <= {"billing", "moving", "repair"}
    for row in rows[:9]:  # the others are not labelled yet
        row["label"] = row["likeliest"]
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = run("suggest", model, pool, "-n", 99, "--labels-from", file)
    assert len(done.stdout.splitlines()) == 51
    assert "9 documents left out that have a label in --labels-from" in done.stderr
    done = run("train", pool, "--labels-from", file, "-o", tmp_path / "m", "--rounds", 3)
    assert done.exit_code == 0, done.stderr
    assert "9 documents" in done.stderr


def test_what_label_studio_exports_gives_labels(run, model, pool, tmp_path):
    tasks = json.loads(run("suggest", model, pool, "-n", 3, "--to", "label-studio").stdout)
    assert len(tasks) == 3
    assert tasks[0]["predictions"][0]["result"][0]["value"]["choices"]
    for task in tasks[:2]:
        task["annotations"] = [{"result": task["predictions"][0]["result"]}]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks), encoding="utf-8")
    done = run("train", pool, "--labels-from", file, "-o", tmp_path / "m", "--rounds", 3)
    assert done.exit_code == 0, done.stderr
    assert "labels of 2 documents from" in done.stderr
    assert "2 of them new; 1 with an empty label left unchanged" in done.stderr


def test_suggestions_as_tsv_and_jsonl_may_be_labelled_in_part(run, model, pool, tmp_path):
    table, lines = tmp_path / "next.tsv", tmp_path / "next.jsonl"
    for file in (table, lines):
        assert run("suggest", model, pool, "-n", 3, "-o", file).exit_code == 0
    head, first, *rest = table.read_text(encoding="utf-8").split("\n")
    cells = first.split("\t")
    cells[head.split("\t").index("label")] = "moving"
    table.write_text("\n".join([head, "\t".join(cells), *rest]), encoding="utf-8")
    records = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    records[1]["labels"] = ["billing"]
    write_jsonl(lines, records)
    done = run("check", pool, "--labels-from", table, "--labels-from", lines)
    assert done.exit_code == 0, done.stderr
    told = done.stdout + done.stderr
    assert "labels of 2 documents from" in told
    assert "2 of them new; 4 with an empty label left unchanged" in told


def test_labeled_documents_are_left_out(run, model, corpus):
    done = run("suggest", model, corpus, "-n", 3)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "60 documents left out that already have a label" in done.stderr
    assert "nothing to suggest" in done.stderr


@pytest.mark.parametrize("by", ["margin", "best", "entropy", "votes", "random"])
def test_every_measure_gives_as_many_as_asked(run, model, pool, by):
    done = run("suggest", model, pool, "-n", 7, "--by", by, "-q")
    assert len(done.stdout.splitlines()) == 7, done.stderr
    assert done.stdout == run("suggest", model, pool, "-n", 7, "--by", by, "-q").stdout


def test_several_labels_may_be_none(run, several_model, several):
    done = run("suggest", several_model, several, "-n", 3)
    assert done.exit_code == 0, done.stderr


def test_an_output_that_is_read_is_refused(run, model, pool):
    before = pool.read_bytes()
    done = run("suggest", model, pool, "-o", pool)
    assert done.exit_code == 2
    assert pool.read_bytes() == before


def test_an_unknown_ending_names_the_formats(run, model, pool, tmp_path):
    done = run("suggest", model, pool, "-o", tmp_path / "next.xls")
    assert done.exit_code == 2
    assert ".csv" in done.stderr
    assert "--to" in done.stderr


def test_a_committee_goes_with_votes_alone(run, model, pool):
    assert run("suggest", model, pool, "--by", "votes", "--committee", model).exit_code == 0
    done = run("suggest", model, pool, "--committee", model)
    assert done.exit_code == 2
    assert "--by votes" in done.stderr


def test_labelled_documents_are_suggested_where_asked(run, model, corpus):
    done = run("suggest", model, corpus, "-n", 3, "--include-labelled", "-q")
    assert len(done.stdout.splitlines()) == 3


def test_by_default_a_sample_is_drawn_unless_labels_are_checked(run, model, pool, corpus):
    def ids(*options):
        done = run("suggest", *options, "-q")
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    given = [model, pool, "-n", 2]
    assert ids(*given) == ids(*given, "--sample", 20) != ids(*given, "--sample", 0)
    assert len({tuple(ids(*given, "--sample", 5, "--seed", seed)) for seed in range(4)}) > 1
    checked = [model, corpus, "-n", 4, "--include-labelled"]
    assert ids(*checked) == ids(*checked, "--sample", 0)


def test_documents_at_random_represent_nothing(run, model, pool):
    given = ["suggest", model, pool, "-n", 9, "--by", "random", "-q"]
    assert run(*given).stdout == run(*given, "--no-spread").stdout


def test_attributes_alone_are_suggested_from_the_whole_pool(run, tmp_path):
    def rows(labels):
        for n in range(90):
            row = {"id": str(n), "text": "", "attributes": {"size": n % 37, "age": n % 11}}
            yield {**row, "labels": ["ab"[n % 37 > 18]]} if labels else row

    data = write_jsonl(tmp_path / "sizes.jsonl", list(rows(True)))
    pool = write_jsonl(tmp_path / "pool.jsonl", list(rows(False)))
    model = tmp_path / "sizes.boostext"
    assert run("train", data, "-o", model, "--rounds", 5).exit_code == 0

    def ids(*options):
        done = run("suggest", model, pool, "-n", 4, "-q", *options)
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    assert ids() == ids("--sample", 0) != ids("--sample", 2)
