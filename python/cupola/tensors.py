#===- python/cupola/tensors.py - What inputs and outputs are, and arrays that a device uses where they lie ---===#
# SPDX-License-Identifier: Apache-2.0
"""Element types, descriptions of tensors, and numpy arrays for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _runtime
from .errors import UsageError

# By DLPack's code and bits: numpy's name, which is ONNX's, and onnxruntime's. The one place that knows them.
_TYPES = {
    (2, 32): ("float32", "tensor(float)"),
    (2, 16): ("float16", "tensor(float16)"),
    (4, 16): ("bfloat16", "tensor(bfloat16)"),
    (2, 64): ("float64", "tensor(double)"),
    (0, 8): ("int8", "tensor(int8)"),
    (0, 16): ("int16", "tensor(int16)"),
    (0, 32): ("int32", "tensor(int32)"),
    (0, 64): ("int64", "tensor(int64)"),
    (1, 8): ("uint8", "tensor(uint8)"),
    (1, 16): ("uint16", "tensor(uint16)"),
    (1, 32): ("uint32", "tensor(uint32)"),
    (1, 64): ("uint64", "tensor(uint64)"),
    (6, 8): ("bool", "tensor(bool)"),
    (3, 64): ("string", "tensor(string)"),
}


@dataclass(frozen=True)
class Tensor:
    """An input or output. An extent of `shape` is a number, or where it may vary an expression over the model's symbols: "batch",
    "2*batch"; one without a name is called "s0". `shares_with` names the output in the memory of this input, or the reverse
    (docs/python.md, "Caches"). The elements of a *shape input* are shapes, axes or counts for the model."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    shares_with: str | None = None
    is_shape_input: bool = False


def type_name(kind: _runtime.Type) -> str:
    """numpy's name."""
    return _TYPES[kind.code, kind.bits][0]


def onnxruntime_type(dtype: str) -> str:
    """float32 -> tensor(float); numpy's types of strings are one."""
    if dtype == "object" or dtype.startswith(("str", "bytes", "StringDType")):
        dtype = "string"
    return next(other for name, other in _TYPES.values() if name == dtype)


def describe(infos: Sequence[_runtime.TensorInfo], partners: Sequence[_runtime.TensorInfo],
             symbols: Sequence[_runtime.Symbol]) -> tuple[Tensor, ...]:
    """`partners` are the tensors of the other side."""
    names = {symbol.id: symbol.name for symbol in symbols if symbol.name}

    def extent(dim: str) -> int | str:
        return int(dim) if dim.isdigit() else re.sub(r"[a-z]+\d+", lambda found: names.get(found[0], found[0]), dim)

    return tuple(
        Tensor(info.name, type_name(info.type), tuple(map(extent, info.dims)),
               partners[info.shares_with].name if info.shares_with >= 0 else None, info.is_shape_input) for info in infos)


def numpy_dtype(name: str) -> np.dtype[Any]:
    """bfloat16 needs the package ml_dtypes; strings are objects."""
    if name == "string":
        return np.dtype(object)
    if name == "bfloat16":
        try:
            import ml_dtypes
        except ImportError as error:
            raise UsageError("numpy has no bfloat16: install the package ml_dtypes") from error
        name = ml_dtypes.bfloat16
    dtype: np.dtype[Any] = np.dtype(name)
    return dtype


def empty(shape: Sequence[int], dtype: Any = "float32") -> np.ndarray[Any, Any]:
    """An array like numpy.empty's, whose memory is aligned so that the CPU's kernels use it without a copy."""
    name = np.dtype(dtype).name if dtype != "bfloat16" else "bfloat16"
    for (code, bits), (known, _) in _TYPES.items():
        if known == name:
            return empty_of(_runtime.Type(code, bits), numpy_dtype(name), shape)
    raise UsageError(f"the element type is {name}, expected one of {', '.join(known for known, _ in _TYPES.values())}")


def empty_of(kind: _runtime.Type, dtype: np.dtype[Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """The same for a type of the runtime, and numpy's for it."""
    array = _runtime.empty(shape, kind)
    return array if array.dtype == dtype else array.view(dtype)
