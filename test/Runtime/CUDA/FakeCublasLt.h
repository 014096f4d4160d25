//===- test/Runtime/CUDA/FakeCublasLt.h - a cuBLASLt over the fake driver, strict and able to fail ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Multiplies f32 and bf16 matrices as cuBLASLt's documentation says: columns after columns, batches at a step, a vector
// along the rows, sums in f32. What breaks a rule of it is a violation, as in FakeDriver.h.
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKECUBLASLT_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKECUBLASLT_H

#include "lib/Runtime/CUDA/CublasLtApi.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cupola::runtime::cuda {

class FakeCublasLt {
public:
  FakeCublasLt();
  ~FakeCublasLt();
  /// The table acts on the one FakeCublasLt that lives.
  static CublasLtApi table();

  // What the library is.
  size_t version = 130100;
  size_t needs = 1024;                ///< bytes of workspace, of its one algorithm
  bool knowsAlgorithm = true;         ///< the heuristic finds it
  BlasStatus checkCode = blasSuccess; ///< what it says to algorithms of its own version

  // Which call fails, counted from 1 over all that may; 0: none.
  uint64_t failAt = 0;
  BlasStatus failCode = blasExecutionFailed;

  // What happened.
  uint64_t calls = 0;
  std::vector<std::string> log; ///< names of the calls
  std::vector<std::string> violations;

  /// What is not given back, as "2 cublasLtMatrixLayout, 1 cublasLtHandle".
  std::string leaks() const;
  uint64_t count(const std::string &call) const;

private:
  friend struct FakeBlasCalls;
  struct Product {
    int32_t transposeA = 0, transposeB = 0;
    uint32_t epilogue = 1;
    uint64_t bias = 0;
  };
  struct Layout {
    int type = 0;
    uint64_t rows = 0, columns = 0;
    int64_t step = 0, batchStep = 0;
    int32_t batch = 1;
  };
  struct Preference {
    uint64_t workspace = 0, implementations = ~uint64_t(0);
    uint32_t reductions = 7, alignments[4] = {256, 256, 256, 256};
  };

  static FakeCublasLt *current;
  int handles = 0;
  std::map<Product *, std::unique_ptr<Product>> products;
  std::map<Layout *, std::unique_ptr<Layout>> layouts;
  std::map<Preference *, std::unique_ptr<Preference>> preferences;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKECUBLASLT_H
