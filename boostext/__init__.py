"""boostext: text categorization by boosting readable one-term rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boostext.model.file import read_model as load
    from boostext.model.predict import Predictor
    from boostext.training.api import train

__version__ = "0.1.0"
__all__ = ["Predictor", "__version__", "load", "train"]


def __getattr__(name: str) -> object:
    """`boostext.train(...)`, `load(path)` and `Predictor(model)`, imported when first asked for.

    `import boostext` alone stays quick: it imports no numpy.
    """
    if name == "load":
        from boostext.model.file import read_model

        return read_model
    if name == "Predictor":
        from boostext.model.predict import Predictor

        return Predictor
    if name == "train":
        from boostext.training.api import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
