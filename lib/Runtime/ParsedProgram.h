//===- lib/Runtime/ParsedProgram.h - A variant's program with its expressions read ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H
#define CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H

#include "lib/Planner/Expr.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cupola::runtime {

struct ParsedTensor {
  std::vector<Expr> dims;
  std::vector<Expr> storage; ///< of format::Tensor::storage, empty where that is
  std::vector<Expr> strides; ///< of a tensor with storage, in elements
};

struct ParsedCheck {
  Expr lhs, rhs;
};

/// Of package.symbols[symbol].
struct ParsedDefinition {
  size_t symbol;
  Expr value;
};

/// Zero where the text is empty.
struct ParsedBuffer {
  Expr bytes, offset;
};

struct ParsedMap {
  Expr offset;
  std::vector<Expr> extents, strides;
};

/// What a step has besides control.
struct ParsedStep {
  std::vector<Expr> sizes;     ///< the extents of a grid, or the bytes of a transfer; 1 of a control step
  std::vector<ParsedMap> maps; ///< of a launch
};

struct ParsedExtent {
  Expr initial, next;
};

/// What a control step evaluates while it runs; as Branch and Loop in Plan.h.
struct ParsedControl {
  std::vector<Expr> thenValues, elseValues;
  Expr limit;
  std::vector<ParsedExtent> extents;
};

struct ParsedBody {
  std::vector<Expr> scalars;
  std::vector<ParsedBuffer> buffers;
  std::vector<ParsedStep> steps;
  std::map<size_t, ParsedControl> controls; ///< by step
  std::vector<ParsedCheck> checks;
  /// What the buffers and the sizes of steps use; what these or the tensor maps use, for which a plan is made.
  std::set<std::string> sizeSymbols, planSymbols;
};

struct ParsedProgram : ParsedBody {
  std::vector<ParsedStep> init;
  std::vector<ParsedBody> bodies;
};

/// What all variants of a package share.
struct ParsedInterface {
  std::vector<ParsedTensor> inputs, outputs;
  std::vector<ParsedCheck> checks;
  std::vector<ParsedDefinition> definitions; ///< in the order of the symbols
};

/// Code::Package names the text that is no expression, or that uses a symbol
/// which the package does not declare, or a run symbol where none has a value yet.
Result<ParsedInterface> parseInterface(const format::Package &package);
Result<ParsedProgram> parseProgram(const format::Package &package, const format::Program &program);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H
