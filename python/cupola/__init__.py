#===- python/cupola/__init__.py - Cupola's Python interface ---===#
# SPDX-License-Identifier: Apache-2.0
"""Cupola compiles ONNX models into fused CUDA kernels and CPU code, and runs them.

    package = cupola.compile("model.onnx")
    outputs = cupola.Session(package).run({"x": x})

A submodule is imported where one of its names is first used: a program that runs packages never loads the compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (CancelledError, Error, FileError, FindingError, InternalError, LimitError, ModelError, PackageError, Problem,
                     ResourceError, UnsupportedError, UsageError)

if TYPE_CHECKING:
    from .cache import KVCache
    from .compiler import Compilation, check, compile, explain
    from .composites import Composite
    from .inference import (GraphOptimizationLevel, InferenceSession, IOBinding, OrtValue, RunOptions, SessionOptions,
                            get_available_providers, get_device)
    from .machine import DeviceInfo, devices
    from .measure import bench, inspect, verify
    from .package import ModelMetadata, Package
    from .reports import CheckReport, ExplainReport, InspectReport
    from .runs import BenchReport, VerifyReport
    from .session import Executable, Run, Session
    from .tensors import Tensor, empty

_HOMES = {
    "cache": ("KVCache",),
    "compiler": ("Compilation", "check", "compile", "explain"),
    "composites": ("Composite",),
    "inference": ("GraphOptimizationLevel", "InferenceSession", "IOBinding", "OrtValue", "RunOptions", "SessionOptions",
                  "get_available_providers", "get_device"),
    "machine": ("DeviceInfo", "devices"),
    "measure": ("bench", "inspect", "verify"),
    "package": ("ModelMetadata", "Package"),
    "reports": ("CheckReport", "ExplainReport", "InspectReport"),
    "runs": ("BenchReport", "VerifyReport"),
    "session": ("Executable", "Run", "Session"),
    "tensors": ("Tensor", "empty"),
}

__all__ = [
    "BenchReport", "CancelledError", "CheckReport", "Compilation", "Composite", "DeviceInfo", "Error", "Executable", "ExplainReport",
    "FileError", "FindingError", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "InspectReport", "InternalError",
    "KVCache", "LimitError", "ModelError", "ModelMetadata", "OrtValue", "Package", "PackageError", "Problem", "ResourceError",
    "Run", "RunOptions", "Session", "SessionOptions", "Tensor", "UnsupportedError", "UsageError", "VerifyReport", "__version__",
    "bench", "check", "compile", "devices", "empty", "explain", "get_available_providers", "get_device", "inspect", "verify"
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from . import _runtime
        return _runtime.version()
    for module, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"module 'cupola' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
