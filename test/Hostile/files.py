#===- test/Hostile/files.py - Bad files, and external data that must not be read ---===#
# SPDX-License-Identifier: Apache-2.0

import gzip
import os
import zipfile

import numpy as np
from onnx import TensorProto, helper

from case import Case, model, relu, weight, write

GOOD = model([helper.make_node("Add", ["x", "w"], ["s"], name="sum"), relu(source="s")],
             [weight("w", np.arange(3, dtype=np.float32))])


def zipped(folder):
    path = os.path.join(folder, "model.onnx")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    return path


def fifo(folder):
    os.mkfifo(os.path.join(folder, "model.onnx"))
    return os.path.join(folder, "model.onnx")


def unreadable(folder):
    path = write(folder, GOOD)
    os.chmod(path, 0)
    return path


def cuts(path):
    """A sound model that ends after every 64th of its bytes."""
    with open(path, "rb") as f:
        content = f.read()
    return [Case(f"03 cut at {i}/64", 3, "", lambda d, i=i: write(d, content[:len(content) * i // 64])) for i in range(1, 64)]


def external(location=None, before=None, **keys):
    """A model whose weight is in another file. `before(folder)` prepares the folder, which has the file w.bin of 12 bytes."""
    def make(folder):
        inner = os.path.join(folder, "model")
        os.makedirs(inner)
        for place in (folder, inner):
            write(place, np.arange(3, dtype=np.float32).tobytes(), "w.bin")
        if before:
            before(inner)
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
        for key, text in {"location": location, **keys}.items():
            tensor.external_data.add(key=key, value=text)
        return write(inner, model([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], [tensor]))
    return make


def link(target, name="link.bin"):
    return lambda folder: os.symlink(target, os.path.join(folder, name))


def link_folder(folder):
    os.symlink("..", os.path.join(folder, "up"))


def model_cache(folder):
    """What the Hugging Face hub writes: snapshots/*/FILE are links into blobs/."""
    blobs, snapshot = os.path.join(folder, "blobs"), os.path.join(folder, "snapshots", "0a1b")
    os.makedirs(blobs)
    os.makedirs(snapshot)
    write(blobs, np.arange(3, dtype=np.float32).tobytes(), "b1")
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="model.onnx_data")
    write(blobs, model([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], [tensor]), "b2")
    os.symlink("../../blobs/b1", os.path.join(snapshot, "model.onnx_data"))
    os.symlink("../../blobs/b2", os.path.join(snapshot, "model.onnx"))
    return os.path.join(snapshot, "model.onnx")


BYTES = GOOD.SerializeToString()
CASES = [
    Case("01 empty file", 3, "empty", lambda d: write(d, b"")),
    Case("02 text", 3, "", lambda d: write(d, b"Not a model, but a long line of text about models.\n" * 9)),
    Case("02 png", 3, "", lambda d: write(d, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(99))),
    Case("02 gzip", 3, "", lambda d: write(d, gzip.compress(BYTES, mtime=0))),
    Case("02 zip", 3, "", zipped),
    Case("06 directory", 8, "director|regular", lambda d: d),
    Case("06 fifo", 8, "regular|FIFO|pipe", fifo),
    Case("06 device", 8, "regular|device", lambda d: "/dev/zero"),
    *([Case("06 unreadable", 8, "[Pp]ermission", unreadable)] if os.geteuid() else []),    # root reads everything
    Case("06 absent", 8, "No such file", lambda d: os.path.join(d, "absent.onnx")),
    *(Case(f"43 location {text!r}", 3, "w", external(text))
      for text in ("..", "../w.bin", "a/../../w.bin", "/etc/hostname", "C:\\w.bin", "", "w.bin\0x")),
    Case("44 link out of the folder", 3, "w", external("link.bin", link("../w.bin"))),
    Case("44 linked parent", 3, "w", external("up/w.bin", link_folder)),
    *(Case(f"47 {key} {text}", 3, "w", external("w.bin", **{key: text}))
      for key, text in (("offset", "-4"), ("offset", "abc"), ("offset", "18446744073709551615"), ("offset", "9223372036854775807"),
                        ("offset", "8"), ("length", "8"), ("length", "-1"), ("length", "16"))),
    Case("47 offset and length overflow together", 3, "w",
         external("w.bin", offset="9223372036854775800", length="12")),
    Case("47 no file", 8, "absent.bin.*No such file", external("absent.bin")),
    Case("50 a model cache of links works", 0, "", model_cache),
]
