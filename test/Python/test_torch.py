#===- test/Python/test_torch.py - torch.compile(backend="cupola") beside torch itself ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import threading
import tomllib

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnxscript", reason="onnxscript is not installed")

import cupola.dynamo  # noqa: E402

from torch_cases import built, compiled, fresh, reasons, same  # noqa: E402, F401

nn = torch.nn
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Attention(nn.Module):
    """Self-attention that sees no later position."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x, mask):
        return self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]


def causal(length):
    return torch.triu(torch.full((length, length), float("-inf")), 1)


def encoder(**options):
    return nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, **options)


# Eight models of torch.nn: the model, the inputs of each call.
MODELS = {
    "mlp": lambda: (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), [(torch.randn(3, 8),)]),
    "cnn": lambda: (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(196, 10)),
                    [(torch.randn(2, 3, 16, 16),)]),
    "encoder": lambda: (encoder(), [(torch.randn(3, 7, 32),)]),
    "attention": lambda: (Attention(), [(torch.randn(2, 6, 32), causal(6))]),
    "embedding": lambda: (nn.Sequential(nn.Embedding(50, 32), nn.LayerNorm(32)), [(torch.randint(0, 50, (2, 5)),)]),
    "transposed convolution": lambda: (nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2), nn.ReLU()), [(torch.randn(1, 3, 7, 7),)]),
    "any batch": lambda: (nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)), [(torch.randn(n, 8),) for n in (3, 5, 9, 700)]),
    "decoder": lambda: (nn.TransformerDecoderLayer(32, 4, 64, batch_first=True), [(torch.randn(2, 5, 32), torch.randn(2, 9, 32))]),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_torch(name, built, reasons):
    model, calls = MODELS[name]()
    fast = compiled(model, dynamic=name == "any batch")
    with torch.no_grad():
        for inputs in calls:
            same(fast(*inputs), model(*inputs))
    assert len(built) == 1 and reasons() == []


@pytest.mark.parametrize("options", [{"norm_first": True, "activation": "gelu"}, {"masked": True}, {"padded": True},
                                     {"masked": True, "padded": True}, {"dynamic": True}], ids=str)
def test_encoder_layers(options, built, reasons):
    masks = {"src_mask": torch.ones(7, 7).triu(1).bool() if options.pop("masked", False) else None,
             "src_key_padding_mask": torch.arange(7) > torch.tensor([[6], [4]]) if options.pop("padded", False) else None}
    dynamic = options.pop("dynamic", None)
    model = encoder(**options)
    fast = compiled(model, dynamic=dynamic)
    with torch.no_grad():
        for x in (torch.randn(2, 7, 32), torch.randn(2, 7, 32)):
            same(fast(x, **masks), model(x, **masks))
        if dynamic:
            x = torch.randn(5, 3, 32)
            same(fast(x, **masks), model(x, **masks))
    assert len(built) == 1 and reasons() == []


def test_shapes_become_dynamic_as_dynamo_says(built):
    model = nn.Linear(8, 4)
    fast = compiled(model)
    with torch.no_grad():
        for n in (3, 5, 9, 2):
            same(fast(torch.ones(n, 8)), model(torch.ones(n, 8)))
    assert len(built) == 2  # for 3 rows, then for any number
    assert built[1]._executable.package.inputs[0].shape[1] == 8 and isinstance(built[1]._executable.package.inputs[0].shape[0], str)


def test_weights_are_read_where_they_lie_and_inputs_are_not_copied(built, monkeypatch):
    places, bind = [], cupola.dynamo.GraphArguments.bind_weights

    def noting(self, model, arguments):
        memory = bind(self, model, arguments)
        places.extend(torch.frombuffer(data, dtype=torch.uint8).data_ptr() for data in memory.values())
        return memory

    monkeypatch.setattr(cupola.dynamo.GraphArguments, "bind_weights", noting)
    model = nn.Linear(256, 128)
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(3):
            fast(torch.randn(16, 256))
    assert sorted(places) == sorted(parameter.data_ptr() for parameter in model.parameters())
    (session, ), = built[0]._idle.values()
    assert session._native.copied_tensors == 0


def test_changed_weights_are_seen(built, reasons):
    model, x = nn.Linear(8, 4), torch.ones(2, 8)
    fast = compiled(model)
    with torch.no_grad():
        same(fast(x), model(x))
        model.weight.mul_(2)
        same(fast(x), model(x))
        model.load_state_dict(nn.Linear(8, 4).state_dict())
        same(fast(x), model(x))
        assert len(built) == 3
        for _ in range(10):
            model.bias.add_(1)
            same(fast(x), model(x))
    assert len(built) == cupola.dynamo.Compiled.MOST
    assert reasons() == ["a graph of 1 calls stays with torch: its weights or constants changed, and it was compiled 8 times"]


@pytest.mark.parametrize("name", ["mlp", "cnn", "encoder", "any batch"])
def test_shared_weights_are_torchs(name, built, reasons):
    model, calls = MODELS[name]()
    fast = compiled(model, dynamic=name == "any batch", options={"share_weights": True})
    with torch.no_grad():
        for inputs in calls:
            same(fast(*inputs), model(*inputs))
        for parameter in model.parameters():
            parameter.mul_(1.5)  # in place, and seen without another package
        same(fast(*calls[-1]), model(*calls[-1]))
    kept = [*model.parameters(), *(buffer for buffer in model.buffers() if buffer.is_floating_point())]
    one, = built
    assert len(one._executable.package.inputs) == len(kept) + len(calls[0])
    (session, ), = one._idle.values()
    assert session._native.copied_tensors == 0 and reasons() == []


class Writes(nn.Module):
    def forward(self, x):
        x.add_(1)
        return x * 2


class Views(nn.Module):
    def forward(self, x):
        return x.reshape(-1), x * 2


class Unknown(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


class Complex(nn.Module):
    def forward(self, x):
        return torch.complex(x, x)


@pytest.mark.parametrize("model, reason", [(Writes(), "it writes to its inputs"), (Views(), "a result is a view of an input"),
                                           (Unknown(), "torch.onnx: "), (Complex(), "ONNX has no complex numbers"),
                                           (nn.Dropout().train(), "draws random numbers")],
                         ids=["writes", "views", "unknown", "complex", "dropout"])
def test_what_stays_with_torch(model, reason, built, reasons):
    x = torch.randn(3, 4)
    given, theirs = x.clone(), x.clone()
    torch.manual_seed(3)
    expected = model(theirs)
    with torch.no_grad():
        fast = torch.compile(model, backend=cupola.dynamo.backend)
        torch.manual_seed(3)
        same(fast(given), expected)
    same(given, theirs)  # with what it writes
    message, = reasons()
    assert reason in message and "\x1b" not in message and built == []


def test_lstm_stays_with_torch(built, reasons):
    model, x = nn.LSTM(8, 16, batch_first=True), torch.randn(2, 5, 8)
    with torch.no_grad():
        same(compiled(model)(x), model(x))
        assert built == [] and reasons() == []  # Dynamo does not hand it over
        torch._dynamo.reset()
        with torch._dynamo.config.patch(allow_rnn=True):
            same(compiled(model)(x), model(x))
    assert built or "(LSTM, opset" in reasons()[0]


def test_gradients_stay_with_torch(built, reasons):
    model, x = nn.Linear(8, 4), torch.randn(2, 8)
    fast = compiled(model)
    fast(x).sum().backward()
    assert model.bias.grad.tolist() == [2] * 4 and built == []
    assert "gradients are asked for: call it under torch.no_grad() or torch.inference_mode()" in reasons()[0]
    with torch.inference_mode():
        same(fast(x), model(x))
    assert len(built) == 1


def test_autocast_stays_with_torch(built, reasons):
    model, x = nn.Linear(8, 4), torch.randn(2, 8)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert compiled(model)(x).dtype == model(x).dtype == torch.bfloat16
    assert "autocast" in reasons()[0] and built == []


def test_options_are_the_compilers(built, reasons):
    model, x = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64)), torch.randn(4, 64)
    with torch.no_grad():
        found, expected = compiled(model, options={"precision": "bf16"})(x), model(x)
    assert 1e-4 < (found - expected).abs().max() < 5e-2 and len(built) == 1
    torch._dynamo.reset()
    with torch.no_grad():
        same(compiled(model, options={"precision": "fp7"})(x), expected)
    assert "fp7" in reasons()[0]


def test_element_types_and_graph_breaks(built, reasons):

    class Broken(nn.Module):
        def forward(self, x):
            y = x * 2
            torch._dynamo.graph_break()
            return y.relu(), y.argmax(-1), y > 0, y.bfloat16()

    model, x = Broken(), torch.randn(3, 5)
    with torch.no_grad():
        same(compiled(model)(x), model(x))
        same(compiled(model)(x.T), model(x.T))  # not contiguous
    assert len(built) >= 2 and reasons() == []


def test_from_many_threads(built):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    fast, wrong = compiled(model, dynamic=True), []
    with torch.no_grad():
        fast(torch.randn(2, 8))

    def work(n):
        with torch.no_grad():
            for _ in range(50):
                x = torch.randn(n, 8)
                wrong.extend([n] if not torch.allclose(fast(x), model(x), atol=1e-5) else [])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(built) == 1


def test_it_is_found_by_name(tmp_path):
    """As pip installs it."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    info = tmp_path / "cupola-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cupola\nVersion: 0\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in names.items())
                                                   for group, names in entries.items()))
    code = ("import torch\nassert 'cupola' in torch._dynamo.list_backends()\nwith torch.no_grad():\n"
            "    print(torch.compile(torch.nn.ReLU(), backend='cupola')(torch.tensor([-1., 2.])).tolist())")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == "[0.0, 2.0]\n", done.stderr


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("name", MODELS)
def test_models_on_a_gpu(name, built, reasons):
    model, calls = MODELS[name]()
    model = model.cuda()
    fast = compiled(model, dynamic=name == "any batch")
    with torch.no_grad():
        for inputs in calls:
            inputs = [x.cuda() for x in inputs]
            found = fast(*inputs)
            assert found.is_cuda
            torch.testing.assert_close(found, model(*inputs), rtol=1e-3, atol=1e-3)
    assert len(built) == 1 and reasons() == []
