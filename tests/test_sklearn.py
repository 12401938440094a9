"""boostext as an estimator of scikit-learn."""

import doctest
import json
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

import joblib
import pandas
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

import boostext.sklearn
from boostext.sklearn import BoostextClassifier, find_label_issues

QUICK = {"rounds": 15, "threads": 1, "engine": "plain"}
TEXTS = [
    "my bill is wrong",
    "the bill again",
    "a bill for me",
    "no bill came",
    "we move house",
    "I move soon",
    "they move too",
    "who will move",
] * 4
LABELS = np.array((["bill"] * 4 + ["move"] * 4) * 4)
MINUTES = [float(n % 8 < 4) + n / 100 for n in range(len(TEXTS))]


def quick(**settings):
    return BoostextClassifier(**{**QUICK, **settings})


def fitted(**settings):
    return quick(**settings).fit(TEXTS, LABELS)


# The checks of scikit-learn ------------------------------------------------------------------


class Worded(BoostextClassifier):
    """Every number as a word: the checks of scikit-learn, which make numbers, on texts."""

    def fit(self, X, y, sample_weight=None):
        texts = self._texts(X, reset=True)
        super().fit(texts, y, sample_weight)
        self.n_features_in_, self._input_form = self._width, "text"
        return self

    def _scores(self, X):
        boostext.sklearn.check_is_fitted(self)
        found = super()._scores(self._texts(X, reset=False))
        self.n_features_in_ = self._width
        return found

    def _texts(self, X, reset):
        X = validate_data(self, X, reset=reset, dtype=np.float64, accept_sparse=False)
        self._width = self.n_features_in_
        return [" ".join(f"w{j}x{2 * v:.0f}" for j, v in enumerate(row)) for row in X]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = False
        return tags


TIES = {
    "check_sample_weight_equivalence_on_dense_data": "the check shuffles, and of equally good "
    "terms the first counts, which is another one then"
}


@pytest.mark.parametrize(("kind", "expected"), [(BoostextClassifier, {}), (Worded, TIES)])
def test_all_checks_of_scikit_learn_pass(kind, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(
            kind(**{**QUICK, "rounds": 8, "preset": "paper"}),
            on_fail="raise",
            expected_failed_checks=expected,
        )
    others = {r["check_name"] for r in found if r["status"] != "passed"}
    assert others <= {"check_array_api_input", *expected}
    assert len(found) > 50


def test_a_weight_counts_as_an_example_so_many_times_over():
    weights = np.arange(len(TEXTS)) % 3
    repeated = np.repeat(np.arange(len(TEXTS)), weights)
    weighted = quick(preset="paper").fit(TEXTS, LABELS, sample_weight=weights)
    whole = quick(preset="paper").fit([TEXTS[i] for i in repeated], LABELS[repeated])
    assert weighted.decision_function(TEXTS) == pytest.approx(whole.decision_function(TEXTS))


def test_an_estimator_of_texts_says_so():
    tags = BoostextClassifier(input="text").__sklearn_tags__().input_tags
    assert (tags.string, tags.one_d_array, tags.two_d_array) == (True, True, False)


# The same as the command ---------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"ngrams": "1-2"}, {"valid_fraction": 0.2, "seed": 3}])
def test_the_model_is_that_of_the_command(settings, tmp_path):
    from boostext.cli import main

    rows = zip(TEXTS, LABELS.tolist(), strict=True)
    lines = (json.dumps({"id": str(n), "text": t, "label": y}) for n, (t, y) in enumerate(rows))
    (tmp_path / "d.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = [w for k, v in {**QUICK, **settings}.items() for w in (f"--{k}".replace("_", "-"), v)]
    command = ["train", tmp_path / "d.jsonl", "-o", tmp_path / "m", "-q", *options]
    main(list(map(str, command)), standalone_mode=False)
    model = fitted(**settings).model_
    assert model.to_bytes() == (tmp_path / "m").read_bytes()
    assert model.predict(TEXTS) == fitted(**settings).predict(TEXTS).tolist()


# In the company of scikit-learn --------------------------------------------------------------


def test_it_is_cloned_pickled_and_dumped(tmp_path):
    classifier = fitted(ngrams="1-2")
    again = clone(classifier)
    assert again.get_params() == classifier.get_params()
    with pytest.raises(NotFittedError):
        again.predict(TEXTS)
    joblib.dump(classifier, tmp_path / "c")
    loaded = joblib.load(tmp_path / "c")
    assert loaded.model_.to_bytes() == classifier.model_.to_bytes()
    assert (loaded.predict(TEXTS) == LABELS).all()
    assert loaded.rules_[0].condition in ("bill", "move")


def test_settings_are_searched_in_several_processes():
    grid = {"rounds": [1, 3]}
    with joblib.parallel_config(backend="multiprocessing"):
        search = GridSearchCV(quick(), grid, n_jobs=2, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1
    assert search.best_estimator_.predict(["a bill"]) == ["bill"]


def test_wrong_labels_are_found_out_of_fold():
    labels = LABELS.copy()
    labels[3] = "move"
    probabilities = cross_val_predict(quick(), TEXTS, labels, cv=4, method="predict_proba")
    assert probabilities.shape == (len(TEXTS), 2)
    issues = find_label_issues(TEXTS, labels, quick())
    assert all(row.is_label_issue == (row.predicted_label != row.given_label) for row in issues)
    assert (issues[3].given_label, issues[3].predicted_label) == ("move", "bill")
    assert issues.to_pandas()["label_quality"].idxmin() == 3
    cleanlab = pytest.importorskip("cleanlab.filter")
    numbers = np.unique(labels, return_inverse=True)[1]
    assert cleanlab.find_label_issues(numbers, probabilities).nonzero()[0].tolist() == [3]


def frame():
    return pandas.DataFrame(
        {"text": TEXTS, "minutes": MINUTES, "region": pandas.Categorical(["n", "s"] * 16)}
    )


def test_pipelines_feed_columns_of_all_kinds():
    columns = ColumnTransformer(
        [("scaled", StandardScaler(), ["minutes"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(columns, quick()).fit(frame(), LABELS)
    assert (pipeline.predict(frame()) == LABELS).all()
    content = pipeline[-1].model_.content
    assert content.data.text == ("text",)
    assert content.data.attribute == ("minutes", "region")
    assert pipeline[-1].feature_names_in_.tolist() == ["minutes", "text", "region"]
    with pytest.raises(ValueError, match="feature names"):
        pipeline[-1].predict(frame()[["text", "minutes"]])


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_columns_may_be_named_as_texts(kind):
    X = frame()[["text", "minutes"]].assign(region=["n", "s"] * 16)
    if kind == "polars":
        X = pytest.importorskip("polars").DataFrame(X.to_dict("list"))
    elif kind == "array":
        X = X.to_numpy(object)
    classifier = quick(text_columns=[0]).fit(X, LABELS)
    assert (classifier.predict(X) == LABELS).all()
    assert len(classifier.model_.content.data.text) == 1
    with pytest.raises(ValueError, match="fit was given columns"):
        classifier.predict(TEXTS)
    with pytest.raises(ValueError, match="text_columns names"):
        quick(text_columns=["body"]).fit(X, LABELS)


def test_weights_are_routed():
    import sklearn

    weights = np.where(LABELS == "bill", 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = quick().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(
            weighted, TEXTS, LABELS, cv=2, params={"sample_weight": weights}, return_estimator=True
        )
    assert all(one.model_.labels == ("bill",) for one in found["estimator"])
    assert found["test_score"].tolist() == [1, 1]
    assert found["estimator"][0].predict_proba(TEXTS[:1]).tolist() == [[1.0, 0.0]]


def test_a_warm_start_goes_on_from_the_rules_that_there_are():
    classifier = quick(rounds=2, warm_start=True).fit(TEXTS, LABELS)
    classifier.set_params(rounds=5).fit(TEXTS, LABELS)
    assert classifier.rules_.to_tsv() == fitted(rounds=5).rules_.to_tsv()


# Data ----------------------------------------------------------------------------------------


def test_zeros_of_a_sparse_matrix_are_not_there_and_those_of_an_array_are_values():
    X = np.array([[0, 1], [2, 0], [0, 3], [4, 0]] * 4, float)
    y = [1, 0, 1, 0] * 4
    for given, other in ((X, csr_matrix(X)), (csr_matrix(X), X)):
        classifier = quick().fit(given, y)
        assert classifier.predict(given).tolist() == classifier.predict(other).tolist() == y
    told = {row.condition for row in quick().fit(csr_matrix(X), y).rules_}
    assert told <= {"x:x0", "x:x1"} | {c for c in told if c.startswith("x:")}
    X[0] = np.nan
    assert quick().fit(X, y).predict(X).shape == (16,)


def test_several_labels_come_as_lists_or_as_a_matrix():
    lists = [["a"], ["a", "b"], [], ["b"]] * 4
    texts = ["x", "x y", "z", "y"] * 4
    listed = quick().fit(texts, lists)
    assert listed.predict(texts[:4]).tolist() == [("a",), ("a", "b"), (), ("b",)]
    matrix = np.array([[1, 0], [1, 1], [0, 0], [0, 1]] * 4)
    by_matrix = quick().fit(texts, matrix)
    assert (by_matrix.predict(texts) == matrix).all()
    assert by_matrix.predict_proba(texts).shape == by_matrix.decision_function(texts).shape


def test_classes_have_weights_of_their_own():
    texts, labels = ["x", "x", "x"], [1, 1, 0]
    assert quick().fit(texts, labels).predict(["x"]) == [1]
    assert quick(class_weight={0: 5.0}).fit(texts, labels).predict(["x"]) == [0]
    assert quick(class_weight="balanced").fit(texts * 3, labels * 3).predict_proba(["x"])[
        0
    ] == pytest.approx([0.5, 0.5])


def test_probabilities_are_calibrated_where_asked():
    classifier = fitted(calibrate="sigmoid", folds=2)
    assert classifier.model_.content.calibration
    assert classifier.predict_proba(TEXTS).sum(axis=1) == pytest.approx(1)
    assert not hasattr(quick(algorithm="mr"), "predict_proba")


@pytest.mark.parametrize(
    ("X", "settings", "error", "said"),
    [
        (TEXTS, {"ngrams": "3-1"}, ValueError, "must not be above the second"),
        (TEXTS[:2], {}, ValueError, "inconsistent numbers of samples"),
        ([1, *TEXTS[1:]], {"input": "text"}, TypeError, "item 0 of X is a int"),
        (
            pandas.DataFrame({"t": pandas.to_datetime([0] * 32), "x": TEXTS}),
            {},
            TypeError,
            "expected texts, categories or numbers",
        ),
    ],
)
def test_what_cannot_be_is_told(X, settings, error, said):
    with pytest.raises(error, match=said):
        quick(**settings).fit(X, LABELS)


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="unknown parameters: round"):
        BoostextClassifier(round=3)


def test_the_example_runs():
    done = doctest.testmod(boostext.sklearn)
    assert done.attempted
    assert not done.failed
