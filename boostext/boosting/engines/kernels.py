"""The compiled kernels of the incremental engine, by name."""

from __future__ import annotations

from functools import partial
from typing import Any

from boostext.boosting.engines import (
    kernels_blocks,
    kernels_rounds,
    kernels_terms,
    kernels_weights,
)
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError
from boostext.packs import Packed

MOST_PACKED = 64
"""The number of packed named tuples that are kept for further calls."""


class Kernels(dict[str, Any]):
    """The compiled kernels by name; each is loaded or compiled when it is first used.

    Kernels take named tuples as arguments. The arrays of a named tuple must not be replaced while
    it is in use. Raises SettingsError if numba cannot be used.
    """

    def __init__(self) -> None:
        self._packed: dict[int, Any] = {}

    def __missing__(self, name: str) -> Any:
        of = (kernels_rounds, kernels_weights, kernels_terms, kernels_blocks)
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
        """Return a named tuple as the kernel needs it; the result is kept for the next call."""
        known = self._packed.get(id(arrays))
        if known is None or known.arrays is not arrays:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
            self._packed[id(arrays)] = known = Packed(arrays, self._pack)
        return known
