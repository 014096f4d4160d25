#===- test/Python/test_torch_parts.py - Graphs of which some calls stay with torch ---===#
# SPDX-License-Identifier: Apache-2.0

import copy
import threading

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnxscript", reason="onnxscript is not installed")

import cupola.dynamo  # noqa: E402
from torch_cases import built, compiled, fresh, reasons, same  # noqa: E402, F401

nn = torch.nn


@torch.library.custom_op("cupola_test::twist", mutates_args=())
def twist(x: torch.Tensor) -> torch.Tensor:
    return x.flip(-1).cumsum(-1)


@twist.register_fake
def _(x):
    return torch.empty_like(x)


class Layers(nn.Module):
    """Linear layers of eight elements, and what lies between them."""

    def __init__(self, forward, count=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(count))
        self.register_buffer("seen", torch.zeros(8))
        self._forward = forward

    def forward(self, *x):
        return self._forward(self, *x)


def custom(m, x):
    a, b, c = m.layers
    return c(twist(b(torch.relu(a(x)))))


def svd(m, x):
    a, b, c = m.layers
    u, s, v = torch.linalg.svd(a(x), full_matrices=False)
    return b(u).relu() @ (c(v) * s.abs().unsqueeze(-1))


def fft(m, x):
    a, b, c = m.layers
    y = torch.fft.irfft(torch.fft.rfft(a(x)) * 2j, n=8)
    return c(torch.relu(b(twist(y))))


def residual(m, x):
    """What goes past the call is needed after it by the same sum: both in one part would need itself."""
    a, b, c = m.layers
    y = a(x)
    return c(twist(b(y)) + y)


def twice(m, x):
    """Two calls beside each other: one part before, one after."""
    a, b, c = m.layers
    left, right = twist(a(x)), twist(b(x).softmax(-1))
    return c(left * right) + left


def extents(m, x):
    """Extents that are computed of the batch's, on both sides."""
    a, b, c = m.layers
    y = twist(torch.cat([a(x), b(x)]))
    return c(y.view(x.shape[0], 2, 8).sum(1)), x.shape[0] + 1


def many(m, x):
    """Several results, of torch and of Cupola, one of them an input's view; an element of a result that stays with torch."""
    a, b, c = m.layers
    y = a(x)
    values, places = twist(y).topk(3)
    return y, values, places, b(y).softmax(-1), x.view(-1), torch.linalg.svd(c(y), full_matrices=False)[1]


def constants(m, x):
    a, b, c = m.layers
    mask = torch.tensor([1., 0., 1., 1., 0., 1., 1., 0.])
    return c(twist(b(a(x) * mask)) * mask)


# The program, and how many calls each part has.
PROGRAMS = {"custom op": (custom, (3, 1)), "svd": (svd, (1, 7)), "fft": (fft, (1, 3)), "residual": (residual, (2, 2)),
            "two calls": (twice, (3, 3)), "extents": (extents, (3, 2)), "several results": (many, None), "constants": (constants, None)}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_parts(name, dynamic, built, reasons):  # noqa: F811
    forward, calls = PROGRAMS[name]
    model = Layers(forward).eval()
    fast = compiled(model, dynamic=dynamic)
    with torch.no_grad():
        for rows in (12, 12, 9, 30) if dynamic else (12, 12):
            x = torch.randn(rows, 8)
            same(fast(x), model(x))
    report = cupola.dynamo.report()[-1]
    assert len(built) == len(report.parts) == (2 if calls else len(report.parts)) and report.parts
    assert calls is None or report.parts == calls
    assert {left.op for left in report.left} & {"cupola_test.twist.default", "aten.linalg_svd.default", "aten.fft_rfft.default"}
    assert all(left.reason and left.calls for left in report.left)
    message, = reasons()
    assert message.startswith(f"{sum(left.calls for left in report.left)} of a graph's {report.calls} calls stay with torch: ")
    assert all(f"{left.op}: {left.reason}" in message for left in report.left)


def test_weights_of_parts_are_not_copied_and_seen_when_they_change(built, monkeypatch):  # noqa: F811
    places, bind = set(), cupola.dynamo.GraphArguments.bind_weights

    def noting(self, model, arguments):
        memory = bind(self, model, arguments)
        places.update(torch.frombuffer(data, dtype=torch.uint8).data_ptr() for data in memory.values())
        return memory

    monkeypatch.setattr(cupola.dynamo.GraphArguments, "bind_weights", noting)
    model, x = Layers(custom).eval(), torch.randn(5, 8)
    fast = compiled(model)
    with torch.no_grad():
        same(fast(x), model(x))
        assert places == {weight.data_ptr() for weight in model.parameters()} and len(built) == 2
        model.layers[2].weight.mul_(2)
        same(fast(x), model(x))
    assert len(built) == 3  # the part that has it
    sessions = [session for part in set(built) for idle in part._idle.values() for session in idle]
    assert len(sessions) == 2 and all(session._native.copied_tensors == 0 for session in sessions)


def writes(m, x):
    """To its input, and to a buffer that it reads."""
    a, b, c = m.layers
    y = b(a(x).relu_()) + m.seen
    m.seen.add_(y.mean(0))
    x.mul_(2)
    y[0] = 1
    return c(y) * m.seen


def test_what_is_written_is_seen(built, reasons):  # noqa: F811
    model, x = Layers(writes).eval(), torch.randn(4, 8)
    expected, given = copy.deepcopy(model), x.clone()
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(12):
            same(fast(x), expected(given))
            same((x, model.seen), (given, expected.seen))
    message, = reasons()
    assert len(built) == 1 and "aten.copy_.default: it writes to its inputs" in message  # no weight, or it would be compiled again


def test_views_of_what_is_written(reasons):  # noqa: F811
    model, x = Layers(lambda m, x: (m.layers[0](x.mul_(2)), x[1])).eval(), torch.randn(4, 8)
    with torch.no_grad():
        _, row = compiled(model)(x)
    assert row.data_ptr() == x[1].data_ptr() and "it writes to its inputs, and a result is a view of an input" in reasons()[0]


def random(m, x):
    """The second call draws before the third, though it is needed later."""
    a, b, c = m.layers
    y = twist(a(x))
    early = torch.rand_like(y) + y
    late = torch.rand_like(x)
    return c(b(late).relu() + early), torch.rand_like(late)


def test_random_numbers_are_torchs_in_their_order(built, reasons):  # noqa: F811
    model, x = Layers(random).eval(), torch.randn(4, 8)
    fast = compiled(model)
    with torch.no_grad():
        fast(x)
        torch.manual_seed(5)
        found = fast(x)
        torch.manual_seed(5)
        same(found, model(x))
    assert built and "draws random numbers" in reasons()[0]


def data(m, x):
    """As many rows as data say, and a number of theirs."""
    a, b, c = m.layers
    rows = twist(a(x))[torch.nonzero(x[:, 0] > 0).squeeze(-1)]
    return c(b(rows).relu()) * int(x[0, 0].item())


def test_extents_that_data_decide(built, reasons):  # noqa: F811
    model = Layers(data).eval()
    fast = compiled(model)
    with torch.no_grad(), torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        for seed in range(4):
            torch.manual_seed(seed)
            x = torch.randn(16, 8) * 3
            same(fast(x), model(x))
    assert built and len(reasons()) == 1


def test_little_stays_with_torch(built, reasons):  # noqa: F811
    model = Layers(lambda m, x: twist(x * 2).view(2, -1) + 1).eval()
    with torch.no_grad():
        same(compiled(model)(torch.ones(2, 8)), model(torch.ones(2, 8)))
    report, (message, ) = cupola.dynamo.report()[-1], reasons()
    assert built == [] and report.parts == () and report.left[0].calls == report.calls
    assert "cupola_test.twist.default: torch.onnx: " in message and "too little beside it" in message


def test_a_part_that_is_refused_stays_with_torch(built, reasons, monkeypatch):  # noqa: F811
    """Though each of its calls alone is not."""
    compile = cupola.dynamo.machine.compiled

    def refusing(model, *arguments, **options):
        if any(node.op_type == "Softmax" for node in model.graph.node):
            raise cupola.UnsupportedError("not here")
        return compile(model, *arguments, **options)

    monkeypatch.setattr(cupola.dynamo.machine, "compiled", refusing)
    model, x = Layers(lambda m, x: m.layers[2](twist(m.layers[1](twist(m.layers[0](x))).softmax(-1)))).eval(), torch.randn(3, 8)
    with torch.no_grad():
        same(compiled(model)(x), model(x))
    assert len(built) >= 2 and "aten.softmax.int: not here" in reasons()[0] and len(cupola.dynamo.report()[-1].parts) == 2


def test_parts_in_many_threads(built):  # noqa: F811
    model = Layers(residual).eval()
    fast, wrong = compiled(model, dynamic=True), []
    with torch.no_grad():
        fast(torch.randn(2, 8))

    def work(rows):
        with torch.no_grad():
            for _ in range(20):
                x = torch.randn(rows, 8)
                wrong.extend([rows] if not torch.allclose(fast(x), model(x), atol=1e-5) else [])

    threads = [threading.Thread(target=work, args=(rows, )) for rows in range(2, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(built) == 2


def test_gradients_of_what_would_be_cut_stay_with_torch(built, reasons):  # noqa: F811
    model, x = Layers(lambda m, x: m.layers[0](x) * torch.linalg.svdvals(m.layers[1](x)).sum()).eval(), torch.randn(4, 8)
    compiled(model)(x).sum().backward()
    assert built == [] and model.layers[0].weight.grad is not None and "gradients are asked for" in reasons()[0]
