#!/usr/bin/env python3
#===- tools/dev/full_check/decoding.py - A prefill followed by decode steps against the longer prefill ---===#
# SPDX-License-Identifier: Apache-2.0
"""decoding.py CUPOLA PREFILL.onnx DECODE.onnx DEVICE [--prompt N] [--steps N] [--batch N] [--tol T] [--alias]: reads a prompt with PREFILL and
further tokens, one by one, with DECODE on the growing cache; the logits and the cache must be those that PREFILL gives for the whole
text. Inputs: input_ids, attention_mask, position_ids, past_*; outputs: logits, present_*. With --alias a cache lies in one memory."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


class Packages:
    """The two models, compiled once; running them takes and gives arrays by name."""

    def __init__(self, cupola, device, folder):
        self.cupola, self.device, self.folder = cupola, device, pathlib.Path(folder)

    def compile(self, model, *flags):
        package = self.folder / (pathlib.Path(model).stem + ".cupola")
        target = ["--target", "cpu"] if self.device == "cpu" else ["--target", "cuda"]
        self.call("compile", model, "-o", package, *target, *flags)
        return package

    def run(self, package, feeds):
        inputs, outputs = self.folder / "in.npz", self.folder / "out.npz"
        np.savez(inputs, **feeds)
        self.call("run", package, "--device", self.device, "--inputs", inputs, "--outputs", outputs)
        with np.load(outputs) as arrays:
            return dict(arrays)

    def call(self, *arguments):
        done = subprocess.run([self.cupola, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"cupola {arguments[0]} {arguments[1]}: exit {done.returncode}\n{done.stdout}")


def feeds(tokens, begin, past):
    """Inputs for the tokens from `begin` on, on the cache of those before: the outputs of the run before."""
    batch, end = tokens.shape
    positions = np.tile(np.arange(begin, end), (batch, 1))
    values = {"input_ids": tokens[:, begin:], "attention_mask": np.ones((batch, end), np.int64), "position_ids": positions}
    values.update({name.replace("present", "past", 1): value for name, value in past.items() if name.startswith("present")})
    return values


def distance(value, reference):
    """The T with which |a - b| <= T * max|b| + T * |b| holds everywhere."""
    if value.shape != reference.shape or not np.isfinite(value).all():
        return np.inf
    scale = np.abs(reference).max() + np.abs(reference)
    return float(np.max(np.abs(value - reference) / np.maximum(scale, np.finfo(np.float32).tiny)))


def check(packages, prefill, decode, tokens, prompt, alias=False):
    """The largest distance of any step's logits, and of the cache at the end."""
    prefill = packages.compile(prefill)
    decode = packages.compile(decode, *(["--alias", "past_*=present_*"] if alias else []))
    whole = packages.run(prefill, feeds(tokens, 0, {}))
    past = packages.run(prefill, feeds(tokens[:, :prompt], 0, {}))
    worst = distance(past["logits"], whole["logits"][:, :prompt])
    for step in range(prompt, tokens.shape[1]):
        past = packages.run(decode, feeds(tokens[:, :step + 1], step, past))
        worst = max(worst, distance(past["logits"], whole["logits"][:, step:step + 1]))
    return max([worst] + [distance(past[name], whole[name]) for name in whole if name in past and name != "logits"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cupola", "prefill", "decode", "device"):
        parser.add_argument(name)
    parser.add_argument("--prompt", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tol", type=float, default=5e-5)
    parser.add_argument("--alias", action="store_true")
    options = parser.parse_args()
    tokens = np.random.Generator(np.random.Philox(key=7)).integers(0, 200, (options.batch, options.prompt + options.steps))
    with tempfile.TemporaryDirectory() as folder:
        packages = Packages(options.cupola, options.device, folder)
        worst = check(packages, options.prefill, options.decode, tokens, options.prompt, options.alias)
    passed = worst <= options.tol
    print(f"{'pass' if passed else 'FAIL'}: {options.steps} steps after {options.prompt} tokens on {options.device}: "
          f"max rel {worst:.3g}, at most {options.tol:g}")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
