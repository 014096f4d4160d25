//===- lib/Runtime/Text.h - Model strings in messages ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TEXT_H
#define CUPOLA_LIB_RUNTIME_TEXT_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace cupola::runtime {

/// The name as printable ASCII; control characters, quotes and bytes outside ASCII
/// as \xNN, so that a model cannot steer a terminal. Cut after 120 characters.
std::string printable(std::string_view name);
/// printable(name) in single quotes.
std::string quote(std::string_view name);

/// "node 'a' (Gather)", or "nodes 'a' (Gather), 'b' (Add)"; at most four.
std::string nodeList(const std::vector<format::Node> &all, const std::vector<uint32_t> &nodes);
inline std::string nodeList(const format::Package &package, const std::vector<uint32_t> &nodes) {
  return nodeList(package.nodes, nodes);
}
/// The same of a step; "step 7" of one without nodes.
std::string stepText(const format::Package &package, const format::Step &step, size_t number);

/// `status` with the nodes, before its text, of each kernel of `program` that it names.
Status withKernelNodes(const Status &status, const std::vector<format::Node> &nodes, const format::Program &program);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TEXT_H
