//===- lib/Pipelines/CudaVariant.cpp - CUDA text and cubins of a variant ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/PassErrors.h"
#include "lib/Pipelines/Variant.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/Text.h"
#include "lib/Target/CUDA/CudaTarget.h"

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
      return errors.status(nodesText(func.getLoc()) + ": schedule '" + func.getSchedule().str() +
                           "' has no CUDA form on " + spec.arch);
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

Status compileCubins(ArrayRef<std::string> archs, BuiltVariant &built, VariantContext &context) {
  const format::Program &program = built.variant.program;
  for (const std::string &arch : archs) {
    for (auto [i, source] : llvm::enumerate(built.variant.sources)) {
      if (context.progress)
        context.progress("NVRTC for " + arch + ": source " + std::to_string(i + 1) + " of " +
                         std::to_string(built.variant.sources.size()));
      runtime::cuda::NvrtcRequest request;
      request.name = source.name;
      request.source = source.text;
      request.arch = arch;
      for (const auto &header : runtime::cuda::deviceHeaders())
        request.headers.push_back({std::string(header.name), header.text});
      Result<runtime::cuda::CudaBinary> binary = context.nvrtc->compile(request);
      if (binary.failed())
        return runtime::withKernelNodes(binary.status(), context.nodes.all(), program);
      format::Binary record;
      record.arch = arch;
      for (auto [k, kernel] : llvm::enumerate(program.kernels))
        if (kernel.source == i)
          record.kernels.push_back(k);
      record.image = std::move(binary->cubin);
      built.variant.binaries.push_back(std::move(record));
      llvm::append_range(built.resources[arch], binary->kernels);
    }
  }
  return {};
}

} // namespace cupola
