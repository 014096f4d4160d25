//===- lib/Compiler/CheckReport.h - what keeps a model from being compiled, counted ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_CHECKREPORT_H
#define CUPOLA_LIB_COMPILER_CHECKREPORT_H

#include "lib/Compiler/Compilation.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::compiler {

/// Schema "cupola.check/2". The text says that there is no problem or counts several by op and reason; it is empty of
/// one, whose own text says all. `model` stands for the model in it.
runtime::Report checkReport(const std::string &model, const std::vector<Problem> &problems);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_CHECKREPORT_H
