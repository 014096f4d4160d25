#===- test/Python/torch_cases.py - What the tests of torch.compile share ---===#
# SPDX-License-Identifier: Apache-2.0

import logging

import cupola.dynamo
import pytest
import torch


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(7)
    torch._dynamo.reset()


@pytest.fixture
def built(monkeypatch):
    """Every graph that Cupola has compiled, with how often."""
    graphs, build = [], cupola.dynamo.Compiled._build

    def noting(self, arguments):
        build(self, arguments)
        graphs.append(self)

    monkeypatch.setattr(cupola.dynamo.Compiled, "_build", noting)
    return graphs


@pytest.fixture
def reasons(caplog):
    """Why graphs stay with torch."""
    caplog.set_level(logging.WARNING, "cupola.dynamo")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "cupola.dynamo"]


def compiled(model, **options):
    return torch.compile(model.eval(), backend=cupola.dynamo.backend, **options)


def same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        return all(map(same, found, expected))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    return True
