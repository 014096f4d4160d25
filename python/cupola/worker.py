#===- python/cupola/worker.py - The compiler in a process of its own ---===#
# SPDX-License-Identifier: Apache-2.0
"""A model is data from a stranger: whatever it does to the compiler, the caller gets an error of a documented class.

The caller writes the task, its argument, the model and the options to the worker's standard input, and reads frames from its
standard output: a line of JSON, {"kind": .., "size": ..}, and as many bytes. Nothing that the worker says is trusted to be more than
texts and bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

from . import errors
from .options import Model

# The folder of the package comes first, from wherever sys.path has it.
_START = "import sys; sys.path.insert(0, sys.argv[1]); from cupola.worker import main; main()"


def run(task: str, model: Model, options: dict[str, Any], progress: Callable[[str], None] | None, argument: bytes, deadline: float,
        memory: int) -> bytes:
    """What compiler.perform returns. Raises what it raises, and LimitError, ResourceError or InternalError for a worker that ran
    too long, was stopped by the system, or fell."""
    if not sys.executable:
        raise errors.ResourceError("this process does not know its Python (sys.executable), which the compiler's process needs; "
                                   "isolate=False works without one")
    data = model.data if model.data is not None else memoryview(b"")
    request = {"task": task, "path": model.path, "external_folder": model.external_folder, "options": options, "memory": memory,
               "argument": len(argument), "size": data.nbytes if model.data is not None else -1, "progress": progress is not None}
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # -P: a model's folder, which may be the current one, has no modules of ours.
    with subprocess.Popen([sys.executable, "-P", "-c", _START, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          process_group=0) as process:
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(deadline, stop)
        timer.daemon = True
        timer.start()
        try:
            _send(process, request, argument, data)
            result = _result(process, progress)
        except BaseException:
            process.kill()
            raise
        finally:
            timer.cancel()
        if result is not None:
            return result
        state = process.wait()
    name = model.path or "model"
    if late.is_set():
        raise errors.LimitError(f"{name}: the compiler ran longer than {deadline} s (raise it with deadline)")
    raise _fall(name, state, memory)


def _send(process: subprocess.Popen[bytes], request: dict[str, Any], argument: bytes, data: memoryview) -> None:
    assert process.stdin
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n" + argument)
        process.stdin.write(data)
        process.stdin.close()
    except BrokenPipeError:
        pass  # its end says more


def _result(process: subprocess.Popen[bytes], progress: Callable[[str], None] | None) -> bytes | None:
    """None where it ended without one."""
    assert process.stdout
    while line := process.stdout.readline():
        head = json.loads(line)
        body = process.stdout.read(int(head["size"]))
        if len(body) != head["size"]:
            return None
        if head["kind"] == "result":
            return body
        if head["kind"] == "error":
            told = json.loads(body)
            raise errors.of(told["code"], told["message"], [errors.Problem(**problem) for problem in told["problems"]])
        if progress is not None:
            progress(body.decode())
    return None


def _fall(name: str, state: int, memory: int) -> errors.Error:
    what = f"{name}: the compiler was stopped by signal {-state} ({signal.strsignal(-state)})" if state < 0 else \
        f"{name}: the compiler's process ended with exit code {state} and no result"
    if -state == signal.SIGKILL:
        return errors.ResourceError(f"{what}, as the system does when memory is out")
    if memory:  # where it is out, not all code has a way on
        return errors.LimitError(_ended(what, memory))
    return errors.InternalError(what)


def _ended(what: str, memory: int) -> str:
    return f"{what}; it may take {memory} MiB (raise it with memory)" if memory else what


#===--- The worker ---===#


def main() -> None:
    frames = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no frame
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    request = json.loads(sys.stdin.buffer.readline())
    argument = sys.stdin.buffer.read(request["argument"])
    data = sys.stdin.buffer.read() if request["size"] >= 0 else None
    try:
        _frame(frames, "result", _perform(request, argument, data, frames))
    except errors.Error as error:
        ours = bool(request["memory"]) and "out of memory" in str(error)
        _error(frames, 5 if ours else error.code, _ended(str(error), request["memory"] if ours else 0), error.problems)
    except Exception as error:  # with little memory, libraries may not even load
        _error(frames, 5 if request["memory"] else 70, _ended(f"the compiler failed: {error!r}", request["memory"]))
    frames.flush()
    os._exit(0)  # nothing to take down


def _perform(request: dict[str, Any], argument: bytes, data: bytes | None, frames: IO[bytes]) -> bytes | memoryview:
    from . import _compiler  # noqa: F401: loaded before its memory is limited, which all of its code counts to
    from .compiler import Caller, perform
    _limit(request["memory"])
    model = Model(request["path"], None if data is None else memoryview(data), request["external_folder"])
    caller = Caller((lambda what: _frame(frames, "progress", what.encode())) if request["progress"] else False)
    return perform(request["task"], model, request["options"], caller, argument)


def _error(frames: IO[bytes], code: int, message: str, problems: Sequence[errors.Problem] = ()) -> None:
    told = {"code": code, "message": message, "problems": [vars(problem) for problem in problems]}
    _frame(frames, "error", json.dumps(told).encode())


def _frame(frames: IO[bytes], kind: str, body: bytes | memoryview) -> None:
    frames.write(json.dumps({"kind": kind, "size": len(body)}).encode() + b"\n")
    frames.write(body)
    frames.flush()


def _limit(memory: int) -> None:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))


def _die_with_parent() -> None:
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed caller leaves no compiler behind
