"""Turn bitcode into machine code for this processor, and load it, with llvmlite alone."""

# llvmlite's functions are not typed:
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Any

from llvmlite import binding

from boostext.packs import Bitcode, Code

OPTIMIZED = 3
"""The level of LLVM's optimization, which is numba's default."""
INLINED = 275
"""The cost up to which the former interface of LLVM inlines a function at this level."""


def platform() -> str:
    """Return what bitcode is made for: LLVM's version, the kind of processor and the system."""
    return f"llvm{binding.llvm_version_info[0]}-{binding.get_process_triple()}"


def assemble(code: Bitcode) -> Code:
    """Return the machine code of a kernel. Raises RuntimeError if LLVM cannot read the bitcode."""
    machine = _machine()
    module = binding.parse_bitcode(code.content)
    _optimize(module, machine)
    declared = (one.name for one in module.functions if one.is_declaration)
    needs = tuple(name for name in declared if not name.startswith("llvm."))
    return Code(code.name, code.result, needs, machine.emit_object(module))


def load(code: Code) -> int:
    """Load the code into memory and return the address of its function."""
    _engine().add_object_file(binding.ObjectFileRef.from_data(code.content))
    _engine().finalize_object()
    return int(_engine().get_function_address(code.name))


def _optimize(module: Any, machine: Any) -> None:
    if hasattr(binding, "create_pass_builder"):
        tuning = binding.create_pipeline_tuning_options(speed_level=OPTIMIZED)
        tuning.loop_vectorization, tuning.slp_vectorization = True, False
        # subtle: the innermost loops are over labels, which are few; LLVM would otherwise make four
        # steps at once and, for fewer labels than that, fall back on vectors of half the length
        tuning.loop_interleaving = False
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        return
    former, passes = binding.create_pass_manager_builder(), binding.create_module_pass_manager()
    former.opt_level, former.inlining_threshold = OPTIMIZED, INLINED
    former.loop_vectorize = True
    machine.add_analysis_passes(passes)
    former.populate(passes)
    passes.run(module)


@functools.cache
def _target() -> Any:
    with suppress(RuntimeError):  # recent versions need no initialization, and say so in this way
        binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_triple(binding.get_process_triple())


@functools.cache
def _machine() -> Any:
    """Return the description of this processor that code is optimized for."""
    return _target().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=OPTIMIZED,
        reloc="static" if _target().name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


@functools.cache
def _engine() -> Any:
    """Return the engine of LLVM that loads machine code into this process."""
    machine = _target().create_target_machine(codemodel="jitdefault", jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
