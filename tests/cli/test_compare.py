"""`boostext compare` on real models: what it prints, writes and refuses."""

import json

import pytest

from .conftest import write_jsonl


@pytest.fixture
def models(run, tmp_path):
    rows = [{"text": f"bill {n}", "label": "billing"} for n in range(20)]
    rows += [
        {"text": f"my {'rate' if n % 2 else 'price'} {n}", "label": "rates"} for n in range(20)
    ]
    data = write_jsonl(tmp_path / "data.jsonl", rows)
    for name, rounds in (("a", 1), ("b", 20)):
        done = run("train", data, "-o", tmp_path / name, "--rounds", rounds, "-q")
        assert done.exit_code == 0, done.stderr
    return tmp_path / "a", tmp_path / "b", data


def test_measures_and_changes_are_printed(run, models):
    done = run("compare", *models)
    assert done.exit_code == 0, done.stderr
    assert "error" in done.stdout
    assert "40 documents: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json_has_all_and_the_page_is_written(run, models, tmp_path):
    done = run("compare", *models, "--json", "-o", tmp_path / "out" / "cmp.html")
    told = json.loads(done.stdout)
    assert told["documents"] == 40
    assert {row["name"] for row in told["measures"]} >= {"error", "log-loss"}
    page = (tmp_path / "out" / "cmp.html").read_text(encoding="utf-8")
    assert "Labels won and lost" in page


def test_fields_that_only_the_second_model_reads_are_read(run, tmp_path):
    rows = [{"text": "a", "note": "x" if n % 2 else "y", "label": "lr"[n % 2]} for n in range(20)]
    data = write_jsonl(tmp_path / "two.jsonl", rows)
    run("train", data, "-o", tmp_path / "a", "--rounds", 5, "-q")
    run(
        "train", data, "-o", tmp_path / "b", "--rounds", 5, "--text", "text", "--text", "note", "-q"
    )
    told = json.loads(run("compare", tmp_path / "a", tmp_path / "b", data, "--json").stdout)
    assert (told["won"], told["lost"]) == (10, 0)


def test_data_without_labels_are_refused(run, models, tmp_path):
    plain = write_jsonl(tmp_path / "plain.jsonl", [{"text": "a"}])
    done = run("compare", *models[:2], plain)
    assert done.exit_code == 1
    assert "plain.jsonl:1: no field 'labels'" in done.stderr


def test_exports_are_written_over_and_nothing_else_is(run, models, tmp_path):
    for name in ("html", "javascript", "python"):
        place = tmp_path / f"out.{name}"
        for _ in range(2):
            done = run("export", models[1], "--to", name, "-o", place)
            assert done.exit_code == 0, done.stderr
        place.write_text("mine", encoding="utf-8")
        assert run("export", models[1], "--to", name, "-o", place).exit_code == 1
        assert run("export", models[1], "--to", name, "-o", place, "--force").exit_code == 0


def test_no_input_is_written_over(run, models):
    assert run("compare", *models, "-o", models[2]).exit_code == 2
