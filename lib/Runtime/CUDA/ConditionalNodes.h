//===- lib/Runtime/CUDA/ConditionalNodes.h - branches and loops of a CUDA graph that is being recorded ---===//
// SPDX-License-Identifier: Apache-2.0
//
// kernel that sets the handle -> conditional node { .., kernel that sets it again }
// A body is captured on a stream of its own, to the graph that the driver made for it. CUDA Programming Guide,
// "Conditional Graph Nodes".
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CONDITIONALNODES_H
#define CUPOLA_LIB_RUNTIME_CUDA_CONDITIONALNODES_H

#include "lib/Runtime/CUDA/CudaContext.h"
#include "lib/Runtime/Device.h"

#include <memory>
#include <vector>

namespace cupola::runtime::cuda {

/// Of one stream, and of the graphs that were recorded on it, which launch the kernel. The context is current in every
/// call.
class ConditionalNodes {
public:
  /// Loads the kernel. Code::Unsupported where the driver knows no such nodes.
  static Result<std::shared_ptr<ConditionalNodes>> create(std::shared_ptr<CudaContext> context);
  ~ConditionalNodes();

  /// Streams for nodes in nodes. Not while something is captured.
  Status makeRoom(size_t depth);
  /// As of runtime::Stream. `outer` captures, and is left alone until the node is closed.
  Status begin(CuStream outer, const Condition &condition, bool repeats);
  Status end(const Condition &again);
  /// Ends what is still open, after an error.
  void abandon();

  bool isOpen() const { return !open.empty(); }
  /// Captures the innermost body.
  CuStream body() const { return bodies[open.size() - 1]; }

private:
  struct Node {
    CuConditionalHandle handle = 0;
    bool repeats = false;
  };

  explicit ConditionalNodes(std::shared_ptr<CudaContext> context) : context(std::move(context)) {}
  /// What a stream captures to, and the nodes that the next one follows, which are the driver's until it captures more.
  struct Capture {
    CuGraph graph = nullptr;
    const CuGraphNode *dependencies = nullptr;
    const CuGraphEdge *edges = nullptr;
    size_t count = 0;
  };
  Result<Capture> captureOf(CuStream stream);
  Status decide(CuStream stream, const Node &node, const Condition &condition, bool again);
  Result<CuGraph> addNode(CuStream outer, const Node &node);
  Status endBody(const Node &node, const Condition &again);

  std::shared_ptr<CudaContext> context;
  CuLibrary library = nullptr;
  CuFunction kernel = nullptr;
  std::vector<CuStream> bodies; ///< by depth
  std::vector<Node> open;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CONDITIONALNODES_H
