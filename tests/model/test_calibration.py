"""Calibration curves in a model's file and JSON, and those that are refused."""

import dataclasses
import json

import numpy as np
import pytest

from boostext.errors import ModelError
from boostext.model.calibration import Isotonic, Sigmoid
from boostext.model.file import read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.predict import link_of, link_probabilities, probabilities
from tests.model.models import mixed_model

CURVES = (
    Sigmoid(2.0, -0.1),
    Isotonic((-1.0, 1 / 3), (0.0, 1.0)),
    Sigmoid(0.0, 1e-300),
    Isotonic((0.0,), (0.5,)),
    Sigmoid(1.0, 0.0, 1.5),
)


def calibrated_model():
    return dataclasses.replace(mixed_model(), calibration=CURVES)


def test_curves_come_back_the_same(tmp_path):
    model = calibrated_model()
    write_model(model, tmp_path / "m")
    assert read_model(tmp_path / "m").calibration == CURVES
    assert model_from_json(model_to_json(model)).calibration == CURVES


def test_a_model_without_curves_says_nothing_of_them():
    assert b"calibration" not in model_to_json(mixed_model())


def test_chances_are_by_the_curves_where_there_are_any():
    scores = np.zeros((1, 5))
    model = calibrated_model()
    expected = [curve(np.zeros(1))[0] for curve in CURVES]
    assert probabilities(scores, model)[0] == pytest.approx(expected)
    plain = mixed_model()
    assert (probabilities(scores, plain) == link_probabilities(scores, link_of(plain))).all()


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        ({"kind": "sigmoid", "slope": 1.0, "intercept": 0.0, "power": 0.0}, "falls"),
        ({"kind": "spline"}, "expected sigmoid, isotonic"),
        ({"kind": "sigmoid", "slope": 1.0, "power": 1.0}, "intercept is missing"),
        ({"kind": "isotonic", "scores": [0.0, 0.0], "chances": [0.1, 0.2], "power": 1.0}, "falls"),
        ({"kind": "isotonic", "scores": [0.0, 1.0], "chances": [0.2, 0.1], "power": 1.0}, "falls"),
        ({"kind": "isotonic", "scores": [0.0], "chances": [1.5], "power": 1.0}, "probabilities"),
        ({"kind": "isotonic", "scores": [], "chances": [], "power": 1.0}, "probabilities"),
        (
            {"kind": "isotonic", "scores": [0.0], "chances": [0.1, 0.2], "power": 1.0},
            "probabilities",
        ),
    ],
)
def test_curves_that_are_none_are_refused(curve, message):
    words = json.loads(model_to_json(calibrated_model()))
    words["calibration"][0] = curve
    with pytest.raises(ModelError, match=message):
        model_from_json(json.dumps(words).encode())


def test_a_curve_is_needed_for_each_label_or_none():
    words = json.loads(model_to_json(calibrated_model()))
    del words["calibration"][0]
    with pytest.raises(ModelError, match="4 calibration curves for 5 labels"):
        model_from_json(json.dumps(words).encode())
