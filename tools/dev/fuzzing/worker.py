#===- tools/dev/fuzzing/worker.py - Cupola in a process that may fall ---===#
# SPDX-License-Identifier: Apache-2.0
"""A persistent process compiles and runs model after model, which is an order faster than a command each; one that falls or hangs is the
model's verdict, and a new one takes its place."""

import contextlib
import multiprocessing
import os
import random
import re
import sys
import tempfile
import traceback

# Under the device, what is compiled for it. One level of the processor is enough: their code comes from the same kernels.
TARGETS = {"cpu": {"targets": "cpu", "cpu": "x86-64-v3"}, "sim": {"targets": "cuda", "arch": "sm_80", "source_only": True}}
REFUSED = ("UnsupportedError", "LimitError", "ModelError", "UsageError")


def serve(pipe, python, device, log):
    os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), 2)
    sys.path.insert(0, python)
    import cupola
    while True:
        data, cases, options = pipe.recv()
        try:
            package = cupola.compile(data, isolate=False, progress=False, threads=1, cache_dir="none", **options, **TARGETS[device])
            session = cupola.Session(package, device, threads=1, cache_dir="none")
            pipe.send(("ok", [session.run(feeds) for feeds in cases]))
        except cupola.Error as error:
            pipe.send(("unsupported" if type(error).__name__ in REFUSED else "crash", f"{type(error).__name__}: {error}"))
        except Exception:
            pipe.send(("crash", traceback.format_exc()[-600:]))


class Worker:
    def __init__(self, build, device, seconds):
        self.python, self.device, self.seconds = str(build / "python"), device, seconds
        self.context, self.process = multiprocessing.get_context("spawn"), None
        self.log = tempfile.NamedTemporaryFile("r", prefix="fuzz", suffix=".log")

    def start(self):
        self.pipe, theirs = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(theirs, self.python, self.device, self.log.name), daemon=True)
        self.process.start()
        theirs.close()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.process = None

    def ask(self, data, cases, **options):
        """("ok", for each of the inputs the outputs by name) or (verdict, message)."""
        if not self.process:
            self.start()
        try:
            self.pipe.send((data, cases, options))
            if self.pipe.poll(self.seconds):
                return self.pipe.recv()
            self.stop()
            return "timeout", f"more than {self.seconds} s"
        except (EOFError, OSError):
            self.process.join(10)
            state = self.process.exitcode
            self.stop()
            return "crash", f"ended with {state}: {self.tail()}"

    def tail(self):
        with contextlib.suppress(OSError):
            return self.log.read()[-600:].strip()
        return ""

    def passes(self):
        """Those that may be left out, as the compiler names them."""
        from onnx import TensorProto, helper
        value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
        model = helper.make_model(helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "one", value[:1], value[1:]))
        _, message = self.ask(model.SerializeToString(), [], disabled_passes=["?"])
        return re.search(r"there are: ([\w, -]*)", str(message)).group(1).split(", ")


def some_of(passes, seed):
    """A half, chosen by the seed."""
    draw = random.Random(seed ^ 0x5EED)
    return [name for name in passes if draw.random() < 0.5]
