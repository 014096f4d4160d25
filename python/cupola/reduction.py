#===- python/cupola/reduction.py - A model that fails, cut down ---===#
# SPDX-License-Identifier: Apache-2.0
"""`verify(reduce=...)`: the program that the package ships does it, in processes of its own, so that whatever a part of the model does to
the compiler ends nothing here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from typing import Any

from . import errors
from .errors import UsageError
from .options import External, ModelLike, read_model, read_options

_TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "cupola")
_REPEATED = {"archs": "--arch", "cpu_levels": "--cpu", "disabled_passes": "--disable-pass", "keep_fp32": "--keep-fp32",
             "op_libraries": "--op-library"}
_PAIRS = {"values": "--set", "aliases": "--alias", "limits": "--limit"}
_SINGLE = {"libraries": "--libraries", "precision": "--precision", "io": "--io", "tf32": "--tf32", "int8_rows": "--int8-rows",
           "cache_dir": "--cache-dir", "threads": "--threads"}


def flags(*, deadline: float = 1800, memory: int = 0, isolate: bool = True, **options: Any) -> list[str]:
    """Options as the command line has them. `targets` go with the device."""
    read = read_options(**options)
    shapes = [f"--shape={name}={'x'.join(map(str, shape))}" for name, shape in read["shapes"]]
    return [
        *(f"{flag}={value}" for name, flag in _REPEATED.items() for value in read[name]),
        *(f"{flag}={left}={right}" for name, flag in _PAIRS.items() for left, right in read[name]),
        *(f"{flag}={read[name]}" for name, flag in _SINGLE.items() if read[name]), *shapes,
        *(f"--dim={name}={low}..{high}" for name, low, high in read["dims"] if high),
        *(["--allow-hard-links"] if read["allow_hard_links"] else []), *(["--trust-snippets"] if read["trust_snippets"] else []),
        *(["--allow-decoders"] if read["allow_decoders"] else []),
        f"--deadline={int(deadline)}", f"--memory={memory}"
    ]


def reduced(model: ModelLike, device: str, path: str | os.PathLike[str], external: External | None, case: bytes, seed: int,
            tolerance: float | None, options: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """What `cupola verify --reduce` says, and `reduction` of its report, None where nothing was written. `case`: an .npz file with in:NAME and
    out:NAME, or nothing."""
    given = read_model(model, external)
    if given.data is not None and external is not None:
        raise UsageError("reduce takes a model with external data by its path")
    with tempfile.TemporaryDirectory() as folder:
        source, report = given.path or os.path.join(folder, "model.onnx"), os.path.join(folder, "report.json")
        command = [_TOOL, "--quiet", "verify", source, f"--device={device}", f"--reduce={os.fspath(path)}", f"--json={report}",
                   f"--seed={seed}", *flags(**options)]
        if tolerance is not None:
            command.append(f"--tol={tolerance!r}")
        for name, data in (("model.onnx", given.data), ("case.npz", case)):
            if data:
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
        if case:
            command.append(f"--case={os.path.join(folder, 'case.npz')}")
        done = subprocess.run(command, capture_output=True, text=True)
        text = done.stdout[_begin(done.stdout):]
        if not text:
            raise errors.of(done.returncode, done.stderr.removeprefix("error: ").strip())
        if not os.path.exists(report):  # an error of the compiler or the run
            return text, None
        with open(report, encoding="utf-8") as file:
            return text, json.load(file).get("reduction")


def _begin(text: str) -> int:
    """Where the reduction is told, behind the outputs."""
    found = re.search(r"^(reduced \d|nothing to reduce)", text, re.M)
    return found.start() if found else len(text)
