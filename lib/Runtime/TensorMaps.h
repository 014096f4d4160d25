//===- lib/Runtime/TensorMaps.h - Tensor maps at symbol values, then at addresses ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TENSORMAPS_H
#define CUPOLA_LIB_RUNTIME_TENSORMAPS_H

#include "lib/Runtime/Device.h"
#include "lib/Runtime/ParsedProgram.h"
#include "lib/Runtime/ShapeBinding.h"

#include <functional>
#include <string>
#include <vector>

namespace cupola::runtime {

class Bindings;
struct BoundPlan;
struct BufferValue;

/// A tensor map of a launch.
struct BoundMap {
  uint32_t step = 0;    ///< in its list of steps
  uint32_t buffer = 0;  ///< of the body
  uint64_t offset = 0;  ///< bytes from the buffer's start
  TensorMapValue value; ///< without the address
  bool needed = true;   ///< false: the step does not run, and its buffers have no place
};

/// Adds those of `steps` to `plan`, whose buffers are bound. `needed[i]`: whether step i runs. Code::Package: one
/// reaches beyond its buffer; Code::Limit: a number leaves its type.
Status bindMaps(const std::vector<format::Step> &steps, const std::vector<ParsedStep> &parsed,
                const std::vector<bool> &needed, const SymbolValues &values, BoundPlan &plan);

/// Puts them into the table of `bindings`, with the addresses of `buffers`. `stepName`: for errors, of a step by its
/// position.
Status encodeMaps(Device &device, const std::vector<BoundMap> &maps, const std::vector<BufferValue> &buffers,
                  Bindings &bindings, const std::function<std::string(uint32_t)> &stepName);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TENSORMAPS_H
