//===- test/Runtime/CUDA/FakeCublasLt.cpp - a cuBLASLt over the fake driver, strict and able to fail ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/FakeCublasLt.h"

#include "test/Runtime/CUDA/FakeCalls.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cupola::runtime::cuda {

FakeCublasLt *FakeCublasLt::current = nullptr;
FakeCublasLt::FakeCublasLt() { current = this; }
FakeCublasLt::~FakeCublasLt() { current = nullptr; }

uint64_t FakeCublasLt::count(const std::string &call) const {
  return uint64_t(std::count(log.begin(), log.end(), call));
}

std::string FakeCublasLt::leaks() const {
  std::string text;
  const auto add = [&](size_t number, const char *what) {
    if (number > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + what;
  };
  add(size_t(handles), "cublasLtHandle");
  add(products.size(), "cublasLtMatmulDesc");
  add(layouts.size(), "cublasLtMatrixLayout");
  add(preferences.size(), "cublasLtMatmulPreference");
  return text;
}

namespace {

float readElement(uint64_t address, int type, int64_t at) {
  float value = 0;
  if (type == blasF32) {
    std::memcpy(&value, reinterpret_cast<const float *>(address) + at, sizeof(value));
    return value;
  }
  const uint32_t bits = uint32_t(reinterpret_cast<const uint16_t *>(address)[at]) << 16;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void writeElement(uint64_t address, int type, int64_t at, float value) {
  if (type == blasF32) {
    reinterpret_cast<float *>(address)[at] = value;
    return;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  reinterpret_cast<uint16_t *>(address)[at] = uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float apply(uint32_t epilogue, float x) {
  if (epilogue & blasRelu)
    return std::max(x, 0.0f);
  if (epilogue & blasGelu)
    return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  return x;
}

} // namespace

/// The functions of the table.
struct FakeBlasCalls {
  using Product = FakeCublasLt::Product;
  using Layout = FakeCublasLt::Layout;
  using Preference = FakeCublasLt::Preference;
  static FakeCublasLt &self() { return *FakeCublasLt::current; }
  static void violation(const std::string &text) { self().violations.push_back(text); }

  /// Counts the call and finds whether it fails.
  static BlasStatus enter(const char *name) {
    self().log.push_back(name);
    return ++self().calls == self().failAt ? self().failCode : blasSuccess;
  }

  template <typename Map, typename Handle> static BlasStatus drop(Map &map, Handle handle, const char *name) {
    self().log.push_back(name); // such calls do not fail
    if (map.erase((typename Map::key_type)(handle)) == 0)
      violation(std::string(name) + " of what does not exist");
    return blasSuccess;
  }

  template <typename Object, typename Handle, typename Map>
  static BlasStatus make(const char *name, Map &map, Handle *handle, Object values = {}) {
    if (const BlasStatus code = enter(name))
      return code;
    auto object = std::make_unique<Object>(values);
    *handle = reinterpret_cast<Handle>(object.get());
    map.emplace(object.get(), std::move(object));
    return blasSuccess;
  }

  template <typename T> static BlasStatus set(T &field, const void *value, size_t bytes) {
    if (bytes != sizeof(T))
      return blasInvalidValue;
    std::memcpy(&field, value, bytes);
    return blasSuccess;
  }

  static BlasStatus setProduct(BlasProduct handle, BlasProductAttribute attribute, const void *value, size_t bytes) {
    if (const BlasStatus code = enter("cublasLtMatmulDescSetAttribute"))
      return code;
    auto &product = *reinterpret_cast<Product *>(handle);
    switch (attribute) {
    case blasTransposeA:
      return set(product.transposeA, value, bytes);
    case blasTransposeB:
      return set(product.transposeB, value, bytes);
    case blasEpilogue:
      return set(product.epilogue, value, bytes);
    case blasBiasPointer:
      return set(product.bias, value, bytes);
    }
    return blasInvalidValue;
  }

  static BlasStatus setLayout(BlasLayout handle, BlasLayoutAttribute attribute, const void *value, size_t bytes) {
    if (const BlasStatus code = enter("cublasLtMatrixLayoutSetAttribute"))
      return code;
    auto &layout = *reinterpret_cast<Layout *>(handle);
    return attribute == blasBatchCount ? set(layout.batch, value, bytes) : set(layout.batchStep, value, bytes);
  }

  static BlasStatus setPreference(BlasPreference handle, BlasPreferenceAttribute attribute, const void *value,
                                  size_t bytes) {
    if (const BlasStatus code = enter("cublasLtMatmulPreferenceSetAttribute"))
      return code;
    auto &preference = *reinterpret_cast<Preference *>(handle);
    switch (attribute) {
    case blasMaxWorkspace:
      return set(preference.workspace, value, bytes);
    case blasReductions:
      return set(preference.reductions, value, bytes);
    case blasImplementations:
      return set(preference.implementations, value, bytes);
    default:
      return set(preference.alignments[attribute - blasAlignmentA], value, bytes);
    }
  }

  /// Whether the matrices make a product.
  static bool agree(const Product &product, const Layout &a, const Layout &b, const Layout &d) {
    const uint64_t m = product.transposeA ? a.columns : a.rows, k = product.transposeA ? a.rows : a.columns;
    const uint64_t n = product.transposeB ? b.rows : b.columns, depth = product.transposeB ? b.columns : b.rows;
    const auto isSound = [](const Layout &l) { return l.step >= int64_t(l.rows) && l.rows > 0 && l.columns > 0; };
    return depth == k && d.rows == m && d.columns == n && a.type == b.type && b.type == d.type && a.batch == b.batch &&
           b.batch == d.batch && isSound(a) && isSound(b) && isSound(d);
  }

  static BlasStatus getHeuristic(BlasHandle, BlasProduct product, BlasLayout a, BlasLayout b, BlasLayout c,
                                 BlasLayout d, BlasPreference handle, int wanted, BlasChoice *choices, int *found) {
    FakeCalls::forbidInCapture("cublasLtMatmulAlgoGetHeuristic");
    if (!FakeCalls::hasContext())
      violation("cublasLtMatmulAlgoGetHeuristic without a context");
    if (const BlasStatus code = enter("cublasLtMatmulAlgoGetHeuristic"))
      return code;
    const auto &preference = *reinterpret_cast<Preference *>(handle);
    const auto &layout = *reinterpret_cast<Layout *>(a);
    if (wanted < 1 || c != d ||
        !agree(*reinterpret_cast<Product *>(product), layout, *reinterpret_cast<Layout *>(b),
               *reinterpret_cast<Layout *>(d)))
      return blasInvalidValue;
    const uint64_t inexact = blasAccumulates16 | blasReadsTf32 | (layout.type == blasF32 ? blasTensorOps : 0);
    if (preference.reductions != blasReduceInComputeType || (preference.implementations & inexact) != 0)
      violation("an algorithm that is less exact than a kernel is allowed");
    if (std::any_of(preference.alignments, preference.alignments + 4, [](uint32_t bytes) { return bytes > 64; }))
      violation("an algorithm may want more alignment than tensors have");
    if (!self().knowsAlgorithm || preference.workspace < self().needs)
      return blasNotSupported;
    choices[0] = {};
    choices[0].algorithm.data[0] = 66;
    choices[0].algorithm.data[1] = self().version;
    choices[0].workspace = self().needs;
    *found = 1;
    return blasSuccess;
  }

  static BlasStatus checkAlgorithm(BlasHandle, BlasProduct, BlasLayout, BlasLayout, BlasLayout, BlasLayout,
                                   const BlasAlgorithm *algorithm, BlasChoice *choice) {
    if (const BlasStatus code = enter("cublasLtMatmulAlgoCheck"))
      return code;
    if (algorithm->data[0] != 66 || algorithm->data[1] != self().version)
      return blasInvalidValue;
    choice->workspace = self().needs;
    return self().checkCode;
  }

  /// The bytes from the first element to the last.
  static size_t spanOf(const Layout &layout) {
    const int64_t last =
        (layout.batch - 1) * layout.batchStep + int64_t(layout.columns - 1) * layout.step + int64_t(layout.rows - 1);
    return size_t(last + 1) * (layout.type == blasF32 ? 4 : 2);
  }

  static void checkBuffer(const void *address, size_t bytes, const char *what) {
    if (reinterpret_cast<uint64_t>(address) % 64 != 0)
      violation(std::string("cublasLtMatmul with a ") + what + " that is not aligned");
    if (!FakeCalls::inAllocation(reinterpret_cast<uint64_t>(address), bytes))
      violation(std::string("cublasLtMatmul with a ") + what + " outside of all memory");
  }

  /// Everything a product needs once it runs, copied when it is queued.
  struct Work {
    Product product;
    Layout a, b, d;
    uint64_t addressA, addressB, addressC, addressD;
    float alpha, beta;

    float sum(int64_t batch, uint64_t row, uint64_t column) const {
      const uint64_t depth = product.transposeA ? a.rows : a.columns;
      const auto element = [&](const Layout &l, uint64_t address, uint64_t r, uint64_t c) {
        return readElement(address, l.type, batch * l.batchStep + int64_t(c) * l.step + int64_t(r));
      };
      float total = 0;
      for (uint64_t k = 0; k < depth; ++k)
        total += (product.transposeA ? element(a, addressA, k, row) : element(a, addressA, row, k)) *
                 (product.transposeB ? element(b, addressB, column, k) : element(b, addressB, k, column));
      total *= alpha;
      if (beta != 0)
        total += beta * element(d, addressC, row, column);
      if (product.epilogue & blasBias)
        total += readElement(product.bias, d.type, int64_t(row));
      return apply(product.epilogue, total);
    }
    void run() const {
      for (int64_t batch = 0; batch < d.batch; ++batch)
        for (uint64_t column = 0; column < d.columns; ++column)
          for (uint64_t row = 0; row < d.rows; ++row)
            writeElement(addressD, d.type, batch * d.batchStep + int64_t(column) * d.step + int64_t(row),
                         sum(batch, row, column));
    }
  };

  static BlasStatus multiply(BlasHandle, BlasProduct product, const void *alpha, const void *a, BlasLayout layoutA,
                             const void *b, BlasLayout layoutB, const void *beta, const void *c, BlasLayout layoutC,
                             void *d, BlasLayout layoutD, const BlasAlgorithm *algorithm, void *workspace,
                             size_t workspaceBytes, CuStream stream) {
    if (const BlasStatus code = enter("cublasLtMatmul"))
      return code;
    if (!FakeCalls::hasContext())
      violation("cublasLtMatmul without a context");
    if (algorithm->data[0] != 66 || algorithm->data[1] != self().version || workspaceBytes < self().needs ||
        layoutC != layoutD)
      return blasInvalidValue;
    const auto address = [](const void *pointer) { return reinterpret_cast<uint64_t>(pointer); };
    const Work work{*reinterpret_cast<Product *>(product),
                    *reinterpret_cast<Layout *>(layoutA),
                    *reinterpret_cast<Layout *>(layoutB),
                    *reinterpret_cast<Layout *>(layoutD),
                    address(a),
                    address(b),
                    address(c),
                    address(d),
                    *static_cast<const float *>(alpha),
                    *static_cast<const float *>(beta)};
    checkBuffer(a, spanOf(work.a), "weight");
    checkBuffer(b, spanOf(work.b), "source");
    checkBuffer(c, spanOf(work.d), "tensor");
    checkBuffer(d, spanOf(work.d), "result");
    checkBuffer(workspace, workspaceBytes, "workspace");
    if (work.product.epilogue & blasBias)
      checkBuffer(reinterpret_cast<const void *>(work.product.bias), work.d.rows * (work.d.type == blasF32 ? 4 : 2),
                  "vector");
    const auto run = [work, workspace, workspaceBytes] {
      std::memset(workspace, 0x5a, workspaceBytes);
      work.run();
    };
    return FakeCalls::submit(stream, run) == cuSuccess ? blasSuccess : blasExecutionFailed;
  }
};

CublasLtApi FakeCublasLt::table() {
  using Calls = FakeBlasCalls;
  CublasLtApi api = {};
  api.getVersion = [] { return current->version; };
  api.getStatusName = [](BlasStatus code) {
    return code == blasNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_FAKE";
  };
  api.create = [](BlasHandle *handle) {
    if (!FakeCalls::hasContext())
      Calls::violation("cublasLtCreate without a context");
    if (const BlasStatus code = Calls::enter("cublasLtCreate"))
      return code;
    ++current->handles;
    *handle = reinterpret_cast<BlasHandle>(current);
    return blasSuccess;
  };
  api.destroy = [](BlasHandle) { return --current->handles, current->log.push_back("cublasLtDestroy"), blasSuccess; };
  api.createProduct = [](BlasProduct *product, int compute, int scale) {
    if (compute != blasCompute32 || scale != blasF32)
      Calls::violation("cublasLtMatmulDescCreate of another type than f32");
    return Calls::make<Product>("cublasLtMatmulDescCreate", current->products, product);
  };
  api.destroyProduct = [](BlasProduct product) {
    return Calls::drop(current->products, product, "cublasLtMatmulDescDestroy");
  };
  api.setProduct = Calls::setProduct;
  api.createLayout = [](BlasLayout *layout, int type, uint64_t rows, uint64_t columns, int64_t step) {
    return Calls::make("cublasLtMatrixLayoutCreate", current->layouts, layout, Layout{type, rows, columns, step});
  };
  api.destroyLayout = [](BlasLayout layout) {
    return Calls::drop(current->layouts, layout, "cublasLtMatrixLayoutDestroy");
  };
  api.setLayout = Calls::setLayout;
  api.createPreference = [](BlasPreference *preference) {
    return Calls::make<Preference>("cublasLtMatmulPreferenceCreate", current->preferences, preference);
  };
  api.destroyPreference = [](BlasPreference preference) {
    return Calls::drop(current->preferences, preference, "cublasLtMatmulPreferenceDestroy");
  };
  api.setPreference = Calls::setPreference;
  api.getHeuristic = Calls::getHeuristic;
  api.checkAlgorithm = Calls::checkAlgorithm;
  api.getAlgorithm = [](const BlasAlgorithm *algorithm, BlasAlgorithmAttribute, void *value, size_t bytes, size_t *) {
    const auto id = int32_t(algorithm->data[0]);
    if (const BlasStatus code = Calls::enter("cublasLtMatmulAlgoConfigGetAttribute"))
      return code;
    return bytes == sizeof(id) ? (std::memcpy(value, &id, bytes), blasSuccess) : blasInvalidValue;
  };
  api.multiply = Calls::multiply;
  return api;
}

} // namespace cupola::runtime::cuda
