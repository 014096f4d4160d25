#===- test/Import/Onnx/ops.test.py - Verifies the models of make_ops.py ---===#
# SPDX-License-Identifier: Apache-2.0
"""ops.test.py FOLDER OPTABLE DEVICE [OPTION...]: `cupola verify` on each ops.N.onnx of FOLDER, and whether every (op, version) of the table has
a node in one of them."""

import pathlib
import re
import subprocess
import sys

import onnx

OLDEST = 7
WITHOUT_REFERENCE = {("GlobalLpPool", 22), ("MaxRoiPool", 22),   # onnxruntime has no kernel for these; the version before
                     ("Multinomial", 22),                        # means the same
                     ("Bernoulli", 15), ("Bernoulli", 22)}       # it draws 1 with the other chance, as the schema's function

# test/Onnx/test_strings.py, test/Python/test_pictures.py
ELSEWHERE = {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "ImageDecoder"}


def rows(table):
    """(op, opset): the table's since-versions, those before OLDEST as OLDEST."""
    found = re.findall(r'^ +\{"", "(\w+)", \{(.+?)\}, ', pathlib.Path(table).read_text(encoding="utf-8"), re.MULTILINE)
    every = {(op, max(OLDEST, int(since))) for op, versions in found for since in versions.split(", ")} - WITHOUT_REFERENCE
    return {row for row in every if row[0] not in ELSEWHERE}


def ops_of(graph):
    """Those in bodies, too."""
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from ops_of(attribute.g)


def main():
    folder, table, device, *options = sys.argv[1:]
    models = sorted(pathlib.Path(folder).glob("ops.*.onnx"), key=lambda p: int(p.name.split(".")[1]))
    wanted, passed = rows(table), 0
    for model in models:
        opset = int(model.name.split(".")[1])
        wanted -= {(op, opset) for op in ops_of(onnx.load(model).graph)}
        done = subprocess.run(["cupola", "verify", model, "--device", device, *options, "--case", model.with_suffix(".npz")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        passed += done.returncode == 0
        if done.returncode:
            print(f"FAIL {model.name}, exit code {done.returncode}")
            print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("pass")))
    for op, opset in sorted(wanted):
        print(f"no case for {op} at opset {opset}")
    print(f"{passed} of {len(models)} models pass")


main()
