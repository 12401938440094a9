"""boostext: text categorization by boosting readable one-term rules.

    import boostext

    result = boostext.train(["calls.jsonl"], rounds=300, ngrams="1-2")
    result.model.save("calls.boostext")
    model = boostext.load("calls.boostext")
    model.predict(["my bill is wrong"])
    boostext.outliers(result)

Everything is imported when it is first asked for: `import boostext` alone imports no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boostext.corpus.documents import Document
    from boostext.errors import BoostextError
    from boostext.library.classifier import Classifier, load
    from boostext.library.tasks import (
        check,
        compare,
        crossval,
        evaluate,
        inspect,
        outliers,
        prune,
        report,
        tune,
    )
    from boostext.library.training import Result, Step, train
    from boostext.model.predict import Predictor

__version__ = "0.1.0"
__all__ = [
    "BoostextError", "Classifier", "Document", "Predictor", "Result", "Step", "__version__",
    "check", "compare", "crossval", "evaluate", "inspect", "load", "outliers", "prune", "report",
    "train", "tune",
]  # fmt: skip

_TASKS = (
    "check", "compare", "crossval", "evaluate", "inspect", "outliers", "prune", "report", "tune",
)  # fmt: skip
_PLACES = {
    "BoostextError": "boostext.errors", "Classifier": "boostext.library.classifier",
    "Document": "boostext.corpus.documents", "Predictor": "boostext.model.predict",
    "Result": "boostext.library.training", "Step": "boostext.library.training",
    "load": "boostext.library.classifier", "train": "boostext.library.training",
    **dict.fromkeys(_TASKS, "boostext.library.tasks"),
}  # fmt: skip
"""name -> the module that has it"""


def __getattr__(name: str) -> object:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
