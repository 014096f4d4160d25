#===- test/Python/test_process.py - The package in processes of its own: imports, other libraries, the command line ---===#
# SPDX-License-Identifier: Apache-2.0

import itertools
import re
import subprocess
import sys

import cupola
import pytest

USE = """
import graphs
model = graphs.layer()
package = cupola.compile(model, targets="cpu", progress=False)
y = cupola.Session(package, "cpu").run({"x": numpy.ones((2, 8), numpy.float32)})["y"]
onnx.checker.check_model(model)
onnx.shape_inference.infer_shapes(model)
z = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {
    "x": numpy.ones((2, 8), numpy.float32)})[0]
assert numpy.allclose(y, z, atol=1e-5)
assert onnx.load_model_from_string(model.SerializeToString()) == model
"""


def python(code, *options):
    return subprocess.run([sys.executable, "-X", "dev", "-W", "ignore", *options, "-c", code], capture_output=True, text=True,
                          cwd=__file__.rsplit("/", 1)[0])


@pytest.mark.parametrize("order", list(itertools.permutations(["cupola", "onnx", "onnxruntime"])))
def test_beside_onnx_and_onnxruntime_in_any_order(order):
    """Each has a Protobuf and schemas of its own."""
    imports = "\n".join("import cupola, cupola._compiler" if name == "cupola" else f"import {name}" for name in order)
    done = python(imports + "\nimport numpy" + USE)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_loads_neither_compiler_nor_runtime():
    done = python("import cupola, sys\n"
                  "maps = open('/proc/self/maps').read()\n"
                  "assert 'libcupola' not in maps and 'LLVM' not in maps and 'numpy' not in sys.modules, maps\n"
                  "cupola.Package.from_bytes, cupola.Session\n"
                  "maps = open('/proc/self/maps').read()\n"
                  "assert 'libcupola_runtime' in maps and 'libcupola_compiler' not in maps and 'LLVM' not in maps")
    assert (done.returncode, done.stderr) == (0, "")


def test_names():
    assert re.fullmatch(r"\d+\.\d+\.\d+", cupola.__version__)
    assert all(hasattr(cupola, name) for name in dir(cupola))
    assert {name for names in cupola._HOMES.values() for name in names} < set(cupola.__all__)
    with pytest.raises(AttributeError, match="no attribute 'telepathy'"):
        cupola.telepathy


def test_nothing_is_left_at_the_end():
    """Python's development mode reports what the modules still hold."""
    done = python("import cupola, graphs, numpy\n"
                  "told = []\n"
                  "c = cupola.Compilation(graphs.layer(), targets='cpu', progress=told.append)\n"
                  "view = c.package().contents()\n"
                  "s = cupola.Session(c.package(), 'cpu')\n"
                  "run = s.enqueue({'x': numpy.ones((2, 8), numpy.float32)})\n"
                  "def fail(what): raise KeyError(what)\n"
                  "for work in (lambda: s.run({}), lambda: cupola.compile(b''), lambda: cupola.compile(graphs.layer(), progress=fail)):\n"
                  "    try: work()\n"
                  "    except Exception as error: text = str(error)\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments, code, text", [(["--version"], 0, cupola.__version__), (["run"], 2, "required"),
                                                   (["check", "no/such.onnx"], 8, "no/such.onnx")])
def test_the_command_line(arguments, code, text):
    done = subprocess.run([sys.executable, "-m", "cupola", *arguments], capture_output=True, text=True)
    assert done.returncode == code and text in done.stdout + done.stderr
