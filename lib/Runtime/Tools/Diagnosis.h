//===- lib/Runtime/Tools/Diagnosis.h - where an answer goes wrong first ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler makes a diagnosis of a model, maybe in a process of its own; a run of the package that was compiled
// with compiler::Options::kernelResults is held against it.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_DIAGNOSIS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_DIAGNOSIS_H

#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

class Executable;

/// The answer of a model at the stages of its compilation, by lib/Reference.
struct Diagnosis {
  std::vector<npz::Array> imported; ///< outputs of the graph as imported
  /// Outputs of the graph that became kernels; with compiler::Options::kernelResults, every output of the package.
  std::vector<npz::Array> fused;
  /// The first pass after which the outputs were no longer those of `imported`, and the node whose value it changed;
  /// empty where they stayed.
  std::string wrongPass, wrongNode;
};

/// A line of JSON, then the arrays under their numbers as an .npz file: names of a model may be anything.
Result<std::string> serialize(const Diagnosis &diagnosis);
/// Code::Usage for what `serialize` did not write.
Result<Diagnosis> parseDiagnosis(std::string_view bytes);

struct KernelComparison {
  bool pass = true;
  Report report; ///< a line per kernel and the first that differs; `kernels`, `first_difference` and `explain` of
                 ///< cupola.verify/1
};

/// Holds the imported graph against references (there may be none), the passes against the imported graph, and every
/// kernel's result, in `outputs` by the position in the package, against the graph that became kernels.
Result<KernelComparison> compareKernels(const Executable &executable, const std::vector<npz::Array> &outputs,
                                        const std::vector<npz::Array> &references, const Diagnosis &diagnosis,
                                        double tolerance);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_DIAGNOSIS_H
