#===- test/Python/test_cuda_arrays.py - Arrays on a GPU by DLPack, on the fake driver ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).with_name("cuda_arrays.py")


@pytest.mark.parametrize("case", ["nothing_is_copied", "both_places", "streams", "another_gpu"])
def test_on_the_fake_driver(case):
    folder = os.environ.get("CUPOLA_FAKE_DRIVER")
    if not folder:
        pytest.skip("CUPOLA_FAKE_DRIVER does not say where the build's fake driver is")
    done = subprocess.run([sys.executable, SCRIPT, case], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": folder})
    assert done.returncode == 0, done.stdout + done.stderr
