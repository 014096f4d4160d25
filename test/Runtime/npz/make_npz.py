#!/usr/bin/env python3
#===- test/Runtime/npz/make_npz.py - Writes the .npz files that NpzTest reads ---===#
# SPDX-License-Identifier: Apache-2.0
"""Every element type, order, rank and compression that numpy writes and lib/Runtime/Npz reads, and some it refuses.
Run by hand when the set changes; the files are committed, so that tests need no numpy."""

import os
import sys

import numpy as np

DTYPES = ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def values():
    named = {"t_" + d.replace("?", "b1"): (np.arange(6) % 2 if d == "?" else np.arange(6) - 2 * (d[0] != "u")).astype(d)
             .reshape(2, 3) for d in DTYPES}
    named["scalar"] = np.float32(1.5)
    named["empty"] = np.zeros((3, 0), np.float32)
    named["columns"] = np.asfortranarray(np.arange(24, dtype=np.int32).reshape(2, 3, 4))
    named["spaced name/é"] = np.array([1, 2], np.int64)
    return named


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    np.savez(os.path.join(folder, "stored.npz"), **values())
    np.savez_compressed(os.path.join(folder, "deflated.npz"), **values())
    np.savez(os.path.join(folder, "big_endian.npz"), x=np.arange(3, dtype=">f4"))
    np.savez(os.path.join(folder, "pickled.npz"), x=np.array([{"a": 1}], dtype=object))


if __name__ == "__main__":
    sys.exit(main())
