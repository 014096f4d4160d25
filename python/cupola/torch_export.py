#===- python/cupola/torch_export.py - Graphs of torch, through torch.export and torch.onnx ---===#
# SPDX-License-Identifier: Apache-2.0
"""What Dynamo hands over, and a model of ONNX made of it, or the reason why there is none. For dynamo.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import onnx
import torch
from torch.export import Dim, ExportedProgram, export
from torch.fx.experimental.symbolic_shapes import is_concrete_int, statically_known_true

from .decompositions import TABLE
from .torch_calls import draws, storages

Arguments: TypeAlias = Sequence[Any]
Graph: TypeAlias = torch.fx.GraphModule


class Refusal(Exception):
    """Why a graph stays with torch. With a `program`, parts of it may go to Cupola all the same."""

    def __init__(self, reason: str, program: ExportedProgram | None = None) -> None:
        super().__init__(reason)
        self.program = program


class GraphArguments:
    """What Dynamo gives a graph: tensors that are weights, other tensors, numbers that are extents of those, and constants: numbers of
    Python that Dynamo does not guard and hands over as tensors. Weights that are shared are as other tensors are."""

    def __init__(self, graph: Graph, examples: Arguments, shares_weights: bool = False) -> None:
        """Raises Refusal."""
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        values = [node.meta.get("example_value") for node in nodes]
        self.kinds = [_kind(node, value, example) for node, value, example in zip(nodes, values, examples)]
        if shares_weights:
            self.kinds = ["input" if kind == "weight" else kind for kind in self.kinds]
        self.dynamic = [_dynamic_dims(value) for value in values]
        self._places = {i: _place_of(values, i) for i, kind in enumerate(self.kinds) if kind == "extent"}

    def of(self, arguments: Arguments, *kinds: str) -> list[Any]:
        return [value for value, kind in zip(arguments, self.kinds) if kind in kinds]

    def tensors(self, arguments: Arguments) -> list[torch.Tensor]:
        """The weights and inputs, in their order."""
        return self.of(arguments, "weight", "input")

    def constants(self, arguments: Arguments) -> list[float]:
        return [value.item() for value in self.of(arguments, "constant")]

    def fixed(self, arguments: Arguments) -> list[Any]:
        """What is part of the package: where the weights lie and how often each was written, and the constants."""
        return [*((value.data_ptr(), value._version) for value in self.of(arguments, "weight")), *self.constants(arguments)]

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
        tensors, kinds = self.tensors(arguments), [kind for kind in self.kinds if kind in ("weight", "input")]
        if len(given) != len(tensors):
            raise Refusal(f"torch.onnx made {len(given)} inputs of {len(tensors)} tensors")
        for i, (value, tensor, kind) in enumerate(zip(given, tensors, kinds)):
            if kind == "weight":
                data = memoryview(tensor.detach().contiguous().cpu().reshape(-1).view(torch.uint8).numpy())
                memory[place := f"weight{i}"] = data
                model.graph.initializer.append(_outside(value, place, data.nbytes))
                model.graph.input.remove(value)
        return memory


class _Whole(torch.nn.Module):
    """A graph as a function of its tensors alone."""

    def __init__(self, graph: Graph, arguments: GraphArguments, constants: list[float]) -> None:
        super().__init__()
        self._call, self._arguments, self._constants = graph.forward, arguments, constants

    def forward(self, *tensors: torch.Tensor) -> Any:
        return self._call(*self._arguments.whole(tensors, self._constants))


def exported(graph: Graph, arguments: GraphArguments, values: Arguments) -> ExportedProgram:
    """As ops that write nothing; what the graph writes to its inputs are results more. Raises Refusal."""
    tensors = tuple(tensor.detach() for tensor in arguments.tensors(values))
    dynamic = tuple(dict.fromkeys(dims, Dim.DYNAMIC) for dims in arguments.tensors(arguments.dynamic))
    whole = _Whole(graph, arguments, arguments.constants(values))
    try:
        return export(whole, tensors, dynamic_shapes=(dynamic, ), strict=False).run_decompositions(TABLE)
    except Exception as error:  # of any class
        raise Refusal(f"torch.export: {_cause(error)}") from error


def model_of(program: ExportedProgram) -> onnx.ModelProto:
    """Raises Refusal."""
    if drawing := [node for node in program.graph.nodes if draws(node)]:
        raise Refusal(f"{drawing[0].target} {DRAWS}", program)
    if program.graph_signature.user_inputs_to_mutate or program.graph_signature.buffers_to_mutate:
        raise Refusal(WRITES, program)
    results = results_of(program.graph)
    if not all(isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor) for node in results):
        raise Refusal("a result is no tensor", program)
    if storages(results) & storages([node for node in program.graph.nodes if node.op == "placeholder"]):
        raise Refusal(VIEWS, program)
    try:
        model: onnx.ModelProto = torch.onnx.export(program, dynamo=True, verbose=False).model_proto
    except Exception as error:
        raise Refusal(f"torch.onnx: {_cause(error)}", program) from error
    return model


DRAWS = "draws random numbers, which are of torch's generator"
WRITES = "it writes to its inputs"
VIEWS = "a result is a view of an input"


def results_of(graph: torch.fx.Graph) -> list[Any]:
    return list(graph.output_node().args[0])


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
    return [i for i, extent in enumerate(value.shape) if not _is_known(extent)] if isinstance(value, torch.Tensor) else []


def _is_known(extent: Any) -> bool:
    """min(8, n) may be, by what was found of n."""
    return bool(is_concrete_int(extent) or extent.node.has_hint() and statically_known_true(extent == extent.node.hint))


def device_of(tensors: Sequence[torch.Tensor]) -> torch.device:
    """Raises Refusal."""
    devices = {tensor.device for tensor in tensors}
    if len(devices) != 1:
        raise Refusal(f"its tensors lie on {len(devices)} devices, expected one")
    device, = devices
    if device.type not in ("cpu", "cuda"):
        raise Refusal(f"its tensors lie on {device.type}, expected cpu or cuda")
    return device


def _cause(error: BaseException) -> str:
    """The first line of what began it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
