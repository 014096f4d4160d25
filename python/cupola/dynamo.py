#===- python/cupola/dynamo.py - torch.compile(model, backend="cupola") ---===#
# SPDX-License-Identifier: Apache-2.0
"""A backend of TorchDynamo, which has to be installed with onnxscript: `pip install 'cupola[torch]'`.

    fast = torch.compile(model, backend="cupola", options={"precision": "fp16"})
    with torch.no_grad():
        y = fast(x)

Dynamo hands over graphs of calls, with guards of its own. A graph goes through torch.export and torch.onnx to the compiler, with the
dimensions that Dynamo marks dynamic. Where not all of it can go that way, it is cut into parts (torch_parts.py), and some of its calls
stay with torch: a warning of the logger `cupola.dynamo` says which and why, and `report()` tells it to programs."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram

from . import machine
from .compiler import check
from .errors import Error, LimitError, ModelError, UnsupportedError
from .session import Executable, Session
from .tensors import Tensor
from .torch_calls import op_name, storages
from .torch_export import VIEWS, WRITES, Arguments, Graph, GraphArguments, Refusal, device_of, exported, model_of, results_of
from .torch_parts import Cut, Part, assembled

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LeftToTorch:
    """Calls of one op that stay with torch; `op` is empty where it is the whole graph, whatever its ops are."""

    op: str
    reason: str
    calls: int


@dataclass(frozen=True)
class GraphReport:
    """What became of a graph of Dynamo: how many calls it has, how many each part has that Cupola runs, and what stays with torch. Calls
    that only compute extents count in no part."""

    calls: int
    parts: tuple[int, ...]
    left: tuple[LeftToTorch, ...]


_reports: deque[GraphReport] = deque(maxlen=1000)


def report() -> tuple[GraphReport, ...]:
    """Of the graphs of this process, the newest last; of the last thousand."""
    return tuple(_reports)


def backend(graph: Graph, example_inputs: Arguments, *, options: Mapping[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """What torch.compile calls. `options` are those of `cupola.compile`, and `share_weights`: with True a package has no weights, each run
    reads them where torch has them. `mode` has no effect."""
    try:
        if any(map(torch.is_autocast_enabled, ("cpu", "cuda"))):
            raise Refusal("autocast is on; options={\"precision\": \"bf16\"} is Cupola's own")
        with torch._guards.tracing(None):  # the export is no part of Dynamo's trace
            return _compiled(graph, example_inputs, options or {})
    except Refusal as refusal:
        _note_whole(graph, refusal)
        stays: Callable[..., Any] = graph.forward
        return stays


def _compiled(graph: Graph, example_inputs: Arguments, options: Mapping[str, Any]) -> Callable[..., Any]:
    try:
        whole = Compiled(graph, example_inputs, options)
        _reports.append(GraphReport(_calls(graph), (_calls(graph), ), ()))
        return whole
    except Refusal as refusal:
        if refusal.program is None:
            raise
        return Divided(graph, example_inputs, options, refusal.program)


class _Bound:
    """A graph that was made for weights and constants, and is made again where they change, up to MOST times; then it stays with torch."""

    MOST = 8

    def __init__(self, graph: Graph, example_inputs: Arguments, options: Mapping[str, Any]) -> None:
        """Raises Refusal."""
        self._graph, self._options = graph, options
        self._arguments = GraphArguments(graph, example_inputs, options.get("share_weights", False))
        self._times, self._is_left = 0, False

    def _fixed_by(self, arguments: Arguments) -> list[Any]:
        raise NotImplementedError

    def _build(self, arguments: Arguments) -> None:
        raise NotImplementedError

    def _run(self, arguments: Arguments) -> Any:
        raise NotImplementedError

    def __call__(self, *arguments: Any) -> Any:
        if not self._is_left and self._fixed_by(arguments) != self._fixed:
            try:
                self._make(arguments)
            except Refusal as refusal:
                self._is_left = True
                _note_whole(self._graph, refusal)
        return self._graph.forward(*arguments) if self._is_left else self._run(arguments)

    def _make(self, arguments: Arguments) -> None:
        if self._times == self.MOST:
            raise Refusal(f"its weights or constants changed, and it was compiled {self.MOST} times")
        self._build(arguments)
        self._fixed = self._fixed_by(arguments)
        self._times += 1


class Compiled(_Bound):
    """A graph on its device. Weights (parameters and buffers) are part of the package, unless they are shared: the compiler reads them
    where torch has them, and the package has the one copy."""

    def __init__(self, graph: Graph, example_inputs: Arguments, options: Mapping[str, Any]) -> None:
        super().__init__(graph, example_inputs, options)
        self._device = device_of(self._arguments.tensors(example_inputs))
        self._make(example_inputs)

    def _fixed_by(self, arguments: Arguments) -> list[Any]:
        return self._arguments.fixed(arguments)

    def _run(self, arguments: Arguments) -> list[torch.Tensor]:
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
        program = exported(self._graph, self._arguments, arguments)
        model = model_of(program)
        memory = self._arguments.bind_weights(model, arguments)
        try:
            here = machine.found(self._device.type, self._device.index or 0)
            package = machine.compiled(model, here, external_data=lambda place, offset, size: memory[place], progress=False,
                                       **_of_compiler(self._options))
            _check_types("input", package.inputs, self._arguments.of(arguments, "input"), program)
            _check_types("result", package.outputs, [node.meta["val"] for node in results_of(program.graph)], program)
            self._executable = Executable(package, here.name, ordinal=self._device.index or 0)
        except (UnsupportedError, ModelError, LimitError) as error:
            raise Refusal(str(error), program) from error
        except Error as error:
            raise Refusal(str(error)) from error
        self._idle: dict[int, list[_Session]] = {}  # by stream, for the threads that run at the same time


class Divided(_Bound):
    """A graph of which some calls stay with torch, and the others are parts, each Compiled."""

    _ANSWERS: dict[str, dict[str, str]] = {}
    """For a device and options, which kinds of calls can be compiled."""

    def __init__(self, graph: Graph, example_inputs: Arguments, options: Mapping[str, Any], program: ExportedProgram) -> None:
        """`program` is what the graph was exported as for these inputs. Raises Refusal where no part is worth it."""
        super().__init__(graph, example_inputs, options)
        self._program: ExportedProgram | None = program
        self._make(example_inputs)

    def _fixed_by(self, arguments: Arguments) -> list[Any]:
        return self._arguments.constants(arguments)  # of weights the parts take care

    def _run(self, arguments: Arguments) -> Any:
        return self._whole(*self._arguments.tensors(arguments))

    def _build(self, arguments: Arguments) -> None:
        program, self._program = self._program or exported(self._graph, self._arguments, arguments), None
        tensors = self._arguments.tensors(arguments)
        answers = self._ANSWERS.setdefault(str((device_of(tensors).type, sorted(self._options.items()))), {})
        cut = Cut(program, tensors, self._refused, answers)
        if cut.written and _shows_inputs(self._graph):
            raise Refusal(f"{WRITES}, and {VIEWS}")  # which would not show what is written
        while True:
            parts = cut.parts()
            if not parts:
                raise Refusal("; ".join(f"{left.op}: {left.reason}" for left in _left(cut)) or "it is too little")
            try:
                runs = [self._compiled(cut, part) for part in parts]
                break
            except Refusal:
                continue  # the calls of a part that is refused stay with torch
        self._whole = assembled(cut, list(zip(parts, runs)))
        _note(GraphReport(_calls(cut.root), tuple(len(part.nodes) for part in parts), _left(cut)))

    def _compiled(self, cut: Cut, part: Part) -> Compiled:
        try:
            return Compiled(part.graph, part.examples, self._options)
        except Refusal as refusal:
            cut.leave(part.nodes, str(refusal))
            raise

    def _refused(self, graph: Graph, examples: Arguments) -> str:
        """Why a graph cannot be compiled, found out by asking; nothing where it can."""
        try:
            arguments = GraphArguments(graph, examples, self._options.get("share_weights", False))
            model = model_of(exported(graph, arguments, examples))
            memory = arguments.bind_weights(model, examples)
            here = machine.found(device_of(arguments.tensors(examples)).type)
            answer = check(model, external_data=lambda place, offset, size: memory[place],
                           **{**machine.target(here), **_of_compiler(self._options)})
            return answer.problems[0].text if answer.problems else ""
        except (Refusal, Error) as refusal:
            return str(refusal)


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


def _of_compiler(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "share_weights"}


def _check_types(what: str, found: tuple[Tensor, ...], expected: list[torch.Tensor], program: ExportedProgram) -> None:
    """ONNX has no complex numbers: torch.onnx makes pairs of them."""
    for tensor, value in zip(found, expected, strict=True):
        if f"torch.{tensor.dtype}" != str(value.dtype):
            raise Refusal(f"{what} {tensor.name} is of {tensor.dtype}, and of {value.dtype} in torch", program)


def _shows_inputs(graph: Graph) -> bool:
    nodes = list(graph.graph.nodes)
    inputs = [node for node in nodes if node.op == "placeholder"]
    return bool(storages(inputs, "example_value") & storages(nodes[-1].all_input_nodes, "example_value"))


#===--- What is said ---===#


def _calls(graph: Graph) -> int:
    return sum(node.op.startswith("call_") for node in graph.graph.nodes)


def _left(cut: Cut) -> tuple[LeftToTorch, ...]:
    counts = Counter((op_name(node), reason) for node, reason in cut.left.items())
    return tuple(LeftToTorch(op, reason, calls) for (op, reason), calls in counts.items())


def _note(report: GraphReport) -> None:
    _reports.append(report)
    log.warning("%d of a graph's %d calls stay with torch: %s", sum(left.calls for left in report.left), report.calls,
                "; ".join(f"{left.op}: {left.reason}" for left in report.left))


def _note_whole(graph: Graph, refusal: Refusal) -> None:
    calls = _calls(graph)
    _reports.append(GraphReport(calls, (), (LeftToTorch("", str(refusal), calls), )))
    log.warning("a graph of %d calls stays with torch: %s", calls, refusal)
