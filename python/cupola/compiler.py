#===- python/cupola/compiler.py - Models to packages ---===#
# SPDX-License-Identifier: Apache-2.0
"""The compiler works in this process, with limits on what a model may ask for, on a thread of its own: other threads of Python run
on, and Ctrl-C ends it. For models from strangers the command line (`python -m cupola compile`) works in a process of its own, with
a deadline."""

from __future__ import annotations

import json
import os
import sys
import threading
import weakref
from _thread import start_new_thread
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Union, Unpack

from . import _compiler
from .errors import CancelledError, FileError, LimitError, ModelError, Problem, UnsupportedError, UsageError
from .package import Package

if TYPE_CHECKING:
    import onnx

ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "onnx.ModelProto"]
"""A path, the bytes of a file, or what onnx has loaded."""
External = Union[str, "os.PathLike[str]", Callable[[str, int, int], Any]]
"""Where the external data of a model in memory lies: its folder, or (location, offset, size) -> bytes."""
Progress = Union[bool, Callable[[str], None], None]
"""Is told what begins; True writes it to the standard error, None does so on a terminal or in a notebook."""

_T = TypeVar("_T")
_OF_MODELS = (ModelError, UnsupportedError, LimitError, FileError)


class CompileOptions(TypedDict, total=False):
    """What may be chosen. None, and what is left out, stands for the default."""

    targets: str | Sequence[str] | None
    """"cuda", "cpu"; both by default."""
    arch: str | Sequence[str] | None
    """"sm_80": make machine code for these now, which needs NVRTC; by default the package has CUDA source for all."""
    cpu: str | Sequence[str] | None
    """"x86-64-v3", "x86-64-v4"; both by default."""
    shapes: Mapping[str, int | Sequence[int]] | None
    """The extents of inputs, {"ids": (1, 16)}, or values of symbols, {"batch": 2}; what is not named stays dynamic."""
    dims: Mapping[str, tuple[int, int | None]] | None
    """The intervals of symbols that stay dynamic, {"past": (1, 4096)}; without an end where it is None."""
    set: Mapping[str, Any] | None
    """Inputs that get their value now, and are no inputs of the package, {"sample_rate": 16000}."""
    alias: Mapping[str, str] | None
    """Inputs and the outputs that begin with them and share their memory, {"past_*": "present_*"}."""
    limits: Mapping[str, int] | None
    """Other limits on models, {"tensor-bytes": 1 << 33}."""
    libraries: str
    """"auto": library calls may be candidates, or "none"."""
    cache_dir: str | os.PathLike[str]
    """Of compiled kernels; "none": nowhere."""
    threads: int
    """0 is one per core."""
    disabled_passes: Sequence[str]
    source_only: bool
    """`arch` chooses source, and nothing is made of it now."""
    allow_hard_links: bool
    """Files of external data may have hard links."""
    dump_ir: str | os.PathLike[str]
    """The folder that the IR after every pass is written to."""


def compile(model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
            **options: Unpack[CompileOptions]) -> Package:
    """Compiles a model. Raises ModelError, UnsupportedError or LimitError with all `problems` of the model, UsageError for a wrong
    option, ResourceError where `arch` needs NVRTC and there is none."""
    return Compilation(model, external_data=external_data, progress=progress, **options).package()


def check(model: ModelLike, *, external_data: External | None = None, **options: Unpack[CompileOptions]) -> list[Problem]:
    """All that keeps a model from being compiled, in its order; nothing where it can be."""
    given, chosen = _model(model, external_data), _options(**options)
    return _work(chosen, _Caller(False), lambda: _problems(given, chosen))


def explain(model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
            **options: Unpack[CompileOptions]) -> dict[str, Any]:
    """What was fused into what, and why not (docs/schemas.md, "explain")."""
    return Compilation(model, external_data=external_data, progress=progress, **options).explain()


class Compilation:
    """A model that was read, checked and imported; it is compiled once, when one of the methods needs it. One thread at a time.
    `external_data` is for a model in memory; a file's lies beside it."""

    def __init__(self, model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
                 **options: Unpack[CompileOptions]) -> None:
        self._caller = _Caller(progress)
        self._options = _options(**options)
        self._options.progress = self._caller.guarded(self._options, self._caller.progress)
        given = _model(model, external_data)
        try:
            self._native = self._work(lambda: _compiler.Compilation.load(given, self._options))
        except _OF_MODELS as error:
            self._options.progress = None
            raise type(error)(str(error), self._work(lambda: _problems(given, self._options))) from None

    def package(self) -> Package:
        """The package, whose bytes depend on the model and the options alone."""
        return Package.from_bytes(self._work(self._native.package))

    def explain(self) -> dict[str, Any]:
        """What was decided and why (docs/schemas.md, "explain")."""
        text: dict[str, Any] = json.loads(self._work(self._native.explain))
        return text

    def emit(self, phase: str) -> str:
        """The text of a phase: "graph", "fused", "kernel", "plan" (IR) or "cuda" (the kernels' source)."""
        return self._work(lambda: self._native.emit(phase))

    @property
    def phases(self) -> list[tuple[str, float]]:
        """The names and milliseconds of the phases so far, in order."""
        return self._native.phases()

    def __reduce__(self) -> Any:
        raise TypeError("a Compilation holds the compiler's state, which cannot be pickled; pickle its package()")

    def _work(self, work: Callable[[], _T]) -> _T:
        return _work(self._options, self._caller, work)


class _Caller:
    """What the caller wants to be told, and the first error of a function of theirs, which ends the compilation."""

    def __init__(self, progress: Progress) -> None:
        self.error: BaseException | None = None
        self.line = False
        shown = progress is True or (progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules))
        self.progress = progress if callable(progress) else self.show if shown else None

    def show(self, what: str) -> None:
        self.line = True
        print(f"\r\x1b[Kcupola: {what}", end="", file=sys.stderr, flush=True)

    def end_line(self) -> None:
        if self.line:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self.line = False

    def guarded(self, options: _compiler.Options, function: Callable[[str], None] | None) -> Callable[[str], None] | None:
        if function is None:
            return None
        tell, owner = function, weakref.ref(options)  # which hold the function

        def call(text: str) -> None:
            try:
                tell(text)
            except BaseException as error:
                self.error = self.error or error
                if (alive := owner()) is not None:
                    alive.cancel()

        return call


def _work(options: _compiler.Options, caller: _Caller, work: Callable[[], _T]) -> _T:
    """On a thread of its own, because a signal is heard by the main thread, and only while that runs Python."""
    results: list[_T] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        done.set()

    start_new_thread(body, ())
    interrupt: BaseException | None = None
    while not done.is_set():
        try:
            done.wait(0.1)
        except BaseException as error:  # from a signal's handler; a thread that runs on would meet the end of the interpreter
            interrupt = interrupt or error
            options.cancel()
    caller.end_line()
    if interrupt:
        raise interrupt
    told, caller.error = caller.error, None  # or the options, whose references Python's collector cannot see, would hold it
    if errors:
        raise told if isinstance(errors[0], CancelledError) and told else errors[0]
    return results[0]


def _problems(model: _compiler.Model, options: _compiler.Options) -> list[Problem]:
    return [Problem(p.code, p.node, p.op, p.opset, p.reason, p.text) for p in _compiler.check(model, options)]


def _model(model: ModelLike, external: External | None) -> _compiler.Model:
    given = _compiler.Model()
    if isinstance(model, (str, os.PathLike)):
        if external is not None:
            raise UsageError("external_data is for models in memory; a file's lies in its folder")
        given.path = os.fspath(model)
        return given
    if isinstance(model, (bytes, bytearray, memoryview)):
        given.data = memoryview(model).cast("B")
    elif hasattr(model, "SerializeToString"):
        given.data = memoryview(model.SerializeToString())
    else:
        raise UsageError(f"the model is of type {type(model).__name__}, expected a path, bytes or an onnx.ModelProto")
    if callable(external):
        given.read_external = lambda *place: memoryview(external(*place)).cast("B")
    elif external is not None:
        given.external_folder = os.fspath(external)
    return given


def _options(*, targets: str | Sequence[str] | None = None, arch: str | Sequence[str] | None = None,
             cpu: str | Sequence[str] | None = None, shapes: Mapping[str, int | Sequence[int]] | None = None,
             dims: Mapping[str, tuple[int, int | None]] | None = None, set: Mapping[str, Any] | None = None,
             alias: Mapping[str, str] | None = None, limits: Mapping[str, int] | None = None,
             disabled_passes: Sequence[str] = (), libraries: str = "", cache_dir: str | os.PathLike[str] = "",
             dump_ir: str | os.PathLike[str] = "", threads: int = 0, source_only: bool = False,
             allow_hard_links: bool = False) -> _compiler.Options:
    options = _compiler.Options()
    options.targets, options.archs, options.cpu_levels = _names(targets), _names(arch), _names(cpu)
    options.shapes = [(name, [int(shape)] if isinstance(shape, int) else [int(extent) for extent in shape])
                      for name, shape in (shapes or {}).items()]
    options.dims = [(name, low, high or 0) for name, (low, high) in (dims or {}).items()]
    options.values = [(name, _numbers(value)) for name, value in (set or {}).items()]
    options.aliases = list((alias or {}).items())
    options.limits = list((limits or {}).items())
    options.disabled_passes = list(disabled_passes)
    options.libraries, options.threads = libraries, threads
    options.cache_dir, options.dump_ir_dir = os.fspath(cache_dir), os.fspath(dump_ir)
    options.source_only, options.allow_hard_links = source_only, allow_hard_links
    return options


def _names(names: str | Sequence[str] | None) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def _numbers(value: Any) -> str:
    """16000, [1, 2, 3] or an array, as the C interface reads it."""
    flat = value.reshape(-1).tolist() if hasattr(value, "reshape") else value if isinstance(value, (list, tuple)) else [value]
    return ",".join(repr(int(number) if isinstance(number, bool) else number) for number in flat)
