//===- KernelInterfaces.td - ops with positions, ops that define them, schedules -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELINTERFACES_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELINTERFACES_TD

include "mlir/IR/OpBase.td"

def Kernel_PositionInterface : OpInterface<"PositionInterface"> {
  let cppNamespace = "::cupola::kernel";
  let description = [{
    An op that holds expressions: all its attributes of type `#graph.expr`, and arrays of
    them. x0, x1, .. in each of them are the op's operands `indices`.
  }];
  let verify = "return ::cupola::kernel::verifyPositions($_op);";
  let methods = [
    InterfaceMethod<"the values of x0, x1, ..", "::mlir::MutableOperandRange", "getIndicesMutable">,
  ];
}

def Kernel_IndexInterface : OpInterface<"IndexInterface"> {
  let cppNamespace = "::cupola::kernel";
  let description = "An op with index values, as results or as arguments of its regions. Its extents are expressions, too.";
  let verify = "return ::cupola::kernel::verifyPositions($_op);";
  let methods = [
    InterfaceMethod<"what is known of one of them", "::cupola::Range", "getIndexRange",
                    (ins "::mlir::Value":$index, "::cupola::kernel::Variables &":$variables)>,
  ];
}

def Kernel_ScheduleInterface : AttrInterface<"ScheduleInterface"> {
  let cppNamespace = "::cupola::kernel";
  let description = "How a target runs a kernel: an attribute of the target's own dialect.";
  let methods = [
    InterfaceMethod<"what reports call a kernel of this kind that runs so", "::llvm::StringRef", "getLabel",
                    (ins "::cupola::graph::KernelKind":$kind), "", "return ConcreteAttr::getMnemonic();">,
  ];
}

#endif // CUPOLA_DIALECTS_KERNEL_KERNELINTERFACES_TD
