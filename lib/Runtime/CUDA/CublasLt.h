//===- lib/Runtime/CUDA/CublasLt.h - cuBLASLt, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUBLASLT_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUBLASLT_H

#include "lib/Runtime/CUDA/CublasLtApi.h"
#include "lib/Runtime/Format/LibraryCall.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace cupola::runtime::cuda {

/// What the library gave, to be given back.
template <typename T> using BlasOwned = std::unique_ptr<std::remove_pointer_t<T>, BlasStatus (*)(T)>;

/// One loaded library. Immutable, so any thread may use it.
class CublasLt {
public:
  /// Opens what $CUPOLA_CUBLASLT names (a path), else the first found of `majors`, in order of preference.
  /// Code::Environment where there is none, where it is neither of version 12 nor 13, and where the variable is `none`.
  static Result<std::shared_ptr<const CublasLt>> load(const std::vector<int> &majors);
  /// Over a given table (tests).
  static Result<std::shared_ptr<const CublasLt>> create(const CublasLtApi &api, const std::string &path);

  const CublasLtApi &api() const { return table; }
  /// "cuBLASLt 13.1.0"
  const std::string &name() const { return title; }
  const std::string &path() const { return libraryPath; }
  /// Code::Environment: "cuBLASLt 13.1.0 cannot .. (CUBLAS_STATUS_NOT_SUPPORTED, 15)".
  Status check(BlasStatus code, const std::string &what) const;

private:
  CublasLt() = default;
  CublasLtApi table = {};
  std::string title, libraryPath;
};

/// A strided product (LibraryCall.h) as cuBLASLt is told. Its matrices are columns after columns, so that our
/// rows are its columns: it computes the transposed result from the transposed weights and the transposed source.
class CublasLtProblem {
public:
  static Result<std::unique_ptr<CublasLtProblem>> create(std::shared_ptr<const CublasLt> library,
                                                         const format::LibraryCall &call);

  const CublasLt &owner() const { return *library; }
  BlasProduct product() const { return description.get(); }
  BlasLayout weights() const { return a.get(); }
  BlasLayout source() const { return b.get(); }
  BlasLayout result() const { return d.get(); } ///< and of the tensor that is added
  uint64_t workspace() const { return workspaceBytes; }
  /// Of f16 or bf16 elements.
  bool isNarrow() const { return narrow; }
  /// All that decides how it is computed, for people and as a key: "f16 [1, 16, 384] by [1, 384, 96]", ..
  const std::string &text() const { return summary; }

private:
  explicit CublasLtProblem(std::shared_ptr<const CublasLt> library) : library(std::move(library)) {}
  Status describe(const format::LibraryCall &call);
  Status addOperand(const format::LibraryCall &call, bool isWeights);
  Status makeLayout(int type, int64_t rows, int64_t columns, int64_t step, int64_t batch, int64_t batchStep,
                    BlasOwned<BlasLayout> &layout);

  std::shared_ptr<const CublasLt> library; ///< outlives what follows
  BlasOwned<BlasProduct> description{nullptr, nullptr};
  BlasOwned<BlasLayout> a{nullptr, nullptr}, b{nullptr, nullptr}, d{nullptr, nullptr};
  uint64_t workspaceBytes = 0;
  bool narrow = false;
  std::string summary;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUBLASLT_H
