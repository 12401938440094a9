"""The functions of the package on data as people hold it."""

import doctest
import importlib
import logging
import pickle
import signal
import subprocess
import sys
import types

import pytest

import boostext
from boostext import BoostextError, Document
from boostext.errors import SettingsError

TEXTS = ["my bill is wrong", "the bill again", "we move house", "I move <b>soon</b>"] * 4
LABELS = ["bill", "bill", "move", "move"] * 4
NUMBERS = [1.5, None, 3.0, 4.0] * 4
COLUMNS = {"text": TEXTS, "label": LABELS, "minutes": NUMBERS}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
SHORT = {"rounds": 5, "threads": 1}


@pytest.fixture(scope="module")
def result():
    return boostext.train(TEXTS, LABELS, preset="paper", **SHORT)


def files(folder):
    import json

    path = folder / "calls.jsonl"
    lines = (json.dumps({"id": str(n), **row}) for n, row in enumerate(RECORDS))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def pandas_frame():
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def polars_frame():
    return pytest.importorskip("polars").DataFrame(COLUMNS)


def arrow_table():
    return pytest.importorskip("pyarrow").table(COLUMNS)


def documents():
    return [
        Document(
            str(n), {"text": row["text"]}, (row["label"],), attributes={"minutes": row["minutes"]}
        )
        for n, row in enumerate(RECORDS)
    ]


@pytest.mark.parametrize(
    "make",
    [lambda: COLUMNS, lambda: iter(RECORDS), pandas_frame, polars_frame, arrow_table, documents],
    ids=["columns", "records", "pandas", "polars", "arrow", "documents"],
)
def test_equal_data_in_any_form_give_the_bytes_of_the_file(make, tmp_path):
    settings = {"attribute": ["minutes"], **SHORT}
    path = files(tmp_path)
    from_file = boostext.train(path, **settings).model
    made = boostext.train(make(), **settings).model
    assert made.to_bytes() == from_file.to_bytes()
    from_file.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == made.to_bytes()


def test_data_sets_of_hugging_face_are_read_by_the_names_of_their_classes():
    class_label = types.SimpleNamespace(names=["bill", "move"])
    rows = [
        {"text": text, "label": LABELS.index(label) // 2}
        for text, label in zip(TEXTS, LABELS, strict=True)
    ]

    class Dataset(list):
        features = {"text": None, "label": class_label}  # noqa: RUF012
        column_names = ["text", "label"]  # noqa: RUF012

    assert boostext.train(Dataset(rows), **SHORT).model.labels == ("bill", "move")


def test_labels_may_be_lists_or_the_name_of_a_column():
    several = boostext.train(TEXTS[:4], [["a", "b"], {"a"}, [], ["b"]], **SHORT).model
    assert several.multilabel
    assert all(isinstance(labels, tuple) for labels in several.predict(TEXTS[:3]))
    renamed = {"text": TEXTS, "topic": LABELS}
    assert boostext.train(renamed, labels="topic", **SHORT).model.labels == ("bill", "move")


def test_missing_values_of_tables_are_missing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "text": ["a b", None, "b c", "c"],
            "label": pandas.array(["x", "y", pandas.NA, "y"], dtype="string"),
            "when": pandas.to_datetime(["2020-01-01", None, "2020-01-02", "2020-01-03"]),
        }
    )
    result = boostext.train(frame, attribute=["when"], **SHORT)
    assert result.trained.prepared.unlabelled.count == 1
    assert result.trained.prepared.corpus.attributes["when"][1] is None


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"data": TEXTS, "labels": LABELS[:3]}, SettingsError, "3 labels for more documents"),
        ({"data": TEXTS[:3], "labels": LABELS}, SettingsError, "more labels than documents"),
        (
            {"data": {"text": ["a"], "label": []}},
            SettingsError,
            "the columns have different lengths",
        ),
        ({"data": documents(), "labels": LABELS}, TypeError, "cannot be given with Document"),
        ({"data": [1, 2], "labels": ["a", "b"]}, TypeError, "labels cannot be given"),
        ({"data": [{"text": "a"}]}, BoostextError, "no field 'labels' or 'label'"),
        ({"data": TEXTS, "labels": LABELS, "round": 3}, SettingsError, "did you mean 'rounds'"),
    ],
)
def test_what_does_not_fit_is_told(values, error, said):
    with pytest.raises(error, match=said):
        boostext.train(**values)


# The model -----------------------------------------------------------------------------------


def test_a_model_labels_scores_and_explains(result):
    model = result.model
    scores = model.scores(["a bill", "we move", ""])
    assert scores.shape == (3, 2)
    assert model.predict(["a bill", "we move"]) == ["bill", "move"]
    assert model.predict(["a bill"], threshold=1e9) == [None]
    assert model.ranked(["we move"]) == [["move", "bill"]]
    assert (model.predict_proba(["a bill"])[0] > [0.5, 0]).all()
    assert model.scores([]).shape == (0, 2)
    said = model.explain("the BILL", labels=["bill"])
    assert sum(row.votes for row in said.rows()) == pytest.approx(model.scores(["the BILL"])[0, 0])
    assert {row.term for row in model.terms()} <= {"bill", "move", "the"}
    with pytest.raises(TypeError, match="single text; expected a list"):
        model.predict("a bill")
    with pytest.raises(SettingsError, match="no label 'bills'"):
        model.explain("a", labels=["bills"])


def test_everything_is_pickled_by_plain_data(result, tmp_path):
    again = pickle.loads(pickle.dumps(result.model))  # noqa: S301
    assert again.to_bytes() == result.model.to_bytes()
    assert boostext.Classifier.from_bytes(again.to_bytes()).labels == ("bill", "move")
    whole = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert whole.measures == result.measures
    assert boostext.outliers(whole) == boostext.outliers(result)


def test_notebooks_show_rules_explanations_and_outliers_escaped(result):
    rows = boostext.outliers(result)
    for shown in (result, result.model, rows, result.model.explain("bill <b>soon")):
        html = shown._repr_html_()
        assert "<table>" in html
        assert "<b>soon" not in html
    assert "&lt;b&gt;soon" in rows._repr_html_()
    assert "<mark>bill</mark>" in result.model.explain("bill <b>soon")._repr_html_()


def test_rows_become_data_frames(result):
    frame = boostext.outliers(result).to_pandas() if pandas_frame() is not None else None
    assert list(frame["rank"]) == list(range(1, len(TEXTS) + 1))
    assert frame["given"][0] in (["bill"], ["move"])
    assert list(result.model.rules().to_pandas()["number"]) == [1, 2, 3, 4, 5]


# Training ------------------------------------------------------------------------------------


def test_texts_that_look_like_paths_are_texts(tmp_path):
    """Long texts cannot be names of files, and others are names of streams, patterns or places."""
    texts = ["my bill " * 1000, "-", "/dev/stdin bill", "*", "s3://house/move", "\0 move", ".", "a"]
    labels = ["bill", "bill", "bill", "bill", "move", "move", "move", "move"]
    trained = boostext.train(texts, labels, preset="paper", **SHORT)
    assert trained.model.predict(texts)[4:6] == ["move", "move"]
    assert boostext.evaluate(trained.model, texts, labels).measures["error"] < 0.9
    boostext.report(trained, tmp_path / "report")
    assert len(boostext.outliers(trained))
    assert len(boostext.outliers(trained.model, texts, labels))
    assert boostext.check(texts, labels)
    assert boostext.sizes(texts, labels, preset="paper")
    boostext.crossval(texts, labels, folds=2, preset="paper", **SHORT)
    boostext.prune(trained.model, data=texts, labels=labels, rules=1)


def test_texts_where_paths_are_expected_are_refused(result):
    for call in (boostext.train, boostext.check, lambda data: boostext.suggest(result.model, data)):
        for text in ("my bill " * 1000, "two\nlines"):
            with pytest.raises(BoostextError, match=r"cannot be the name of a file.*give labels"):
                call([text, "a"])


def test_progress_is_called_after_every_round():
    steps = []
    valid = {"valid": TEXTS[:4], "valid_labels": LABELS[:4]}
    boostext.train(TEXTS, LABELS, preset="paper", progress=steps.append, **valid, **SHORT)
    assert [step.round for step in steps] == [1, 2, 3, 4, 5]
    assert steps[0].rounds == 5
    assert steps[0].valid == 0.0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_gives_the_model_so_far():
    def press(step):
        if step.round == 3:
            signal.raise_signal(signal.SIGINT)

    result = boostext.train(TEXTS, LABELS, progress=press, rounds=100, threads=1)
    assert result.interrupted
    assert result.model.content.round_count == 3
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_there_is_to_say_is_logged(caplog, capfd):
    with caplog.at_level(logging.INFO, "boostext"):
        boostext.train([*TEXTS, "?"], [*LABELS, "Bill"], **SHORT)
    assert "labels that look alike" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_measures_are_those_of_the_summary(result):
    assert result.measures["training error"] == 0
    assert result.measures["baseline error"] == 0.5
    assert result.to_dict()["rounds"] == 5


# The other functions -------------------------------------------------------------------------


def test_checking_holds_knowledge_against_the_data(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("rules:\n  - if: bill\n    then: bill\n", encoding="utf-8")
    told = boostext.check(TEXTS, LABELS, knowledge=str(path))
    assert told.labels == {"bill": 8, "move": 8}
    assert told.to_dict()["knowledge"]["rules"][0]["holds"] == 8


def test_a_report_is_written_from_memory(result, tmp_path):
    names = {path.name for path in boostext.report(result, tmp_path / "r", title="calls")}
    assert {"rules.tsv", "outliers.tsv", "report.html"} <= names
    assert "I move &lt;b&gt;soon" in (tmp_path / "r" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("algorithm", ["mo", "ecoc"])
def test_a_report_of_coded_labels_shows_votes_on_labels(algorithm, tmp_path):
    labels = ["bill", "bill", "move", "soon"] * 4
    result = boostext.train(TEXTS, labels, algorithm=algorithm, **SHORT)
    boostext.report(result, tmp_path / "r")
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    term = boostext.inspect(result.model).to_dict()["terms_for"][0]
    assert f"{term['label']} {term['votes']:+.2f}" in page


def test_outliers_find_a_planted_label():
    labels = LABELS.copy()
    labels[5] = "move"
    result = boostext.train(TEXTS, labels, preset="paper", **SHORT)
    for source in ("auto", "weights", "cumulated"):
        first, second = boostext.outliers(result, source=source, explained=1)[:2]
        assert (first.example, first.suggested) == (5, ("bill",))
        assert first.objections
        assert not second.objections + second.supports
    other, second = boostext.outliers(result.model, TEXTS, labels, source="weights", explained=2)[
        :2
    ]
    assert other.example == 5
    assert other.objections
    assert second.supports
    with pytest.raises(SettingsError, match="explained is -1"):
        boostext.outliers(result, explained=-1)
    with pytest.raises(SettingsError, match="expected one of auto, cv, weights"):
        boostext.outliers(result, source="weight")


def test_models_are_measured_compared_and_pruned(result):
    found = boostext.evaluate(result.model, TEXTS, LABELS)
    assert found.measures["error"] == 0
    small = boostext.prune(result.model, rules=2).model
    assert small.content.round_count == 2
    fitted = boostext.prune(result.model, terms=1, data=TEXTS, labels=LABELS)
    assert len(fitted.model.rules()) == 1
    assert fitted.price.before == 0
    assert boostext.compare(result.model, small, TEXTS, LABELS).found.changed == 0
    for call, said in (
        (lambda: boostext.prune(result.model), "give rules or terms"),
        (lambda: boostext.prune(result.model, rules=9), "fewer than 9"),
        (lambda: boostext.evaluate(result.model, TEXTS[:1], [[]]), "no labelled documents"),
    ):
        with pytest.raises(BoostextError, match=said):
            call()


def test_data_is_cross_validated_tuned_and_checked():
    found = boostext.crossval(TEXTS, LABELS, folds=2, **SHORT)
    assert found.scores.shape == found.probabilities.shape == (len(TEXTS), 2)
    assert found.evaluation.measures["error"] == 0
    with pytest.raises(SettingsError, match="leave out --valid"):
        boostext.crossval(TEXTS, LABELS, valid_fraction=0.1)
    chosen = boostext.tune(TEXTS, LABELS, preset="readable", rounds=3, threads=1)
    again = boostext.train(TEXTS, LABELS, **chosen.settings).model
    assert again.content.round_count <= chosen.settings["rounds"]
    told = boostext.check(TEXTS, LABELS, test=["the bill"], test_labels=["bil"])
    assert told.labels == {"bill": 8, "move": 8}
    assert told.comparison.unseen_labels == {"bil": 1}


# The package ---------------------------------------------------------------------------------


def test_importing_the_package_is_quick_and_imports_nothing_great():
    code = (
        "import time; start = time.process_time(); import boostext, sys\n"
        "spent = time.process_time() - start\n"
        "great = {'numpy', 'numba', 'pandas', 'sklearn', 'click'} & set(sys.modules)\n"
        "assert not great, great\nassert spent < 0.1, spent\n"
        "boostext.load\n"
        "assert not {'numba', 'pandas', 'sklearn', 'click', 'rich'} & set(sys.modules)\n"
        "boostext.train\n"
        "assert not {'numba', 'pandas', 'sklearn', 'click'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_of_the_package_is_there():
    assert set(dir(boostext)) == set(boostext.__all__)
    assert all(getattr(boostext, name) is not None for name in boostext.__all__)
    with pytest.raises(AttributeError, match="no attribute 'tarin'"):
        boostext.tarin  # noqa: B018


@pytest.mark.parametrize("name", ["classifier", "training"])
def test_examples_of_docstrings_run(name):
    module = importlib.import_module(f"boostext.library.{name}")
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed
