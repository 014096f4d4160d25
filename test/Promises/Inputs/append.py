#!/usr/bin/env python3
#===- test/Promises/Inputs/append.py - Decode steps in the memory of the cache ---===#
# SPDX-License-Identifier: Apache-2.0
"""append.py SHARED.cupola PLAIN.cupola CASE.npz STEPS: decode steps of the package whose caches share their memory, all in
the same memory, beside those of the package that returns new ones; rows that no step appends keep their bytes."""

import sys

import cupola
import numpy as np

SPARE = 3  # rows that no step reaches
CANARY = np.float32(12345.678)


def with_room(past, steps):
    batch, heads, rows, size = past.shape
    memory = cupola.empty((batch, heads, rows + steps + SPARE, size), past.dtype)
    memory[...] = CANARY
    memory[:, :, :rows] = past
    return memory


def feeds_at(case, rows, length, caches):
    """One token on `rows` of each cache."""
    feeds = dict(case)
    feeds["attention_mask"] = np.ones((len(case["input_ids"]), length), np.int64)
    feeds["position_ids"] = np.full_like(case["position_ids"], length - 1)
    feeds.update({name: cache[:, :, :rows[name]] for name, cache in caches.items()})
    return feeds


def refuse(session, feeds, outputs, text):
    """An output elsewhere than the package was compiled for."""
    name = next(name for name in outputs if name.startswith("present"))
    try:
        session.run(feeds, {name: outputs[name].copy()})
    except cupola.UsageError as error:
        assert text in str(error), error
    else:
        raise AssertionError("the run was not refused")


def main():
    shared, plain, path, steps = sys.argv[1:]
    with np.load(path) as arrays:
        case = {name[3:]: arrays[name] for name in arrays if name.startswith("in:")}
    pasts = {name: value for name, value in case.items() if name.startswith("past")}
    rows = {name: value.shape[2] for name, value in pasts.items()}
    length = case["attention_mask"].shape[1]
    memories = {name: with_room(value, int(steps)) for name, value in pasts.items()}
    ours, theirs = (cupola.Session(package, "cpu", threads=2) for package in (shared, plain))
    for step in range(int(steps)):
        before = {name: memory.copy() for name, memory in memories.items()}
        feeds, copies = feeds_at(case, rows, length, memories), feeds_at(case, rows, length, pasts)
        outputs, expected = ours.run(feeds), theirs.run(copies)
        for name, value in expected.items():
            assert outputs[name].shape == value.shape
            assert np.allclose(outputs[name], value, rtol=1e-5, atol=1e-5), f"step {step}: {name}"
        for name, memory in memories.items():
            changed = np.flatnonzero((memory != before[name]).any(axis=(0, 1, 3)))
            assert changed.tolist() == [rows[name]], f"step {step}: {name}: rows {changed} changed, expected {rows[name]}"
            pasts[name] = expected[name.replace("past", "present", 1)]
            rows[name] += 1
        length += 1
    refuse(ours, feeds, outputs, "does not lie in the memory of input 'past_k_0'")
    print(f"{steps} steps appended {len(pasts)} rows each in place")


if __name__ == "__main__":
    main()
