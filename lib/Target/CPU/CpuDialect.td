//===- CpuDialect.td - how a CPU runs a kernel: one attribute per schedule -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CPU_CPUDIALECT_TD
#define CUPOLA_LIB_TARGET_CPU_CPUDIALECT_TD

include "dialects/Kernel/KernelInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::cupola::cpu";
  let summary = "how a CPU runs a kernel";
  let description = [{
    Schedules of kernels as attributes of `kernel.func`: what is chosen. What follows from the
    kernel and its schedule, as the places of tiles in scratch memory, is the plan (KernelPlan.h).
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Cpu_ScheduleInterface : AttrInterface<"ScheduleInterface", [Kernel_ScheduleInterface]> {
  let cppNamespace = "::cupola::cpu";
  let description = [{
    A schedule with its parameters. Its file in Schedules/ has these methods, its verifier and
    the list of its candidates for a kernel.
  }];
  let methods = [
    InterfaceMethod<[{
      An estimate of the time, lower is better, to compare the candidates for one kernel on one
      level: a product of factors, of which each schedule has its own.
    }], "double", "cost", (ins "const ::cupola::cpu::KernelPlan &":$kernel,
                               "const ::cupola::CpuArchitecture &":$isa)>,
    InterfaceMethod<[{
      Adds to a kernel that was read what follows from the schedule: iterations, blocks, scratch
      memory. Code::Internal where it does not suit the kernel or the level.
    }], "::cupola::Status", "plan", (ins "::cupola::cpu::KernelPlan &":$kernel,
                                         "const ::cupola::CpuArchitecture &":$isa)>,
  ];
}

class Cpu_Schedule<string attrName, string attrMnemonic>
    : AttrDef<Cpu_Dialect, attrName, [DeclareAttrInterfaceMethods<Cpu_ScheduleInterface>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// With every choice of parameters that may be good; none where it cannot run the kernel.
    static ::cupola::cpu::Candidates candidates(::cupola::cpu::KernelPlan &kernel, const ::cupola::CpuArchitecture &isa);
    /// Reports tell kernels of a CPU apart by what they compute.
    ::llvm::StringRef getLabel(::cupola::graph::KernelKind kind) const { return ::cupola::graph::stringifyKernelKind(kind); }
  }];
}

def Cpu_NestAttr : Cpu_Schedule<"Nest", "nest"> {
  let summary = "loops over scalars, or over vectors in one of them";
  let description = [{
    The loops are those of the grid and, where the kernel is nothing but one foreach, those of it,
    counted from 0, outermost first. Loop `vector` becomes the innermost and takes `vectors`
    vectors at a time; without one all loops are over scalars. The `parallel` outermost loops are
    iterations of the grid, and so are pieces of `chunk` elements of the vectorised one; 0: it is
    not cut. `jam` iterations of the loop around the vectors are one: what their reductions read in common, as a window
    that goes on by a step does, they read once. Pieces are of that loop then.
  }];
  let parameters = (ins "int64_t":$parallel, "std::optional<int64_t>":$vector, "int64_t":$vectors, "int64_t":$chunk,
                        DefaultValuedParameter<"int64_t", "1">:$jam);
  let assemblyFormat = [{
    `<` `parallel` $parallel `` custom<Vectors>($vector, $vectors, $chunk) (`,` `jam` $jam^)? `>`
  }];
}

def Cpu_Side : I32EnumAttr<"Side", "of the two loops of a transposition", [
  I32EnumAttrCase<"From", 0, "from">, // that along which loads are contiguous
  I32EnumAttrCase<"To", 1, "to">,     // that along which stores are
]> {
  let cppNamespace = "::cupola::cpu";
  let genSpecializedAttr = 0;
}

def Cpu_TransposeAttr : Cpu_Schedule<"Transpose", "transpose"> {
  let summary = "squares of vectors, turned in registers";
  let description = [{
    Loads are contiguous along loop `from`, stores along loop `to`, loops being counted as by `nest`. An iteration is a point
    of the other loops and a tile of elements of these two, walked in squares whose sides are a vector: along the
    `inner` loop first.
  }];
  let parameters = (ins "int64_t":$from, "int64_t":$to, "int64_t":$fromTile, "int64_t":$toTile,
                        EnumParameter<Cpu_Side>:$inner);
  let assemblyFormat = [{
    `<` `from` $from `,` `to` $to `,` `tile` custom<Dims>($fromTile, $toTile) `,` `inner` $inner `>`
  }];
}

def Cpu_OperandForm : I32EnumAttr<"OperandForm", "how an operand of a contraction is read", [
  I32EnumAttrCase<"Direct", 0, "direct">, // where it lies: of the tile's type, contiguous along k (lhs) or n (rhs)
  I32EnumAttrCase<"Copied", 1, "copied">, // computed into scratch memory, block by block
  I32EnumAttrCase<"Packed", 2, "packed">, // the parameter holds it in panels (packOperand)
  I32EnumAttrCase<"Runs", 3, "runs">,     // where it lies, in several runs (Runs.h); rows that a border meets are copied
  I32EnumAttrCase<"Computed", 4, "computed">, // in vectors along the depth, each of which all columns use at once
  I32EnumAttrCase<"Places", 5, "places">,     // where it lies, a place of the window at a time (Places.h)
]> {
  let cppNamespace = "::cupola::cpu";
  let genSpecializedAttr = 0;
}

def Cpu_ContractionAttr : Cpu_Schedule<"Contraction", "contraction"> {
  let summary = "blocks of a product by micro-kernels";
  let description = [{
    An iteration computes rows by columns, `depth` of k at a time, in panels of `panel` columns. A
    left operand that is copied, or in runs, may be copied in pieces of the depth, within which its positions are
    linear (DepthPieces.h); 0: it is not.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth, "int64_t":$panel,
                        EnumParameter<Cpu_OperandForm>:$lhs, EnumParameter<Cpu_OperandForm>:$rhs,
                        DefaultValuedParameter<"int64_t", "0">:$piece);
  let assemblyFormat = [{
    `<` `block` custom<Dims>($rows, $columns, $depth) `,` `panel` $panel `,` `lhs` $lhs `,` `rhs` $rhs
    (`,` `piece` $piece^)? `>`
  }];
}

def Cpu_AttentionAttr : Cpu_Schedule<"Attention", "attention"> {
  let summary = "ordered steps over tiles of rows";
  let description = [{
    An iteration takes `rows` rows through all steps; its parts of the tiles stay in scratch memory.
    `keys` says how products of a copied left operand read their right one, `values` how those of a
    tile do: copied into panels block by block, or where it lies; along the depth this takes a
    product per element instead of micro-kernels, for few rows.
  }];
  let parameters = (ins "int64_t":$rows, EnumParameter<Cpu_OperandForm>:$keys, EnumParameter<Cpu_OperandForm>:$values);
  let assemblyFormat = "`<` `rows` $rows `,` `keys` $keys `,` `values` $values `>`";
}

#endif // CUPOLA_LIB_TARGET_CPU_CPUDIALECT_TD
