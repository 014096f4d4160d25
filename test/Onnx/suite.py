#===- test/Onnx/suite.py - ONNX's own tests of backends, and what of them is refused ---===#
# SPDX-License-Identifier: Apache-2.0
"""onnx.backend.test.BackendTest over a backend. refused.txt says which tests are refused, and a word of why: those raise
NotImplementedError with that word in it, or in few cases give another answer, and all others pass. So a valid model is never called
a bad one."""

import functools
import pathlib
import re

import numpy as np
import pytest
from onnx.backend.test import BackendTest

LIST = pathlib.Path(__file__).with_name("refused.txt")
REFUSED = [tuple(re.split(r"\s+# ", line, maxsplit=1)) for line in LIST.read_text(encoding="utf-8").splitlines()
           if line and not line.startswith("#")]


class Suite(BackendTest):
    """With ONNX's rule of what is alike, but integers are equal."""

    @classmethod
    def assert_similar_outputs(cls, ref_outputs, outputs, rtol, atol, model_dir=None):
        assert len(outputs) == len(ref_outputs)
        for expected, found in zip(ref_outputs, outputs):
            if isinstance(expected, list):
                cls.assert_similar_outputs(expected, found, rtol, atol, model_dir)
                continue
            if expected is None:
                assert found is None
                continue
            exact = expected.dtype.kind in "iub"
            # onnx rounds f16 after every step, a kernel of several steps once: both are within a unit in the last place of
            # the exact result, and so two of them apart.
            slack = max(rtol, 2 ** -9) if expected.dtype == np.float16 else rtol
            # numpy transforms float32 in float32: where waves cancel it leaves their roundings, as sums in another order do.
            noise = max(atol, 2 ** -22, 2 ** -20 * _largest(expected)) if expected.dtype == np.float32 else atol
            super().assert_similar_outputs([expected], [found], 0 if exact else slack, 0 if exact else noise, model_dir)


def _largest(array):
    return float(np.max(np.abs(array), initial=0, where=np.isfinite(array)))


def cases(backend, module, chosen=None):
    """Test cases for pytest by name, and the test of the list itself; or those, by name, that are `chosen` and not refused."""
    classes = Suite(backend, module).test_cases
    tests = [(case, name) for case in classes.values() for name in vars(case) if name.startswith("test_")]
    for case, name in tests:
        reasons = [reason for _, reason in _lines_of(name)]
        left_out = chosen and (reasons or not chosen(name))
        if left_out or hasattr(getattr(case, name), "__unittest_skip__"):  # of another device
            delattr(case, name)
        elif reasons:
            setattr(case, name, _refused(getattr(case, name), reasons[0]))
    return classes if chosen else {**classes, "test_list": lambda: _check_list({name for _, name in tests})}


def _lines_of(test):
    """Of the list; the device at the end of a test's name is none of its business."""
    return [(pattern, reason) for pattern, reason in REFUSED if re.fullmatch(pattern, test.rpartition("_")[0])]


def _refused(test, reason):

    @functools.wraps(test)
    def judged(self):
        with pytest.raises((NotImplementedError, AssertionError), match=re.escape(reason)):
            test(self)

    return judged


def _check_list(tests):
    """Every line names a test, and no test has two."""
    lines = {name: _lines_of(name) for name in sorted(tests)}
    assert {name: found for name, found in lines.items() if len(found) > 1} == {}
    assert set(REFUSED) - {line for found in lines.values() for line in found} == set()
