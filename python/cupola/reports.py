#===- python/cupola/reports.py - What is said about models, packages and runs ---===#
# SPDX-License-Identifier: Apache-2.0
"""What `check`, `explain`, `inspect`, `verify` and `bench` return: as a text what the command line prints, in a notebook a table.
`json` is the whole report (docs/schemas.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from .errors import Problem
from .html import table

_T = TypeVar("_T")
Json = dict[str, Any]


@dataclass(frozen=True)
class _Report:
    text: str = field(repr=False)
    """What the command line prints."""
    json: Json = field(repr=False)
    """The whole report (docs/schemas.md)."""

    def __str__(self) -> str:
        return self.text


def _made(kind: type[_T], data: Mapping[str, Any], **others: Any) -> _T:
    """A dataclass of the keys that are its fields; lists become tuples."""
    chosen = {f.name: data[f.name] for f in fields(kind) if f.name in data and f.name not in others}  # type: ignore[arg-type]
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}, **others)


def _all(kind: type[_T], items: list[Json]) -> tuple[_T, ...]:
    return tuple(_made(kind, item) for item in items)


#===--- check ---===#


@dataclass(frozen=True)
class ProblemGroup:
    """Problems of one op and reason, in which names do not count."""

    code: int
    op: str
    reason: str
    count: int


@dataclass(frozen=True)
class CheckReport(_Report):
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
    return CheckReport(text, json, json["supported"], tuple(problems), _all(ProblemGroup, json["summary"]))


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
    launches: int
    kernels: tuple[Kernel, ...]
    edges: tuple[Edge, ...]
    memory: Memory


@dataclass(frozen=True)
class ExplainReport(_Report):
    """What was fused into what, and why not."""

    variants: tuple[Variant, ...]

    def _repr_html_(self) -> str:
        return "".join(
            table(f"{v.target} {v.arch}: {v.launches} steps, {len(v.kernels)} kernels, {sum(e.fused for e in v.edges)} of "
                  f"{len(v.edges)} edges fused", ("kernel", "schedule", "launches", "bytes", "flops", "nodes"),
                  ((k.name, k.schedule, k.launches, k.bytes, k.flops, ", ".join(k.nodes)) for k in v.kernels)) for v in self.variants)


def explain_report(text: str, json: Json) -> ExplainReport:
    def variant(data: Json) -> Variant:
        return _made(Variant, data, kernels=_all(Kernel, data["kernels"]), edges=_all(Edge, data["edges"]),
                     memory=_made(Memory, data["memory"]))

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
class PackagedSymbol:
    """What varies from run to run; without an end where `max` is None. `found`: by a run, not by the inputs' shapes."""

    id: str
    name: str
    min: int
    max: int | None
    found: bool


@dataclass(frozen=True)
class InspectReport(_Report):
    """What a package holds: `bytes` of the file, `weights` (how many) of `weight_bytes`."""

    format: int
    producer: str
    tools: tuple[str, ...]
    bytes: int
    inputs: tuple[PackagedTensor, ...]
    outputs: tuple[PackagedTensor, ...]
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
    variants = tuple(_made(PackagedVariant, data, binaries=_all(Binary, data["binaries"])) for data in json["variants"])
    inputs, outputs = (_all(PackagedTensor, json[side]) for side in ("inputs", "outputs"))
    return _made(InspectReport, json, text=text, json=json, variants=variants, inputs=inputs, outputs=outputs,
                 symbols=_all(PackagedSymbol, json["symbols"]))


#===--- verify ---===#


@dataclass(frozen=True)
class OutputDifference:
    """How far an output is from its reference: largest |a - b|, largest |a - b| / (max|b| + |b|), the place of the worst element
    counted from 0 in row-major order, and what else is wrong, as another shape. None stands for NaN and infinity."""

    name: str
    max_abs: float | None
    max_rel: float | None
    index: int
    passed: bool
    problem: str


@dataclass(frozen=True)
class VerifyReport(_Report):
    """Outputs held against references. Floats pass where |a - b| <= tolerance * max|b| + tolerance * |b|."""

    passed: bool
    tolerance: float
    outputs: tuple[OutputDifference, ...]

    def _repr_html_(self) -> str:
        return table(f"{'pass' if self.passed else 'FAIL'}, tolerance {self.tolerance:g}",
                     ("output", "", "max abs", "max rel", "worst at", "problem"),
                     ((d.name, "pass" if d.passed else "FAIL", d.max_abs, d.max_rel, d.index, d.problem) for d in self.outputs))


def verify_report(passed: bool, text: str, json: Json) -> VerifyReport:
    outputs = tuple(_made(OutputDifference, data, passed=data["pass"]) for data in json["outputs"])
    return VerifyReport(text, json, passed, json["tolerance"], outputs)


#===--- bench ---===#


@dataclass(frozen=True)
class Latency:
    """Milliseconds of whole runs, inputs on the host to outputs on the host."""

    min: float
    median: float
    p99: float


@dataclass(frozen=True)
class StepTime:
    """A step of a run: milliseconds (median), arithmetic operations, bytes of all its buffers, and the share of the device's ceilings
    that it reaches. `nodes` are ONNX's names."""

    step: int
    kernel: str
    nodes: tuple[str, ...]
    ms: float
    operations: int
    bytes: int
    roofline: float


@dataclass(frozen=True)
class BenchReport(_Report):
    """Times of `iterations` runs. Bytes of the arena, of what the executable keeps on the device, and the most that this process had
    resident."""

    device: str
    arch: str
    description: str
    steps: int
    iterations: int
    latency_ms: Latency
    arena_bytes: int
    resident_bytes: int
    peak_rss_bytes: int
    profile: tuple[StepTime, ...]
    """Empty unless it was asked for."""

    def _repr_html_(self) -> str:
        t = self.latency_ms
        head = table(f"{self.device} {self.arch} ({self.description}), {self.iterations} runs", ("min ms", "median ms", "p99 ms", "steps",
                                                                                               "arena bytes", "resident bytes"),
                     [(t.min, t.median, t.p99, self.steps, self.arena_bytes, self.resident_bytes)])
        slowest = sorted(self.profile, key=lambda s: (-s.ms, s.step))
        return head + (table("steps, the slowest first", ("step", "ms", "roofline", "kernel", "nodes"),
                             ((s.step, s.ms, s.roofline, s.kernel, ", ".join(s.nodes)) for s in slowest)) if slowest else "")


def bench_report(text: str, json: Json) -> BenchReport:
    device, memory = json["device"], json["memory"]
    return _made(BenchReport, json, text=text, json=json, device=device["name"], arch=device["arch"], description=device["description"],
                 latency_ms=_made(Latency, json["latency_ms"]), profile=_all(StepTime, json.get("profile", [])),
                 arena_bytes=memory["arena_bytes"], resident_bytes=memory["resident_bytes"])
