//===- lib/Runtime/ParsedProgram.h - A variant's program with its expressions read ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H
#define CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H

#include "lib/Planner/Expr.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

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

struct ParsedBuffer {
  Expr bytes, offset;
};

/// `init` and `steps` hold the size of each step: a grid, or the bytes of a copy.
struct ParsedProgram {
  std::vector<Expr> scalars;
  std::vector<ParsedBuffer> buffers;
  std::vector<Expr> init, steps;
};

/// What all variants of a package share.
struct ParsedInterface {
  std::vector<ParsedTensor> inputs, outputs;
  std::vector<ParsedCheck> checks;
};

/// Code::Package names the text that is no expression, or that uses a symbol
/// which the package does not declare.
Result<ParsedInterface> parseInterface(const format::Package &package);
Result<ParsedProgram> parseProgram(const format::Package &package, const format::Program &program);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_PARSEDPROGRAM_H
