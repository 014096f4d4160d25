//===- lib/Runtime/Tools/PinnedInputs.h - Values of inputs that are no more ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_PINNEDINPUTS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_PINNEDINPUTS_H

#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/Status.h"

#include <map>
#include <optional>
#include <string>

namespace cupola::runtime {

/// Input -> the numbers it was compiled for, as "16000" or "1,2,3".
using PinnedInputs = std::map<std::string, std::string>;

/// Takes the arrays NAME or in:NAME of pinned inputs away: files of inputs keep serving a model
/// that was compiled without some. Code::Usage where one has another value than it was compiled for.
Status takePinned(const PinnedInputs &pinned, std::vector<npz::Array> &arrays);

/// The elements of an array as `--set` has them; nothing where it has too many, or not of such a type.
std::optional<std::string> valueText(const npz::Array &array);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_PINNEDINPUTS_H
