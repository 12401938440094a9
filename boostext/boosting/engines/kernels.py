"""The compiled kernels of the incremental engine, by name."""

from __future__ import annotations

from functools import partial
from typing import Any

from boostext.boosting.engines import (
    kernels_blocks,
    kernels_label,
    kernels_rounds,
    kernels_terms,
    kernels_weights,
)
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError

MOST_PACKED = 64
"""Named tuples whose tables are kept for the next call."""


class Kernels(dict[str, Any]):
    """Compiled kernels by name, each made when it is first asked for; raises SettingsError.

    They take named tuples as they are, whose arrays must stay where they are.
    """

    def __init__(self) -> None:
        self._packed: dict[int, Any] = {}

    def __missing__(self, name: str) -> Any:
        of = (kernels_rounds, kernels_label, kernels_weights, kernels_terms, kernels_blocks)
        named = {kernel.__name__: kernel for kernels in of for kernel in kernels.KERNELS}
        kernel = compiled(named[name])
        if kernel is None:
            raise SettingsError(
                f"the incremental engine needs numba: {notice()}; mend that, or use --engine plain"
            )
        self[name] = call = partial(self._call, kernel)
        return call

    def _call(self, kernel: Any, *arguments: Any) -> Any:
        return kernel(*[self._pack(one) if isinstance(one, tuple) else one for one in arguments])

    def _pack(self, arrays: Any) -> Any:
        """The table of a named tuple; the same as last time, if it is the same tuple."""
        from boostext.packs import Packed

        known = self._packed.get(id(arrays))
        if known is None or known.arrays is not arrays:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
            self._packed[id(arrays)] = known = Packed(arrays)
        return known
