//===- lib/Runtime/CUDA/CublasLtCalls.cpp - products by cuBLASLt on one GPU ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CublasLtCalls.h"

#include "lib/Runtime/Format/Plan.h"

#include <cstring>

namespace cupola::runtime::cuda {

using format::PostOpKind;

//===--- A GPU ---===//

Result<std::shared_ptr<CublasLtDevice>> CublasLtDevice::create(std::shared_ptr<CudaContext> context,
                                                               std::shared_ptr<const CublasLt> library,
                                                               std::shared_ptr<ByteCache> cache, std::string gpu) {
  std::shared_ptr<CublasLtDevice> made(new CublasLtDevice);
  made->context = std::move(context);
  made->owner = std::move(library);
  made->cache = std::move(cache);
  made->gpu = std::move(gpu);
  CUPOLA_TRY(made->owner->check(made->owner->api().create(&made->blas), "use this GPU"));
  return made;
}

CublasLtDevice::~CublasLtDevice() {
  const ContextScope scope(*context);
  if (blas && scope.mayRelease())
    owner->api().destroy(blas);
}

//===--- Algorithms ---===//

/// Changes with the form of an entry, and with what the heuristic is asked for.
static constexpr uint64_t entryVersion = 1;

/// What is kept of a choice.
struct Entry {
  BlasAlgorithm algorithm;
  uint64_t workspace;
};

std::optional<BlasChoice> CublasLtDevice::fromCache(const CublasLtProblem &problem, const CacheKey &key) const {
  const std::optional<std::string> bytes = cache->get(key);
  Entry entry;
  if (!bytes || bytes->size() != sizeof(entry))
    return std::nullopt;
  std::memcpy(&entry, bytes->data(), sizeof(entry));
  BlasChoice choice = {};
  const BlasStatus code = owner->api().checkAlgorithm(blas, problem.product(), problem.weights(), problem.source(),
                                                      problem.result(), problem.result(), &entry.algorithm, &choice);
  if (code != blasSuccess || choice.workspace > problem.workspace())
    return std::nullopt;
  choice.algorithm = entry.algorithm;
  return choice;
}

namespace {

struct Preference {
  BlasPreferenceAttribute attribute;
  const void *value;
  size_t bytes;
};

} // namespace

/// Asked for what our kernels do, too: sums are f32 until they are rounded to the result's type, and f32 elements are
/// multiplied as such, whatever the environment says.
Result<BlasChoice> CublasLtDevice::askHeuristic(const CublasLtProblem &problem) const {
  const CublasLtApi &api = owner->api();
  const uint64_t workspace = problem.workspace();
  const uint32_t alignment = format::kTensorAlignment;
  const uint64_t excluded = blasAccumulates16 | blasReadsTf32 | (problem.isNarrow() ? 0 : blasTensorOps);
  const uint64_t implementations = ~excluded;
  const Preference preferences[] = {{blasMaxWorkspace, &workspace, sizeof(workspace)},
                                    {blasReductions, &blasReduceInComputeType, sizeof(blasReduceInComputeType)},
                                    {blasAlignmentA, &alignment, sizeof(alignment)},
                                    {blasAlignmentB, &alignment, sizeof(alignment)},
                                    {blasAlignmentC, &alignment, sizeof(alignment)},
                                    {blasAlignmentD, &alignment, sizeof(alignment)},
                                    {blasImplementations, &implementations, sizeof(implementations)}};
  BlasPreference made = nullptr;
  CUPOLA_TRY(owner->check(api.createPreference(&made), "say what is preferred"));
  const BlasOwned<BlasPreference> preference(made, api.destroyPreference);
  for (const Preference &row : preferences)
    CUPOLA_TRY(owner->check(api.setPreference(made, row.attribute, row.value, row.bytes), "say what is preferred"));
  BlasChoice choice = {};
  int found = 0;
  const BlasStatus code = api.getHeuristic(blas, problem.product(), problem.weights(), problem.source(),
                                           problem.result(), problem.result(), made, 1, &choice, &found);
  if (code == blasNotSupported || (code == blasSuccess && (found == 0 || choice.state != blasSuccess)))
    return Status::unsupported(owner->name() + " has no algorithm for " + problem.text());
  CUPOLA_TRY(owner->check(code, "choose an algorithm for " + problem.text()));
  return choice;
}

Result<BlasChoice> CublasLtDevice::choose(const CublasLtProblem &problem) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto known = choices.find(problem.text()); known != choices.end())
    return known->second;
  CacheKey key("cublaslt");
  key.add(entryVersion).add(owner->name()).add(gpu).add(uint64_t(context->owner().version())).add(problem.text());
  std::optional<BlasChoice> kept = fromCache(problem, key);
  if (!kept) {
    CUPOLA_ASSIGN(BlasChoice found, askHeuristic(problem));
    const Entry entry{found.algorithm, found.workspace};
    cache->put(key, {reinterpret_cast<const char *>(&entry), sizeof(entry)});
    kept = found;
  }
  return choices.emplace(problem.text(), *kept).first->second;
}

//===--- A call ---===//

Result<std::unique_ptr<Function>> CublasLtCall::create(std::shared_ptr<CublasLtDevice> device,
                                                       const format::LibraryCall &call, LaunchCounters &counters) {
  std::unique_ptr<CublasLtCall> made(new CublasLtCall);
  CUPOLA_ASSIGN(std::unique_ptr<CublasLtProblem> problem, CublasLtProblem::create(device->library(), call));
  CUPOLA_ASSIGN(BlasChoice choice, device->choose(*problem));
  made->device = std::move(device);
  made->problem = std::move(problem);
  made->choice = choice;
  size_t operand = 2; // behind source and weights
  for (const format::PostOp &op : call.postOps)
    if (format::hasOperand(op.kind))
      (op.kind == PostOpKind::AddChannel ? made->vector : made->tensor) = operand++;
  made->result = operand;
  const CublasLt &library = made->problem->owner();
  int32_t id = 0;
  size_t written = 0;
  CUPOLA_TRY(
      library.check(library.api().getAlgorithm(&made->choice.algorithm, blasAlgorithmId, &id, sizeof(id), &written),
                    "name its algorithm"));
  made->title = library.name() + " algorithm " + std::to_string(id);
  made->counter = &counters.of(made->title);
  return std::unique_ptr<Function>(std::move(made));
}

Status CublasLtCall::queue(const LaunchArguments &arguments, CuStream stream, LaunchRoom &) {
  const auto address = [&](size_t buffer) { return reinterpret_cast<void *>(arguments.addresses[buffer]); };
  const CublasLtApi &api = problem->owner().api();
  const float one = 1, zero = 0;
  const std::lock_guard<std::mutex> lock(mutex);
  BlasStatus code = blasSuccess;
  if (vector) {
    const void *const bias = address(*vector);
    code = api.setProduct(problem->product(), blasBiasPointer, &bias, sizeof(bias));
  }
  if (code == blasSuccess)
    code = api.multiply(device->handle(), problem->product(), &one, address(1), problem->weights(), address(0),
                        problem->source(), tensor ? &one : &zero, address(tensor.value_or(result)), problem->result(),
                        address(result), problem->result(), &choice.algorithm,
                        problem->workspace() ? address(result + 1) : nullptr, problem->workspace(), stream);
  if (code == blasSuccess) // a text for each launch would cost more than queueing it
    return {};
  return problem->owner().check(code, "compute " + problem->text() + " at step " + std::to_string(arguments.step));
}

} // namespace cupola::runtime::cuda
