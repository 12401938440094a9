"""Translate all kernels to bitcode while a wheel is built, so that no first run waits for numba.

A wheel works on every system; where these kernels cannot be used, numba translates them in the
first run. An editable installation has none, since its sources change.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TranslatedKernels(BuildHookInterface):
    """Adds the folder `boostext/built_kernels` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        self._folder = tempfile.TemporaryDirectory()
        sys.path.insert(0, self.root)
        try:
            platform = translate_all(Path(self.root), Path(self._folder.name))
        finally:
            sys.path.remove(self.root)
        build_data["force_include"][self._folder.name] = f"boostext/built_kernels/{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version == "standard":
            self._folder.cleanup()


def translate_all(root: Path, folder: Path) -> str:
    """Write the bitcode of each kernel to a file in `folder`; return what it is made for."""
    from boostext.built import keep
    from boostext.compiled import file_name, kernels_of
    from boostext.machine_code import platform
    from boostext.packs import kinds_of
    from boostext.translation import translate

    for path in sorted((root / "boostext").rglob("*kernels*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        for function, signature in kernels_of(importlib.import_module(name)).items():
            kinds = kinds_of(function, signature)
            keep(folder / file_name(function, kinds), translate(function, kinds))
    return platform()
