//===- lib/Target/CPU/CpuTarget.cpp - names, records, images ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Format/Sha256.h"
#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Lowering.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <set>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

std::string archName(const CpuTargetInfo &info) { return isaOf(info).arch; }

KernelName kernelName(FuncOp func, const CpuTargetInfo &info) {
  OwningOpRef<FuncOp> copy(func.clone());
  copy->setSymName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  text += "\n" + archName(info);
  std::string hex = format::hex(format::sha256(text));
  return KernelName{"k_" + hex.substr(0, 16), hex};
}

static const char *accessName(Access access) {
  return access == Access::Read ? "r" : access == Access::Write ? "w" : "rw";
}

Result<CpuKernel> prepareCpuKernel(FuncOp func, const CpuTargetInfo &info) {
  Result<KernelPlan> plan = planKernel(func, isaOf(info));
  CUPOLA_TRY(plan.status());
  KernelName name = kernelName(func, info);
  CpuKernel kernel;
  kernel.record.name = std::move(name.name);
  kernel.record.sourceHash = std::move(name.digest);
  kernel.record.schedule = graph::stringifyKernelKind(func.getKind()).str();
  kernel.record.scratchBytes = plan->scratchBytes;
  kernel.record.grain = plan->grain;
  for (Value view : func.getViews())
    kernel.record.readWrite.push_back(accessName(cast<ViewType>(view.getType()).getAccess()));
  kernel.grid = plan->grid();
  return kernel;
}

Result<OwningOpRef<ModuleOp>> emitLoops(ArrayRef<NamedKernel> kernels, const CpuTargetInfo &info) {
  const Isa &isa = isaOf(info);
  MLIRContext *context = kernels.front().func->getContext();
  // Locations would carry names of the model into the image.
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(context)));
  for (const NamedKernel &kernel : kernels) {
    Result<KernelPlan> plan = planKernel(kernel.func, isa);
    CUPOLA_TRY(plan.status());
    OpBuilder builder(context);
    Emitter(builder, kernel.func, *plan, isa).emitKernel(*module, kernel.name);
  }
  return module;
}

namespace {

/// Kernels per LLVM module: a function of the list alone, so that the image does not
/// depend on the number of threads.
constexpr size_t kKernelsPerModule = 6;

std::vector<NamedKernel> distinctKernels(ArrayRef<FuncOp> funcs, const CpuTargetInfo &info) {
  std::vector<NamedKernel> kernels;
  std::set<std::string> seen;
  for (FuncOp func : funcs) {
    std::string name = kernelName(func, info).name;
    if (seen.insert(name).second)
      kernels.push_back({func, std::move(name)});
  }
  std::sort(kernels.begin(), kernels.end(), [](const NamedKernel &a, const NamedKernel &b) { return a.name < b.name; });
  return kernels;
}

/// One module on its way; the LLVM part runs on any thread.
struct Unit {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::optional<Result<std::string>> object;
};

Result<Unit> lower(ArrayRef<NamedKernel> kernels, const CpuTargetInfo &info) {
  Result<OwningOpRef<ModuleOp>> loops = emitLoops(kernels, info);
  CUPOLA_TRY(loops.status());
  PassManager passes((*loops)->getContext());
  addLlvmPasses(passes);
  if (failed(passes.run(**loops)))
    return Status::internal("lowering to LLVM failed");
  Unit unit;
  unit.context = std::make_unique<llvm::LLVMContext>();
  Result<std::unique_ptr<llvm::Module>> module = translate(**loops, *unit.context, info);
  CUPOLA_TRY(module.status());
  unit.module = module.take();
  return unit;
}

void compileUnits(std::vector<Unit> &units, const CpuTargetInfo &info, unsigned threads) {
  parallelFor(units.size(), threads, [&](size_t i) {
    units[i].object = compile(*units[i].module, info);
    units[i].module.reset();
  });
}

} // namespace

Result<CpuImage> compileCpuKernels(ArrayRef<FuncOp> funcs, const CpuTargetInfo &info, unsigned threads) {
  const std::vector<NamedKernel> distinct = distinctKernels(funcs, info);
  std::vector<Unit> units;
  ArrayRef<NamedKernel> rest(distinct);
  while (!rest.empty()) {
    size_t count = std::min(rest.size(), kKernelsPerModule);
    Result<Unit> unit = lower(rest.take_front(count), info);
    CUPOLA_TRY(unit.status());
    units.push_back(unit.take());
    rest = rest.drop_front(count);
  }
  compileUnits(units, info, threads);
  std::vector<std::string> objects;
  for (Unit &unit : units) {
    CUPOLA_TRY(unit.object->status());
    objects.push_back(unit.object->take());
  }
  Result<std::string> image = linkImage(objects, info);
  CUPOLA_TRY(image.status());
  return CpuImage{image.take(), static_cast<unsigned>(units.size())};
}

} // namespace cupola::cpu
