//===- lib/Reference/Strings.h - the strings of an interpretation ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_REFERENCE_STRINGS_H
#define CUPOLA_LIB_REFERENCE_STRINGS_H

#include "lib/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace cupola::reference {

/// Texts and their numbers: those of the module's constants, then what inputs and ops bring. Only grows.
class Strings {
public:
  explicit Strings(mlir::ModuleOp module);

  int64_t numberOf(const std::string &text);
  /// Code::Usage where there is none of that number.
  Result<std::string> textOf(int64_t number) const;

private:
  std::map<std::string, int64_t> numbers;
  std::vector<std::string> texts;
};

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_STRINGS_H
