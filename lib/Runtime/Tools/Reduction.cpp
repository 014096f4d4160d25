//===- lib/Runtime/Tools/Reduction.cpp - Few nodes that still fail ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Reduction.h"

namespace cupola::runtime {

namespace {

using Nodes = std::vector<uint32_t>;

/// The least `count` of `1 .. most` that fails, if more fails whenever less does; `most` does.
Result<size_t> leastThatFails(size_t most, const std::function<Result<bool>(size_t)> &fails) {
  size_t passed = 0;
  while (most - passed > 1) {
    const size_t middle = passed + (most - passed) / 2;
    CUPOLA_ASSIGN(const bool isEnough, fails(middle));
    (isEnough ? most : passed) = middle;
  }
  return most;
}

Nodes firstOf(const Nodes &nodes, size_t count) { return Nodes(nodes.begin(), nodes.begin() + ptrdiff_t(count)); }
Nodes lastOf(const Nodes &nodes, size_t count) { return Nodes(nodes.end() - ptrdiff_t(count), nodes.end()); }

Nodes without(const Nodes &nodes, size_t begin, size_t count) {
  Nodes rest = firstOf(nodes, begin);
  rest.insert(rest.end(), nodes.begin() + ptrdiff_t(std::min(begin + count, nodes.size())), nodes.end());
  return rest;
}

/// Leaves out pieces of `size` where what is left fails; whether there were any.
Result<bool> dropPieces(Nodes &nodes, size_t size, const PartFails &fails) {
  bool isSmaller = false;
  for (size_t begin = 0; begin < nodes.size() && nodes.size() > size;) {
    Nodes rest = without(nodes, begin, size);
    CUPOLA_ASSIGN(const bool isEnough, fails(rest));
    isSmaller |= isEnough;
    if (isEnough)
      nodes = std::move(rest);
    else
      begin += size;
  }
  return isSmaller;
}

} // namespace

Result<Nodes> reduceNodes(Nodes nodes, const PartFails &fails) {
  CUPOLA_ASSIGN(const size_t end, leastThatFails(nodes.size(), [&](size_t n) { return fails(firstOf(nodes, n)); }));
  nodes.resize(end);
  CUPOLA_ASSIGN(const size_t rest, leastThatFails(nodes.size(), [&](size_t n) { return fails(lastOf(nodes, n)); }));
  nodes = lastOf(nodes, rest);
  for (size_t size = (nodes.size() + 1) / 2; size > 1; size = (size + 1) / 2)
    CUPOLA_TRY(dropPieces(nodes, size, fails).status());
  for (bool isSmaller = true; isSmaller;) {
    CUPOLA_ASSIGN(isSmaller, dropPieces(nodes, 1, fails));
  }
  return nodes;
}

} // namespace cupola::runtime
