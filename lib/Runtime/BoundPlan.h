//===- lib/Runtime/BoundPlan.h - A program at one set of input shapes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BOUNDPLAN_H
#define CUPOLA_LIB_RUNTIME_BOUNDPLAN_H

#include "lib/Runtime/Bucket.h"
#include "lib/Runtime/LibraryCalls.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace cupola::runtime {

/// Where a buffer lies, relative to what it is in the end a part of.
struct Placement {
  format::BufferKind root = format::BufferKind::Arena; ///< never View
  uint32_t index = 0;                                  ///< weight, input or output; Init: the root buffer
  uint64_t offset = 0, bytes = 0;
};

/// Everything that depends on shapes and on no address. Immutable.
struct BoundPlan {
  std::vector<Shape> inputShapes, outputShapes;
  std::vector<uint64_t> inputBytes, outputBytes; ///< of the memory they lie in
  std::map<size_t, Strides> sharedStrides;       ///< of outputs in the memory of an input
  std::vector<int64_t> scalars;
  std::vector<Placement> buffers; ///< by buffer
  std::vector<uint64_t> sizes;    ///< by step: the grid, or the bytes of a copy
  uint64_t arenaBytes = 0;
  std::shared_ptr<const BucketPlan> bucket; ///< null for init steps
};

/// The plans of buckets that were bound before; the one last used comes first.
using BucketPlans = std::deque<std::shared_ptr<const BucketPlan>>;

/// The shapes do not fit: Code::Usage; a size leaves its type: Code::Limit; the
/// plan contradicts itself at these shapes: Code::Package. A plan of the shapes' bucket
/// is taken from `known` or made.
Result<BoundPlan> bindPlan(const format::Package &package, const format::Program &program,
                           const ParsedInterface &parsedInterface, const ParsedProgram &parsedProgram,
                           const std::vector<Shape> &inputs, const BucketPlans &known = {},
                           const std::vector<Strides> &strides = {});

/// The same for the init steps, which know no shapes: `sizes` is theirs, 0 where they are
/// not needed, Init buffers that are needed lie one after the other in `arenaBytes`, and
/// of the others only those that the init steps use are placed.
Result<BoundPlan> bindInitPlan(const format::Package &package, const format::Program &program,
                               const ParsedProgram &parsed, const InitNeeds &needs);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BOUNDPLAN_H
