//===- lib/Runtime/Tools/Report.h - What is said about a model, a package or a run ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_REPORT_H
#define CUPOLA_LIB_RUNTIME_TOOLS_REPORT_H

#include <string>

namespace cupola::runtime {

struct Report {
  std::string text; ///< for people: lines, each with its end
  std::string json; ///< for programs (docs/schemas.md); UTF-8, whatever the model's names are
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_REPORT_H
