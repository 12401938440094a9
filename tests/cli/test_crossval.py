"""`boostext crossval`, and what train does with held-out documents."""

import csv
import json

import pytest

from tests.cli.conftest import records, write_jsonl


def test_the_curve_and_all_measures_are_told(run, corpus):
    done = run("crossval", corpus, "--rounds", 15, "--folds", 3, "--json", "-q")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    best = min(point["mean"] for point in told["curve"])
    at_best = next(p for p in told["curve"] if p["round"] == told["best_rounds"])
    assert at_best["mean"] == best
    assert told["evaluation"]["examples"] == 60
    assert told["evaluation"]["measures"]["error"] == pytest.approx(best, abs=0.02)


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_out_of_fold_scores_are_written_a_line_for_each_document_and_label(
    run, corpus, tmp_path, form
):
    out = tmp_path / "out"
    done = run("crossval", corpus, "--rounds", 5, "--report", out, "--output", form)
    assert done.exit_code == 0, done.stderr
    path = out / f"out-of-fold.{form}"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = (
            list(csv.DictReader(lines, delimiter="\t"))
            if form == "tsv"
            else [json.loads(line) for line in lines]
        )
    assert len(rows) == 60 * 3
    assert {"id", "label", "score", "given", "fold"} <= set(rows[0])
    assert sum(int(row["given"]) for row in rows) == 60
    assert (
        (out / "curve.tsv").read_text(encoding="utf-8").startswith("round\tmeasure\tmean\tspread")
    )
    assert (out / "reliability.tsv").exists()


def test_the_drawing_fits_a_pipe(run, corpus):
    done = run("crossval", corpus, "--rounds", 20, "-q")
    assert done.stdout.startswith("cross-validation: error ")
    assert "rounds  error" in done.stdout


def test_too_many_folds_end_with_one_line(run, tmp_path):
    data = write_jsonl(tmp_path / "few.jsonl", list(records(4)))
    done = run("crossval", data, "--folds", 9)
    assert done.exit_code == 2
    assert "folds is 9, but there are 4 documents" in done.stderr


def test_a_report_never_takes_the_place_of_data_or_corrections(run, tmp_path):
    data = write_jsonl(tmp_path / "out-of-fold.jsonl", records())
    fixes = tmp_path / "curve.tsv"
    fixes.write_text("id\tlabel\nd0\tmoving\n", encoding="utf-8")
    other = write_jsonl(tmp_path / "calls.jsonl", records())
    for given in ([data], [other, "--labels-from", fixes]):
        done = run("crossval", *given, "--rounds", 5, "--report", tmp_path)
        assert done.exit_code == 2
        assert "would be written over" in done.stderr
    assert data.read_bytes() == other.read_bytes()


def test_a_run_that_fails_leaves_no_empty_folder(run, tmp_path):
    data = write_jsonl(tmp_path / "few.jsonl", list(records(4)))
    done = run("crossval", data, "--folds", 9, "--report", tmp_path / "deep" / "report")
    assert done.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["few.jsonl"]


def test_groups_are_read_from_the_records(run, tmp_path):
    rows = [{**row, "caller": f"c{n // 5}"} for n, row in enumerate(records())]
    data = write_jsonl(tmp_path / "grouped.jsonl", rows)
    done = run("crossval", data, "--group", "caller", "--rounds", 5, "--report", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    with (tmp_path / "out" / "out-of-fold.tsv").open(encoding="utf-8", newline="") as lines:
        folds = {row["id"]: row["fold"] for row in csv.DictReader(lines, delimiter="\t")}
    assert all(len({folds[f"d{g * 5 + i}"] for i in range(5)}) == 1 for g in range(12))


def test_a_calibrated_model_gives_chances_that_sum_to_one(run, corpus, tmp_path):
    model = tmp_path / "m.boostext"
    done = run("train", corpus, "-o", model, "--rounds", 15, "--calibrate", "sigmoid", "--folds", 3)
    assert done.exit_code == 0, done.stderr
    told = json.loads(run("predict", model, "--document", "bill", "--proba", "--all-scores").stdout)
    assert sum(told["probabilities"].values()) == pytest.approx(1)


def test_an_outlier_that_is_corrected_trains_with_its_new_label(run, tmp_path):
    rows = list(records())
    rows[7]["labels"] = ["billing"]  # it is about moving
    data, model, out = (
        write_jsonl(tmp_path / "d.jsonl", rows),
        tmp_path / "m.boostext",
        tmp_path / "r",
    )
    done = run("train", data, "-o", model, "--rounds", 20, "--report", out, "--outliers", "cv")
    assert done.exit_code == 0, done.stderr
    with (out / "outliers.tsv").open(encoding="utf-8", newline="") as lines:
        first = next(csv.DictReader(lines, delimiter="\t"))
    assert (first["id"], first["given"], first["suggested"]) == ("d7", "billing", "moving")
    assert json.loads((out / "outliers.label-studio.json").read_text(encoding="utf-8"))
    fix = tmp_path / "fix.csv"
    fix.write_text(f"id,label\n{first['id']},{first['suggested']}\nnobody,x\n", encoding="utf-8")
    again = run("train", data, "-o", model, "--rounds", 20, "--labels-from", fix)
    assert again.exit_code == 0, again.stderr
    assert "labels of 1 document from" in again.stderr
    assert "1 id that no document has: 'nobody'" in again.stderr
    right = write_jsonl(tmp_path / "right.jsonl", list(records()))
    other = tmp_path / "other.boostext"
    assert run("train", right, "-o", other, "--rounds", 20).exit_code == 0
    assert run("inspect", model, "--json").stdout == run("inspect", other, "--json").stdout


@pytest.mark.parametrize("source", ["weights", "cumulated"])
def test_outliers_by_weight_need_no_cross_validation(run, corpus, tmp_path, source):
    done = run(
        "train",
        corpus,
        "-o",
        tmp_path / "m",
        "--rounds",
        9,
        "--report",
        tmp_path / "r",
        "--outliers",
        source,
    )
    assert done.exit_code == 0, done.stderr
    assert "cross-validation" not in done.stderr
    assert (tmp_path / "r" / "outliers.tsv").exists()
    assert (tmp_path / "r" / "margins.tsv").exists()


def test_inspect_finds_labels_by_rules_learned_without_the_document(run, tmp_path):
    rows = list(records())
    rows[7]["labels"] = ["billing"]
    data, model = write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m.boostext"
    assert run("train", data, "-o", model, "--rounds", 20).exit_code == 0
    done = run("inspect", model, data, "--source", "cv", "--margins", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["outliers"][0]["id"] == "d7"
    rows = told["margin_distribution"]
    assert all(row["votes"] <= row["votes_bound"] + 1e-9 for row in rows)
