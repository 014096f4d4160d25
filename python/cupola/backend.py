#===- python/cupola/backend.py - onnx.backend's interface ---===#
# SPDX-License-Identifier: Apache-2.0
"""A backend of the package onnx, which has to be installed: `import cupola.backend as backend`.

    outputs = backend.prepare(onnx.load("model.onnx"), "CPU").run([x])

Devices are "CPU", "CUDA", "CUDA:1" and "SIM". Models are compiled for the device alone; what `cupola.compile` takes besides may be
given by name, as `options` of any function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, shape_inference
from onnx.backend import base

from . import machine
from .compiler import check
from .composites import names_of
from .errors import ResourceError, UnsupportedError, UsageError
from .options import given_inputs
from .session import Array, Session

# By onnx's names. The second column is Cupola's, the third is the target of the compiler.
_DEVICES = {"CPU": ("cpu", "cpu"), "CUDA": ("cuda", "cuda"), "SIM": ("sim", "cuda")}
Outputs = tuple[np.ndarray[Any, Any], ...]
OutputsInfo = Sequence[tuple[np.dtype[Any], tuple[int, ...]]]


class BackendRep(base.BackendRep):
    """A model that is ready to run on a device, one thread at a time. Where inputs decide the program, as the length of a sequence or an
    extent that has to be known does, it is compiled when they are there, and again for others."""

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str], session: Session | None,
                 make: Callable[[Mapping[str, Any]], Session]) -> None:
        """Users call `prepare`."""
        self.session = session
        self._inputs, self._make = list(inputs), make
        self._needs_inputs = session is None
        self._compiled_for: Any = None
        self._outputs = base.namedtupledict("Outputs", list(outputs))

    def run(self, inputs: Sequence[Array], **kwargs: Any) -> Outputs:
        """Arrays in the order of the graph's inputs without those that have an initializer; the outputs in the order of the graph's,
        which are also found by name, outputs["y"]. A sequence is a list of arrays, an optional that is absent None. Raises UsageError
        for a wrong number, element type or shape, and for `kwargs`, of which there are none."""
        if kwargs:
            raise UsageError(f"run has no option '{next(iter(kwargs))}'")
        if len(inputs) != len(self._inputs):
            raise UsageError(f"{len(inputs)} arrays are given, expected {len(self._inputs)}: {self._inputs}")
        given = dict(zip(self._inputs, inputs))
        session = self._session_for(given)
        known = names_of(session.inputs, session.executable.package.input_composites)
        return self._outputs(*session.run({name: value for name, value in given.items() if name in known}).values())

    def _session_for(self, inputs: Mapping[str, Any]) -> Session:
        if self._needs_inputs:
            form = given_inputs(inputs)
            if form != self._compiled_for:
                self.session, self._compiled_for = self._make(inputs), form
        assert self.session is not None
        return self.session


class Backend(base.Backend):
    """Compilation and `Session` as onnx expects them."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> bool:
        """Whether `prepare` would take the model. A device that is not there makes no difference."""
        report = check(model, **{"targets": _parsed(device)[1], **options})
        return report.supported or all(problem.decided_by_inputs for problem in report.problems)

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> BackendRep:
        """Compiles the model for this device alone. Raises what `cupola.compile` raises, and ResourceError where the device is
        missing. A model of which inputs decide the program is compiled by `BackendRep.run`, which then raises the same."""
        name, _, ordinal = _parsed(device)
        here, threads, cache_dir = machine.found(name, ordinal), options.get("threads", 0), options.get("cache_dir", "")

        def make(**more: Any) -> Session:
            package = machine.compiled(model, here, progress=False, **{**options, **more})
            return Session(package, name, ordinal=ordinal, threads=threads, cache_dir=cache_dir)

        try:
            session = make()
        except UnsupportedError as error:
            if not error.problems or not all(problem.decided_by_inputs for problem in error.problems):
                raise
            session = None
        return BackendRep(*_interface(model), session, lambda inputs: make(given=inputs))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Sequence[Array], device: str = "CPU", **options: Any) -> Outputs:
        """`prepare` and one run."""
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Sequence[Array], device: str = "CPU", outputs_info: OutputsInfo | None = None,
                 *, opset_version: Any = None, **options: Any) -> Outputs:
        """A model of one node, whose inputs are the operands that it names, each once, with the shapes of the arrays. The types of
        the outputs are inferred where `outputs_info` does not say them. `opset_version` is of the node's domain; None is the newest of
        ONNX's own."""
        return cls.run_model(_model_of(node, inputs, outputs_info, opset_version), inputs, device, **options)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether the machine has it."""
        try:
            name, _, ordinal = _parsed(device)
            machine.found(name, ordinal)
        except (ResourceError, UsageError):
            return False
        return True


def _parsed(device: str) -> tuple[str, str, int]:
    """Cupola's name, the target and the ordinal: "SIM" is sim, cuda and 0."""
    kind, colon, number = device.partition(":")
    if kind not in _DEVICES or (colon and not number.isdigit()):
        raise UsageError(f"the device is '{device}', expected one of {', '.join(_DEVICES)}, or one with a number, CUDA:1")
    return *_DEVICES[kind], int(number or 0)


def _interface(model: onnx.ModelProto) -> tuple[list[str], list[str]]:
    """The names of inputs without an initializer, and of outputs, each once."""
    defaults = {tensor.name for tensor in model.graph.initializer}
    outputs = dict.fromkeys(value.name for value in model.graph.output)
    return [value.name for value in model.graph.input if value.name not in defaults], list(outputs)


def _model_of(node: onnx.NodeProto, inputs: Sequence[Array], outputs_info: OutputsInfo | None, version: int | None) -> onnx.ModelProto:
    names, results = list(dict.fromkeys(filter(None, node.input))), list(filter(None, node.output))
    if len(inputs) != len(names):
        raise UsageError(f"{len(inputs)} arrays are given, expected {len(names)}: {names}")
    if outputs_info is not None and len(outputs_info) != len(results):
        raise UsageError(f"{len(outputs_info)} types of outputs are given, expected {len(results)}: {results}")
    given = [_given_value(name, value) for name, value in zip(names, inputs)]
    made = [helper.make_empty_tensor_value_info(name) for name in results] if outputs_info is None else \
        [_value(name, *info) for name, info in zip(results, outputs_info)]
    opset = helper.make_opsetid(node.domain, version or onnx.defs.onnx_opset_version())
    model = helper.make_model(helper.make_graph([node], "node", given, made), opset_imports=[opset])
    return shape_inference.infer_shapes(model)


def _given_value(name: str, value: Any) -> onnx.ValueInfoProto:
    if not isinstance(value, (list, tuple)):
        array = np.asarray(value)
        return _value(name, array.dtype, array.shape)
    if not value:
        raise UsageError(f"input '{name}' is an empty list, which does not say of what type its elements are: give a model")
    element = helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(np.asarray(value[0]).dtype), None)
    return helper.make_value_info(name, helper.make_sequence_type_proto(element))


def _value(name: str, dtype: np.dtype[Any], shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
