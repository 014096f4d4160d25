#!/usr/bin/env python3
#===- test/models/references.py - What onnxruntime answers, node by node, as the standard says ---===#
# SPDX-License-Identifier: Apache-2.0
"""references.py MODEL.onnx INPUTS.npz CASE.npz: runs MODEL on the arrays in:NAME of INPUTS with every graph optimisation off and
writes them, with the arrays out:NAME, to CASE: what `cupola verify --case` reads."""

import argparse
import pathlib
import sys

import numpy as np
import onnxruntime


def reference(model, feeds):
    """The outputs by name of `model`, a path, on `feeds`, arrays by input name."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1                     # one order of summation on every machine
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))


def output_folder(description):
    """The folder that a script's one argument -o names, made if it is missing."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, help="folder to write to")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_case(path, feeds, outputs):
    np.savez(path, **{"in:" + k: v for k, v in feeds.items()}, **{"out:" + k: v for k, v in outputs.items()})


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    model, inputs, case = sys.argv[1:]
    feeds = {k[3:]: v for k, v in np.load(inputs).items() if k.startswith("in:")}
    write_case(case, feeds, reference(model, feeds))


if __name__ == "__main__":
    main()
