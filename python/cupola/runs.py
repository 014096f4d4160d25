#===- python/cupola/runs.py - What is said about runs ---===#
# SPDX-License-Identifier: Apache-2.0
"""What `verify` and `bench` return, as reports.py says."""

from __future__ import annotations

from dataclasses import dataclass

from .html import table
from .reports import DrawnReport, Json, all_of, made

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
class KernelDifference:
    """The same of what a kernel wrote, in the order of execution; `nodes` are ONNX's names. A branch or loop has no kernel."""

    step: int
    kernel: str
    schedule: str
    nodes: tuple[str, ...]
    max_abs: float | None
    max_rel: float | None
    index: int
    passed: bool
    problem: str


@dataclass(frozen=True)
class FirstDifference:
    """Where an answer goes wrong first: in the "import", a "pass" or a "kernel", which `name` says (docs/schemas.md)."""

    stage: str
    name: str
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Reduction:
    """`nodes` of a model that fail as it does ("difference" or an error), left of so many, after so many tries. `model` (an ONNX file) and
    `case` were written; `replay` is the command that runs them."""

    failure: str
    nodes: tuple[str, ...]
    of: int
    tries: int
    model: str
    case: str
    replay: str


@dataclass(frozen=True)
class VerifyReport(DrawnReport):
    """Outputs held against references. Floats pass where |a - b| <= tolerance * max|b| + tolerance * |b|."""

    passed: bool
    tolerance: float
    outputs: tuple[OutputDifference, ...]
    kernels: tuple[KernelDifference, ...]
    """Empty without `per_node`."""
    first_difference: FirstDifference | None
    reduction: Reduction | None
    """None without `reduce`, and where nothing fails."""

    def _repr_html_(self) -> str:
        return table(f"{'pass' if self.passed else 'FAIL'}, tolerance {self.tolerance:g}",
                     ("output", "", "max abs", "max rel", "worst at", "problem"),
                     ((d.name, "pass" if d.passed else "FAIL", d.max_abs, d.max_rel, d.index, d.problem) for d in self.outputs))


def verify_report(passed: bool, text: str, json: Json) -> VerifyReport:
    outputs = tuple(made(OutputDifference, data, passed=data["pass"]) for data in json["outputs"])
    kernels = tuple(made(KernelDifference, data, passed=data["pass"]) for data in json.get("kernels", []))
    first, reduction = json.get("first_difference"), json.get("reduction")
    return VerifyReport(text, json, passed, json["tolerance"], outputs, kernels, first and made(FirstDifference, first),
                        reduction and made(Reduction, reduction))


#===--- bench ---===#


@dataclass(frozen=True)
class Latency:
    """Milliseconds of whole runs, inputs on the host to outputs on the host."""

    min: float
    median: float
    p99: float


@dataclass(frozen=True)
class StepTime:
    """A step of a run: milliseconds (median), how often it ran, and of all these times together arithmetic operations, bytes of all its
    buffers, and the share of the device's ceilings that it reaches. A branch or loop is without the steps of its bodies, which are steps
    of their own. `nodes` are ONNX's names."""

    step: int
    kernel: str
    nodes: tuple[str, ...]
    ms: float
    times: int
    operations: int
    bytes: int
    roofline: float


@dataclass(frozen=True)
class BenchReport(DrawnReport):
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
        return head + (table("steps, the slowest first", ("step", "ms", "times", "roofline", "kernel", "nodes"),
                             ((s.step, s.ms, s.times, s.roofline, s.kernel, ", ".join(s.nodes)) for s in slowest)) if slowest else "")


def bench_report(text: str, json: Json) -> BenchReport:
    device, memory = json["device"], json["memory"]
    return made(BenchReport, json, text=text, json=json, device=device["name"], arch=device["arch"], description=device["description"],
                 latency_ms=made(Latency, json["latency_ms"]), profile=all_of(StepTime, json.get("profile", [])),
                 arena_bytes=memory["arena_bytes"], resident_bytes=memory["resident_bytes"])
