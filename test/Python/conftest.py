#===- test/Python/conftest.py - Models and packages that several tests use ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import sys

import cupola
import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(__file__))

import graphs  # noqa: E402


@pytest.fixture(scope="session")
def models():
    """The folder of the models that other tests use, too (test/models)."""
    return os.environ["CUPOLA_MODELS"]


@pytest.fixture(scope="session")
def layer():
    return graphs.layer()


@pytest.fixture(scope="session")
def package(layer):
    """relu(x w + b) for any number of rows."""
    return cupola.compile(layer, targets="cpu", progress=False)


@pytest.fixture
def session(package):
    return cupola.Session(package, "cpu", threads=1)


@pytest.fixture
def rows():
    return lambda n: np.random.default_rng(n).standard_normal((n, 8)).astype(np.float32)
