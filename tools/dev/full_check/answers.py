#===- tools/dev/full_check/answers.py - Right answers: on the CPU, by lib/Reference, in the simulator ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from full_check import decoding, light
from full_check.journal import Row
from full_check.zoo import FARTHER, SINGLE, Model

SIM_SECONDS = 180
LIGHT_TOLERANCE = 2e-4


def single_case(model, label, work):
    """The set's inputs in half precision with the outputs of single precision, and how far onnxruntime's own half precision is."""
    half, single = np.load(model.case(label)), np.load(Model(model.folder, SINGLE[model.name]).case(label))
    outputs = [[name for name in arrays if name.startswith("out:")] for arrays in (half, single)]
    arrays = {name: half[name] for name in half if name.startswith("in:")}
    farthest = 0.0
    for name, peer in zip(*outputs):
        arrays[name] = single[peer]
        farthest = max(farthest, decoding.distance(half[name].astype(np.float32), single[peer]))
    path = work / "case.npz"
    np.savez(path, **arrays)
    return path, farthest


def judged(model, label, check, tool, *arguments, tolerance, limit_seconds=None, given_up=None):
    """The row of one `cupola verify`."""
    case, ours = model.case(label), {}
    if model.name in SINGLE:
        case, theirs = single_case(model, label, tool.work)
        ours = {"limit": FARTHER[model.name] * theirs} if model.name in FARTHER else {}
    done = tool.run("verify", *arguments, "--case", case, "--tol", tolerance, report=True, check=False,
                    one_core=limit_seconds is not None, seconds=given_up)
    outputs = done.report.get("outputs", [])
    worst = max((output["max_rel"] for output in outputs), default=float("nan"))
    figure, limit, passed = f"{worst:.2e}", f"{tolerance:g}", done.code == 0 and bool(outputs)
    note = "" if passed else done.output.strip()[-300:]
    if ours:
        limit += f", {ours['limit']:.2e}"
        passed = passed and worst <= ours["limit"]
    if limit_seconds:
        figure, limit = f"{figure} in {done.seconds:.0f} s", f"{limit} in {limit_seconds} s"
        passed = passed and done.seconds <= limit_seconds
    return Row(model.name, label, check, figure, limit, passed, note)


def on_cpu(model, tool):
    """Every set, from one package for the CPU; its size goes with it."""
    limit, flags = 1.05 * model.weight_bytes() + 5e6, model.given()
    package, _ = tool.package(model.path, "--target", "cpu", *flags)
    size = package.stat().st_size
    yield Row(model.name, "", "package size", f"{size / 1e6:.1f} MB", f"{limit / 1e6:.1f} MB", size <= limit)
    # A package with an input pinned has no such input, the set does.
    subject = (model.path, *flags) if flags else (package,)
    for label in model.sets():
        yield judged(model, label, "cpu", tool, *subject, "--device", "cpu", tolerance=model.tolerance())


def by_reference(model, tool):
    for label in model.sets():
        yield judged(model, label, "reference", tool, model.path, "--device", "reference", tolerance=model.tolerance())


def in_simulator(model, label, tool, given_up=None):
    yield judged(model, label, "sim", tool, model.path, "--device", "sim", "--arch", "sm_80", "--threads", "1", *model.given(),
                 tolerance=model.tolerance(), limit_seconds=SIM_SECONDS, given_up=given_up)


def in_simulator_at(model, shape, tool):
    """At a shape for which there is no stored set: onnxruntime computes it here."""
    feeds = {name: np.random.Generator(np.random.Philox(key=3)).standard_normal(dims).astype(np.float32)
             for name, dims in shape.items()}
    label = "x".join(map(str, next(iter(shape.values()))))
    case = tool.work / f"{model.name}.{label}.npz"
    light.write_case(case, feeds, light.reference(model.path, feeds))
    placed = Model(tool.work, model.name)
    yield judged(placed, label, "sim", tool, model.path, "--device", "sim", "--arch", "sm_80", "--threads", "1",
                 tolerance=model.tolerance(), limit_seconds=SIM_SECONDS)


def light_cnn(name, tool):
    """As it is and with random weights, on the CPU and by lib/Reference."""
    folder = tool.work / "light"
    for stem in light.write(name, folder):
        model = Model(folder, stem)
        for device in ("cpu", "reference"):
            yield judged(model, "b1", device, tool, model.path, "--device", device, tolerance=LIGHT_TOLERANCE)
    for path in folder.glob(f"{name}.*"):
        path.unlink()


def decode_steps(folder, family, variant, device, tool):
    """A prefill and decode steps against the longer prefill, on caches that are returned anew and on caches that stay."""
    prefill, decode = (folder / f"{family}_{part}.{variant}.onnx" for part in ("prefill", "decode"))
    prompt, steps, batch = (5, 3, 2) if device == "cpu" else (3, 2, 1)
    tokens = np.random.Generator(np.random.Philox(key=7)).integers(0, 200, (batch, prompt + steps))
    packages = decoding.Packages(str(tool.cupola), device, tool.work)
    for alias in (False, True):
        worst = decoding.check(packages, prefill, decode, tokens, prompt, alias)
        name = f"decode steps{' in place' if alias else ''}, {device}"
        yield Row(f"{family}.{variant}", f"{prompt}+{steps}", name, f"{worst:.2e}", "5e-05", worst <= 5e-5)
    for path in (prefill, decode):
        (tool.work / (path.stem + ".cupola")).unlink()
