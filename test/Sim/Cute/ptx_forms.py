#!/usr/bin/env python3
#===- test/Sim/Cute/ptx_forms.py - The forms of our inline PTX against those that CUTLASS's headers write ---===#
# SPDX-License-Identifier: Apache-2.0
"""A form is an opcode with its qualifiers and the kinds of its operands, such as

    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f32*4}, {b32*2}, {b32*1}, {f32*4}

Every form in the device headers must be one that CUTLASS's headers (or CUDA's cuda_fp16.hpp) write, or stand below with a reason.
Kernels that NVRTC compiles for sm_90a show that the forms read from our headers are those of the PTX. Exit status 1 where
something differs."""

import argparse
import ctypes
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
DEVICE = os.path.join(ROOT, "lib/Target/CUDA/device")
KERNELS = [os.path.join(ROOT, "test/Sim/kernels", name) for name in ("gemm_wgmma.cu", "gemm_mma16.cu")]

# Opcodes that the others write otherwise, with the same operands: ours, theirs, why.
SPELLINGS = [
    ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.x4.m8n8.shared.b16", "the order of PTX's manual"),
    ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16", "the same"),
    ("barrier.cluster.arrive.release.aligned", "barrier.cluster.arrive.aligned", "release is its default"),
    ("barrier.cluster.wait.acquire.aligned", "barrier.cluster.wait.aligned", "acquire is its default"),
    ("fence.proxy.tensormap::generic.acquire.sys", "fence.proxy.tensormap::generic.acquire.gpu", "our maps are the host's"),
    ("ld.acquire.gpu.global.u32", "ld.global.acquire.gpu.b32", "the order of PTX's manual, and a register of bits"),
    ("selp.u32", "selp.b32", "it selects bits"),
]
# Opcodes whose operands the others declare otherwise: ours, theirs, why.
OPERANDS = {
    "ex2.approx.ftz.f32": ("f32, f32", "b32, b32", "registers of bits"),
    "add.rn.f16x2": ("b32, b32, b32", "f16x2, f16x2, f16x2", "registers of pairs"),
    "mul.rn.f16x2": ("b32, b32, b32", "f16x2, f16x2, f16x2", "registers of pairs"),
    "cvt.rn.f16x2.e4m3x2": ("b32, b16", "f16x2, b16", "a register of a pair"),
    "and.b32": ("b32, b32, b32", "b32, b32, imm", "a mask that is a number"),
}
# Opcodes that nobody else writes: ours, why.
ALONE = [
    ("red.global.max.u32", "CUTLASS reduces to global memory by additions only"),
    ("ld.shared::cluster.v4.u32", "CUTLASS sends to other blocks, and does not read from them"),
]
# Performance hints, and the operand that comes with one of them: no part of a form.
HINTS = [(".L2::cache_hint", 1), (".L2::128B", 0)]

CONSTRAINTS = {"r": "b32", "l": "b64", "h": "b16", "f": "f32", "d": "f64", "n": "imm", "C": "imm"}
REGISTERS = {"r": "b32", "rd": "b64", "rs": "b16", "f": "f32", "fd": "f64", "p": "pred"}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.S)


#===--- Inline assembly in C++ ---===#

def statements(text):
    """Template and operand constraints of every asm statement."""
    for match in re.finditer(r"\basm\s*(?:volatile)?\s*\(", text):
        depth, at, parts = 1, match.end(), [""]
        while depth:
            string = STRING.match(text, at)
            character = string[0] if string else text[at]
            depth += (character == "(") - (character == ")")
            if character == ":" and depth == 1:
                parts.append("")
            elif depth:
                parts[-1] += character
            at += len(character)
        if "\n#" in "".join(parts):
            continue                            # alternatives of the preprocessor; cute/arch has the same ones without
        constraints = [STRING.findall(part) for part in parts]
        yield "".join(constraints[0]), sum(constraints[1:3], [])


def instructions(template, kind_of):
    """Forms of the instructions of one template; kind_of(name) tells the kind of a register that is not declared there."""
    declared = {}
    for statement in template.split(";"):
        statement = re.sub(r"^(\s|\{|\}|\w+:(?!:))+", "", statement)
        declaration = re.match(r"\.reg\s*\.(\w+)\s+(.*)", statement, re.S)
        if declaration:
            kind = re.sub(r"^[us]", "b", declaration[1])
            declared.update({name.strip(): kind for name in declaration[2].split(",")})
            continue
        match = re.match(r"(?:@!?\S+\s+)?([a-z][\w.:]*)\s*(.*?)\s*$", statement, re.S)
        if match:
            yield form(match[1], split(match[2]), lambda name: declared.get(name) or kind_of(name))


def form(opcode, operands, kind_of):
    for hint, count in HINTS:
        if hint in opcode:
            opcode, operands = opcode.replace(hint, ""), operands[:len(operands) - count]
    return f"{opcode} {', '.join(operand(o, kind_of) for o in operands)}".strip()


def operand(text, kind_of):
    if text[0] == "[":
        return f"[{', '.join(operand(o, kind_of) for o in split(text[1:-1]))}]"
    if text[0] == "{":
        kinds = [operand(o, kind_of) for o in split(text[1:-1])]
        return "{" + (f"{kinds[0]}*{len(kinds)}" if len(set(kinds)) == 1 else ", ".join(kinds)) + "}"
    return "imm" if re.match(r"-?[\d.]", text) else kind_of(text)


def split(text):
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def forms_of_source(text):
    found = set()
    for template, constraints in statements(COMMENT.sub("", text)):
        def kind_of(name):
            number = re.fullmatch(r"%(\d+)", name)
            if not number:
                return name                     # a special register, the sink _
            constraint = "".join(constraints[int(number[1]):][:1]).lstrip("+=")
            return CONSTRAINTS.get(constraint, "?")    # in texts that macros put together
        found.update(instructions(re.sub(r"\\[nt]", " ", template).replace("%%", "%"), kind_of))
    return found


#===--- The three sources ---===#

def our_forms(compiler):
    """The device headers, macros expanded."""
    found = set()
    for path in sorted(glob.glob(os.path.join(DEVICE, "primitives*.cuh"))):
        command = [compiler, "-E", "-P", "-x", "c++", "-DCUPOLA_ARCH=900", "-D__CUDA_ARCH__=900", path]
        found |= forms_of_source(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def reference_forms(cutlass, cuda):
    found = set()
    named = [os.path.join(cutlass, "cutlass", name) for name in ("gemm/kernel/gemv_blockscaled.h", "functional.h", "barrier.h")]
    named.append(os.path.join(cuda, "cuda_fp16.hpp"))
    for path in glob.glob(os.path.join(cutlass, "cut*/arch/*.h*")) + named:
        if re.search(r"sm1\d\d", os.path.basename(path)):
            continue                            # later GPUs
        with open(path, encoding="utf-8") as f:
            found |= forms_of_source(f.read())
    return found


def emitted_forms(library, kernel):
    """The inline assembly in the PTX of a kernel."""
    nvrtc, program, size = ctypes.CDLL(library), ctypes.c_void_p(), ctypes.c_size_t()
    paths = sorted(glob.glob(os.path.join(DEVICE, "*.cuh")))

    def read(path):
        with open(path, "rb") as f:
            return f.read()

    def array(values):
        return (ctypes.c_char_p * len(values))(*values)

    def take(what):
        getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{what}")(program, text)
        return text.value.decode()

    nvrtc.nvrtcCreateProgram(ctypes.byref(program), read(kernel), b"kernel.cu", len(paths),
                             array([read(p) for p in paths]), array([os.path.basename(p).encode() for p in paths]))
    options = [b"--std=c++17", b"--gpu-architecture=compute_90a"]
    if nvrtc.nvrtcCompileProgram(program, len(options), array(options)):
        sys.exit(f"{kernel}: NVRTC: {take('ProgramLog')}")
    found = set()
    for block in re.findall(r"// begin inline asm\n(.*?)// end inline asm", take("PTX"), re.S):
        def kind_of(name):
            register = re.fullmatch(r"%([a-z]+)\d+", name)
            return REGISTERS.get(register[1], name) if register else name
        found.update(instructions(COMMENT.sub("", block), kind_of))
    return found


#===--- The comparison ---===#

def compare(ours, reference):
    """Problems; prints a line for each form of ours."""
    spellings, alone = {o: (t, why) for o, t, why in SPELLINGS}, dict(ALONE)
    opcodes, problems = {f.split()[0] for f in reference}, []
    for ours_form in sorted(ours):
        opcode, _, operands = ours_form.partition(" ")
        theirs, why = spellings.get(opcode, (opcode, ""))
        if opcode in OPERANDS and OPERANDS[opcode][0] == operands:
            _, operands, why = OPERANDS[opcode]
        if opcode in alone:
            print(f"alone  {ours_form}  ({alone[opcode]})")
        elif f"{theirs} {operands}".strip() in reference:
            print(f"same   {ours_form}" + (f"  ({why})" if why else ""))
        else:
            near = sorted(f for f in reference if f.split()[0] == theirs)
            problems.append(f"{ours_form}: others have " + (" and ".join(near) or "no such opcode"))
    unused = (set(spellings) | set(alone) | set(OPERANDS)) - {f.split()[0] for f in ours}
    stale = {o for o in set(spellings) | set(alone) if o in opcodes}
    problems += [f"{opcode}: listed in {os.path.basename(__file__)}, but in no header" for opcode in sorted(unused)]
    problems += [f"{opcode}: listed in {os.path.basename(__file__)}, but others have it, too" for opcode in sorted(stale)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cutlass", required=True, help="folder of CUTLASS's headers")
    parser.add_argument("--cuda", required=True, help="folder of CUDA's include/ and of lib/ with NVRTC")
    parser.add_argument("--compiler", required=True, help="a C++ compiler, as a preprocessor")
    options = parser.parse_args()

    ours = our_forms(options.compiler)
    reference = reference_forms(options.cutlass, os.path.join(options.cuda, "include"))
    libraries = sorted(glob.glob(os.path.join(options.cuda, "lib/libnvrtc.so*")))
    if not reference or not libraries:
        sys.exit(f"{len(reference)} forms in {options.cutlass}, {len(libraries)} NVRTC in {options.cuda}/lib: run tools/dev/fetch-deps")
    emitted = set().union(*(emitted_forms(libraries[0], kernel) for kernel in KERNELS))
    problems = compare(ours, reference)
    problems += [f"{f}: in the PTX of a kernel, but not read from the headers" for f in sorted(emitted - ours)]
    print("\n".join(problems + [f"{len(ours)} forms of ours ({len(emitted & ours)} seen in PTX), {len(reference)} of others, "
                                f"{len(problems)} problems"]))
    sys.exit(1 if problems or not ours or not emitted else 0)


if __name__ == "__main__":
    main()
