#===- tools/dev/full_check/__main__.py - The tasks, in order, and the table ---===#
# SPDX-License-Identifier: Apache-2.0
"""full-check FOLDER: holds models of real architectures, as exporters write them, against what Cupola promises for them, and writes
the table. FOLDER has NAME.VARIANT.onnx and NAME.VARIANT.SET.npz (arrays in:NAME and out:NAME) for every model of zoo.py; the light
CNNs come from the onnx package, random models from tools/dev/fuzz; the examples of docs/extending.md are followed in a clone of the
sources. What was found is kept in a journal: an interrupted check goes on where it stopped, one of another build begins anew. Exits
with 1 if anything is missed."""

from functools import partial

from full_check import answers, command, compiling, fuzz, kernels, light, newcomer, plans, speed
from full_check.zoo import Model, models

SIMULATED = [("mobilenet_v3_large.static", "b1"), ("llama_decode.dyn", "b1"), ("llama_decode.op23", "b1"), ("sd_unet.fp16", "b1")]
DECODERS = [("gpt2", "dyn"), ("llama", "dyn"), ("llama", "op23")]


def tasks(folder, tool):
    """(name, function) each, the cheap ones first."""
    for model in models(folder):
        yield f"cpu {model.name}", partial(answers.on_cpu, model, tool)
    for model in models(folder):
        yield f"reference {model.name}", partial(answers.by_reference, model, tool)
    for model in models(folder):
        yield f"steps {model.name}", partial(plans.steps, model, tool)
        yield f"arena {model.name}", partial(plans.arena, model, tool)
    for name in light.names():
        yield f"light {name}", partial(answers.light_cnn, name, tool)
    for family, variant in DECODERS:
        for device in ("cpu", "sim"):
            yield f"decode {family}.{variant} {device}", partial(answers.decode_steps, folder, family, variant, device, tool)
    for name, label in SIMULATED:
        yield f"sim {name}", partial(answers.in_simulator, Model(folder, name), label, tool)
    odd = {"image": (1, 3, 50, 43)}
    yield "sim unet_convt.dyn", partial(answers.in_simulator_at, Model(folder, "unet_convt.dyn"), odd, tool)
    yield "compile resnet50.static", partial(compiling.cold_and_warm, Model(folder, "resnet50.static"), tool)
    for name in ("bert_base.static", "gpt2_decode.static", "gpt2_decode.dyn"):
        yield f"memory {name}", partial(compiling.memory, Model(folder, name), tool)
    for name in ("bert_base.dyn", "gpt2_prefill.dyn"):
        yield f"shapes {name}", partial(compiling.new_shapes, Model(folder, name), tool)
    for name in speed.MODELS:
        yield f"speed {name}", partial(speed.beside_onnxruntime, Model(folder, name), tool)
    for model in models(folder):
        yield f"architectures {model.name}", partial(kernels.for_all_architectures, model, tool)
    yield "architectures of the schedules' cases", partial(kernels.cases_for_all_architectures, tool)
    for kind in ("static", "dynamic"):
        yield f"fuzz {kind}", partial(fuzz.seeded, kind, tool)
    for example in newcomer.EXAMPLES:
        yield f"newcomer {example.name}", partial(newcomer.follow, example, command.ROOT, tool)


command.run("Full check", __doc__, {}, tasks)
