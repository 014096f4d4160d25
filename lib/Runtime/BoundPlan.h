//===- lib/Runtime/BoundPlan.h - A body at one set of symbol values ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BOUNDPLAN_H
#define CUPOLA_LIB_RUNTIME_BOUNDPLAN_H

#include "lib/Runtime/BoundInterface.h"
#include "lib/Runtime/Bucket.h"
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/LibraryCalls.h"
#include "lib/Runtime/TensorMaps.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace cupola::runtime {

/// Where a buffer lies, relative to what it is in the end a part of.
struct Placement {
  format::BufferKind root = format::BufferKind::Arena; ///< never View
  uint32_t index = 0; ///< weight, input, output or parameter; Init: the program's buffer; Growing: the buffer
  uint64_t offset = 0, bytes = 0;
  bool isOpen = false; ///< its size is known only in a body that it is handed to
};

/// Everything of a body that depends on symbols and on no address, but for the scalars of kernels (bindScalars).
/// Immutable.
struct BoundPlan {
  std::vector<int64_t> scalars;   ///< of init steps
  std::vector<Placement> buffers; ///< by buffer
  std::vector<Grid> sizes;        ///< by step: the grid; x alone: the bytes of a transfer; 1 of a control step
  std::vector<BoundMap> maps;     ///< in the order of the bindings table
  uint64_t arenaBytes = 0;
  std::shared_ptr<const BucketPlan> bucket; ///< null for init steps
};

/// The plans of buckets that were bound before; the one last used comes first.
using BucketPlans = std::deque<std::shared_ptr<const BucketPlan>>;

/// A body and what binding it needs besides symbol values.
struct BodyPlace {
  const format::Package &package;
  const format::Program &program;
  const ParsedProgram &parsedProgram;
  size_t position = 0; ///< as of lib/Runtime/Format/Bodies.h

  const format::Body &body() const { return format::bodyAt(program, position); }
  const ParsedBody &parsed() const { return position == 0 ? parsedProgram : parsedProgram.bodies[position - 1]; }
};

/// `interface` is that of the program itself; null: of another body, which has no inputs
/// and outputs. A size leaves its type: Code::Limit; the plan contradicts itself at these
/// values, or one that it uses is not there: Code::Package. A plan of the values' bucket is
/// taken from `known` or made.
Result<BoundPlan> bindBody(const BodyPlace &place, const BoundInterface *interface, const SymbolValues &values,
                           const BucketPlans &known = {});

/// The values of a body's scalars. In a loop they change with every iteration, where the plan mostly stays. Errors are
/// those of bindBody.
Result<std::vector<int64_t>> bindScalars(const BodyPlace &place, const SymbolValues &values);

/// Those of `values` that `symbols` names.
SymbolValues restricted(const SymbolValues &values, const std::set<std::string> &symbols);

/// The same for the init steps, which know no shapes: `sizes` is theirs, 0 where they are
/// not needed, Init buffers that are needed lie one after the other in `arenaBytes`, and
/// of the others only those that the init steps use are placed.
Result<BoundPlan> bindInitPlan(const format::Package &package, const format::Program &program,
                               const ParsedProgram &parsed, const InitNeeds &needs);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BOUNDPLAN_H
