//===- lib/Runtime/Tools/Inspection.h - What a package holds ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_INSPECTION_H
#define CUPOLA_LIB_RUNTIME_TOOLS_INSPECTION_H

#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/Tools/Report.h"

namespace cupola::runtime {

/// Schema "cupola.inspect/1". `name` stands for the package in the text: the path of its file.
Report inspectPackage(const format::PackageFile &file, const std::string &name);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_INSPECTION_H
