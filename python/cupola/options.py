#===- python/cupola/options.py - What a compilation is asked for ---===#
# SPDX-License-Identifier: Apache-2.0
"""Models and options as users give them, and as the C interface takes them: texts, numbers and lists, which another process
understands, too."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Union

from .errors import UsageError

if TYPE_CHECKING:
    import onnx

ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "onnx.ModelProto"]
"""A path, the bytes of a file, or what onnx has loaded."""
External = Union[str, "os.PathLike[str]", Callable[[str, int, int], Any]]
"""Where the external data of a model in memory lies: its folder, or (location, offset, size) -> bytes."""


class CompileOptions(TypedDict, total=False):
    """What may be chosen. None, and what is left out, stands for the default."""

    targets: str | Sequence[str] | None
    """"cuda", "cpu"; both by default."""
    arch: str | Sequence[str] | None
    """"sm_80": make machine code for these now, which needs NVRTC; by default the package has CUDA source for all."""
    cpu: str | Sequence[str] | None
    """"x86-64-v3", "x86-64-v4"; both by default."""
    shapes: Mapping[str, int | Sequence[int]] | None
    """The extents of inputs, {"ids": (1, 16)}, or values of symbols, {"batch": 2}; what is not named stays dynamic."""
    dims: Mapping[str, tuple[int, int | None]] | None
    """The intervals of symbols that stay dynamic, {"past": (1, 4096)}; without an end where it is None."""
    set: Mapping[str, Any] | None
    """Inputs that get their value now, and are no inputs of the package, {"sample_rate": 16000}."""
    sequences: Mapping[str, int | None] | None
    """Of how many tensors an input consists that is a sequence, {"x": 3}; of an optional 1, or None where it is absent."""
    given: Mapping[str, Any] | None
    """All inputs of the run that the model is compiled for, arrays, and lists of them for sequences. They tell what the other options
    leave open and has to be known while compiling: lengths of sequences, ranks, values of inputs that decide the program, which are
    no inputs of the package then, and extents that do, which are those of the package."""
    alias: Mapping[str, str] | None
    """Inputs and the outputs that begin with them and share their memory, {"past_*": "present_*"}."""
    limits: Mapping[str, int] | None
    """Other limits on models, {"tensor-bytes": 1 << 33}."""
    libraries: str
    """Those that may do contractions in place of kernels: "onednn", "cublaslt" or "onednn,cublaslt", or "none". "auto": those with
    figures that say where they gain, which is oneDNN."""
    precision: str
    """"fp32"; "fp16" or "bf16": f32 values lie in memory with 16 bits."""
    keep_fp32: str | Sequence[str] | None
    """Patterns (*, ?, [a-z]) of names of nodes whose results stay f32 all the same."""
    io: str
    """"fp16" or "bf16", as `precision`: inputs and outputs have 16 bits, too."""
    tf32: str
    """"x1": products of f32 may be products of TF32, which reads 11 bits of each; "x3": three of them, which read 22. On `cuda` alone."""
    int8_rows: str
    """"always": products with constant weights of up to 8 bits may round the rows of their other operand to int8, in blocks; "auto", and
    "": those with weights of 4 bits, MatMulNBits where its accuracy_level is 4; "never": none. On `cpu` alone."""
    op_libraries: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
    """Files that define ops of domains of one's own (docs/custom-ops.md)."""
    trust_snippets: bool
    """CUDA C++ of those files becomes part of kernels, and runs wherever the package runs."""
    tuning: str | os.PathLike[str]
    """A file of `cupola tune`, by whose times schedules of CUDA kernels are chosen before those that Cupola brings; "none": neither."""
    cache_dir: str | os.PathLike[str]
    """Of compiled kernels and packages; "none": nowhere."""
    threads: int
    """0 is one per core."""
    disabled_passes: Sequence[str]
    source_only: bool
    """`arch` chooses source, and nothing is made of it now."""
    allow_hard_links: bool
    """Files of external data may have hard links."""
    allow_decoders: bool
    """ImageDecoder is accepted: libjpeg-turbo, libpng and libwebp decode pictures wherever the package runs."""
    kernel_results: bool
    """The outputs of the package are the model's, then the result of every other kernel. Takes one target and architecture."""
    dump_ir: str | os.PathLike[str]
    """The folder that the IR after every pass is written to."""


class WorkerOptions(CompileOptions, total=False):
    """And how the process in which the compiler works is bounded."""

    isolate: bool
    """False: the compiler works in this process. The default where `external_data` is a function, which no other could call."""
    deadline: float
    """Seconds after which it is stopped; 1800 by default."""
    memory: int
    """MiB of address space that it may take; 0, the default, is no limit."""


@dataclass(frozen=True)
class Model:
    """cupola_model: a path, or data and what goes with it."""

    path: str = ""
    data: memoryview | None = None
    external_folder: str = ""
    read_external: Callable[[str, int, int], Any] | None = None


def read_model(model: ModelLike | Model, external: External | None) -> Model:
    if isinstance(model, Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        if external is not None:
            raise UsageError("external_data is for models in memory; a file's lies in its folder")
        return Model(os.fspath(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = memoryview(model).cast("B")
    elif hasattr(model, "SerializeToString"):
        data = memoryview(model.SerializeToString())
    else:
        raise UsageError(f"the model is of type {type(model).__name__}, expected a path, bytes or an onnx.ModelProto")
    if external is None or callable(external):
        return Model(data=data, read_external=external)
    return Model(data=data, external_folder=os.fspath(external))


def read_options(*, targets: str | Sequence[str] | None = None, arch: str | Sequence[str] | None = None,
                 cpu: str | Sequence[str] | None = None, shapes: Mapping[str, int | Sequence[int]] | None = None,
                 dims: Mapping[str, tuple[int, int | None]] | None = None, set: Mapping[str, Any] | None = None,
                 sequences: Mapping[str, int | None] | None = None, given: Mapping[str, Any] | None = None,
                 alias: Mapping[str, str] | None = None, limits: Mapping[str, int] | None = None,
                 disabled_passes: Sequence[str] = (), libraries: str = "", precision: str = "",
                 keep_fp32: str | Sequence[str] | None = None, io: str = "", tf32: str = "", int8_rows: str = "",
                 op_libraries: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
                 trust_snippets: bool = False, tuning: str | os.PathLike[str] = "", cache_dir: str | os.PathLike[str] = "",
                 dump_ir: str | os.PathLike[str] = "", threads: int = 0, source_only: bool = False,
                 allow_hard_links: bool = False, allow_decoders: bool = False, kernel_results: bool = False) -> dict[str, Any]:
    """CompileOptions by the names of _compiler.Options."""
    return {
        "targets": _names(targets),
        "archs": _names(arch),
        "cpu_levels": _names(cpu),
        "shapes": [(name, [int(shape)] if isinstance(shape, int) else [int(extent) for extent in shape])
                   for name, shape in (shapes or {}).items()],
        "dims": [(name, low, high or 0) for name, (low, high) in (dims or {}).items()],
        "values": [(name, _numbers(value)) for name, value in (set or {}).items()],
        "sequences": [(name, "absent" if count is None else str(int(count))) for name, count in (sequences or {}).items()],
        "given": None if given is None else given_inputs(given),
        "aliases": list((alias or {}).items()),
        "limits": list((limits or {}).items()),
        "disabled_passes": list(disabled_passes),
        "libraries": libraries,
        "precision": precision,
        "keep_fp32": _names(keep_fp32),
        "io": io,
        "tf32": tf32,
        "int8_rows": int8_rows,
        "op_libraries": [os.fspath(path) for path in _names(op_libraries)],
        "trust_snippets": trust_snippets,
        "tuning": os.fspath(tuning),
        "cache_dir": os.fspath(cache_dir),
        "dump_ir_dir": os.fspath(dump_ir),
        "threads": threads,
        "source_only": source_only,
        "allow_hard_links": allow_hard_links,
        "allow_decoders": allow_decoders,
        "kernel_results": kernel_results,
    }


def given_inputs(inputs: Mapping[str, Any]) -> list[tuple[str, list[int], str | None]]:
    """What a compilation may need of the inputs of a run. The elements of a list x are x[0], x[1], .., an empty one is x[], and None is
    left out."""
    given = list[tuple[str, list[int], str | None]]()
    for name, value in inputs.items():
        if isinstance(value, (list, tuple)):
            given += [_given(f"{name}[{i}]", element) for i, element in enumerate(value)] or [(f"{name}[]", [0], None)]
        elif value is not None:
            given.append(_given(name, value))
    return given


def _given(name: str, array: Any) -> tuple[str, list[int], str | None]:
    """With the numbers, where they are few enough to decide a program."""
    import numpy as np
    values = np.asarray(array)
    return name, list(values.shape), _numbers(values) if values.size <= 256 and values.dtype.kind in "biuf" else None


def _names(names: Any) -> list[Any]:
    """One, several or none, as a list."""
    return [] if names is None else [names] if isinstance(names, (str, os.PathLike)) else list(names)


def _numbers(value: Any) -> str:
    """16000, [1, 2, 3] or an array, as the C interface reads it."""
    flat = value.reshape(-1).tolist() if hasattr(value, "reshape") else value if isinstance(value, (list, tuple)) else [value]
    return ",".join(repr(int(number) if isinstance(number, bool) else number) for number in flat)
