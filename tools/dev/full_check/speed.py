#===- tools/dev/full_check/speed.py - The CPU beside onnxruntime, by bench-cpu ---===#
# SPDX-License-Identifier: Apache-2.0

import json
import subprocess
import sys
from pathlib import Path

from full_check.journal import Row

MODELS = ("resnet50.static", "bert_base.static", "minilm_real.static", "vit_b16.static", "mobilenet_v3_large.static",
          "llama_decode.dyn")
RATIO = 2.0


def ratio(model, tool):
    path = tool.work / "bench.json"
    script = Path(__file__).resolve().parents[1] / "bench_cpu.py"
    command = [sys.executable, script, model.path, "--case", model.case("b1"), "--build", tool.build, "--json", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout.strip()[-300:])
    (row,) = json.loads(path.read_text())
    return row


def beside_onnxruntime(model, tool):
    row = ratio(model, tool)
    figure = f"{row['ratio']:.2f} ({row['cupola_ms']:.2f} ms)"
    note = f"onnxruntime {row['onnxruntime_ms']:.2f} ms; without libraries {row['alone_ratio']:.2f}"
    yield Row(model.name, "b1", "time / onnxruntime's", figure, f"{RATIO}", row["ratio"] <= RATIO, note)
