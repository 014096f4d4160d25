#===- tools/dev/cupola_runtime.py - A package run through the C interface, for scripts ---===#
# SPDX-License-Identifier: Apache-2.0
"""The part of include/cupola/Runtime/Runtime.h that a measurement needs, over ctypes and numpy."""

import ctypes as c

import numpy as np

ALIGNMENT = 64  # tensors that begin so are used where they lie
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # DLDataTypeCode by numpy's kind


class String(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


class Type(c.Structure):
    _fields_ = [("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16)]


class TensorInfo(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("name", String), ("type", Type), ("rank", c.c_int32), ("shares_with", c.c_int32)]


class DeviceOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("arch", String), ("ordinal", c.c_int32), ("threads", c.c_uint32), ("cache_dir", String)]


class Shape(c.Structure):
    _fields_ = [("extents", c.POINTER(c.c_int64)), ("rank", c.c_int32), ("strides", c.POINTER(c.c_int64))]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32), ("dtype", Type),
                ("shape", c.POINTER(c.c_int64)), ("strides", c.c_void_p), ("byte_offset", c.c_uint64)]


def string(text):
    data = text.encode()
    return String(data, len(data))


def aligned(shape, dtype):
    """An array of zeros whose memory the device uses in place."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start:start + size].view(dtype).reshape(shape)


def numbers(values):
    return (c.c_int64 * len(values))(*values)


def strides(array):
    """In elements, as the interface wants them."""
    return numbers([stride // array.itemsize for stride in array.strides])


def tensor(array):
    kind = Type(CODES[array.dtype.kind], array.dtype.itemsize * 8, 1)
    return Tensor(array.ctypes.data, 1, 0, array.ndim, kind, numbers(array.shape), c.cast(strides(array), c.c_void_p), 0)


class Session:
    """A package on the CPU, bound to the shapes of `feeds`; `run` computes `outputs`, arrays by name.

    An input that shares its memory with an output is used where it lies: its array is the beginning of one with room for
    the output's rows, memory[:, :, :past], and the output is memory[:, :, :present]. Other inputs are copied.
    """

    def __init__(self, library, package, feeds, threads):
        self.lib = c.CDLL(library)
        self.lib.cupola_status_message.restype = String
        for name in ("input_count", "output_count"):
            getattr(self.lib, "cupola_package_" + name).restype = c.c_size_t
        handles = [c.c_void_p() for _ in range(4)]
        self.package, device, executable, self.session = handles
        options = DeviceOptions(c.sizeof(DeviceOptions), String(), 0, threads, String())
        self.call("package_open", string(package), c.byref(self.package))
        self.call("device_create", string("cpu"), c.byref(options), c.byref(device))
        self.call("executable_create", self.package, device, c.byref(executable))
        self.call("session_create", executable, None, c.byref(self.session))
        self.bind(feeds)

    def call(self, name, *arguments):
        function = getattr(self.lib, "cupola_" + name)
        function.restype = c.c_void_p
        status = function(*arguments)
        if status:
            message = self.lib.cupola_status_message(c.c_void_p(status))
            raise RuntimeError(c.string_at(message.data, message.size).decode())

    def interface(self, kind):
        for index in range(getattr(self.lib, f"cupola_package_{kind}_count")(self.package)):
            info = TensorInfo(struct_size=c.sizeof(TensorInfo))
            self.call("package_" + kind, self.package, c.c_size_t(index), c.byref(info))
            code = next(k for k, v in CODES.items() if v == info.type.code)
            dtype = np.dtype(f"{code}{info.type.bits // 8}")
            yield c.string_at(info.name.data, info.name.size).decode(), dtype, info.shares_with

    def bind(self, feeds):
        self.inputs, self.outputs, self.found = {}, {}, []
        for name, dtype, shares_with in self.interface("input"):
            self.inputs[name] = feeds[name] if shares_with >= 0 else aligned(feeds[name].shape, dtype)
            self.inputs[name][...] = feeds[name]
        shapes = [Shape(numbers(a.shape), a.ndim, strides(a)) for a in self.inputs.values()]
        self.call("session_bind", self.session, (Shape * len(shapes))(*shapes), c.c_size_t(len(shapes)))
        for index, (name, dtype, shares_with) in enumerate(self.interface("output")):
            extents = self.output_extents(index)
            if -1 in extents:  # found in a run, which is given no memory
                self.found.append((index, name, dtype))
                self.outputs[name] = np.empty(0, dtype)
            elif shares_with >= 0:
                memory = list(self.inputs.values())[shares_with]
                self.outputs[name] = np.lib.stride_tricks.as_strided(memory, extents, memory.strides)
            else:
                self.outputs[name] = aligned(extents, dtype)
        self.arguments = []
        for arrays in (self.inputs, self.outputs):
            tensors = [tensor(array) for array in arrays.values()]
            self.arguments += [(Tensor * len(tensors))(*tensors), c.c_size_t(len(tensors))]
        for index, _, _ in self.found:
            self.arguments[2][index].data = None

    def output_extents(self, index):
        shape = Shape()
        self.call("session_output_shape", self.session, c.c_size_t(index), c.byref(shape))
        return shape.extents[:shape.rank]

    def run(self):
        self.call("session_run", self.session, *self.arguments)
        for index, name, dtype in self.found:
            self.outputs[name] = aligned(self.output_extents(index), dtype)
            array = tensor(self.outputs[name])
            self.call("session_fetch_output", self.session, c.c_size_t(index), c.byref(array))
