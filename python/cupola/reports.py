#===- python/cupola/reports.py - What is said about models and packages ---===#
# SPDX-License-Identifier: Apache-2.0
"""What `check`, `explain` and `inspect` return, and of runs.py `verify` and `bench`: as a text what the command line prints, in a notebook a
table. `json` is the whole report (docs/schemas.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from . import _runtime
from .errors import Problem
from .html import table

_T = TypeVar("_T")
Json = dict[str, Any]


@dataclass(frozen=True)
class Report:
    text: str = field(repr=False)
    """What the command line prints."""
    json: Json = field(repr=False)
    """The whole report (docs/schemas.md)."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class DrawnReport(Report):
    """One that a browser can show: kernels and what flows between them, sources, memory, times, differences."""

    def to_html(self, path: str | os.PathLike[str] | None = None, title: str = "Cupola") -> str:
        """A page that needs no other file (docs/reports.md), written to `path`, too, where one is given. Texts of the model are texts in it
        and nothing else."""
        page = _runtime.page(json.dumps(self.json), title)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page


def made(kind: type[_T], data: Mapping[str, Any], **others: Any) -> _T:
    """A dataclass of the keys that are its fields; lists become tuples."""
    chosen = {f.name: data[f.name] for f in fields(kind) if f.name in data and f.name not in others}  # type: ignore[arg-type]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}, **others)


def all_of(kind: type[_T], items: list[Json]) -> tuple[_T, ...]:
    return tuple(made(kind, item) for item in items)


#===--- check ---===#


@dataclass(frozen=True)
class ProblemGroup:
    """Problems of one op and reason, in which names do not count."""

    code: int
    op: str
    reason: str
    count: int


@dataclass(frozen=True)
class CheckReport(Report):
    """Whether a model can be compiled, and all that keeps it from being so."""

    supported: bool
    problems: tuple[Problem, ...]
    """In the model's order."""
    summary: tuple[ProblemGroup, ...]
    """The most frequent first."""

    def __str__(self) -> str:
        return self.text + "".join(f"error: {problem.text}\n" for problem in self.problems)

    def _repr_html_(self) -> str:
        if self.supported:
            return table("every node is supported", (), ())
        return table(f"{len(self.problems)} problems", ("count", "op", "reason"), ((g.count, g.op, g.reason) for g in self.summary))


def check_report(text: str, json: Json, problems: list[Problem]) -> CheckReport:
    return CheckReport(text, json, json["supported"], tuple(problems), all_of(ProblemGroup, json["summary"]))


#===--- explain ---===#


@dataclass(frozen=True)
class Kernel:
    """One distinct kernel. `bytes` (of memory that one run needs) and `flops` of one run are numbers, or expressions over the model's
    symbols; `nodes` are ONNX's names."""

    name: str
    schedule: str
    nodes: tuple[str, ...]
    launches: int
    bytes: int | str
    flops: int | str


@dataclass(frozen=True)
class Edge:
    """Two ops, whether one kernel computes both, and the rule that said so."""

    producer: str
    consumer: str
    fused: bool
    rule: str
    reason: str


@dataclass(frozen=True)
class Memory:
    """Bytes: the arena, the most that is alive at one step, the weights. None where sizes depend on shapes."""

    peak_bytes: int | None
    lower_bound_bytes: int | None
    weight_bytes: int | None


@dataclass(frozen=True)
class Variant:
    """What was made for one architecture. `launches` are the steps of a run."""

    target: str
    arch: str
    multiprocessors: int    # of the GPUs that it is for, at least; 0: any
    launches: int
    kernels: tuple[Kernel, ...]
    edges: tuple[Edge, ...]
    memory: Memory


@dataclass(frozen=True)
class ExplainReport(DrawnReport):
    """What was fused into what, and why not."""

    variants: tuple[Variant, ...]

    def _repr_html_(self) -> str:
        return "".join(
            table(f"{v.target} {v.arch}: {v.launches} steps, {len(v.kernels)} kernels, {sum(e.fused for e in v.edges)} of "
                  f"{len(v.edges)} edges fused", ("kernel", "schedule", "launches", "bytes", "flops", "nodes"),
                  ((k.name, k.schedule, k.launches, k.bytes, k.flops, ", ".join(k.nodes)) for k in v.kernels)) for v in self.variants)


def explain_report(text: str, json: Json) -> ExplainReport:
    def variant(data: Json) -> Variant:
        return made(Variant, data, kernels=all_of(Kernel, data["kernels"]), edges=all_of(Edge, data["edges"]),
                     memory=made(Memory, data["memory"]))

    return ExplainReport(text, json, tuple(map(variant, json.get("variants", [json]))))


#===--- inspect ---===#


@dataclass(frozen=True)
class Binary:
    """Machine code, in bytes."""

    arch: str
    bytes: int


@dataclass(frozen=True)
class PackagedVariant:
    """The code for one architecture: how many steps, distinct kernels and CUDA sources, and the machine code."""

    target: str
    arch: str
    multiprocessors: int    # of the GPUs that it is for, at least; 0: any
    steps: int
    kernels: int
    sources: int
    binaries: tuple[Binary, ...]


@dataclass(frozen=True)
class PackagedTensor:
    """An input or output as the package has it: extents are numbers or expressions over the symbols' ids. An output with `memory_of`
    lies in the memory of that input."""

    name: str
    dtype: str
    shape: tuple[str, ...]
    memory_of: str | None


@dataclass(frozen=True)
class PackagedComposite:
    """An input, or with `output` an output, of the model that is no tensor: a "sequence", an "optional" or an "optional sequence", which
    may be `absent`. `tensors` are the names of those of which it consists."""

    name: str
    kind: str
    output: bool
    absent: bool
    tensors: tuple[str, ...]


@dataclass(frozen=True)
class PackagedSymbol:
    """What varies from run to run; without an end where `max` is None. `found`: by a run, not by the inputs' shapes."""

    id: str
    name: str
    min: int
    max: int | None
    found: bool


@dataclass(frozen=True)
class InspectReport(DrawnReport):
    """What a package holds: `bytes` of the file, `weights` (how many) of `weight_bytes`."""

    format: int
    producer: str
    tools: tuple[str, ...]
    bytes: int
    inputs: tuple[PackagedTensor, ...]
    outputs: tuple[PackagedTensor, ...]
    composites: tuple[PackagedComposite, ...]
    symbols: tuple[PackagedSymbol, ...]
    weights: int
    weight_bytes: int
    variants: tuple[PackagedVariant, ...]

    def _repr_html_(self) -> str:
        tensors = [("input", t) for t in self.inputs] + [("output", t) for t in self.outputs]
        return table(f"package by {self.producer}, {self.bytes} bytes, {self.weights} weights of {self.weight_bytes} bytes",
                     ("", "name", "type", "shape"), ((side, t.name, t.dtype, ", ".join(t.shape)) for side, t in tensors)) + table(
                         "variants", ("target", "arch", "steps", "kernels", "sources", "machine code"),
                         ((v.target, v.arch, v.steps, v.kernels, v.sources, ", ".join(f"{b.arch} ({b.bytes} bytes)"
                                                                                     for b in v.binaries)) for v in self.variants))


def inspect_report(text: str, json: Json) -> InspectReport:
    variants = tuple(made(PackagedVariant, data, binaries=all_of(Binary, data["binaries"])) for data in json["variants"])
    inputs, outputs = (all_of(PackagedTensor, json[side]) for side in ("inputs", "outputs"))
    return made(InspectReport, json, text=text, json=json, variants=variants, inputs=inputs, outputs=outputs,
                 composites=all_of(PackagedComposite, json["composites"]), symbols=all_of(PackagedSymbol, json["symbols"]))
