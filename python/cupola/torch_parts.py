#===- python/cupola/torch_parts.py - Which parts of a graph go to Cupola ---===#
# SPDX-License-Identifier: Apache-2.0
"""For dynamo.py: a program of torch.export, of which some calls stay with torch, cut into as few parts as there can be.

The program writes nothing but what it copies into inputs at its end, so what a call needs is all that orders it. Each call has a
depth: the greatest of the calls that it needs, and one more where one of those stays with torch and it does not. The calls of one depth
are a part, and those that stay with torch and have that depth run after it. So no part can need itself, and there are no more parts than
the longest chain of calls goes back and forth.

Extents, views of inputs and constants are free: each part that needs them makes them of what they are made of."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from .torch_calls import draws, has_effect, is_complex, is_element, is_number, is_view, op_name, storages, writes
from .torch_export import DRAWS, VIEWS, WRITES, Graph, results_of

Ask: TypeAlias = Callable[[Graph, Sequence[Any]], str]
"""Why a graph cannot go to Cupola with such arguments, or nothing."""

ATEN = torch.ops.aten
EXTENTS = (ATEN.sym_size.int, ATEN.sym_numel.default)
MOVES = (ATEN.cat.default, ATEN.stack.default, ATEN._to_copy.default, ATEN.repeat.default, ATEN.constant_pad_nd.default)
FEW = 2
"""So many calls that move numbers, or take them one by one, are not worth a part."""


@dataclass
class Part:
    """Calls that Cupola runs at once, as a graph of its own: the nodes of the program whose values it takes, arguments of such types
    and extents, and the nodes whose values are its results."""

    nodes: list[Node]
    graph: Graph
    takes: list[Node]
    examples: list[torch.Tensor]
    gives: list[Node]


class Cut:
    """`left` says which calls stay with torch, and why."""

    def __init__(self, program: ExportedProgram, tensors: Sequence[torch.Tensor], ask: Ask, answers: dict[str, str]) -> None:
        """`tensors` are arguments of the program, the weights among them; `answers` what `ask` has said of kinds of calls."""
        self.root = program.module(check_guards=False)
        for node in list(self.root.graph.nodes):  # what is known of a tensor without its data was seen by the export
            if node.target is ATEN._assert_tensor_metadata.default:
                self.root.graph.erase_node(node)
        self.nodes = list(self.root.graph.nodes)
        self.inputs = [node for node in self.nodes if node.op == "placeholder"]
        self.calls = [node for node in self.nodes if node.op.startswith("call_")]
        self.left = dict[Node, str]()
        self.written = {node.args[0] for node in self.calls if node.target is ATEN.copy_.default}
        self._given = {node: tensor for node, tensor in zip(self.inputs, tensors) if node not in self.written}
        self._find_what_stays()
        self._ask([node for node in self.calls if node not in self.left and not is_number(node) and not is_element(node)], ask, answers)
        self._follow()

    def leave(self, nodes: Iterable[Node], reason: str) -> None:
        self.left.update(dict.fromkeys(nodes, reason))
        self._follow()

    def parts(self) -> list[Part]:
        """In the order in which they run."""
        while True:
            groups = self._groups()
            small = [node for group in groups if not _is_worth(group) for node in group]
            if not small:
                return [self._part(group) for group in groups]
            self.leave(small, "it has too little beside it that Cupola would run")

    def is_free(self, node: Node) -> bool:
        """Whether it is made anew wherever it is needed."""
        if node.op != "call_function" or node in self.left:
            return bool(node.op == "get_attr")
        tensors = [needed for needed in node.all_input_nodes if not is_number(needed)]
        return is_number(node) or not tensors or is_view(node) and all(tensor.op == "placeholder" or self.is_free(tensor)
                                                                         for tensor in tensors)

    def needs(self, node: Node, is_free: Callable[[Node], bool] | None = None) -> list[Node]:
        """What it is made of, through what is free."""
        found, seen, waiting = list[Node](), set[Node](), node.all_input_nodes[::-1]
        while waiting:
            if (needed := waiting.pop()) not in seen:
                seen.add(needed)
                if (is_free or self.is_free)(needed):
                    waiting += needed.all_input_nodes[::-1]
                else:
                    found.append(needed)
        return found

    def depths(self) -> dict[Node, int]:
        """Of all calls that are not free, in their order."""
        depths, last = dict[Node, int](), 0
        for node in self.calls:
            if self.is_free(node):
                continue
            below = [depths[needed] + (needed in self.left and node not in self.left) for needed in self.needs(node) if needed in depths]
            depths[node] = max(below, default=0)
            if has_effect(node):  # such calls keep their order, and all that reads an input comes before it is written
                depths[node] = last = max([depths[node], last, *(depths.values() if writes(node) else ())])
        return depths

    def _groups(self) -> list[list[Node]]:
        groups = dict[int, list[Node]]()
        for node, depth in self.depths().items():
            if node not in self.left:
                groups.setdefault(depth, []).append(node)
        return [groups[depth] for depth in sorted(groups)]

    #===--- What stays ---===#

    def _find_what_stays(self) -> None:
        shown = storages(self.inputs) & storages(results_of(self.root.graph))
        for node in self.calls:
            if reason := self._why_it_stays(node, shown):
                self.left[node] = reason

    def _why_it_stays(self, node: Node, shown: set[int]) -> str:
        """What is known without asking."""
        tensors = [needed for needed in node.all_input_nodes if not is_number(needed)]
        if any(needed in self.left and is_number(needed) for needed in node.all_input_nodes):
            return "it takes a number that data decide"
        if is_number(node):
            return "it reads a number from data" if tensors and node.target not in EXTENTS else ""
        if storages([node]) & shown:
            return VIEWS
        if any(is_complex(value) for value in (node, *tensors)):
            return "ONNX has no complex numbers"
        if is_element(node):
            return ""
        if not isinstance(node.target, torch._ops.OpOverload):
            return "it is no op that has a schema"
        if writes(node):
            return WRITES
        return DRAWS if draws(node) else "it has no result" if has_effect(node) else ""

    def _follow(self) -> None:
        """An element of a result is where that is; so is a view, which costs torch nothing."""
        for node in self.calls:
            source = node.all_input_nodes[0] if node.all_input_nodes else None
            if source in self.left and (is_element(node) or is_view(node)):
                self.left.setdefault(node, f"it is part of what {op_name(source)} gives, which stays with torch")

    def _ask(self, nodes: list[Node], ask: Ask, answers: dict[str, str]) -> None:
        """By halves, each kind of call once."""
        kinds = dict[str, list[Node]]()
        for node in nodes:
            kinds.setdefault(self._kind(node), []).append(node)

        def answer(group: list[str]) -> None:
            question = self._question([kinds[kind][0] for kind in group])
            reason = ask(question.graph, question.examples)
            if not reason or len(group) == 1:
                answers.update(dict.fromkeys(group, reason))
            else:
                answer(group[:len(group) // 2])
                answer(group[len(group) // 2:])

        if new := [kind for kind in kinds if kind not in answers]:
            answer(new)
        self.left.update((node, answers[kind]) for kind, nodes in kinds.items() if answers[kind] for node in nodes)

    def _kind(self, node: Node) -> str:
        """Calls of one kind can be compiled all, or none of them."""

        def said(value: Node) -> Any:
            tensor = operator.attrgetter(value.target)(self.root) if value.op == "get_attr" else value.meta.get("val")
            if not isinstance(tensor, torch.Tensor):
                return type(tensor)
            extents = tuple(extent if isinstance(extent, int) else "?" for extent in tensor.shape)
            return tensor.dtype, extents, isinstance(self._given.get(value), torch.nn.Parameter)

        return str((node.target, torch.fx.node.map_arg(node.args, said), torch.fx.node.map_arg(node.kwargs, said)))

    #===--- Graphs of parts ---===#

    def _question(self, nodes: list[Node]) -> Part:
        """Calls beside each other."""
        needs = {node: self.needs(node, lambda needed: needed.op == "get_attr" or is_number(needed)) for node in nodes}
        graph, results = torch.fx.Graph(), list[Node]()
        takes = list(dict.fromkeys(needed for needs_of in needs.values() for needed in needs_of))
        inputs = {taken: _input(graph, taken) for taken in takes}
        for node in nodes:
            made = {needed: inputs[needed] for needed in needs[node]}
            results += _elements(graph, node, _copied(graph, node, made))
        return self._finished(nodes, graph, takes, nodes, results)

    def _part(self, nodes: list[Node]) -> Part:
        inside = set(nodes)
        takes = list(dict.fromkeys(needed for node in nodes for needed in self.needs(node) if needed not in inside))
        outside = {needed for node in self.nodes if node not in inside and not self.is_free(node) for needed in self.needs(node)}
        graph, gives = torch.fx.Graph(), [node for node in nodes if node in outside]
        made = {taken: _input(graph, taken) for taken in takes}
        for node in nodes:
            _copied(graph, node, made)
        return self._finished(nodes, graph, takes, gives, [made[node] for node in gives])

    def _finished(self, nodes: list[Node], graph: torch.fx.Graph, takes: list[Node], gives: list[Node], results: list[Node]) -> Part:
        """A result must not be a view of an argument."""
        taken = storages(takes)
        results = [graph.call_function(ATEN.clone.default, (result, )) if storages([result]) & taken else result for result in results]
        graph.output(tuple(results))
        examples = [self._given[node] if node in self._given else _example(node.meta["val"]) for node in takes]
        return Part(nodes, torch.fx.GraphModule(self.root, graph), takes, examples, gives)


def assembled(cut: Cut, runs: Sequence[tuple[Part, Callable[..., Any]]]) -> Graph:
    """The whole program, with its parts run so."""
    graph, depths = torch.fx.Graph(), cut.depths()
    made = {node: graph.placeholder(node.name) for node in cut.inputs}
    waiting = sorted((node for node in depths if node in cut.left), key=depths.__getitem__)  # which keeps their order
    for number, (part, run) in enumerate(runs):
        while waiting and depths[waiting[0]] < depths[part.nodes[0]]:
            _copied(graph, waiting.pop(0), made)
        setattr(cut.root, name := f"cupola_part_{number}", _Run(run))
        # What is written is no weight, though torch has it as one.
        takes = [graph.call_function(ATEN.alias.default, (made[node], )) if node in cut.written else made[node] for node in part.takes]
        results = graph.call_module(name, tuple(takes))
        made.update((node, graph.call_function(operator.getitem, (results, i))) for i, node in enumerate(part.gives))
    for node in (*waiting, cut.root.graph.output_node()):
        _copied(graph, node, made)
    return torch.fx.GraphModule(cut.root, graph)


class _Run(torch.nn.Module):
    """What runs a part, as torch.fx calls it."""

    def __init__(self, run: Callable[..., Any]) -> None:
        super().__init__()
        self._run = run

    def forward(self, *arguments: Any) -> Any:
        return self._run(*arguments)


def _copied(graph: torch.fx.Graph, node: Node, made: dict[Node, Node]) -> Node:
    """In another graph, after what is free and not there yet."""
    for needed in node.all_input_nodes:
        if needed not in made:
            _copied(graph, needed, made)
    made[node] = graph.node_copy(node, made.__getitem__)
    return made[node]


def _input(graph: torch.fx.Graph, node: Node) -> Node:
    made = graph.placeholder(node.name)
    made.meta = {"val": node.meta["val"], "example_value": node.meta["val"]}
    return made


def _elements(graph: torch.fx.Graph, node: Node, made: Node) -> list[Node]:
    """The tensors that a call gives, of several those that are used."""
    if isinstance(node.meta["val"], torch.Tensor):
        return [made]
    places = sorted({user.args[1] for user in node.users if is_element(user)}) or [0]
    elements = [graph.call_function(operator.getitem, (made, place)) for place in places]
    for element, place in zip(elements, places):
        element.meta = {"val": node.meta["val"][place]}
    return elements


def _example(value: torch.Tensor) -> torch.Tensor:
    """Of the extents that the program was exported with; one that only data know is 2."""
    extents = [extent if isinstance(extent, int) else extent.node.hint if extent.node.has_hint() else 2 for extent in value.shape]
    return torch.empty(extents, dtype=value.dtype, device=value.device)


def _is_worth(nodes: Sequence[Node]) -> bool:
    """Whether calls are more than views and a few that take numbers one by one."""
    work = [node for node in nodes if not is_element(node) and not is_view(node)]
    cheap = [node for node in work if node.target in MOVES or torch.Tag.pointwise in getattr(node.target, "tags", ())]
    return len(cheap) < len(work) or len(cheap) > FEW
