//===- lib/Target/CPU/CpuTarget.cpp - names, records, images ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Runtime/Format/Sha256.h"
#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Lowering.h"
#include "lib/Target/CPU/MicroKernel.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <set>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

KernelName kernelName(FuncOp func, const CpuArchitecture &isa) {
  OwningOpRef<FuncOp> copy(func.clone());
  copy->setSymName("kernel");
  if (auto packed = copy->getPackedOperands(); !packed.empty()) { // whatever the packers are called
    for (PackedAttr &operand : packed)
      operand = PackedAttr::get(func.getContext(), operand.getParameter(), operand.getOthers(), operand.getBytes(),
                                FlatSymbolRefAttr::get(func.getContext(), "packer"), operand.getNibbles());
    copy->setPackedAttr(Builder(func.getContext()).getArrayAttr(SmallVector<Attribute>(packed.begin(), packed.end())));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  text += "\n" + std::string(isa.name);
  std::string hex = format::hex(format::sha256(text));
  return KernelName{"k_" + hex.substr(0, 16), hex};
}

static const char *accessName(Access access) {
  return access == Access::Read ? "r" : access == Access::Write ? "w" : "rw";
}

Result<CpuKernel> prepareCpuKernel(FuncOp func, const CpuArchitecture &isa) {
  CUPOLA_ASSIGN(KernelPlan plan, planKernel(func, isa));
  KernelName name = kernelName(func, isa);
  CpuKernel kernel;
  kernel.record.name = std::move(name.name);
  kernel.record.sourceHash = std::move(name.digest);
  kernel.record.schedule = func.getScheduleAttr().getLabel(func.getKind()).str();
  kernel.record.scratchBytes = plan.scratchBytes;
  kernel.record.grain = plan.grain;
  for (Value view : func.getViews())
    kernel.record.readWrite.push_back(accessName(cast<ViewType>(view.getType()).getAccess()));
  kernel.grid = plan.grid();
  return kernel;
}

Result<OwningOpRef<ModuleOp>> emitLoops(ArrayRef<NamedKernel> kernels, const CpuArchitecture &isa) {
  MLIRContext *context = kernels.front().func->getContext();
  // Locations would carry names of the model into the image.
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(context)));
  for (const NamedKernel &kernel : kernels) {
    CUPOLA_ASSIGN(KernelPlan plan, planKernel(kernel.func, isa));
    OpBuilder builder(context);
    Emitter(builder, kernel.func, plan, isa).emitKernel(*module, kernel.name);
  }
  return module;
}

namespace {

/// Kernels per LLVM module: a function of the list alone, so that the image does not
/// depend on the number of threads.
constexpr size_t kKernelsPerModule = 6;

std::vector<NamedKernel> distinctKernels(ArrayRef<FuncOp> funcs, const CpuArchitecture &isa) {
  std::vector<NamedKernel> kernels;
  std::set<std::string> seen;
  for (FuncOp func : funcs) {
    std::string name = kernelName(func, isa).name;
    if (seen.insert(name).second)
      kernels.push_back({func, std::move(name)});
  }
  std::sort(kernels.begin(), kernels.end(), [](const NamedKernel &a, const NamedKernel &b) { return a.name < b.name; });
  return kernels;
}

} // namespace

ImageBuilder::ImageBuilder(ArrayRef<FuncOp> funcs, const CpuArchitecture &isa)
    : isa(isa), kernels(distinctKernels(funcs, isa)),
      objects((kernels.size() + kKernelsPerModule - 1) / kKernelsPerModule) {}
ImageBuilder::~ImageBuilder() = default;

/// Machine code of a module of loops, which is freed.
static Result<std::string> compileLoops(OwningOpRef<ModuleOp> loops, const CpuArchitecture &isa) {
  PassManager passes(loops->getContext());
  addLlvmPasses(passes);
  if (failed(passes.run(*loops)))
    return Status::internal("lowering to LLVM failed");
  llvm::LLVMContext context;
  CUPOLA_ASSIGN(std::unique_ptr<llvm::Module> module, translate(*loops, context, isa));
  loops = nullptr; // what LLVM takes is enough
  return compile(*module, isa);
}

Status ImageBuilder::compileMicroKernels(ModuleOp loops) {
  auto isNew = [&](StringRef name) {
    std::lock_guard<std::mutex> lock(mutex);
    return microKernels.try_emplace(name.str()).second;
  };
  for (OwningOpRef<ModuleOp> &module : takeMicroKernels(loops, isNew)) {
    std::string name = (*module->getOps<LLVM::LLVMFuncOp>().begin()).getName().str();
    CUPOLA_ASSIGN(std::string object, compileLoops(std::move(module), isa));
    std::lock_guard<std::mutex> lock(mutex);
    microKernels[name] = std::move(object);
  }
  return {};
}

Status ImageBuilder::compile(size_t piece) {
  ArrayRef<NamedKernel> own = ArrayRef(kernels).drop_front(piece * kKernelsPerModule).take_front(kKernelsPerModule);
  CUPOLA_ASSIGN(OwningOpRef<ModuleOp> loops, emitLoops(own, isa));
  CUPOLA_TRY(compileMicroKernels(*loops));
  CUPOLA_ASSIGN(objects[piece], compileLoops(std::move(loops), isa));
  return {};
}

Result<std::string> ImageBuilder::link() const {
  std::vector<std::string> all = objects;
  for (const auto &[name, object] : microKernels)
    all.push_back(object);
  return linkImage(all, isa);
}

} // namespace cupola::cpu
