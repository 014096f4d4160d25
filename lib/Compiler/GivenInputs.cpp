//===- lib/Compiler/GivenInputs.cpp - what a run tells of inputs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Compilation.h"
#include "lib/Runtime/Tools/PinnedInputs.h"

namespace cupola::compiler {

std::vector<GivenInput> givenInputs(const std::vector<npz::Array> &arrays) {
  std::vector<GivenInput> inputs;
  for (const npz::Array &array : arrays)
    if (array.name.compare(0, 4, "out:") != 0)
      inputs.push_back({array.name.compare(0, 3, "in:") == 0 ? array.name.substr(3) : array.name, array.shape,
                        runtime::valueText(array)});
  return inputs;
}

} // namespace cupola::compiler
