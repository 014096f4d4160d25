//===- lib/Compiler/ExplainPlan.h - the parts of a report that are about the plan ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_EXPLAINPLAN_H
#define CUPOLA_LIB_COMPILER_EXPLAINPLAN_H

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <nlohmann/json.hpp>

namespace cupola::compiler {

using Json = nlohmann::ordered_json;

/// An object of these members. Tens of thousands of steps are described so: nlohmann's own lists of
/// members take three times as long.
template <class... Members> Json objectOf(Members &&...members) {
  Json object = Json::object();
  auto &map = object.get_ref<Json::object_t &>();
  map.reserve(sizeof...(members));
  (map.push_back(std::forward<Members>(members)), ...);
  return object;
}
using Member = Json::object_t::value_type;

/// What one run does, in order: kernels and copies, with the buffers they touch, and on how many threads at most
/// the runtime takes a library's form of a step. Steps of bodies follow those of the program, with their body's
/// number; `enters` says which steps run them.
Json stepsOf(const format::Variant &variant, const std::vector<format::Node> &nodes);

/// Kind and size of every buffer, in the order of the bodies. `main` is the function of the program.
Json buffersOf(const format::Program &program, mlir::func::FuncOp main);

/// Bytes as a number where the plan is static, else null.
Json memoryOf(const format::Program &program, const WeightTable &weights);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_EXPLAINPLAN_H
