//===- test/Runtime/CUDA/FakeDevices.cpp - createDevice of a machine with one fake GPU ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Linked into the suites of test/Runtime in place of lib/Runtime/Device.cpp: what they demand of every device, the cuda
// device has to do on the fake driver.
#include "test/Runtime/CUDA/FakePackageKernels.h"

namespace cupola::runtime {

/// The driver goes after the device. What the suites leave allocated is theirs.
struct FakeMachine {
  std::unique_ptr<cuda::FakeDriver> driver = cuda::fakeWithKernels();
  std::shared_ptr<Device> device;
  ~FakeMachine() {
    device.reset();
    for (const std::string &violation : driver->violations)
      ADD_FAILURE() << violation;
  }
};

Result<std::shared_ptr<Device>> createDevice(const std::string &name, const DeviceOptions &options) {
  if (name != "cuda")
    return Status::environment("this test has the cuda device alone");
  auto machine = std::make_shared<FakeMachine>();
  CUPOLA_ASSIGN(machine->device, cuda::openDevice(options));
  return std::shared_ptr<Device>(machine, machine->device.get());
}

} // namespace cupola::runtime
