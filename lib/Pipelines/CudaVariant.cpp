//===- lib/Pipelines/CudaVariant.cpp - CUDA text and cubins of a variant ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/PassErrors.h"
#include "lib/Pipelines/Variant.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Text.h"
#include "lib/Target/CUDA/CudaTarget.h"

#include <atomic>
#include <mutex>

using namespace mlir;

namespace cupola {

Status buildCudaKernels(ModuleOp module, const VariantSpec &spec, TargetKernels &kernels, BuiltVariant &built) {
  const cuda::CudaTargetInfo *target = cuda::cudaTarget(spec.arch);
  if (!target)
    return Status::usage("unknown CUDA architecture '" + spec.arch + "'");
  const PassErrors errors(module.getContext());
  if (failed(cuda::prepareCudaKernels(module, *target)))
    return errors.status("the kernels have no schedules on " + spec.arch);
  std::vector<cuda::CudaKernel> emitted; // distinct by text, and so by name
  std::map<std::string, size_t> places;  // kernel name -> where in `emitted`
  struct Use {
    std::string func;
    size_t place;
    Expr grid;
  };
  std::vector<Use> uses;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    FailureOr<cuda::CudaKernel> kernel = cuda::emitCudaKernel(func, *target);
    if (failed(kernel))
      return errors.status(nodesText(func.getLoc()) + ": a kernel of kind '" +
                           graph::stringifyKernelKind(func.getKind()).str() + "' has no CUDA form on " + spec.arch);
    auto [place, isNew] = places.emplace(kernel->record.name, emitted.size());
    uses.push_back({func.getSymName().str(), place->second, kernel->grid});
    if (isNew)
      emitted.push_back(std::move(*kernel));
  }
  built.variant.sources = cuda::packSources(emitted);
  for (const Use &use : uses)
    kernels[use.func] = {emitted[use.place].record, use.grid};
  return {};
}

namespace {

/// One source for one architecture.
struct CubinJob {
  const std::string &arch;
  size_t source;
  std::optional<Result<runtime::cuda::CudaBinary>> binary = {}; ///< none: left out, for one before it failed
};

Result<runtime::cuda::CudaBinary> compileOne(const CubinJob &job, const format::Source &source,
                                             VariantContext &context) {
  runtime::cuda::NvrtcRequest request;
  request.name = source.name;
  request.source = source.text;
  request.arch = job.arch;
  for (const auto &header : runtime::cuda::deviceHeaders())
    request.headers.push_back({std::string(header.name), header.text});
  return context.nvrtc->compile(request);
}

/// Several at a time. Those behind a failure are left out; none before it is, so that the first failure in their order
/// is the same for any number of threads.
void compileAll(std::vector<CubinJob> &jobs, const std::vector<format::Source> &sources, VariantContext &context) {
  std::mutex telling;
  std::atomic<size_t> firstFailed{jobs.size()};
  parallelFor(jobs.size(), context.threads, [&](size_t i) {
    if (i > firstFailed)
      return;
    if (context.progress) {
      const std::lock_guard lock(telling);
      context.progress("NVRTC for " + jobs[i].arch + ": source " + std::to_string(jobs[i].source + 1) + " of " +
                       std::to_string(sources.size()));
    }
    jobs[i].binary = compileOne(jobs[i], sources[jobs[i].source], context);
    size_t first = firstFailed;
    while (jobs[i].binary->failed() && i < first && !firstFailed.compare_exchange_weak(first, i)) {
    }
  });
}

} // namespace

Status compileCubins(ArrayRef<std::string> archs, BuiltVariant &built, VariantContext &context) {
  const format::Program &program = built.variant.program;
  std::vector<CubinJob> jobs;
  for (const std::string &arch : archs)
    for (size_t i = 0; i < built.variant.sources.size(); ++i)
      jobs.push_back({arch, i});
  compileAll(jobs, built.variant.sources, context);
  for (CubinJob &job : jobs) {
    if (job.binary->failed())
      return runtime::withKernelNodes(job.binary->status(), context.nodes.all(), program);
    format::Binary record;
    record.arch = job.arch;
    for (auto [k, kernel] : llvm::enumerate(program.kernels))
      if (kernel.source == job.source)
        record.kernels.push_back(k);
    record.image = std::move((*job.binary)->cubin);
    built.variant.binaries.push_back(std::move(record));
    llvm::append_range(built.resources[job.arch], (*job.binary)->kernels);
  }
  return {};
}

} // namespace cupola
