"""The compiled kernels of the incremental engine, by name."""

from __future__ import annotations

from typing import Any

from boostext.boosting.engines import (
    kernels_blocks,
    kernels_moves,
    kernels_near,
    kernels_search,
    kernels_sums,
)
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError


class Kernels(dict[str, Any]):
    """Compiled kernels by name, each made when it is first asked for; raises SettingsError."""

    def __missing__(self, name: str) -> Any:
        of = (kernels_sums, kernels_moves, kernels_near, kernels_search, kernels_blocks)
        named = {f.__name__: (f, s) for kernels in of for f, s in kernels.SIGNATURES.items()}
        self[name] = kernel = compiled(*named[name])
        if kernel is None:
            raise SettingsError(
                f"the incremental engine needs numba: {notice()}; mend that, or use --engine plain"
            )
        return kernel
