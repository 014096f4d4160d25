//===- test/Pipelines/LooseAttributes.h - that all attributes are declared and typed ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What a pass tells a later one is a declared attribute, and of a type: no op has a
// discardable attribute, and no attribute holds a string or a dictionary but those of a
// closed list (LooseAttributes.cpp).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_TEST_PIPELINES_LOOSEATTRIBUTES_H
#define CUPOLA_TEST_PIPELINES_LOOSEATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace cupola::test {

/// Looks at one module after each of many passes; it remembers what it has seen through.
class LooseAttributes {
public:
  /// The first thing that is wrong in `module`: "after PASS: OP has the ..". Empty: nothing.
  std::string find(llvm::StringRef pass, mlir::ModuleOp module);

private:
  void lookAt(mlir::Operation *op);
  void lookInto(mlir::Attribute attr, const std::string &path);
  void lookInto(mlir::Type type, const std::string &path);
  void complain(const std::string &what);

  mlir::Operation *current = nullptr; ///< the op that is looked at
  std::string complaint;
  unsigned texts = 0;                    ///< strings and dictionaries met
  llvm::DenseSet<const void *> textless; ///< attributes and types that hold none
};

} // namespace cupola::test

#endif // CUPOLA_TEST_PIPELINES_LOOSEATTRIBUTES_H
