//===- lib/Compiler/KernelPackage.h - a kernel alone as a package ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_KERNELPACKAGE_H
#define CUPOLA_LIB_COMPILER_KERNELPACKAGE_H

#include "dialects/Graph/Graph.h"
#include "lib/Pipelines/Pipelines.h"
#include "lib/Target/Target.h"

namespace cupola::compiler {

/// Values of symbols.
using Sizes = std::map<std::string, int64_t>;

/// A static model that does what the kernel of one fusion does: its inputs are what that reads, constants included,
/// each as one row of memory; there are no outputs. The launch is the last step. `kernel` and `code` are those of
/// Target::lower; `sizes` has every symbol of the module. Code::Unsupported where there is nothing to do at these
/// sizes.
Result<std::string> packageOfKernel(graph::FusionOp fusion, const TargetKernel &kernel, const TargetCode &code,
                                    const VariantSpec &spec, const Sizes &sizes);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_KERNELPACKAGE_H
