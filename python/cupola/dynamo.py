#===- python/cupola/dynamo.py - torch.compile(model, backend="cupola") ---===#
# SPDX-License-Identifier: Apache-2.0
"""A backend of TorchDynamo, which has to be installed with onnxscript: `pip install 'cupola[torch]'`.

    fast = torch.compile(model, backend="cupola", options={"precision": "fp16"})
    with torch.no_grad():
        y = fast(x)

Dynamo hands over graphs of calls, with guards of its own. A graph goes through torch.export and torch.onnx to the compiler, with the
dimensions that Dynamo marks dynamic. What cannot go that way is left to torch, and why is logged (`cupola.dynamo`, a warning)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import onnx
import torch
from torch.export import Dim, ExportedProgram, export
from torch.fx.experimental.symbolic_shapes import is_concrete_int

from . import machine
from .decompositions import TABLE
from .errors import Error
from .session import Executable, Session
from .tensors import Tensor

log = logging.getLogger(__name__)

Arguments: TypeAlias = Sequence[Any]
Graph: TypeAlias = torch.fx.GraphModule


class Refusal(Exception):
    """Why a graph stays with torch."""


def backend(graph: Graph, example_inputs: Arguments, *, options: Mapping[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """What torch.compile calls. `options` are those of `cupola.compile`; `mode` has no effect."""
    try:
        if any(map(torch.is_autocast_enabled, ("cpu", "cuda"))):
            raise Refusal("autocast is on; options={\"precision\": \"bf16\"} is Cupola's own")
        with torch._guards.tracing(None):  # the export is no part of Dynamo's trace
            return Compiled(graph, example_inputs, options or {})
    except Refusal as refusal:
        _log(graph, refusal)
        stays: Callable[..., Any] = graph.forward
        return stays


class Compiled:
    """A graph on its device. Weights (parameters and buffers) are part of the package: the compiler reads them where torch has them, and
    the package has the one copy. A graph whose weights or constants changed is compiled again, up to MOST times."""

    MOST = 8

    def __init__(self, graph: Graph, example_inputs: Arguments, options: Mapping[str, Any]) -> None:
        """Raises Refusal."""
        self._graph, self._options = graph, options
        self._arguments = _Arguments(graph, example_inputs)
        self._device = _device_of(self._arguments.of(example_inputs, "weight", "input"))
        self._times, self._is_left = 0, False
        self._build(example_inputs)

    def __call__(self, *arguments: Any) -> Any:
        if self._arguments.fixed(arguments) != self._fixed and not self._is_left:
            try:
                self._build(arguments)
            except Refusal as refusal:
                self._is_left = True
                _log(self._graph, refusal)
        if self._is_left:
            return self._graph.forward(*arguments)
        inputs = [tensor.detach().contiguous() for tensor in self._arguments.of(arguments, "input")]
        stream = torch.cuda.current_stream(self._device).cuda_stream if self._device.type == "cuda" else 0
        idle = self._idle.setdefault(stream, [])
        try:
            session = idle.pop()
        except IndexError:
            session = _Session(self._executable, self._device, stream)
        try:
            return session.run(inputs)
        finally:
            idle.append(session)

    def _build(self, arguments: Arguments) -> None:
        if self._times == self.MOST:
            raise Refusal(f"its weights or constants changed, and it was compiled {self.MOST} times")
        program = _exported(self._graph, self._arguments, arguments)
        model = _onnx_of(program)
        memory = self._arguments.bind_weights(model, arguments)
        try:
            here = machine.found(self._device.type, self._device.index or 0)
            package = machine.compiled(model, here, external_data=lambda place, offset, size: memory[place], progress=False,
                                       **self._options)
            _check_types("input", package.inputs, self._arguments.of(arguments, "input"))
            _check_types("result", package.outputs, [node.meta["val"] for node in _results(program.graph)])
            self._executable = Executable(package, here.name, ordinal=self._device.index or 0)
        except Error as error:
            raise Refusal(str(error)) from error
        self._fixed = self._arguments.fixed(arguments)
        self._idle: dict[int, list[_Session]] = {}  # by stream, for the threads that run at the same time
        self._times += 1


class _Arguments:
    """What Dynamo gives a graph: tensors that are weights, other tensors, numbers that are extents of those, and constants: numbers of
    Python that Dynamo does not guard and hands over as tensors."""

    def __init__(self, graph: Graph, examples: Arguments) -> None:
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        values = [node.meta.get("example_value") for node in nodes]
        self.kinds = [_kind(node, value, example) for node, value, example in zip(nodes, values, examples)]
        self.dynamic = [_dynamic_dims(value) for value in values]
        self._places = {i: _place_of(values, i) for i, kind in enumerate(self.kinds) if kind == "extent"}

    def of(self, arguments: Arguments, *kinds: str) -> list[torch.Tensor]:
        return [value for value, kind in zip(arguments, self.kinds) if kind in kinds]

    def fixed(self, arguments: Arguments) -> list[Any]:
        """What is part of the package: where the weights lie and how often each was written, and the constants."""
        weights = [(value.data_ptr(), value._version) for value in self.of(arguments, "weight")]
        return [*weights, *(value.item() for value in self.of(arguments, "constant"))]

    def whole(self, tensors: Sequence[torch.Tensor], constants: Sequence[float]) -> list[Any]:
        """The arguments of the graph for its weights and inputs."""
        given, numbers = iter(tensors), iter(constants)
        arguments = [next(given) if kind in ("weight", "input") else None for kind in self.kinds]
        for i, (place, dim) in self._places.items():
            tensor = arguments[place]
            assert tensor is not None
            arguments[i] = tensor.shape[dim]
        return [torch.tensor(next(numbers), dtype=torch.float64) if kind == "constant" else value
                for value, kind in zip(arguments, self.kinds)]

    def bind_weights(self, model: onnx.ModelProto, arguments: Arguments) -> dict[str, memoryview]:
        """Makes the inputs that are weights initializers, whose data lies outside; returns that by its place."""
        memory, given = dict[str, memoryview](), list(model.graph.input)
        tensors, kinds = self.of(arguments, "weight", "input"), [kind for kind in self.kinds if kind in ("weight", "input")]
        if len(given) != len(tensors):
            raise Refusal(f"torch.onnx made {len(given)} inputs of {len(tensors)} tensors")
        for i, (value, tensor, kind) in enumerate(zip(given, tensors, kinds)):
            if kind == "weight":
                data = memoryview(tensor.detach().contiguous().cpu().reshape(-1).view(torch.uint8).numpy())
                memory[place := f"weight{i}"] = data
                model.graph.initializer.append(_outside(value, place, data.nbytes))
                model.graph.input.remove(value)
        return memory


class _Session:
    """A session, and the shapes that it is bound to; one thread at a time."""

    def __init__(self, executable: Executable, device: torch.device, stream: int) -> None:
        self._native, self._device = Session(executable, stream=stream), device
        self._names = [tensor.name for tensor in self._native.inputs]
        self._outputs = [(tensor.name, getattr(torch, tensor.dtype)) for tensor in self._native.outputs]
        self._shapes: list[Any] = []
        self._made: dict[str, tuple[int, ...]] = {}

    def run(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        shapes = [tuple(tensor.shape) for tensor in inputs]
        if shapes != self._shapes:
            self._made = self._native.bind(dict(zip(self._names, shapes)))
            self._shapes = shapes
        outputs = {name: torch.empty(self._made[name], dtype=dtype, device=self._device) for name, dtype in self._outputs
                   if -1 not in self._made[name]}
        results = self._native.run(dict(zip(self._names, inputs)), outputs)
        return [torch.as_tensor(results[name], device=self._device) for name, _ in self._outputs]


#===--- Through torch.export and torch.onnx ---===#


class _Whole(torch.nn.Module):
    """A graph as a function of its tensors alone."""

    def __init__(self, graph: Graph, arguments: _Arguments, constants: list[float]) -> None:
        super().__init__()
        self._call, self._arguments, self._constants = graph.forward, arguments, constants

    def forward(self, *tensors: torch.Tensor) -> Any:
        return self._call(*self._arguments.whole(tensors, self._constants))


def _exported(graph: Graph, arguments: _Arguments, values: Arguments) -> ExportedProgram:
    tensors = tuple(tensor.detach() for tensor in arguments.of(values, "weight", "input"))
    dynamic = tuple(dict.fromkeys(dims, Dim.DYNAMIC) for dims in arguments.of(arguments.dynamic, "weight", "input"))
    whole = _Whole(graph, arguments, [value.item() for value in arguments.of(values, "constant")])
    try:
        program = export(whole, tensors, dynamic_shapes=(dynamic, ), strict=False)
        program = program.run_decompositions(TABLE)  # which shows as results what it writes to, too
    except Exception as error:  # of any class
        raise Refusal(f"torch.export: {_cause(error)}") from error
    signature = program.graph_signature
    if drawing := [node.target for node in program.graph.nodes if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())]:
        raise Refusal(f"{drawing[0]} draws random numbers, which are of torch's generator")
    if signature.user_inputs_to_mutate or signature.buffers_to_mutate:
        raise Refusal("it writes to its inputs")
    results = _results(program.graph)
    if not all(isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor) for node in results):
        raise Refusal("a result is no tensor")
    if _storages(results) & _storages([node for node in program.graph.nodes if node.op == "placeholder"]):
        raise Refusal("a result is a view of an input")
    return program


def _results(graph: torch.fx.Graph) -> list[Any]:
    return list(graph.output_node().args[0])


def _storages(nodes: list[Any]) -> set[int]:
    return {node.meta["val"].untyped_storage()._cdata for node in nodes if isinstance(node.meta.get("val"), torch.Tensor)}


def _check_types(what: str, found: Sequence[Tensor], expected: Sequence[torch.Tensor]) -> None:
    """ONNX has no complex numbers: torch.onnx makes pairs of them."""
    for tensor, value in zip(found, expected, strict=True):
        if f"torch.{tensor.dtype}" != str(value.dtype):
            raise Refusal(f"{what} {tensor.name} is of {tensor.dtype}, and of {value.dtype} in torch")


def _onnx_of(program: ExportedProgram) -> onnx.ModelProto:
    try:
        model: onnx.ModelProto = torch.onnx.export(program, dynamo=True, verbose=False).model_proto
        return model
    except Exception as error:
        raise Refusal(f"torch.onnx: {_cause(error)}") from error


def _outside(value: onnx.ValueInfoProto, place: str, size: int) -> onnx.TensorProto:
    """An initializer in place of an input."""
    declared = value.type.tensor_type
    tensor = onnx.TensorProto(name=value.name, data_type=declared.elem_type, data_location=onnx.TensorProto.EXTERNAL,
                              dims=[dim.dim_value for dim in declared.shape.dim])
    for key, text in (("location", place), ("offset", "0"), ("length", str(size))):
        tensor.external_data.add(key=key, value=text)
    return tensor


#===--- What Dynamo says ---===#


def _kind(node: torch.fx.Node, value: Any, example: Any) -> str:
    """"weight", "input", "extent" or "constant"."""
    if not isinstance(value, torch.Tensor):
        return "extent"
    if value.layout != torch.strided:
        raise Refusal("it takes a tensor that is not dense")
    if torch.is_grad_enabled() and example.requires_grad:
        raise Refusal("gradients are asked for: call it under torch.no_grad() or torch.inference_mode()")
    if value.ndim == 0 and node.users and all(user.target == "item" for user in node.users):
        return "constant"
    is_kept = isinstance(example, torch.nn.Parameter) or getattr(example, "_dynamo_static_input_type", None) is not None
    return "weight" if is_kept and not example.is_inference() else "input"


def _place_of(values: Sequence[Any], number: int) -> tuple[int, int]:
    """The tensor and the dimension that a number is the extent of."""
    for i, value in enumerate(values):
        for dim, extent in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
            if not is_concrete_int(extent) and str(extent) == str(values[number]):
                return i, dim
    raise Refusal(f"it takes the number {values[number]}, which is no tensor's extent")


def _dynamic_dims(value: Any) -> list[int]:
    return [i for i, extent in enumerate(value.shape) if not is_concrete_int(extent)] if isinstance(value, torch.Tensor) else []


def _device_of(tensors: Sequence[torch.Tensor]) -> torch.device:
    devices = {tensor.device for tensor in tensors}
    if len(devices) != 1:
        raise Refusal(f"its tensors lie on {len(devices)} devices, expected one")
    device, = devices
    if device.type not in ("cpu", "cuda"):
        raise Refusal(f"its tensors lie on {device.type}, expected cpu or cuda")
    return device


def _log(graph: Graph, refusal: Refusal) -> None:
    calls = sum(node.op.startswith("call_") for node in graph.graph.nodes)
    log.warning("a graph of %d calls stays with torch: %s", calls, refusal)


def _cause(error: BaseException) -> str:
    """The first line of what began it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
