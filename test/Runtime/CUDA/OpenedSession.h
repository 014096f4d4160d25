//===- test/Runtime/CUDA/OpenedSession.h - a session on the device of the test ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_OPENEDSESSION_H
#define CUPOLA_TEST_RUNTIME_CUDA_OPENEDSESSION_H

#include "lib/Runtime/Session.h"
#include "test/Runtime/CUDA/DeviceFixture.h"

namespace cupola::runtime::cuda {

/// The session goes before its device.
struct Opened {
  std::shared_ptr<Device> device;
  std::shared_ptr<const Executable> executable;
  std::unique_ptr<Session> session;
};
inline Result<Opened> openSession(const std::shared_ptr<const format::PackageFile> &file,
                                  const std::shared_ptr<const CublasLt> &blas = nullptr) {
  CUPOLA_ASSIGN(std::shared_ptr<Device> device, openDevice({}, blas));
  CUPOLA_ASSIGN(std::shared_ptr<const Executable> executable, Executable::create(file, device));
  CUPOLA_ASSIGN(std::unique_ptr<Session> session, Session::create(executable, {}));
  return Opened{device, executable, std::move(session)};
}

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_OPENEDSESSION_H
