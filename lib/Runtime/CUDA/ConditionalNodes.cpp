//===- lib/Runtime/CUDA/ConditionalNodes.cpp - branches and loops of a CUDA graph that is being recorded ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/ConditionalNodes.h"
#include "lib/Runtime/CUDA/DecideKernel.h"

namespace cupola::runtime::cuda {

Result<std::shared_ptr<ConditionalNodes>> ConditionalNodes::create(std::shared_ptr<CudaContext> contextOf) {
  std::shared_ptr<ConditionalNodes> self(new ConditionalNodes(std::move(contextOf)));
  CudaContext &context = *self->context;
  if (!context.owner().hasConditionals())
    return Status::unsupported("graphs have no conditional nodes before CUDA " + versionText(conditionalDriverVersion));
  const DriverApi &api = context.api();
  CuKernel found = nullptr;
  CUPOLA_TRY(context.check(api.libraryLoadData(&self->library, decideKernel, nullptr, nullptr, 0, nullptr, nullptr, 0),
                           "loading the kernel that decides"));
  CUPOLA_TRY(
      context.check(api.libraryGetKernel(&found, self->library, decideKernelName), "finding the kernel that decides"));
  CUPOLA_TRY(context.check(api.kernelGetFunction(&self->kernel, found), "loading the kernel that decides"));
  return self;
}

ConditionalNodes::~ConditionalNodes() {
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return;
  for (CuStream stream : bodies)
    context->api().streamDestroy(stream);
  if (library)
    context->api().libraryUnload(library);
}

Status ConditionalNodes::makeRoom(size_t depth) {
  while (bodies.size() < depth) {
    CuStream made = nullptr;
    CUPOLA_TRY(context->check(context->api().streamCreate(&made, cuStreamNonBlocking), "making a stream"));
    bodies.push_back(made);
  }
  return {};
}

//===--- Nodes ---===//

Result<ConditionalNodes::Capture> ConditionalNodes::captureOf(CuStream stream) {
  Capture found;
  CuCaptureStatus status = {};
  CUPOLA_TRY(context->check(context->api().streamGetCaptureInfo(stream, &status, nullptr, &found.graph,
                                                                &found.dependencies, &found.edges, &found.count),
                            "finding what a conditional node follows"));
  if (status != cuCaptureActive)
    return Status::environment("the driver has given up recording a CUDA graph");
  return found;
}

Status ConditionalNodes::begin(CuStream outer, const Condition &condition, bool repeats) {
  if (open.size() == bodies.size())
    return Status::usage("conditionals are nested deeper than was said");
  const DriverApi &api = context->api();
  CUPOLA_ASSIGN(const Capture capture, captureOf(outer));
  Node node;
  node.repeats = repeats;
  CUPOLA_TRY(context->check(api.graphConditionalHandleCreate(&node.handle, capture.graph, context->handle(),
                                                             /*value=*/0, cuConditionAssignDefault),
                            "making a condition"));
  CUPOLA_TRY(decide(outer, node, condition, /*again=*/false));
  CUPOLA_ASSIGN(const CuGraph body, addNode(outer, node));
  CUPOLA_TRY(context->check(
      api.streamBeginCaptureToGraph(bodies[open.size()], body, nullptr, nullptr, 0, cuCaptureThreadLocal),
      "beginning the body of a conditional node"));
  open.push_back(node);
  return {};
}

/// Behind all that `outer` has recorded, and before all that it will. Returns the body, which is the node's.
Result<CuGraph> ConditionalNodes::addNode(CuStream outer, const Node &node) {
  const DriverApi &api = context->api();
  CUPOLA_ASSIGN(const Capture capture, captureOf(outer));
  CuConditionalParams wanted = {};
  wanted.type = cuNodeConditional;
  wanted.conditional.handle = node.handle;
  wanted.conditional.type = node.repeats ? cuConditionalWhile : cuConditionalIf;
  wanted.conditional.size = 1;
  wanted.conditional.context = context->handle();
  CuGraphNode added = nullptr;
  CUPOLA_TRY(context->check(
      api.graphAddNode(&added, capture.graph, capture.dependencies, capture.edges, capture.count, &wanted),
      "adding a conditional node"));
  CUPOLA_TRY(context->check(api.streamUpdateCaptureDependencies(outer, &added, nullptr, 1, cuSetCaptureDependencies),
                            "going on behind a conditional node"));
  return wanted.conditional.bodies[0];
}

Status ConditionalNodes::decide(CuStream stream, const Node &node, const Condition &condition, bool again) {
  unsigned bits = (condition.negated ? decideNegated : 0) | (again ? decideAgain : 0);
  const void *parameters[] = {
      &node.handle, &condition.flag, &condition.trip, &condition.count, &condition.raised, &condition.limit, &bits};
  CuLaunchConfig config = {};
  config.gridX = config.gridY = config.gridZ = 1;
  config.blockX = config.blockY = config.blockZ = 1;
  config.stream = stream;
  return context->check(context->api().launchKernelEx(&config, kernel, const_cast<void **>(parameters), nullptr),
                        "launching the kernel that decides");
}

/// A loop decides again. So does a branch in which nothing happens: drivers before 12.8 hang at an empty body.
Status ConditionalNodes::endBody(const Node &node, const Condition &again) {
  CUPOLA_ASSIGN(const Capture capture, captureOf(body()));
  return node.repeats || capture.count == 0 ? decide(body(), node, again, /*again=*/true) : Status();
}

Status ConditionalNodes::end(const Condition &again) {
  if (open.empty())
    return Status::usage("no conditional is open");
  const Status decided = endBody(open.back(), again);
  CuGraph graph = nullptr;                                                // the body's, which belongs to the node
  const CuResult ended = context->api().streamEndCapture(body(), &graph); // in any case: else it stays in capture
  open.pop_back();
  CUPOLA_TRY(decided);
  return context->check(ended, "ending the body of a conditional node");
}

void ConditionalNodes::abandon() {
  for (; isOpen(); open.pop_back()) {
    CuGraph graph = nullptr;
    (void)context->api().streamEndCapture(body(), &graph);
  }
}

} // namespace cupola::runtime::cuda
