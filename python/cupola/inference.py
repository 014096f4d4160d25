#===- python/cupola/inference.py - onnxruntime's interface ---===#
# SPDX-License-Identifier: Apache-2.0
"""InferenceSession and what goes with it, as onnxruntime has them: `import cupola as ort`. docs/python.md lists what differs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from . import machine
from .composites import Composite, names_of
from .errors import ResourceError, UsageError
from .package import ModelMetadata
from .session import Executable, Session
from .tensors import Tensor, empty, onnxruntime_type

# In the order of preference. The second column is the device.
_PROVIDERS = (("CUDAExecutionProvider", "cuda"), ("CPUExecutionProvider", "cpu"), ("CupolaSimExecutionProvider", "sim"))


def get_available_providers() -> list[str]:
    """What a session may be asked for. Whether the machine has the device shows when one is made."""
    return [name for name, _ in _PROVIDERS]


def get_device() -> str:
    """GPU where cuda has one, else CPU."""
    return "GPU" if machine.found("auto").name == "cuda" else "CPU"


class GraphOptimizationLevel(IntEnum):
    """Taken, and of no effect: Cupola has one level."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


@dataclass
class SessionOptions:
    """`intra_op_num_threads` is the number of threads, 0 one per core. The others are taken and have no effect."""

    intra_op_num_threads: int = 0
    inter_op_num_threads: int = 0
    graph_optimization_level: GraphOptimizationLevel = GraphOptimizationLevel.ORT_ENABLE_ALL
    log_severity_level: int = 2
    enable_mem_pattern: bool = True
    enable_cpu_mem_arena: bool = True
    logid: str = ""
    op_libraries: list[str] = field(default_factory=list)
    """Files of ops, added by `register_custom_ops_library`."""

    def register_custom_ops_library(self, path: str | os.PathLike[str]) -> None:
        """Takes a file that defines ops as docs/custom-ops.md says, where onnxruntime takes a shared library. Its snippets are not used."""
        self.op_libraries.append(os.fspath(path))


@dataclass
class RunOptions:
    """Taken, and of no effect."""

    log_severity_level: int = 2
    logid: str = ""


@dataclass(frozen=True)
class NodeArg:
    """An input or output. `shape` has a number, or a text where the extent may vary."""

    name: str
    type: str
    shape: list[int | str]


class OrtValue:
    """A tensor in host memory, which is numpy's."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: np.ndarray[Any, Any], device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        _on_host(device_type)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any, device_type: str = "cpu",
                                     device_id: int = 0) -> OrtValue:
        _on_host(device_type)
        return OrtValue(empty(shape, element_type))

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def data_type(self) -> str:
        return onnxruntime_type(self._array.dtype.name)

    def data_ptr(self) -> int:
        return self._array.ctypes.data

    def device_name(self) -> str:
        return "cpu"

    def is_tensor(self) -> bool:
        return True

    def update_inplace(self, array: np.ndarray[Any, Any]) -> None:
        self._array[...] = array


class IOBinding:
    """Which arrays a run reads and writes. Outputs without one are made by each run."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._inputs: dict[str, np.ndarray[Any, Any]] = {}
        self._outputs: dict[str, np.ndarray[Any, Any] | None] = {}
        self._results: dict[str, np.ndarray[Any, Any]] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: np.ndarray[Any, Any]) -> None:
        self._inputs[name] = arr_on_cpu

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._inputs[name] = ortvalue.numpy()

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int],
                   buffer_ptr: int) -> None:
        """The memory at `buffer_ptr` is the caller's, and valid until the last run with it."""
        _on_host(device_type)
        self._inputs[name] = _array_at(buffer_ptr, shape, element_type)

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Sequence[int] | None = None, buffer_ptr: int | None = None) -> None:
        _on_host(device_type)
        self._outputs[name] = None if buffer_ptr is None else _array_at(buffer_ptr, shape or (), element_type)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._outputs[name] = ortvalue.numpy()

    def clear_binding_inputs(self) -> None:
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        self._outputs.clear()

    def synchronize_inputs(self) -> None:
        """Nothing to do: arrays lie in host memory."""

    def synchronize_outputs(self) -> None:
        """Nothing to do: a run has ended when it returns."""

    def get_outputs(self) -> list[OrtValue]:
        """Of the last run, in the order of binding."""
        return [OrtValue(self._results[name]) for name in self._outputs]

    def copy_outputs_to_cpu(self) -> list[np.ndarray[Any, Any]]:
        return [self._results[name] for name in self._outputs]

    def _run(self) -> None:
        written = {name: array for name, array in self._outputs.items() if array is not None}
        self._results = self._session._run(self._inputs, written)


class InferenceSession:
    """onnxruntime's, for an ONNX model (a path, or bytes), which is compiled for the device, or for a package (a path, bytes, or a
    Package). `run` may be called from any number of threads: each that runs at the same time has a native session of its own.

    providers: "CUDAExecutionProvider", "CPUExecutionProvider", "CupolaSimExecutionProvider", names or (name, options); the first
    whose device is there is used. None stands for cuda where there is one, else cpu.
    """

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None,
                 providers: Sequence[str | tuple[str, dict[str, Any]]] | None = None,
                 provider_options: Sequence[dict[str, Any]] | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise UsageError(f"InferenceSession has no option '{next(iter(kwargs))}'")
        self._options = sess_options or SessionOptions()
        self._executable = self._load(path_or_bytes, providers)
        self._idle = [self._executable.session()]
        package = self._executable.package
        self._inputs = _node_args(package.inputs, package.input_composites)
        self._outputs = _node_args(package.outputs, package.output_composites)

    def _load(self, model: Any, providers: Sequence[str | tuple[str, dict[str, Any]]] | None) -> Executable:
        names = [provider if isinstance(provider, str) else provider[0] for provider in providers or ()]
        known = dict(_PROVIDERS)
        for name in names:
            if name not in known:
                raise UsageError(f"there is no provider '{name}', expected one of {get_available_providers()}")
        wanted = [known[name] for name in names] or ["auto"]
        for device in wanted:
            try:
                here = machine.found(device)
                break
            except ResourceError:
                if device == wanted[-1]:
                    raise
        threads = self._options.intra_op_num_threads
        package = machine.compiled(model, here, threads=threads, progress=False, op_libraries=self._options.op_libraries)
        return Executable(package, here.name, threads=threads)

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
            run_options: RunOptions | None = None) -> list[Any]:
        """The outputs of these names in their order; None stands for all. Arrays; of a sequence a list of them, None of an optional that
        is absent."""
        names = [node.name for node in self._outputs]
        chosen = names if not output_names else list(output_names)
        for name in chosen:
            if name not in names:
                raise UsageError(f"Invalid output name: {name}; the outputs are {names}")
        results = self._run(input_feed, None)
        return [results[name] for name in chosen]

    def run_async(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
                  callback: Callable[[list[np.ndarray[Any, Any]], Any, str], None], user_data: Any,
                  run_options: RunOptions | None = None) -> None:
        """Runs on another thread, which then calls `callback` with the outputs, `user_data`, and the error's text or ""."""

        def work() -> None:
            results, error = list[np.ndarray[Any, Any]](), ""
            try:
                results = self.run(output_names, input_feed)
            except Exception as raised:
                error = str(raised)
            callback(results, user_data, error)

        threading.Thread(target=work, name="cupola-run").start()

    def run_with_ort_values(self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: RunOptions | None = None) -> list[OrtValue]:
        arrays = self.run(output_names, {name: value.numpy() for name, value in input_dict_ort_values.items()})
        return [OrtValue(array) for array in arrays]

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        iobinding._run()

    def get_inputs(self) -> list[NodeArg]:
        return list(self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        return list(self._outputs)

    def get_modelmeta(self) -> ModelMetadata:
        return self._executable.package.metadata

    def get_providers(self) -> list[str]:
        """The one in use."""
        return [name for name, device in _PROVIDERS if device == self._executable.device]

    def get_session_options(self) -> SessionOptions:
        return self._options

    def __reduce__(self) -> Any:
        raise TypeError("an InferenceSession holds code and memory of a device, which cannot be pickled; make one where it is used")

    def _run(self, feed: Mapping[str, Any], outputs: Mapping[str, Any] | None) -> dict[str, np.ndarray[Any, Any]]:
        _check_names(feed, self._inputs)
        try:
            session = self._idle.pop()
        except IndexError:
            session = self._executable.session()
        try:
            return session.run({name: _of(value) for name, value in feed.items()}, outputs)
        finally:
            self._idle.append(session)


def _check_names(feed: Mapping[str, Any], inputs: Sequence[NodeArg]) -> None:
    names = [node.name for node in inputs]
    missing = [node.name for node in inputs if node.name not in feed and not node.type.startswith("optional")]
    if missing:
        raise UsageError(f"Required inputs ({missing}) are missing from input feed ({list(feed)}).")
    for name in feed:
        if name not in names:
            raise UsageError(f"Invalid input name: {name}; the inputs are {names}")


def _of(value: Any) -> Any:
    return value.numpy() if isinstance(value, OrtValue) else value


def _node_args(tensors: Sequence[Tensor], composites: Sequence[Composite]) -> list[NodeArg]:
    """As onnxruntime has them: sequences and optionals have no shape."""
    arrays, parts = {tensor.name: tensor for tensor in tensors}, {composite.name: composite for composite in composites}
    return [NodeArg(name, parts[name].type_of(tensors), []) if name in parts else
            NodeArg(name, onnxruntime_type(arrays[name].dtype), list(arrays[name].shape)) for name in names_of(tensors, composites)]


def _on_host(device_type: str) -> None:
    if device_type != "cpu":
        raise UsageError(f"the device type is '{device_type}', expected 'cpu'; cupola.Session takes arrays of a GPU by DLPack")


def _array_at(address: int, shape: Sequence[int], element_type: Any) -> np.ndarray[Any, Any]:
    import ctypes
    dtype = np.dtype(element_type)
    memory = (ctypes.c_char * (int(np.prod(shape)) * dtype.itemsize)).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)
