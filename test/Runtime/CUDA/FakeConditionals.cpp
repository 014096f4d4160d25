//===- test/Runtime/CUDA/FakeConditionals.cpp - the fake driver's conditional nodes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeCalls.h"

#include <algorithm>
#include <limits>

namespace cupola::runtime::cuda {

void FakeCalls::run(const Graph &graph) {
  if (!graph.isWhole)
    self().violation("a conditional node whose body is not whole");
  if (graph.work.empty())
    self().violation("a conditional node with an empty body, at which drivers hang");
  for (const FakeDriver::Work &work : graph.work)
    work();
}

/// handle; addresses of flag, trip count, iterations, raised flag; limit; bits (1: negated, 2: an iteration has ended)
FakeKernelRow FakeCalls::decideRow() {
  const auto decide = [](const CuLaunchConfig &, void *const *values) {
    const auto word = [&](int i) { return *static_cast<const uint64_t *>(values[i]); };
    const auto bits = *static_cast<const uint32_t *>(values[6]);
    int64_t done = 0;
    if (auto *count = reinterpret_cast<int64_t *>(word(3)))
      done = *count = bits & 2 ? *count + 1 : 0;
    bool go = done < int64_t(word(5));
    if (const auto *flag = reinterpret_cast<const uint8_t *>(word(1)))
      go &= (*flag != 0) != bool(bits & 1);
    if (const auto *trip = reinterpret_cast<const int64_t *>(word(2)))
      go &= done < *trip;
    if (const auto *raised = reinterpret_cast<const uint32_t *>(word(4)))
      go &= *raised == 0;
    const auto found = self().conditions.find(word(0));
    if (found == self().conditions.end())
      self().violation("cudaGraphSetConditional of a handle that does not exist");
    else
      *found->second = go;
  };
  return {decide, {8, 8, 8, 8, 8, 8, 4}};
}

void FakeCalls::fillConditionals(DriverApi &api) {
  api.streamGetCaptureInfo = [](CuStream handle, CuCaptureStatus *status, unsigned long long *, CuGraph *graph,
                                const CuGraphNode **dependencies, const CuGraphEdge **edges, size_t *count) {
    const CuResult code = self().enter("cuStreamGetCaptureInfo");
    const auto *stream = reinterpret_cast<Stream *>(handle);
    if (code != cuSuccess || !exists(self().streams, handle, "cuStreamGetCaptureInfo"))
      return code == cuSuccess ? CuResult(400) : code;
    *status = stream->capture ? cuCaptureActive : CuCaptureStatus(0);
    if (!stream->capture)
      return code;
    *graph = reinterpret_cast<CuGraph>(stream->capture);
    stream->capture->last = reinterpret_cast<CuGraphNode>(stream->follows);
    if (dependencies)
      *dependencies = &stream->capture->last;
    if (edges)
      *edges = nullptr;
    if (count)
      *count = stream->follows > 0;
    return code;
  };
  api.streamUpdateCaptureDependencies = [](CuStream handle, CuGraphNode *nodes, const CuGraphEdge *, size_t count,
                                           unsigned flags) {
    const CuResult code = self().enter("cuStreamUpdateCaptureDependencies");
    auto *stream = reinterpret_cast<Stream *>(handle);
    if (count != 1 || flags != cuSetCaptureDependencies || !stream->capture)
      self().violation("cuStreamUpdateCaptureDependencies with other than the one node");
    else
      stream->follows = reinterpret_cast<size_t>(nodes[0]);
    return code;
  };
  api.streamBeginCaptureToGraph = [](CuStream handle, CuGraph graph, const CuGraphNode *, const CuGraphEdge *,
                                     size_t count, CuCaptureMode) {
    const CuResult code = self().enter("cuStreamBeginCaptureToGraph");
    auto *stream = reinterpret_cast<Stream *>(handle);
    if (!exists(self().streams, handle, "cuStreamBeginCaptureToGraph") || stream->capture || count != 0)
      self().violation("cuStreamBeginCaptureToGraph on a stream that captures");
    else if (code == cuSuccess) {
      stream->capture = reinterpret_cast<Graph *>(graph);
      stream->follows = 0;
    }
    return code;
  };
  api.graphConditionalHandleCreate = [](CuConditionalHandle *handle, CuGraph graph, CuContext, unsigned value,
                                        unsigned flags) {
    const CuResult code = self().enter("cuGraphConditionalHandleCreate");
    if (value != 0 || flags != cuConditionAssignDefault)
      self().violation("cuGraphConditionalHandleCreate of a value that stays from launch to launch");
    if (code != cuSuccess)
      return code;
    auto made = std::make_shared<unsigned>(std::numeric_limits<unsigned>::max());
    *handle = self().conditions.size() + 1;
    self().conditions[*handle] = made;
    auto *place = reinterpret_cast<Graph *>(graph);
    place->handles.insert(*handle);
    for (; place; place = place->parent)
      place->values.push_back(made);
    return code;
  };
  api.graphAddNode = [](CuGraphNode *node, CuGraph handle, const CuGraphNode *dependencies, const CuGraphEdge *,
                        size_t count, CuConditionalParams *wanted) {
    const CuResult code = self().enter("cuGraphAddNode");
    if (code != cuSuccess)
      return code;
    auto *graph = reinterpret_cast<Graph *>(handle);
    const size_t before = count == 1 ? reinterpret_cast<size_t>(dependencies[0]) : 0;
    const auto &fields = wanted->conditional;
    if (wanted->type != cuNodeConditional || fields.size != 1 || before != graph->work.size() ||
        graph->handles.count(fields.handle) == 0)
      self().violation("cuGraphAddNode of a conditional node that is not behind what decides about it");
    const auto body = self().nodeBodies.emplace_back(std::make_shared<Graph>());
    body->parent = graph;
    body->isWhole = false;
    body->self = reinterpret_cast<CuGraph>(body.get());
    wanted->conditional.bodies = &body->self;
    const bool repeats = fields.type == cuConditionalWhile;
    graph->work.push_back([value = self().conditions[fields.handle], body, repeats] {
      for (bool isFirst = true; *value && (repeats || isFirst); isFirst = false)
        run(*body);
    });
    *node = reinterpret_cast<CuGraphNode>(graph->work.size());
    return code;
  };
}

} // namespace cupola::runtime::cuda
