#===- test/lit.cfg.py - The lit suite: *.mlir (IR in, FileCheck) and *.test (command lines) ---===#
# SPDX-License-Identifier: Apache-2.0
#
# Tools are found through PATH: cupola, cupola-run, cupola-opt, cupola-translate, FileCheck, not, count, split-file.
# Substitutions: %python (numpy, onnx, onnxruntime), %models (minilm_real.{static,dyn}.onnx and references), %source, %build.

import ctypes
import os
import shutil

import lit.formats

config.name = "cupola"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models"]
config.test_source_root = os.path.join(config.source_root, "test")
config.test_exec_root = os.path.join(config.build_root, "test", "lit")

path = [os.path.join(config.build_root, "bin"), config.llvm_tools, os.environ["PATH"]]
config.environment.update({
    "PATH": os.pathsep.join(path),
    "LC_ALL": "C.UTF-8",
    # No cache is shared with the user or between runs.
    "XDG_CACHE_HOME": os.path.join(config.build_root, "test", "cache"),
})
config.substitutions += [
    ("%python", config.python),
    ("%models", config.models),
    ("%source", config.source_root),
    ("%build", config.build_root),
]

# oneDNN 2 is an optional peer of the CPU's kernels: see tools/dev/setup.
try:
    ctypes.CDLL("libdnnl.so.2")
    config.available_features.add("onednn")
except OSError:
    lit_config.note("tests of oneDNN are left out: libdnnl.so.2 (Debian's libdnnl2) is not here")

# NVRTC and nvdisasm: see tools/dev/fetch-deps.
if os.access(os.path.join(config.source_root, ".deps/cuda/bin/nvdisasm"), os.X_OK):
    config.available_features.add("nvdisasm")
else:
    lit_config.note("tests of machine code are left out: .deps/cuda/bin/nvdisasm is not here")

# Pages of reports: Debian's nodejs runs their script, its chromium shows them. Neither is installed by tools/dev/setup.
for feature, package in (("node", "nodejs"), ("chromium", "chromium")):
    if shutil.which(feature):
        config.available_features.add(feature)
    else:
        lit_config.note(f"tests of pages by {feature} are left out: it is not here (Debian's {package})")

supported, _ = lit_config.maxIndividualTestTimeIsSupported
if supported:                                   # needs psutil
    lit_config.maxIndividualTestTime = 600
