#===- test/Tools/fuzz.test.py - Seeds, the table of ops, and each verdict ---===#
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
from dataclasses import replace

import numpy as np
from fuzzing import generate, peers
from fuzzing.__main__ import judge
from fuzzing.worker import Worker

SEED = 3


def main():
    sample, again, other = (generate.generate(seed) for seed in (SEED, SEED, SEED + 1))
    if sample.model.SerializeToString() == again.model.SerializeToString() != other.model.SerializeToString():
        print("same")
    whole = peers.by_onnxruntime(sample.model)(sample.feeds)
    print(sum(peers.distance(a, b) <= 1e-3 for a, b in zip(whole, sample.expected.values())) - len(whole), "differ in the whole")
    print(len({op for seed in range(200) for op in generate.generate(seed).ops()}), "ops")

    worker = Worker(pathlib.Path(sys.argv[1]), "cpu", 120)
    wrong = replace(sample, expected={name: array + np.ones((), array.dtype) for name, array in sample.expected.items()})
    again.model.graph.node[-1].op_type = "Det"
    print(*(judge(given, worker, [])[0] for given in (sample, wrong, again, replace(sample, expected={}))))
    worker.process.kill()
    print(judge(sample, worker, [])[0], judge(sample, worker, [])[0])
    worker.seconds = 0
    print(judge(sample, worker, [])[0])
    worker.stop()


if __name__ == "__main__":      # the worker's process reads this file, too
    main()
