"""Stems and .shyp models from the command line: what their users do, with as little to say."""

import json

import pytest

from boostext.model.file import read_model

NAMES = "billing, moved.\ntext: text: expert_length=2.\nminutes: continuous.\n"
DATA = (
    "wrong bill again, 3, billing.\nI moved, ?, moved.\nnew house, 9, moved.\n"
    "the bill, 1, billing.\n"
)
TRAIN = ("train", "-o", "calls.boostext", "--rounds", "5")


@pytest.fixture
def stem(tmp_path, monkeypatch):
    """calls.names, .data and .test, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calls.names").write_text(NAMES, "utf-8")
    (tmp_path / "calls.data").write_text(DATA, "utf-8")
    (tmp_path / "calls.test").write_text("a bill, 2, billing.\nwe moved, 8, moved.\n", "utf-8")
    return tmp_path


def done(result):
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize(
    "data", [("calls",), ("--names", "calls.names", "calls.data"), ("calls.names",)]
)
def test_a_model_is_learned_from_a_stem_and_knows_its_columns(run, stem, data):
    done(run(*TRAIN, *data))
    model = read_model("calls.boostext")
    assert model.labels == ("billing", "moved")
    assert model.text.of_field("text").ngrams == (1, 2)
    (stem / "calls.names").unlink()
    told = done(run("predict", "calls.boostext", "calls.test")).stdout
    assert [json.loads(line)["labels"] for line in told.splitlines()] == [["billing"], ["moved"]]


def test_a_bare_stem_is_its_test_set_where_a_model_is_tried(run, stem):
    done(run(*TRAIN, "calls"))
    told = json.loads(done(run("evaluate", "calls.boostext", "calls", "--json")).stdout)
    assert told["examples"] == 2
    assert len(done(run("predict", "calls.boostext", "calls")).stdout.splitlines()) == 2


def test_the_dev_set_beside_a_bare_stem_chooses_the_rounds(run, stem):
    (stem / "calls.dev").write_text("bill, 1, billing.\nhouse, 9, moved.\n", "utf-8")
    assert "using the validation data of the stem: calls.dev" in done(run(*TRAIN, "calls")).stderr
    assert read_model("calls.boostext").provenance.stopped == "best round on validation data"
    assert "validating" not in done(run(*TRAIN, "calls.data")).stderr


@pytest.mark.parametrize("part", ["data", "names"])
def test_what_is_wrong_is_one_line_with_its_place(run, stem, part):
    broken = {"data": "a, b, 1, billing.\n", "names": "billing, billing.\ntext: text.\n"}
    (stem / f"calls.{part}").write_text(broken[part], "utf-8")
    result = run(*TRAIN, "calls")
    assert result.exit_code == 1
    assert f"Error: calls.{part}:1: " in result.stderr
    assert not (stem / "calls.boostext").exists()


def test_undeclared_labels_are_left_out_on_request(run, stem):
    with (stem / "calls.data").open("a", encoding="utf-8") as file:
        file.write("hello, 1, other.\n")
    assert "calls.data:5: the label 'other'" in run(*TRAIN, "calls").stderr
    assert "1 bad record left out" in done(run(*TRAIN, "calls", "--skip-bad")).stderr


def test_a_model_goes_to_shyp_and_back(run, stem):
    options = ("--unknown", "votes", "--token-pattern", "[^ ]+", "--no-lowercase")
    done(run(*TRAIN, "calls", *options))
    (stem / "out").mkdir()
    done(run("convert", "calls.boostext", "out/m.shyp"))
    done(run("convert", "out/m.shyp", "again.boostext"))
    done(run("convert", "again.boostext", "out/n.shyp"))
    assert (stem / "out/n.shyp").read_bytes() == (stem / "out/m.shyp").read_bytes()
    scores = [
        [
            json.loads(line)["scores"]
            for line in done(run("predict", name, "calls", "--all-scores")).stdout.splitlines()
        ]
        for name in ("calls.boostext", "again.boostext")
    ]
    for ours, theirs in zip(*scores, strict=True):
        assert theirs == pytest.approx(ours, abs=1e-8)  # ten digits a rule


def test_a_shyp_is_not_written_beside_a_names_file_that_says_something_else(run, stem):
    done(run(*TRAIN, "calls"))
    (stem / "m.names").write_text("other, labels.\ntext: text.\n", "utf-8")
    result = run("convert", "calls.boostext", "m.shyp")
    assert "m.names is there already and says something else" in result.stderr
    assert not (stem / "m.shyp").exists()


def test_a_shyp_needs_its_names_and_may_be_cut(run, stem):
    (stem / "lone.shyp").write_text("1\n", "utf-8")
    assert "give --names FILE" in run("convert", "lone.shyp", "m.boostext").stderr
    (stem / "calls.shyp").write_text("1\n", "utf-8")
    result = run("convert", "calls.shyp", "m.boostext")
    assert result.exit_code == 1
    assert "calls.shyp:1: the file ends here; expected rule 1 of 1" in result.stderr


def test_words_that_icsiboost_would_not_find_are_warned_of(run, stem):
    done(run(*TRAIN, "calls"))
    assert (
        "icsiboost splits texts at spaces"
        in done(run("convert", "calls.boostext", "m.shyp")).stderr
    )


@pytest.mark.parametrize("middle", ["m.jsonl", "m.csv", "m.data"])
def test_a_corpus_goes_from_stem_to_other_formats_and_back(run, stem, middle):
    done(run("convert", "calls.data", middle, "--attribute", "minutes"))
    (stem / "out").mkdir()
    done(run("convert", middle, "out/calls.data", "--attribute", "minutes"))
    assert (stem / "out/calls.data").read_text("utf-8") == DATA


@pytest.mark.parametrize("window", ["-1", "0", "3-2", "99999999999999999999"])
def test_a_window_that_is_none_is_told(run, stem, window):
    result = run(*TRAIN, "calls", f"--ngrams={window}")
    assert result.exit_code == 2
    assert "Error: ngrams is " in result.stderr
