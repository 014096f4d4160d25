//===- lib/Target/Target.cpp - the table of targets ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/Target.h"

namespace cupola {

namespace cuda {
const Target &target();
} // namespace cuda
namespace cpu {
const Target &target();
} // namespace cpu

llvm::ArrayRef<const Target *> targets() {
  static const Target *const table[] = {&cuda::target(), &cpu::target()};
  return table;
}

const Target *findTarget(llvm::StringRef name) {
  const auto *found = llvm::find_if(targets(), [&](const Target *target) { return target->name() == name; });
  return found == targets().end() ? nullptr : *found;
}

} // namespace cupola
