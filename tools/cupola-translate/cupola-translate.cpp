//===- tools/cupola-translate/cupola-translate.cpp - IR files to device text and machine code ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/CUDA/Nvrtc.h"
#include "lib/Target/CUDA/CudaTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace cupola;

static llvm::cl::opt<std::string> arch("arch", llvm::cl::init("sm_80"), llvm::cl::desc("architecture"));
static llvm::cl::opt<bool> wideIndex("wide-index", llvm::cl::desc("64-bit positions everywhere"));

/// One line per kernel for tests and scripts, then its text.
static void print(const cuda::CudaKernel &kernel, raw_ostream &os) {
  const format::Kernel &record = kernel.record;
  os << "// " << record.name << " schedule=" << record.schedule << " threads=" << record.threads
     << " shared=" << record.sharedBytes << " grid=[" << llvm::join(graph::textsOf(kernel.grid), ", ") << "] buffers=["
     << llvm::join(record.readWrite, ",") << "]\n"
     << kernel.text << "\n";
}

static LogicalResult emitCuda(Operation *op, raw_ostream &os) {
  const GpuArchitecture *gpu = findGpu(arch);
  if (!gpu)
    return op->emitError() << "architecture '" << arch << "' is not known";
  const GpuArchitecture *target = findGpu(gpu->family);
  if (failed(cuda::prepareCudaKernels(cast<ModuleOp>(op), *target)))
    return failure();
  cuda::CudaOptions options;
  options.force64BitIndex = wideIndex;
  os << "#include \"device.cuh\"\n\n";
  for (auto func : cast<ModuleOp>(op).getOps<kernel::FuncOp>()) {
    FailureOr<cuda::CudaKernel> kernel = cuda::emitCudaKernel(func, *target, options);
    if (failed(kernel))
      return failure();
    print(*kernel, os);
  }
  return success();
}

/// As the runtime compiles it, with its options.
static LogicalResult emitCubin(Operation *op, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream source(text);
  if (failed(emitCuda(op, source)))
    return failure();
  auto nvrtc = runtime::cuda::Nvrtc::load();
  if (nvrtc.failed())
    return op->emitError() << nvrtc.status().message();
  runtime::cuda::NvrtcRequest request;
  request.source = text;
  request.arch = arch;
  for (const auto &header : runtime::cuda::deviceHeaders())
    request.headers.push_back({std::string(header.name), header.text});
  auto binary = (*nvrtc)->compile(request);
  if (binary.failed())
    return op->emitError() << binary.status().message();
  os << binary->cubin;
  return success();
}

static void registerInput(DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, kernel::KernelDialect>();
  cuda::registerCudaDialect(registry);
}

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration cuda("kernel-to-cuda", "kernels to CUDA C++", emitCuda, registerInput);
  TranslateFromMLIRRegistration cubin("kernel-to-cubin", "kernels to machine code, by NVRTC", emitCubin, registerInput);
  return failed(mlirTranslateMain(argc, argv, "Cupola's translations\n"));
}
