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

# By DLPack's code and bits: the name of numpy or ml_dtypes, and onnxruntime's. The one place that knows them.
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
    (0, 4): ("int4", "tensor(int4)"),
    (1, 4): ("uint4", "tensor(uint4)"),
    (0, 2): ("int2", "tensor(int2)"),
    (1, 2): ("uint2", "tensor(uint2)"),
    (17, 4): ("float4_e2m1fn", "tensor(float4e2m1)"),
    (10, 8): ("float8_e4m3fn", "tensor(float8e4m3fn)"),
    (11, 8): ("float8_e4m3fnuz", "tensor(float8e4m3fnuz)"),
    (12, 8): ("float8_e5m2", "tensor(float8e5m2)"),
    (13, 8): ("float8_e5m2fnuz", "tensor(float8e5m2fnuz)"),
    (14, 8): ("float8_e8m0fnu", "tensor(float8e8m0)"),
    (3, 64): ("string", "tensor(string)"),
}
# Those of ml_dtypes; numpy can export no array of them.
_FOREIGN = frozenset(name for (code, bits), (name, _) in _TYPES.items() if bits < 8 or code not in (0, 1, 2, 3, 6))


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
    """The name of numpy or ml_dtypes."""
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
    """bfloat16 and the types of up to 8 bits but int8, uint8 and bool need the package ml_dtypes; strings are objects."""
    if name == "string":
        return np.dtype(object)
    if is_foreign(name):
        try:
            import ml_dtypes
        except ImportError as error:
            raise UsageError(f"numpy has no {name}: install the package ml_dtypes") from error
        name = getattr(ml_dtypes, name)
    dtype: np.dtype[Any] = np.dtype(name)
    return dtype


def is_foreign(name: str) -> bool:
    """Whether the type is one of ml_dtypes, of which numpy can export no array."""
    return name in _FOREIGN


def bits_of(array: Any) -> Any:
    """A numpy array of a type of ml_dtypes as one of unsigned integers; others as they are."""
    if isinstance(array, np.ndarray) and is_foreign(array.dtype.name):
        return array.view(f"u{array.itemsize}")
    return array


def empty(shape: Sequence[int], dtype: Any = "float32") -> np.ndarray[Any, Any]:
    """An array like numpy.empty's, aligned as every device needs it to use its memory without a copy."""
    names = [known for known, _ in _TYPES.values()]
    name = dtype if isinstance(dtype, str) and dtype in names else np.dtype(dtype).name
    for (code, bits), (known, _) in _TYPES.items():
        if known == name:
            return empty_of(_runtime.Type(code, bits), numpy_dtype(name), shape)
    raise UsageError(f"the element type is {name}, expected one of {', '.join(names)}")


def empty_of(kind: _runtime.Type, dtype: np.dtype[Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """The same for a type of the runtime, and numpy's for it."""
    array = _runtime.empty(shape, kind)
    return array if array.dtype == dtype else array.view(dtype)
