#===- test/Python/test_docs.py - The code of docs/python.md ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re

import cupola
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_block_runs(models, tmp_path, monkeypatch, capsys):
    """In order, in one process, with the models of the tests under the page's names."""
    for name, model in (("minilm_real.dyn.onnx", "minilm_real.dyn.onnx"), ("decoder.onnx", "decoder_gpt2_decode.onnx")):
        os.symlink(os.path.join(models, model), tmp_path / name)
    encoder = onnx.load(os.path.join(models, "tiny_opset20.onnx"))
    onnx.save(encoder, tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "tools/dev")
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 5
    scope = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), scope)
    shown = capsys.readouterr().out.splitlines()
    alike, apart = map(float, shown[0].split())
    assert alike > 0.5 > 0.2 > apart
    assert shown[1].startswith("Tensor(name='input_ids', dtype='int64', shape=('batch', 'length')")
    assert re.fullmatch(r"[1-9]\d* kernels", shown[2])
    assert any(line.startswith("pass 'embedding': max abs ") for line in shown)
    assert any(line.startswith("True ('") for line in shown)
    assert shown[-2] == "3 (1, 4, 3, 16)"
    assert shown[-1] == "[[0.25 0.25 0.25 0.25]] True"


def test_the_example_has_ten_lines():
    block = re.search(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    assert len([line for line in block.splitlines() if line]) <= 10


def test_the_limits_are_those_of_the_compiler():
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    block = re.search(r"^```\n(.*?)^```", page, re.M | re.S)[1]
    with pytest.raises(cupola.UsageError) as caught:
        cupola.compile(b"", limits={"none": 1}, progress=False)
    assert str(caught.value).endswith("there are: " + ", ".join(block.split()))


@pytest.mark.parametrize("page", ["README.md", "docs/README.md"])
def test_the_page_is_named(page):
    assert "python.md" in (ROOT / page).read_text(encoding="utf-8")
