//===- lib/Runtime/Format/Bodies.h - The bodies of a program and their steps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Position 0 is the program itself, position 1 + i its body i; steps are numbered
// through in this order (Plan.h).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_BODIES_H
#define CUPOLA_LIB_RUNTIME_FORMAT_BODIES_H

#include "lib/Runtime/Format/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace cupola::format {

inline size_t bodyCount(const Program &program) { return 1 + program.bodies.size(); }
inline const Body &bodyAt(const Program &program, size_t position) {
  return position == 0 ? static_cast<const Body &>(program) : program.bodies[position - 1];
}

/// Calls visit(body, step, number) for every step of every body.
template <typename Visit> void forEachStep(const Program &program, Visit visit) {
  uint32_t number = 0;
  for (size_t position = 0; position < bodyCount(program); ++position)
    for (const Step &step : bodyAt(program, position).steps)
      visit(bodyAt(program, position), step, number++);
}

/// How many steps all bodies have.
size_t stepCount(const Program &program);
/// The step of that number; null: there is none.
const Step *stepAt(const Program &program, uint32_t number);

/// The size of counters, at most 1 MB; none of another text.
std::optional<uint64_t> countersBytes(const Buffer &buffer);

/// How many tensor maps all launches have.
size_t mapCount(const std::vector<Step> &steps);

/// What a launch has besides blocks along x: "grid ceildiv(s0, 64) * 8, clusters of 2, programmatic, 1 tensor map";
/// empty: nothing. `grid`: its extents, as numbers or Exprs.
std::string launchText(const Kernel &kernel, const Launch &launch, const std::vector<std::string> &grid);

/// The bodies that a control step enters.
std::vector<uint32_t> bodiesOf(const Step &step);

/// What a control step hands over to its bodies, in the order of their parameters. Of a loop, the first iteration's.
std::vector<Touched> handedOver(const Step &step);

/// All buffers that a step of `program` reads or lets others read, and those that it writes; one that it does
/// both with twice. Of a loop as handedOver, with the trip count and the condition.
std::vector<Touched> touchedBy(const Program &program, const Step &step);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_BODIES_H
