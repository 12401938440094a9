"""`boostext train`: places first, whole files or none, words to stderr, results to stdout."""

import json
import sys

import pytest

from boostext.cli.progress import Progress
from boostext.errors import BoostextError
from boostext.features.conditions import NO
from boostext.library import training
from boostext.library.watch import Stopped
from boostext.model.file import read_model, write_model
from boostext.reports.escape import read_tsv_field

from .conftest import records, write_jsonl


def trained(run, corpus, path, *options):
    done = run("train", corpus, "-o", path, "--rounds", 12, *options)
    assert done.exit_code == 0, done.stderr
    return done


def test_the_result_goes_to_stdout_and_talk_to_stderr(run, corpus, tmp_path):
    path = tmp_path / "m.boostext"
    done = trained(run, corpus, path)
    assert done.stdout.splitlines()[0].startswith(f"{path}: 12 rules over ")
    assert "error on the training data" in done.stdout
    assert "always 'billing': 0.6667" in done.stdout
    assert "60 documents, 3 labels" in done.stderr
    assert "seed 0" in done.stderr
    assert "threads " in done.stderr


def test_quiet_says_nothing(run, corpus, tmp_path):
    done = trained(run, corpus, tmp_path / "m.boostext", "-q")
    assert (done.stdout, done.stderr) == ("", "")


def test_json_tells_the_same_numbers(run, corpus, tmp_path):
    done = trained(run, corpus, tmp_path / "m.boostext", "--json", "--valid-fraction", 0.2)
    told = json.loads(done.stdout)
    assert told["rounds"] == len(read_model(tmp_path / "m.boostext").rules)
    assert told["measure"] == "error"
    assert 0 <= told["validation"] <= 1
    assert told["hamming_loss"] <= told["bound"]
    assert told["seed"] == 0


def test_without_validation_its_value_is_null(run, corpus, tmp_path):
    done = trained(run, corpus, tmp_path / "m.boostext", "--json")
    assert json.loads(done.stdout)["validation"] is None


def test_the_same_call_writes_the_same_bytes(run, corpus, tmp_path):
    for name in ("a", "b"):
        trained(run, corpus, tmp_path / name, "--threads", 1 if name == "a" else 2)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("command", ["train", "tune"])
def test_data_is_never_written_over(run, tmp_path, command):
    data = write_jsonl(tmp_path / "calls.jsonl", records())
    (tmp_path / "link.jsonl").symlink_to(data)
    before = data.read_bytes()
    for output in (data, tmp_path / "link.jsonl", f"{tmp_path}/./calls.jsonl"):
        done = run(command, data, "-o", output)
        assert done.exit_code == 2
        assert "would be written over" in done.stderr
    assert data.read_bytes() == before


def test_no_other_file_that_is_read_is_written_over(run, corpus, tmp_path):
    """Not even by --force: the configuration, what it names, the stop words, and the documents of a
    folder.
    """
    (tmp_path / "texts" / "a").mkdir(parents=True)
    words, config, text = (tmp_path / "words", tmp_path / "c.yaml", tmp_path / "texts" / "a" / "t")
    valid = write_jsonl(tmp_path / "v.jsonl", records(9))
    told = f"valid: ['{valid}']\n"
    for path, content in ((words, "the\n"), (config, told), (text, "a text\n")):
        path.write_text(content, encoding="utf-8")
    naming = tmp_path / "naming.yaml"
    naming.write_text(f"stop-words: {words}\n{told}", encoding="utf-8")
    before = [path.read_bytes() for path in (words, config, text, valid)]
    for command in ("train", "tune"):
        for output in (words, config, text, valid):
            options = ("--config", config, "--stop-words", words, "--force")
            if output == words:
                options = ("--config", naming, "--force")
            done = run(command, corpus, tmp_path / "texts", "-o", output, *options)
            assert done.exit_code == 2
            assert f"{output}: is read, and would be written over" in done.stderr
    assert [path.read_bytes() for path in (words, config, text, valid)] == before


def test_a_report_never_takes_the_place_of_data(run, tmp_path):
    data = write_jsonl(tmp_path / "trace.jsonl", records())
    before = data.read_bytes()
    done = run("train", data, "-o", tmp_path / "m", "--report", tmp_path)
    assert done.exit_code == 2
    assert data.read_bytes() == before


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        ("mh", ["Hamming loss", "one-error"]),
        ("mr", ["ranking loss", "one-error"]),
        ("m1", ["error"]),
        ("mo", ["error"]),
        ("bagging", []),
    ],
)
def test_the_bound_is_told_beside_the_loss_that_it_bounds(run, corpus, tmp_path, algorithm, said):
    options = ("--algorithm", algorithm, "--rounds", 5)
    done = run("train", corpus, "-o", tmp_path / "m", *options)
    bounded = [line for line in done.stdout.splitlines() if ", its bound " in line]
    assert [line.rsplit(" ", 4)[0] for line in bounded] == said


def test_a_report_holds_rules_terms_outliers_and_the_trace(run, corpus, tmp_path):
    report = tmp_path / "deep" / "report"
    trained(run, corpus, tmp_path / "m", "--report", report, "--valid-fraction", 0.2)
    names = {path.name for path in report.iterdir()}
    assert names >= {"rules.tsv", "terms.tsv", "outliers.tsv", "trace.jsonl", "curve.tsv"}
    lines = (report / "trace.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["number"] for row in rows] == list(range(1, 13))
    assert all(0 <= row["valid"]["error"] <= 1 for row in rows)
    head, *listing = (report / "outliers.tsv").read_text(encoding="utf-8").splitlines()
    documents = len(read_model(tmp_path / "m").history.z) and len(listing)
    assert documents == read_model(tmp_path / "m").provenance.documents
    ids = [read_tsv_field(line.split("\t")[head.split("\t").index("id")]) for line in listing]
    assert set(ids) <= {row["id"] for row in records()}


@pytest.fixture
def unread(monkeypatch):
    """Fails where data is read."""

    def refuse(*arguments, **options):
        raise AssertionError("data was read")

    monkeypatch.setattr("boostext.library.data.read_documents", refuse)


@pytest.mark.parametrize(
    "place", ["{tmp}", "{tmp}/file/m.boostext", "{tmp}/file/report/m"], ids=str
)
def test_a_place_that_cannot_be_written_is_told_before_data_is_read(
    run, corpus, tmp_path, unread, place
):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = run("train", corpus, "-o", place.format(tmp=tmp_path))
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1


def test_a_report_folder_that_cannot_be_one_is_told_before_data_is_read(
    run, corpus, tmp_path, unread
):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = run("train", corpus, "-o", tmp_path / "m", "--report", tmp_path / "file")
    assert done.exit_code == 1
    assert "is not a folder" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "m"], "no data; name labelled files, or - for stdin"),
        (["x.jsonl"], "no place for the model; give it with -o MODEL"),
        (["x.jsonl", "-o", ""], "-o has an empty name"),
    ],
)
def test_what_is_missing_is_told(run, arguments, said):
    done = run("train", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_bad_record_ends_with_its_line_and_writes_nothing(run, tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "a", "labels": ["x"]}\n\n{"text": [5], "labels": ["x"]}\n', "utf-8")
    done = run("train", data, "-o", tmp_path / "m", "--report", tmp_path / "r")
    assert done.exit_code == 1
    assert f"Error: {data}:3: " in done.stderr
    assert list(tmp_path.iterdir()) == [data]


def test_skip_bad_counts_what_it_leaves_out(run, tmp_path):
    rows = list(records(12))
    data = write_jsonl(tmp_path / "data.jsonl", rows)
    data.write_text(data.read_text("utf-8") + "\nnot JSON\n", encoding="utf-8")
    done = run("train", data, "-o", tmp_path / "m", "--rounds", 3, "--skip-bad", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["bad_records"] == 1
    assert "1 bad record left out:" in done.stderr
    assert f"{data}:14: " in done.stderr
    assert "1 blank line skipped" in done.stderr


def test_a_report_lists_what_was_left_out(run, tmp_path):
    data, report = write_jsonl(tmp_path / "data.jsonl", records(12)), tmp_path / "report"
    data.write_text(data.read_text("utf-8") + '{"text": 5}\nnot JSON\n', encoding="utf-8")
    done = run("train", data, "-o", tmp_path / "m", "--skip-bad", "--report", report, "-q")
    assert done.exit_code == 0
    head, *rows = (report / "bad.tsv").read_text(encoding="utf-8").splitlines()
    assert head == "origin\tmessage"
    assert [row.split("\t")[0] for row in rows] == [f"{data}:13", f"{data}:14"]


def test_data_comes_from_stdin_where_a_dash_says_so(run, corpus, tmp_path):
    path = tmp_path / "m"
    done = run("train", "-", "-o", path, "--rounds", 5, input=corpus.read_bytes())
    assert done.exit_code == 0, done.stderr
    assert read_model(path).provenance.documents == 60


def test_settings_of_the_file_train_and_those_of_the_command_line_win(run, corpus, tmp_path):
    config = tmp_path / "settings.yaml"
    config.write_text("rounds: 9\nngrams: 1-2\nvotes: discrete\n", encoding="utf-8")
    done = run("train", corpus, "-o", tmp_path / "m", "--config", config, "--rounds", 4)
    assert done.exit_code == 0, done.stderr
    settings = read_model(tmp_path / "m")
    assert (settings.boosting.rounds, settings.boosting.votes) == (4, "discrete")
    assert settings.text.ngrams == (1, 2)


def test_a_dry_run_tells_sizes_and_writes_nothing(run, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    facts = json.loads(run("train", corpus, "--dry-run", "--json", "--analyzer", "word").stdout)
    assert (facts["documents"], facts["labels"]) == (60, 3)
    tokens = sum(len(row["text"].split()) for row in records())
    assert facts["tokens"] == tokens
    assert facts["postings"] >= facts["conditions"] > 0
    assert facts["peak_memory_mb"] > 0 or sys.platform == "win32"
    assert not list(tmp_path.iterdir())
    shown = run("train", corpus, "--dry-run", "--analyzer", "word").stdout
    assert f"{tokens:,}" in shown


def test_validation_files_choose_the_rounds(run, corpus, tmp_path):
    done = trained(run, corpus, tmp_path / "m", "--valid", corpus, "--monitor", "macro-f1")
    assert "macro-f1 on the training data" in done.stdout
    assert "60 validation documents" in done.stderr


def test_a_model_that_is_no_better_than_guessing_is_warned_of(run, tmp_path):
    rows = [{"text": "same", "labels": [label]} for label in "aab"]
    done = run("train", write_jsonl(tmp_path / "d.jsonl", rows), "-o", tmp_path / "m")
    assert done.exit_code == 0
    assert "Warning: the model is not better than always answering 'a'" in done.stderr


def test_single_label_data_is_checked_where_that_is_asked_for(run, several, tmp_path):
    done = run("train", several, "-o", tmp_path / "m", "--task", "single")
    assert done.exit_code == 1
    assert f"{several}:3: 2 labels (a, b) although task is single" in done.stderr


# Going on ------------------------------------------------------------------------------------


def stopping_after(monkeypatch, rounds):
    """Like Ctrl-C in the middle of that round."""
    stop = Progress.round

    def after(self, moment):
        stop(self, moment)
        if moment.round.number == rounds:
            import signal

            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Progress, "round", after)


def test_resume_goes_on_to_the_bytes_of_an_unbroken_run(run, corpus, tmp_path, monkeypatch):
    trained(run, corpus, tmp_path / "whole")
    path = tmp_path / "broken"
    with monkeypatch.context() as patch:
        stopping_after(patch, 5)
        done = run("train", corpus, "-o", path, "--rounds", 12)
    assert done.exit_code == 130
    assert f"stopped after round 5; {path} contains the model so far, 5 rules" in done.stderr
    assert len(read_model(path).rules) == 5
    done = trained(run, corpus, path, "--resume")
    assert f"continuing from {path}, 5 rules" in done.stderr
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken", "whole"]


def test_resume_gives_the_same_bytes_where_later_rules_vote_in_further_blocks(run, tmp_path):
    """A file leaves out rows of zeros, and must not lose the sign of a zero with them."""
    data, whole, path = tmp_path / "d.jsonl", tmp_path / "whole", tmp_path / "broken"
    records = (
        {"text": f"own{n % 3} w{n % 5}", "labels": [f"l{n % 3}"], "attributes": {"age": float(n)}}
        for n in range(24)
    )
    data.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    settings = ("--smoothing", 0.05, "-q")
    assert run("train", data, "-o", whole, "--rounds", 40, *settings).exit_code == 0
    later = [bool(rule.votes[NO].any()) for rule in read_model(whole).rules]
    assert not any(later[:5])
    assert any(later)
    assert run("train", data, "-o", path, "--rounds", 5, *settings).exit_code == 0
    assert run("train", data, "-o", path, "--rounds", 40, "--resume", *settings).exit_code == 0
    assert path.read_bytes() == whole.read_bytes()


def test_rules_beyond_the_best_round_are_kept_for_going_on(run, corpus, tmp_path, monkeypatch):
    path = tmp_path / "m"
    with monkeypatch.context() as patch:
        stopping_after(patch, 9)
        done = run("train", corpus, "-o", path, "--rounds", 12, "--valid", corpus)
    assert done.exit_code == 130
    kept = len(read_model(path).rules)
    if kept < 9:
        assert len(read_model(tmp_path / "m.checkpoint").rules) == 9
    trained(run, corpus, path, "--valid", corpus, "--resume")
    trained(run, corpus, tmp_path / "whole", "--valid", corpus)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()


def test_a_checkpoint_goes_before_the_model_and_vanishes_at_the_end(run, corpus, tmp_path):
    path = tmp_path / "m"
    trained(run, corpus, path, "--checkpoint-every", 1e-9)
    whole = path.read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()
    run("train", corpus, "-o", tmp_path / "m.checkpoint", "--rounds", 12, "-q")
    path.unlink()
    done = trained(run, corpus, path, "--resume")
    assert f"continuing from {path}.checkpoint, 12 rules" in done.stderr
    assert path.read_bytes() == whole


def test_a_checkpoint_that_cannot_be_written_ends_no_training(run, corpus, tmp_path, monkeypatch):
    def full(model, path, kind=None):
        if str(path).endswith(".checkpoint"):
            raise BoostextError(f"{path}: cannot be written: No space left on device")
        write_model(model, path, kind)

    monkeypatch.setattr(training, "write_model", full)
    done = trained(run, corpus, tmp_path / "m", "--checkpoint-every", 1e-9)
    assert done.exit_code == 0
    assert "Warning: the checkpoint was not written, but training continues: " in done.stderr
    assert len(read_model(tmp_path / "m").rules) == 12


def test_resume_with_other_settings_lists_them_and_changes_nothing(run, corpus, tmp_path):
    path = tmp_path / "m"
    trained(run, corpus, path)
    before = path.read_bytes()
    done = run("train", corpus, "-o", path, "--resume", "--ngrams", "1-3", "--seed", 4)
    assert done.exit_code == 2
    assert "ngrams: 1-2 -> 1-3" in done.stderr
    assert "seed: 0 -> 4" in done.stderr
    assert path.read_bytes() == before


def test_resume_with_nothing_there_starts_anew_and_says_so(run, corpus, tmp_path):
    done = trained(run, corpus, tmp_path / "m", "--resume")
    assert "starting from the beginning" in done.stderr


def test_a_checkpoint_left_by_another_run_is_spoken_of(run, corpus, tmp_path):
    run("train", corpus, "-o", tmp_path / "m.checkpoint", "--rounds", 3, "-q")
    done = trained(run, corpus, tmp_path / "m")
    assert "--resume continues it" in done.stderr


def test_stopped_carries_its_signal():
    assert Stopped(15).signal_number == 15


def test_an_engine_that_does_not_fit_is_refused_before_reading(run, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("no JSON\n", "utf-8")
    for algorithm in ("mr", "slipper"):
        done = run(
            "train",
            path,
            "-o",
            tmp_path / "m.boostext",
            "--algorithm",
            algorithm,
            "--engine",
            "incremental",
        )
        assert done.exit_code == 2
        assert f"--engine incremental does not go with {algorithm}" in done.stderr


def test_files_without_documents_are_named(run, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text("\n", "utf-8")
    for command in ("train", "tune"):
        done = run(command, path, "-o", tmp_path / "m.out")
        assert done.exit_code == 1
        assert f"no documents in {path}; expected at least one" in done.stderr


def test_documents_of_a_group_are_held_out_together(run, tmp_path):
    rows = [
        {
            "id": str(n),
            "text": f"w{n % 3} c{n // 4}",
            "labels": [f"l{n % 3}"],
            "caller": f"c{n // 4}",
        }
        for n in range(60)
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = run(
        "train",
        path,
        "-o",
        tmp_path / "m.boostext",
        "--rounds",
        5,
        "--group",
        "caller",
        "--valid-fraction",
        0.3,
    )
    assert done.exit_code == 0, done.stderr
