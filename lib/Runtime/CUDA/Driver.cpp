//===- lib/Runtime/CUDA/Driver.cpp - the CUDA driver, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/Driver.h"

#include "lib/Runtime/DynamicLibrary.h"

namespace cupola::runtime::cuda {

std::string versionText(int driverVersion) {
  return std::to_string(driverVersion / 1000) + "." + std::to_string(driverVersion % 1000 / 10);
}

static Status tooOld(const std::string &found) {
  return Status::environment("the CUDA driver is too old: found CUDA " + found + ", need CUDA " +
                             versionText(minimumDriverVersion) + " or newer (driver 525 or newer)");
}

/// The driver's own lookup: it returns the variant of a function that belongs to the CUDA version asked for.
using GetProcAddress = CuResult (*)(const char *name, void **address, int version, uint64_t flags, int *status);

Result<std::shared_ptr<Driver>> Driver::load() {
  DynamicLibrary library;
  std::string tried;
  // The second is where containers mount the driver, the third is Windows' subsystem for Linux.
  if (!library.openFirst({"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"},
                         tried))
    return Status::environment("there is no CUDA driver on this machine; tried:\n" + tried);
  const auto lookUp = reinterpret_cast<GetProcAddress>(library.symbol("cuGetProcAddress_v2"));
  const auto getVersion = reinterpret_cast<CuResult (*)(int *)>(library.symbol("cuDriverGetVersion"));
  if (!lookUp) { // came with CUDA 12.0
    int version = 0;
    if (!getVersion || getVersion(&version) != cuSuccess)
      return tooOld("before 12.0");
    return tooOld(versionText(version));
  }
  DriverApi table = {};
  for (const DriverSymbol &row : driverSymbols) {
    void *address = nullptr;
    const CuResult code = lookUp(row.name, &address, row.version, 0, nullptr);
    if ((code != cuSuccess || !address) && row.version == minimumDriverVersion)
      return Status::environment("the CUDA driver " + library.path() + " has no " + row.name + " (error " +
                                 std::to_string(code) + ")");
    *reinterpret_cast<void **>(reinterpret_cast<char *>(&table) + row.offset) = address;
  }
  return create(table);
}

Result<std::shared_ptr<Driver>> Driver::create(const DriverApi &table) {
  std::shared_ptr<Driver> driver(new Driver);
  driver->table = table;
  CUPOLA_TRY(driver->start());
  return driver;
}

/// Results of cuInit that a person can do something about.
struct StartError {
  CuResult code;
  const char *text;
};
static const StartError startErrors[] = {
    {cuStubLibrary, "libcuda.so.1 is the toolkit's stub for linking, not the CUDA driver: install NVIDIA's driver"},
    {cuNoDevice, "no CUDA device: the driver finds no GPU that it can use (is CUDA_VISIBLE_DEVICES set?)"},
    {cuSystemDriverMismatch,
     "the kernel's NVIDIA module and libcuda.so.1 are of different versions: reload the module or restart"},
    {cuCompatNotSupported, "the CUDA compatibility driver in use does not support this GPU"},
};

Status Driver::start() {
  CuResult code = table.driverGetVersion(&driverVersion);
  if (code == cuSuccess && driverVersion < minimumDriverVersion)
    return tooOld(versionText(driverVersion));
  if (code == cuSuccess)
    code = table.init(0);
  if (code == cuSuccess)
    return {};
  for (const StartError &row : startErrors)
    if (row.code == code)
      return Status::environment(row.text);
  return Status::environment("the CUDA driver does not start: " + describe(code));
}

std::vector<int> Driver::toolkitMajors() const {
  std::vector<int> majors;
  for (int major : {13, 12})
    if (major <= driverVersion / 1000)
      majors.push_back(major);
  return majors;
}

std::string Driver::describe(CuResult code) const {
  const char *name = nullptr, *text = nullptr;
  if (table.getErrorName(code, &name) != cuSuccess || !name)
    return "CUDA error " + std::to_string(code);
  if (table.getErrorString(code, &text) != cuSuccess || !text)
    return name;
  return std::string(name) + ": " + text;
}

} // namespace cupola::runtime::cuda
