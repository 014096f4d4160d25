//===- tools/cupola/Reduce.h - verify --reduce ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TOOLS_CUPOLA_REDUCE_H
#define CUPOLA_TOOLS_CUPOLA_REDUCE_H

#include "tools/cupola/Command.h"

namespace cupola::tool {

/// What a model that fails is reduced with.
struct ReduceRequest {
  const CompileFlags &flags;
  const DeviceFlags &device;
  double tolerance;               ///< as of `cupola verify`
  std::vector<npz::Array> inputs; ///< by name; none: random ones of `seed`
  uint64_t seed;
  std::string path;  ///< of the model to write; the .npz stands beside it
  std::string again; ///< the options, beginning with a space, that parts are compiled and run with
};

/// As a shell reads it back.
std::string shellWord(const std::string &word);

/// Cuts the model down to nodes that fail as the whole does (other results than lib/Reference's, or the same kind of
/// error) and writes them with inputs and references. Prints what is left, or that the whole does not fail; then
/// nothing is written. Returns `reduction` of cupola.verify/1, null where nothing failed.
Result<Json> reduceModel(ReduceRequest request);

} // namespace cupola::tool

#endif // CUPOLA_TOOLS_CUPOLA_REDUCE_H
