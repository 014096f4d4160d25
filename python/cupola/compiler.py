#===- python/cupola/compiler.py - Models to packages ---===#
# SPDX-License-Identifier: Apache-2.0
"""`compile`, `check` and `explain` (and `verify`, measure.py) let the compiler work in a process of its own (worker.py): a model may
come from a stranger, and whatever it does to the compiler, the caller gets an error. `Compilation` works in this process, on a
thread of its own: other threads of Python run on, and Ctrl-C ends it."""

from __future__ import annotations

import json
import sys
import threading
import weakref
from _thread import start_new_thread
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Union, Unpack

from . import worker
from .errors import CancelledError, FileError, LimitError, ModelError, Problem, UnsupportedError
from .options import CompileOptions, External, Model, ModelLike, WorkerOptions, read_model, read_options
from .reports import CheckReport, ExplainReport, check_report, explain_report

if TYPE_CHECKING:
    from . import _compiler, _runtime
    from .package import Package

Progress = Union[bool, Callable[[str], None], None]
"""Is told what begins; True writes it to the standard error, None does so on a terminal or in a notebook."""

_T = TypeVar("_T")
_OF_MODELS = (ModelError, UnsupportedError, LimitError, FileError)


def compile(model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
            **options: Unpack[WorkerOptions]) -> Package:
    """Compiles a model. Raises ModelError, UnsupportedError or LimitError with all `problems` of the model, UsageError for a wrong
    option, ResourceError where `arch` needs NVRTC and there is none."""
    from .package import Package  # with numpy, which the compiler's process does not need
    given = read_model(model, external_data)
    found = _find(given, **options)
    return Package(found) if found is not None else Package.from_bytes(anywhere("package", given, None, progress, **options))


def _find(model: Model, *, isolate: bool = True, deadline: float = 0, memory: int = 0, **options: Any) -> _runtime.Package | None:
    """Of an earlier compilation. In this process in any case: the model is hashed, and not read."""
    from . import _compiler
    return _compiler.find_compiled(_native_model(model), _native_options(read_options(**options)))


def check(model: ModelLike, *, external_data: External | None = None, **options: Unpack[WorkerOptions]) -> CheckReport:
    """Whether a model can be compiled, and all that keeps it from being so."""
    problems, text, report = json.loads(bytes(anywhere("check", model, external_data, False, **options)))
    return check_report(text, json.loads(report), [Problem(**problem) for problem in problems])


def explain(model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
            **options: Unpack[WorkerOptions]) -> ExplainReport:
    """What was fused into what, and why not."""
    text, report = json.loads(bytes(anywhere("explain", model, external_data, progress, **options)))
    return explain_report(text, json.loads(report))


def anywhere(task: str, model: ModelLike | Model, external: External | None, progress: Progress, argument: bytes = b"", *,
             isolate: bool = True, deadline: float = 1800, memory: int = 0, **options: Any) -> bytes | memoryview:
    """`perform` in a process of its own, or in this one."""
    given, chosen, caller = read_model(model, external), read_options(**options), Caller(progress)
    if not isolate or given.read_external is not None:
        return perform(task, given, chosen, caller, argument)
    try:
        return worker.run(task, given, chosen, caller.progress, argument, deadline, memory)
    finally:
        caller.end_line()


def perform(task: str, model: Model, options: dict[str, Any], caller: Caller, argument: bytes) -> bytes | memoryview:
    """In this process: the package's bytes, a report's text and JSON as JSON, or what a model gives for the inputs in
    `argument`; of a diagnosis that begins with a line of JSON."""
    if task == "check":
        native = _native_options(options)
        problems, *report = _work(native, caller, lambda: _checked(_native_model(model), native))
        return json.dumps([[vars(problem) for problem in problems], *report]).encode()
    here = _InProcess(model, options, caller)
    if task == "package":
        return here.compile().contents()
    here.load()
    if task == "explain":
        return json.dumps(here.work(here.native.explain)).encode()
    if task == "reference":
        return here.work(lambda: here.native.reference(argument))
    assert task == "diagnose"
    line, inputs = argument.split(b"\n", 1)
    target, arch, tolerance = json.loads(line)
    return here.work(lambda: here.native.diagnose(inputs, target, arch, tolerance))


class _InProcess:
    """A compilation of the C interface, and how its calls are made."""

    def __init__(self, model: Model, options: dict[str, Any], caller: Caller) -> None:
        self._caller, self._model, self._options = caller, _native_model(model), _native_options(options)
        self._options.progress = caller.guarded(self._options, caller.progress)

    def load(self) -> _InProcess:
        from . import _compiler
        self.native = self._of_model(lambda: _compiler.Compilation.load(self._model, self._options))
        return self

    def compile(self) -> _runtime.Package:
        from . import _compiler
        return self._of_model(lambda: _compiler.compile(self._model, self._options))

    def _of_model(self, call: Callable[[], _T]) -> _T:
        """An error has all problems of the model."""
        try:
            return self.work(call)
        except _OF_MODELS as error:
            self._options.progress = None
            raise type(error)(str(error), self.work(lambda: _checked(self._model, self._options))[0]) from None

    def work(self, call: Callable[[], _T]) -> _T:
        return _work(self._options, self._caller, call)


class Compilation:
    """A model that was read, checked and imported, in this process; it is compiled once, when one of the methods needs it. One
    thread at a time. `external_data` is for a model in memory; a file's lies beside it."""

    def __init__(self, model: ModelLike, *, external_data: External | None = None, progress: Progress = None,
                 **options: Unpack[CompileOptions]) -> None:
        self._here = _InProcess(read_model(model, external_data), read_options(**options), Caller(progress)).load()

    def package(self) -> Package:
        """The package, whose bytes depend on the model and the options alone."""
        from .package import Package
        return Package.from_bytes(self._here.work(self._here.native.package))

    def explain(self) -> ExplainReport:
        """What was fused into what, and why not."""
        text, report = self._here.work(self._here.native.explain)
        return explain_report(text, json.loads(report))

    def emit(self, phase: str) -> str:
        """The text of a phase: "graph", "fused", "kernel", "plan" (IR) or "cuda" (the kernels' source)."""
        return self._here.work(lambda: self._here.native.emit(phase))

    @property
    def phases(self) -> list[tuple[str, float]]:
        """The names and milliseconds of the phases so far, in order."""
        return self._here.native.phases()

    def __reduce__(self) -> Any:
        raise TypeError("a Compilation holds the compiler's state, which cannot be pickled; pickle its package()")


class Caller:
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


def _work(options: _compiler.Options, caller: Caller, work: Callable[[], _T]) -> _T:
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


def _checked(model: _compiler.Model, options: _compiler.Options) -> tuple[list[Problem], str, str]:
    """The problems, and the report's text and JSON."""
    from . import _compiler
    problems, text, report = _compiler.check(model, options, model.path or "model")
    return [Problem(p.code, p.node, p.op, p.opset, p.reason, p.text, p.decided_by_inputs) for p in problems], text, report


def _native_model(model: Model) -> _compiler.Model:
    from . import _compiler
    given, read = _compiler.Model(), model.read_external
    given.path, given.data, given.external_folder = model.path, model.data, model.external_folder
    if read is not None:
        given.read_external = lambda *place: memoryview(read(*place)).cast("B")
    return given


def _native_options(options: dict[str, Any]) -> _compiler.Options:
    from . import _compiler
    native = _compiler.Options()
    for name, value in options.items():
        setattr(native, name, value)
    return native
