#===- test/Python/cuda_arrays.py - Arrays that lie on a GPU, in a process whose CUDA driver is the tests' fake ---===#
# SPDX-License-Identifier: Apache-2.0
"""Run by test_cuda_arrays.py, with the fake driver on the loader's path and the functions of this file by name."""

import ctypes
import sys

import cupola
import graphs
import numpy as np
from onnx import TensorProto, helper

FAKE = ctypes.CDLL("libcuda.so.1")
FAKE.fake_allocate.restype = FAKE.fake_stream.restype = ctypes.c_void_p
FAKE.fake_allocate.argtypes = [ctypes.c_size_t]
FAKE.fake_count.restype = FAKE.fake_copied_bytes.restype = ctypes.c_uint64
FAKE.fake_violations.restype = ctypes.c_char_p
CUDA = 2                                            # kDLCUDA


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", ctypes.c_uint8 * 4),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class DeviceArray:
    """float32 on the GPU: DLPack and a shape, as of any library."""

    def __init__(self, count):
        self.address, self.shape, self.device = FAKE.fake_allocate(4 * count), (count,), (CUDA, 0)
        self.values = np.ctypeslib.as_array((ctypes.c_float * count).from_address(self.address))   # which the host reaches, too
        self.extents = (ctypes.c_int64 * 1)(count)
        self.managed = DLManagedTensor(DLTensor(self.address, self.device, 1, (ctypes.c_uint8 * 4)(2, 32, 1, 0), self.extents, None, 0))

    def __dlpack__(self, **options):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return self.device


def arrays(count):
    x, y = DeviceArray(count), DeviceArray(count)
    x.values[:] = np.arange(count)
    return x, y


def check(session, x, y):
    assert session.run({"x": x}, {"y": y})["y"] is y
    assert np.array_equal(y.values, x.values + 1), y.values


def nothing_is_copied(package):
    session = cupola.Session(package, "cuda")
    x, y = arrays(1000)
    check(session, x, y)
    before = FAKE.fake_copied_bytes()
    check(session, x, y)
    check(session, *arrays(1000))
    assert session.copied_tensors == 0
    assert FAKE.fake_copied_bytes() - before < x.values.nbytes, "less than one array: addresses, and what a kernel has to say"


def both_places(package):
    session = cupola.Session(package, "cuda")
    x, y = arrays(77)
    host = cupola.empty((77,))
    session.run({"x": x}, {"y": host})
    assert np.array_equal(host, x.values + 1)
    session.run({"x": host}, {"y": y})
    assert np.array_equal(y.values, host + 1)
    assert np.array_equal(session.run({"x": y})["y"], host + 2)


def streams(package):
    session = cupola.Session(package, "cuda")
    made = FAKE.fake_count(b"cuStreamCreate")
    own = cupola.Session(session.executable, stream=FAKE.fake_stream())
    assert FAKE.fake_count(b"cuStreamCreate") == made + 1, "work is queued on the stream that was given"
    x, y = arrays(500)
    run = own.enqueue({"x": x}, {"y": y})
    assert run.wait()["y"] is y and np.array_equal(y.values, x.values + 1)


def another_gpu(package):
    session = cupola.Session(package, "cuda")
    x, y = arrays(8)
    x.device = x.managed.tensor.device[:] = (CUDA, 1)
    try:
        session.run({"x": x}, {"y": y})
    except cupola.UsageError as error:
        assert "'x'" in str(error), error
    else:
        raise AssertionError("an array of GPU 1 was taken for one of GPU 0")


def main(name):
    increment = graphs.model([helper.make_node("Add", ["x", "one"], ["y"])], [("x", TensorProto.FLOAT, ["n"])],
                             [("y", TensorProto.FLOAT, ["n"])], [("one", np.float32(1))])
    globals()[name](cupola.compile(increment, targets="cuda", arch=["sm_86"], progress=False))
    assert FAKE.fake_violations() == b"", FAKE.fake_violations().decode()


if __name__ == "__main__":
    main(sys.argv[1])
