"""The compiled kernels of the incremental engine, by name."""

from __future__ import annotations

from typing import Any

from boostext.boosting.engines import (
    kernels_blocks,
    kernels_search,
    kernels_terms,
    kernels_weights,
)
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError


class Kernels(dict[str, Any]):
    """Compiled kernels by name, each made when it is first asked for; raises SettingsError."""

    def __missing__(self, name: str) -> Any:
        of = (kernels_weights, kernels_terms, kernels_search, kernels_blocks)
        named = {kernel.__name__: kernel for kernels in of for kernel in kernels.KERNELS}
        self[name] = kernel = compiled(named[name])
        if kernel is None:
            raise SettingsError(
                f"the incremental engine needs numba: {notice()}; mend that, or use --engine plain"
            )
        return kernel
