#===- python/cupola/session.py - Packages run on a device ---===#
# SPDX-License-Identifier: Apache-2.0
"""The native interface: arrays in and out where they lie, runs that are queued and waited for, caches that stay."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _runtime
from .composites import joined, split
from .errors import UsageError
from .package import Package
from .reports import Report
from .tensors import Tensor, bits_of, empty_of, is_foreign, numpy_dtype

PackageLike = Union[Package, str, "os.PathLike[str]", bytes]
Array = Any
"""What has the buffer protocol or DLPack: numpy, torch, jax, cupy. Dense and row-major, in host memory or the device's."""
Strides = tuple[int, ...]
Key = tuple[tuple[tuple[int, ...], ...], tuple[Strides, ...], tuple[bytes, ...]]


class Executable:
    """A package on a device: kernels loaded, weights there and prepared. Immutable; its sessions share the weights.

    device: "cuda", "cpu", "sim" (CUDA kernels executed on the CPU with checks), or "auto": cuda where there is one, else cpu.
    threads: of cpu and sim; 0 is one per core.  ordinal: which GPU.  arch: of sim, "sm_75" or "sm_80"; of cpu the level not to
    exceed.  cache_dir: of compiled kernels; "none": nowhere.
    Raises ResourceError where the device is missing, or the package has nothing for it.
    """

    def __init__(self, package: PackageLike, device: str = "auto", *, threads: int = 0, ordinal: int = 0, arch: str = "",
                 cache_dir: str | os.PathLike[str] = "") -> None:
        self.package = package_of(package)
        self._device = _runtime.Device.create(device, arch, ordinal, threads, os.fspath(cache_dir))
        self.native = _runtime.Executable.create(self.package.native, self._device)

    @property
    def device(self) -> str:
        """cuda, cpu or sim"""
        return self._device.name

    @property
    def arch(self) -> str:
        """sm_86, x86-64-v3"""
        return self._device.arch

    def session(self, *, stream: int = 0, in_flight: int = 2) -> Session:
        """`stream` is a CUstream of the caller's, 0 for one of the session's own; `in_flight` is how many runs may be under way."""
        return Session(self, stream=stream, in_flight=in_flight)

    def __reduce__(self) -> Any:
        raise TypeError("an Executable holds code and weights on a device, which cannot be pickled; pickle its package")


class Session:
    """Runs an executable, one thread at a time; for several threads make one each of the same `Executable`.

    Made of an Executable, or of a package (a Package, a path, bytes) and what `Executable` takes.
    """

    def __init__(self, executable: Executable | PackageLike, device: str = "auto", *, threads: int = 0, stream: int = 0,
                 in_flight: int = 2, **options: Any) -> None:
        if not isinstance(executable, Executable):
            executable = Executable(executable, device, threads=threads, **options)
        self.executable = executable
        package = executable.package.native
        self._native = _runtime.Session.create(executable.native, package, stream, in_flight)
        self.inputs: tuple[Tensor, ...] = executable.package.inputs
        self.outputs: tuple[Tensor, ...] = executable.package.outputs
        self._parts, self._output_parts = executable.package.input_composites, executable.package.output_composites
        self._names = [tensor.name for tensor in self.inputs]
        self._output_names = [tensor.name for tensor in self.outputs]
        self._given = [(tensor.name, numpy_dtype(tensor.dtype), tensor.shares_with is not None) for tensor in self.inputs]
        self._made = [(info.type, _stored(tensor.dtype)) for info, tensor in zip(package.outputs, self.outputs)]
        self._memory_of = [info.shares_with for info in package.outputs]
        self._has_bits = any(is_foreign(tensor.dtype) for tensor in self.inputs + self.outputs)
        self._strings = [tensor.dtype == "string" for tensor in self.inputs]
        self._made_strings = [tensor.dtype == "string" for tensor in self.outputs]
        self._has_shared = any(is_shared for _, _, is_shared in self._given)
        self._steers = [tensor.is_shape_input for tensor in self.inputs]
        self._has_steering = any(self._steers)
        self._expected = frozenset(self._names)
        self._key: Key | None = None
        self._shapes: list[tuple[int, ...]] = []
        self._under_way: deque[Any] = deque(maxlen=in_flight or 2)  # more than that enqueue does not let be; ends after _native

    #===--- Shapes ---===#

    def bind(self, shapes: Mapping[str, Sequence[int]],
             elements: Mapping[str, Array] | None = None) -> dict[str, tuple[int, ...]]:
        """Fixes the inputs' shapes and makes room for them; returns the outputs', where an extent that a run finds is -1. `elements`
        are the arrays of shape inputs (`Tensor.is_shape_input`). Runs do so by themselves. Raises UsageError for shapes that the model
        does not have, ResourceError where memory is out."""
        self._expect(shapes, "shape")
        given = elements or {}
        arrays = [given.get(name) if is_steering else None for name, is_steering in zip(self._names, self._steers)]
        self._bind((tuple(tuple(shapes[name]) for name in self._names), (), self._elements(arrays)))
        return self.output_shapes()

    def output_shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the last bind or run. Raises UsageError before it."""
        return {tensor.name: self._native.output_shape(i) for i, tensor in enumerate(self.outputs)}

    def _bind(self, key: Key) -> None:
        self._key = None
        self._native.bind(list(key[0]), list(key[1]), list(key[2]))
        self._shapes = [self._native.output_shape(i) for i in range(len(self.outputs))]
        self._key = key

    #===--- Runs ---===#

    def run(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array] | None = None) -> dict[str, Array]:
        """Runs once and waits. Returns all outputs by name: the arrays of `outputs`, new numpy arrays, or for an output that shares
        an input's memory an array of that. Arrays that the device reaches are used where they lie, on GPUs if they are aligned to 64 bytes
        (`cupola.empty`; torch's are); others are copied. Strings come as numpy arrays of str, bytes or objects, or as lists, and are
        returned as arrays of str. The lock of the interpreter is free meanwhile. A sequence is a list of arrays, an optional that is
        absent None; `outputs` names the arrays of one "y[0]", "y[1]"."""
        given = self._arrays(inputs)
        results = self._results(given, outputs)
        self._native.run(self._bits(given), self._bits(results))
        return self._named(results)

    def enqueue(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array] | None = None) -> Run:
        """Queues a run behind those before it. The arrays are the run's until `Run.wait`, and stay alive so long."""
        given = self._arrays(inputs)
        results = self._results(given, outputs)
        number = self._native.enqueue(self._bits(given), self._bits(results))
        self._under_way.append((given, results))
        return Run(self, number, results)

    #===--- What is known of runs ---===#

    def profile(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array] | None = None) -> Report:
        """A run of its own, step by step with the time of each. `str` of the report is a table, `json` a trace that Perfetto and Chrome's
        viewer read (docs/reports.md): write it with `json.dump`."""
        given = self._arrays(inputs)
        text, trace = self._native.profile(self._bits(given), self._bits(self._results(given, outputs)))
        return Report(text, json.loads(trace))

    def metrics(self, name: str = "") -> Report:
        """Counters of the runs so far: `str` of the report is Prometheus's text format, with `name` as the label `model`. Any thread may
        ask, while the session runs on another."""
        text, counters = self._native.metrics(name)
        return Report(text, json.loads(counters))

    @property
    def copied_tensors(self) -> int:
        """How many arrays the runs so far copied, because they were not aligned or out of the device's reach."""
        return self._native.copied_tensors

    def __reduce__(self) -> Any:
        raise TypeError("a Session holds memory of a device and runs under way, which cannot be pickled; pickle its package and "
                        "make a session where it is read")

    #===--- Arrays ---===#

    def _expect(self, given: Mapping[str, Any], what: str) -> None:
        missing = [name for name in self._names if name not in given]
        unknown = [name for name in given if name not in self._names]
        if missing or unknown:
            raise UsageError("; ".join([f"no {what} for input '{name}'" for name in missing] +
                                       [f"there is no input '{name}'" for name in unknown]) + f"; the inputs are {self._names}")

    def _arrays(self, inputs: Mapping[str, Array]) -> list[Array]:
        inputs = split(inputs, self._parts)
        if inputs.keys() != self._expected:
            self._expect(inputs, "array")
        arrays = []
        for (name, dtype, is_shared), are_strings in zip(self._given, self._strings):
            array = inputs[name]
            if are_strings:
                arrays.append(self._numbers(name, array))
                continue
            if type(array) is not np.ndarray:
                array = imported(array, dtype)
            if isinstance(array, np.ndarray):
                if array.dtype != dtype:
                    raise UsageError(f"input '{name}' is of {array.dtype}, expected {dtype}")
                if not is_shared and not array.flags.c_contiguous:
                    array = np.ascontiguousarray(array)
            arrays.append(array)
        return arrays

    def _numbers(self, name: str, array: Array) -> np.ndarray[Any, Any]:
        """The session's numbers of strings."""
        if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
            raise UsageError(f"input '{name}' holds strings, for which DLPack has no type: give a numpy array or a list of str")
        texts = array if isinstance(array, np.ndarray) else np.asarray(array, dtype=object)
        if texts.dtype.kind not in "USOT":
            raise UsageError(f"input '{name}' is of {texts.dtype}, expected strings")
        numbers = self._native.number_strings(texts.ravel().tolist())
        return np.array(numbers, dtype=np.int64).reshape(texts.shape)

    def _results(self, given: list[Array], outputs: Mapping[str, Array] | None) -> list[Array]:
        """Arrays for the outputs, in order; None where the run finds the shape."""
        key = (tuple([tuple(array.shape) for array in given]), self._strides(given) if self._has_shared else (),
               self._elements(given) if self._has_steering else ())
        if key != self._key:
            self._bind(key)
        if outputs is not None:
            return self._chosen(given, outputs)
        return [self._new(i, given) for i in range(len(self._made))]

    def _chosen(self, given: list[Array], outputs: Mapping[str, Array]) -> list[Array]:
        for name in outputs:
            if name not in self._output_names:
                raise UsageError(f"there is no output '{name}'; the outputs are {self._output_names}")
            if self._made_strings[self._output_names.index(name)]:
                raise UsageError(f"output '{name}' holds strings: a run makes an array for it")
        return [outputs[name] if name in outputs else self._new(i, given) for i, name in enumerate(self._output_names)]

    def _new(self, i: int, given: list[Array]) -> Array:
        shape = self._shapes[i]
        if -1 in shape:
            return None
        if self._memory_of[i] >= 0:
            return _grown(given[self._memory_of[i]], shape, self.outputs[i].name)
        return empty_of(*self._made[i], shape)

    def _strides(self, given: list[Array]) -> tuple[Strides, ...]:
        """In elements, of the inputs that share their memory; empty for the others."""
        return tuple(_strides(array) if is_shared else () for array, (_, _, is_shared) in zip(given, self._given))

    def _elements(self, given: Sequence[Array | None]) -> tuple[bytes, ...]:
        """Of shape inputs; empty for the others."""
        return tuple(_host_array(array, dtype).tobytes() if is_steering and array is not None else b""
                     for array, is_steering, (_, dtype, _) in zip(given, self._steers, self._given))

    def _named(self, results: list[Array]) -> dict[str, Array]:
        for i, array in enumerate(results):
            if array is None:
                results[i] = empty_of(*self._made[i], self._native.output_shape(i))
                self._native.fetch(i, self._bits([results[i]])[0])
            if self._made_strings[i]:
                texts = np.empty(results[i].size, dtype=object)
                texts[:] = self._native.read_strings(results[i].ravel().tolist())
                results[i] = texts.reshape(results[i].shape)
        return joined(dict(zip(self._output_names, results)), self.outputs, self._output_parts)

    def _bits(self, arrays: list[Array]) -> list[Array]:
        """The runtime takes bits for what the package declares."""
        return list(map(bits_of, arrays)) if self._has_bits else arrays


class Run:
    """A run under way."""

    def __init__(self, session: Session, number: int, results: list[Array]) -> None:
        self.session = session
        self.number = number
        self._results = results

    def wait(self) -> dict[str, Array]:
        """Waits for it, once, and returns what `Session.run` returns. An output whose shape the run found, or of strings, has to be
        waited for before the next run."""
        self.session._native.wait(self.number)
        return self.session._named(self._results)


def package_of(package: PackageLike) -> Package:
    """A Package, the path of one, or its bytes."""
    if isinstance(package, Package):
        return package
    return Package.from_bytes(package) if isinstance(package, bytes) else Package.load(package)


def _stored(dtype: str) -> np.dtype[Any]:
    """Of arrays that the runtime writes: strings are numbers there."""
    return np.dtype(np.int64) if dtype == "string" else numpy_dtype(dtype)


def imported(value: Any, dtype: np.dtype[Any]) -> Array:
    """Arrays of other libraries as they are, numbers and lists as arrays."""
    if hasattr(value, "__dlpack__") and hasattr(value, "shape") and not isinstance(value, np.generic):
        return value
    return np.asarray(value, dtype=dtype) if isinstance(value, (int, float, bool, list, tuple)) else np.asarray(value)


def _host_array(array: Array, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A copy where it lies on a device."""
    return np.asarray(array.cpu() if callable(getattr(array, "cpu", None)) else array, dtype=dtype)


def _strides(array: Array) -> Strides:
    """In elements."""
    if isinstance(array, np.ndarray):
        return tuple(step // array.itemsize for step in array.strides)
    if callable(getattr(array, "stride", None)):  # torch
        return tuple(array.stride())
    raise UsageError(f"an array of type {type(array).__name__} says no strides, which memory that is shared needs")


def _grown(array: Array, shape: tuple[int, ...], name: str) -> Array:
    """The memory of `array` as an output of `shape`: more rows of the same strides, which its base has to hold."""
    if not isinstance(array, np.ndarray):
        raise UsageError(f"output '{name}' shares its memory with an input that is no numpy array: give both")
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    try:
        return np.ndarray(shape, array.dtype, base, array.ctypes.data - base.ctypes.data, array.strides)
    except (TypeError, ValueError) as error:
        raise UsageError(f"output '{name}' of shape {list(shape)} shares the memory of an input that has no room for it: it is part "
                         f"of an array of {base.nbytes} bytes") from error
