//===- lib/Runtime/Tools/Verification.h - A run, held against references ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_VERIFICATION_H
#define CUPOLA_LIB_RUNTIME_TOOLS_VERIFICATION_H

#include "lib/Runtime/Tools/Compare.h"
#include "lib/Runtime/Tools/Inputs.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

/// What rounding alone does to a model, by the narrowest floats of its interface and weights: 5e-5 of f32, 5e-3 of
/// f16 and of products of TF32, 4e-2 of bf16, which has three bits less, 5e-2 where rows become bytes; of an output
/// with floats of up to 8 bits a unit in the last place.
double usualTolerance(const format::Package &package);

/// Host tensors under the names of an interface.
std::vector<npz::Array> named(const std::vector<format::Tensor> &interface, const std::vector<HostTensor> &tensors);

/// The outputs of one run, by name, with memory that marks what is dead: a plan that reads such gives NaN, not luck.
Result<std::vector<npz::Array>> runPoisoned(const std::shared_ptr<const Executable> &executable,
                                            std::vector<HostTensor> &inputs);
/// Those of a third run, which replays a recording where the device makes one.
Result<std::vector<npz::Array>> runRecorded(const std::shared_ptr<const Executable> &executable,
                                            std::vector<HostTensor> &inputs);

struct Comparison {
  double tolerance = 0; ///< as of `compare`
  std::vector<Difference> outputs;
  uint64_t elements = 0; ///< of all outputs that were compared
  bool pass = true;

  /// Schema "cupola.verify/1" without what the command line adds; a line per output.
  Report report() const;
};

/// Every output that has a reference of its name. Code::Usage where a reference has no output, and where nothing is
/// compared; `source` stands for the references in the text.
Result<Comparison> compareOutputs(const std::vector<npz::Array> &outputs, const std::vector<npz::Array> &references,
                                  double tolerance, const std::string &source);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_VERIFICATION_H
