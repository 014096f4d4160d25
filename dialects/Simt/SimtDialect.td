//===- SimtDialect.td - the simt dialect and its types -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD
#define CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD

include "dialects/Simt/SimtEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::cupola::simt";
  let summary = "the program of one thread of a GPU";
  let description = [{
    How a GPU runs a kernel: iterations distributed over threads, registers, shared memory,
    copies, barriers, fragments. Loads, stores, scalars and positions are those of the
    kernel dialect. One op is one statement or one call of a device header; the CUDA
    printer prints it.
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Simt_Type<string typeName, string typeMnemonic> : TypeDef<Simt_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def Simt_RegistersType : Simt_Type<"Registers", "registers"> {
  let summary = "an array in registers of one thread; with `vector`, of short vectors";
  let description = [{
    `!simt.registers<2x4xf32>` is eight floats, `!simt.registers<f32>` a variable,
    `!simt.registers<2xf32, vector 4>` two vectors of four, each loaded by one access.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, "::mlir::Type":$element,
                        "int64_t":$vector);
  let hasCustomAssemblyFormat = 1;
}

def Simt_SmemType : Simt_Type<"Smem", "smem"> {
  let summary = "elements in the block's shared memory";
  let parameters = (ins "int64_t":$count, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
}

#endif // CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD
