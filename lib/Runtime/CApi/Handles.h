//===- lib/Runtime/CApi/Handles.h - What the opaque handles hold ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H
#define CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H

#include "cupola/Runtime/Runtime.h"
#include "lib/Runtime/CApi/Guard.h"
#include "lib/Runtime/Session.h"

struct cupola_package {
  std::shared_ptr<const cupola::format::PackageFile> file;
};

struct cupola_device {
  std::shared_ptr<cupola::runtime::Device> device;
  int32_t ordinal = 0;
};

struct cupola_executable {
  std::shared_ptr<const cupola::runtime::Executable> executable;
  int32_t ordinal = 0;
};

struct cupola_session {
  std::unique_ptr<cupola::runtime::Session> session;
  int32_t ordinal = 0;
};

namespace cupola::runtime::capi {

cupola_type toC(format::DType dtype);
/// The caller's tensors as the session takes them; `ordinal` is the cuda device's. Only a tensor that `isShared` may
/// have other strides than dense ones.
Status fromC(const cupola_tensor &tensor, const Device &device, int32_t ordinal, bool isShared, TensorRef &result);
/// All inputs or outputs of a run.
Status readTensors(const cupola_session &session, const cupola_tensor *tensors, size_t count, bool areInputs,
                   std::vector<TensorRef> &refs);

} // namespace cupola::runtime::capi

#endif // CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H
