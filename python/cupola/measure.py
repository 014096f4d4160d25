#===- python/cupola/measure.py - What a package holds, and how it runs ---===#
# SPDX-License-Identifier: Apache-2.0
"""`inspect`, `verify` and `bench`. Models are compiled in a process of their own (compiler.py); packages run in this one."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, Union, Unpack, cast

import numpy as np

from . import _runtime, machine
from .compiler import Progress, anywhere
from .composites import split
from .errors import CancelledError, Error, UsageError
from .options import External, ModelLike, WorkerOptions
from .package import Package
from .reduction import reduced
from .reports import InspectReport, inspect_report
from .runs import BenchReport, VerifyReport, bench_report, verify_report
from .session import Array, Executable, PackageLike, imported, package_of
from .tensors import numpy_dtype

Shapes = Mapping[str, Union[int, Sequence[int]]]


def inspect(package: PackageLike) -> InspectReport:
    """What a package (a Package, its path or its bytes) holds. Raises PackageError where it is damaged."""
    name = os.fspath(package) if isinstance(package, (str, os.PathLike)) else "package"
    text, report = _runtime.inspect(package_of(package).native, name)
    return inspect_report(text, json.loads(report))


def bench(model: ModelLike | Package, device: str = "auto", *, inputs: Mapping[str, Array] | None = None, seed: int = 0,
          warmup: int = 10, iterations: int = 100, profile: bool = False, ordinal: int = 0, external_data: External | None = None,
          progress: Progress = None, **options: Unpack[WorkerOptions]) -> BenchReport:
    """Times of whole runs on a device, after `warmup` of them. Without `inputs` values are random, of `seed`, and `shapes` says the
    extents that the model leaves open. profile: also the times of the steps, in as many runs of their own. A model is compiled for the
    device with `options`; of a package only `shapes`, `threads` and `cache_dir` count. Raises what `compile` and `Session.run` raise."""
    executable = _executable(model, device, ordinal, external_data, progress, options)
    shapes = _open_shapes(model, options.get("shapes"))
    text, report = _runtime.bench(executable.native, _npz_of(executable.package, inputs), shapes, seed, warmup, iterations, profile)
    return bench_report(text, json.loads(report))


def verify(model: ModelLike | Package, device: str = "auto", *, inputs: Mapping[str, Array] | None = None,
           references: Mapping[str, Array] | None = None, tolerance: float | None = None, per_node: bool = False, seed: int = 0,
           ordinal: int = 0, reduce: str | os.PathLike[str] | None = None, external_data: External | None = None,
           progress: Progress = None, **options: Unpack[WorkerOptions]) -> VerifyReport:
    """Runs a model on a device and holds the outputs against `references`, by name. Without them the model is computed op by op, unfused,
    which a package cannot be. Inputs are as of `bench`. tolerance: None is 5e-5, of a model with float16 5e-3, with bfloat16 4e-2, with
    rows rounded to int8 5e-2, where an output is a float of 4 or 8 bits a unit in its last place.
    per_node: also what every kernel computes, and where the answer goes wrong first, which needs the model, too.
    reduce: the path of an .onnx file. Where the model fails it gets the few nodes that still fail, with their inputs and references in an
    .npz file beside it, and the report's `reduction` says how to run them. Of an error it is a note of the exception.
    Raises UsageError where nothing is compared, and what `compile` and `Session.run` raise."""
    if reduce is not None:
        return _verify_reduced(model, device, reduce, dict(inputs=inputs, references=references, tolerance=tolerance, per_node=per_node,
                                                           seed=seed, ordinal=ordinal, external_data=external_data, progress=progress),
                               cast(Any, options))
    if machine.packaged(model) is not None and (references is None or per_node):
        raise UsageError("a package has no reference: give references, or the model" if references is None else
                         "per_node compiles the model once more: give the model, not a package")
    chosen = cast(Any, {**options, "kernel_results": per_node})
    executable = _executable(model, device, ordinal, external_data, progress, chosen)
    shapes = _open_shapes(model, options.get("shapes"))
    verification = _runtime.Verification.create(executable.native, _npz_of(executable.package, inputs), shapes, seed)
    given = b"" if references is None else _npz({name: np.asarray(array) for name, array in references.items()})
    expected = given or bytes(anywhere("reference", cast(ModelLike, model), external_data, progress, verification.inputs(),
                                       **cast(Any, {**options, "targets": "cpu"})))
    passed, text, report = verification.compare(expected, tolerance or 0)
    told = json.loads(report)
    if per_node:
        head = json.dumps([*_variant(executable.package), told["tolerance"]]).encode() + b"\n"
        target = {"targets": _variant(executable.package)[0]}
        diagnosis = anywhere("diagnose", cast(ModelLike, model), external_data, progress, head + verification.inputs(),
                             **{**chosen, **target})
        kernels, more, report = verification.compare_kernels(bytes(diagnosis), given, told["tolerance"])
        passed, text, told = passed and kernels, text + more, {**told, **json.loads(report)}
    return verify_report(passed, text, told)


def _verify_reduced(model: Any, device: str, path: str | os.PathLike[str], given: dict[str, Any], options: dict[str, Any]) -> VerifyReport:
    if machine.packaged(model) is not None or given["ordinal"]:
        raise UsageError("reduce cuts a model, on the first device: give the model, not a package, and no ordinal")

    def tell() -> tuple[str, Any]:
        case = _case(model, given, options) if given["inputs"] is not None else b""
        return reduced(model, device, path, given["external_data"], case, given["seed"], given["tolerance"], options)

    try:
        report = verify(model, device, **given, **options)
    except (UsageError, CancelledError):
        raise
    except Error as error:
        error.add_note(tell()[0])
        raise
    if report.passed:
        return report
    text, reduction = tell()
    told = {**report.json, "reduction": reduction}
    return verify_report(report.passed, report.text + text, told)


def _case(model: Any, given: dict[str, Any], options: dict[str, Any]) -> bytes:
    """Inputs and references under the names of the command line's --case; what is not given lib/Reference computes."""
    inputs = {name: np.asarray(array) for name, array in given["inputs"].items()}
    references = given["references"]
    if references is None:
        made = anywhere("reference", model, given["external_data"], given["progress"], _npz(inputs), **{**options, "targets": "cpu"})
        references = np.load(io.BytesIO(bytes(made)))
    named = [(f"in:{name}", array) for name, array in inputs.items()]
    return _npz(dict(named + [(f"out:{name}", np.asarray(array)) for name, array in references.items()]))


def _variant(package: Package) -> tuple[str, str]:
    """Target and architecture of the only one."""
    variant, = json.loads(_runtime.inspect(package.native, "")[1])["variants"]
    return variant["target"], variant["arch"]


def _executable(model: Any, device: str, ordinal: int, external: External | None, progress: Progress, options: Any) -> Executable:
    here = machine.found(device, ordinal)
    package = machine.compiled(model, here, external_data=external, progress=progress, **options)
    return Executable(package, here.name, ordinal=ordinal, threads=options.get("threads", 0), cache_dir=options.get("cache_dir", ""))


def _open_shapes(model: Any, shapes: Shapes | None) -> list[str]:
    """As the command line writes them, of a package: a model's are fixed when it is compiled."""
    if machine.packaged(model) is None:
        return []
    return [f"{name}={shape if isinstance(shape, int) else 'x'.join(map(str, shape))}" for name, shape in (shapes or {}).items()]


def _npz_of(package: Package, inputs: Mapping[str, Array] | None) -> bytes:
    """Empty where values are to be random. What is wrong with names and shapes the runtime says."""
    if inputs is None:
        return b""
    inputs = split(inputs, package.input_composites)
    types = {tensor.name: numpy_dtype(tensor.dtype) for tensor in package.inputs}
    return _npz({name: np.asarray(imported(array, types.get(name, np.dtype(np.float32)))) for name, array in inputs.items()})


def _plain(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Strings that are objects as those of one width, which need no pickle."""
    return array.astype(np.str_) if array.dtype.kind in "OT" else array


def _npz(arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """numpy.savez, whose keyword arguments cannot have every name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member,  # type: ignore[no-untyped-call]
                                          np.ascontiguousarray(_plain(array)), allow_pickle=False)
    return file.getvalue()
