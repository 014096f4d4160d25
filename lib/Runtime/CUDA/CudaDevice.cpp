//===- lib/Runtime/CUDA/CudaDevice.cpp - an NVIDIA GPU as a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaDevice.h"

#include "lib/Runtime/CUDA/CudaStream.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/CUDA/TensorMap.h"

#include <algorithm>
#include <cstdlib>

namespace cupola::runtime {

Result<std::shared_ptr<Device>> createCudaDevice(const DeviceOptions &options) {
  CUPOLA_ASSIGN(std::shared_ptr<cuda::Driver> driver, cuda::Driver::load());
  return cuda::CudaDevice::create(std::move(driver), options);
}

namespace cuda {

/// The first compute capability with clusters, tensor maps and programmatic launches.
static constexpr int kHopper = 90;
/// Drivers before CUDA 12.3 cannot capture a programmatic launch into a graph.
static constexpr int kCapturesProgrammatic = 12030;

Result<std::shared_ptr<Device>> CudaDevice::create(const std::shared_ptr<Driver> &driver, const DeviceOptions &options,
                                                   std::shared_ptr<Nvrtc> nvrtc, std::shared_ptr<const CublasLt> blas) {
  std::shared_ptr<CudaDevice> self(new CudaDevice);
  CUPOLA_ASSIGN(self->context, CudaContext::create(driver, options.ordinal));
  self->counters = std::make_shared<LaunchCounters>();
  self->options = options;
  self->nvrtc = std::move(nvrtc);
  self->blas = std::move(blas);
  const char *wait = std::getenv("CUPOLA_SYNC");
  self->waitAfterLaunch = wait && std::string_view(wait) == "1";
  CUPOLA_TRY(self->readProperties());
  return std::shared_ptr<Device>(std::move(self));
}

Status CudaDevice::readProperties() {
  const DriverApi &api = context->api();
  const CuDevice device = context->device();
  char name[256] = {};
  size_t bytes = 0;
  int major = 0, minor = 0, shared = 0, canMap = 0, multiprocessors = 0;
  CUPOLA_TRY(context->check(api.deviceGetName(name, sizeof(name) - 1, device), "reading the GPU's name"));
  CUPOLA_TRY(context->check(api.deviceTotalMem(&bytes, device), "reading the GPU's memory size"));
  const std::pair<CuDeviceAttribute, int *> attributes[] = {{cuAttributeCapabilityMajor, &major},
                                                            {cuAttributeCapabilityMinor, &minor},
                                                            {cuAttributeMultiprocessors, &multiprocessors},
                                                            {cuAttributeSharedPerBlockOptin, &shared},
                                                            {cuAttributeVirtualMemory, &canMap}};
  for (const auto &[attribute, value] : attributes)
    CUPOLA_TRY(context->check(api.deviceGetAttribute(value, attribute, device), "reading the GPU's attributes"));
  arch = {major * 10 + minor, false};
  virtualMemory = canMap != 0;
  facts.name = "cuda";
  facts.arch = arch.text();
  facts.description = name;
  facts.totalBytes = bytes;
  facts.sharedBytes = uint64_t(shared);
  facts.multiprocessors = unsigned(multiprocessors);
  return {};
}

//===--- Memory ---===//

Status CudaDevice::outOfMemory(const char *kind, uint64_t wanted) {
  size_t available = 0, total = 0;
  std::string text = std::string("out of ") + kind + " memory: wanted " + std::to_string(wanted) + " bytes";
  if (context->api().memGetInfo(&available, &total) == cuSuccess)
    text += ", free " + std::to_string(available) + " of " + std::to_string(total) + " bytes on the device";
  return Status::environment(text);
}

Result<DeviceAddress> CudaDevice::allocate(uint64_t bytes) {
  if (bytes == 0)
    return DeviceAddress(0);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  CuPointer address = 0;
  const CuResult code = context->api().memAlloc(&address, bytes);
  CUPOLA_TRY(allocationError(code, bytes));
  return DeviceAddress(address);
}

Status CudaDevice::allocationError(CuResult code, uint64_t bytes) {
  if (code == cuOutOfMemory)
    return outOfMemory("device", bytes);
  return context->check(code, "allocating " + std::to_string(bytes) + " bytes");
}

Result<DeviceAddress> CudaDevice::allocateGrowing(uint64_t bytes) {
  if (bytes == 0 || !virtualMemory)
    return allocate(bytes);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  auto memory = std::make_unique<GrowingMemory>(context);
  CUPOLA_TRY(allocationError(memory->reserve(std::max(bytes, facts.totalBytes)), bytes));
  CUPOLA_TRY(allocationError(memory->grow(bytes), bytes));
  const DeviceAddress address = memory->address();
  std::lock_guard<std::mutex> lock(growingMutex);
  growing.emplace(address, std::move(memory));
  return address;
}

Status CudaDevice::grow(DeviceAddress address, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(growingMutex);
  const auto found = growing.find(address);
  if (found == growing.end())
    return Device::grow(address, bytes);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  return allocationError(found->second->grow(bytes), bytes);
}

void CudaDevice::free(DeviceAddress address) {
  {
    std::lock_guard<std::mutex> lock(growingMutex);
    if (growing.erase(address) > 0)
      return;
  }
  const ContextScope scope(*context);
  if (address && scope.mayRelease())
    context->api().memFree(address);
}

Result<uint64_t> CudaDevice::freeBytes() {
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  size_t available = 0, total = 0;
  CUPOLA_TRY(context->check(context->api().memGetInfo(&available, &total), "asking for free memory"));
  return uint64_t(available);
}

Result<void *> CudaDevice::allocateHost(uint64_t bytes) {
  if (bytes == 0)
    return static_cast<void *>(nullptr);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  void *memory = nullptr;
  const CuResult code = context->api().memHostAlloc(&memory, bytes, cuHostPortable | cuHostDeviceMap);
  if (code == cuOutOfMemory)
    return outOfMemory("page-locked host", bytes);
  CUPOLA_TRY(context->check(code, "allocating " + std::to_string(bytes) + " bytes of page-locked memory"));
  return memory;
}

void CudaDevice::freeHost(void *memory) {
  const ContextScope scope(*context);
  if (memory && scope.mayRelease())
    context->api().memFreeHost(memory);
}

//===--- Streams and modules ---===//

Result<std::unique_ptr<Stream>> CudaDevice::createStream(void *native) {
  CUPOLA_TRY(context->alive());
  return CudaStream::create(context, counters, native, waitAfterLaunch);
}

int CudaDevice::rank(std::string_view target, std::string_view family) const {
  const std::optional<GpuArch> parsed = GpuArch::parse(family);
  return target == "cuda" && parsed ? rankSource(*parsed, arch) : -1;
}

bool CudaDevice::accepts(ImageKind kind, std::string_view built) const {
  if (kind == ImageKind::CudaSource)
    return true;
  const std::optional<GpuArch> parsed = GpuArch::parse(built);
  return kind == ImageKind::Cubin && parsed && runsCubin(*parsed, arch);
}

/// A package with a cubin for this GPU needs neither NVRTC nor a folder to cache in.
std::shared_ptr<ByteCache> CudaDevice::cacheAtNeed() {
  std::call_once(cacheOnce, [&] { cache = std::make_shared<ByteCache>(options.cacheDir, options.warn); });
  return cache;
}

CubinCache &CudaDevice::compilerAtNeed() {
  std::call_once(compilerOnce, [&] {
    compiler = nvrtc ? std::make_unique<CubinCache>(cacheAtNeed(), nvrtc)
                     : std::make_unique<CubinCache>(cacheAtNeed(), context->owner().toolkitMajors());
    made.store(compiler.get(), std::memory_order_release);
  });
  return *compiler;
}

Result<std::string> CudaDevice::sourceCompiler() {
  CUPOLA_ASSIGN(const std::shared_ptr<Nvrtc> used, compilerAtNeed().nvrtc());
  return used->version();
}

/// Every NVRTC compiles for families that are not exact, and need not be loaded to say so; without one, loading says
/// it.
bool CudaDevice::compiles(std::string_view family) {
  const std::optional<GpuArch> parsed = GpuArch::parse(family);
  if (!parsed || !parsed->exact)
    return true;
  const Result<std::shared_ptr<Nvrtc>> used = compilerAtNeed().nvrtc();
  const Status status = used.isOk() ? (*used)->checkArch(compileArch(*parsed, arch).text()) : Status::ok();
  if (status.failed() && options.warn)
    options.warn(status.message());
  return status.isOk();
}

CompileCounters CudaDevice::compileCounters() const {
  const CubinCache *cubins = made.load(std::memory_order_acquire);
  const CubinCounters counted = cubins ? cubins->counters() : CubinCounters();
  return {counted.compiles, counted.hits};
}

Result<CudaBinary> CudaDevice::compile(const ModuleImage &image) {
  const std::optional<GpuArch> family = GpuArch::parse(image.arch);
  if (!family)
    return Status::package("'" + image.arch + "' is not a GPU architecture");
  NvrtcRequest request;
  request.name = image.name;
  request.source = image.bytes;
  request.arch = compileArch(*family, arch).text();
  // A package brings the headers its sources were written against.
  if (image.headers)
    for (const format::Source &header : *image.headers)
      request.headers.push_back({header.name, header.text});
  else
    for (const EmbeddedHeader &header : deviceHeaders())
      request.headers.push_back({std::string(header.name), header.text});
  return compilerAtNeed().compile(request);
}

LaunchLimits CudaDevice::launchLimits() const {
  LaunchLimits limits;
  limits.sharedBytes = facts.sharedBytes;
  limits.clusters = arch.number >= kHopper;
  limits.programmatic = arch.number >= kHopper && context->owner().version() >= kCapturesProgrammatic;
  return limits;
}

Status CudaDevice::encodeTensorMap(const TensorMapValue &value, TensorMapBytes &map) {
  if (arch.number < kHopper)
    return Status::unsupported("this GPU is " + facts.arch + ", tensor maps are of GPUs from sm_90 on");
  return cuda::encodeTensorMap(*context, value, map);
}

//===--- Libraries ---===//

Result<std::shared_ptr<CublasLtDevice>> CudaDevice::openCublasLt() {
  if (!blas) {
    CUPOLA_ASSIGN(blas, CublasLt::load(context->owner().toolkitMajors()));
  }
  return CublasLtDevice::create(context, blas, cacheAtNeed(), facts.description + ", " + facts.arch);
}

Result<std::unique_ptr<Function>> CudaDevice::prepareCall(const format::LibraryCall &call, std::string_view,
                                                          const void *) {
  const std::lock_guard<std::mutex> lock(productMutex);
  const ContextScope scope(*context);
  CUPOLA_TRY(scope.status());
  if (!products)
    products = openCublasLt();
  if (products->failed())
    return products->status();
  return CublasLtCall::create(**products, call, *counters);
}

Result<std::unique_ptr<Module>> CudaDevice::loadModule(const ModuleImage &image) {
  CUPOLA_TRY(context->alive());
  if (image.kind == ImageKind::CpuObject || !accepts(image.kind, image.arch))
    return Status::environment("module " + image.name + " was built for " + image.arch + ", this GPU is " + facts.arch);
  if (image.kind == ImageKind::Cubin)
    return CudaModule::load(context, counters, image, image.bytes, launchLimits());
  CUPOLA_ASSIGN(CudaBinary binary, compile(image));
  return CudaModule::load(context, counters, image, binary.cubin, launchLimits());
}

} // namespace cuda
} // namespace cupola::runtime
