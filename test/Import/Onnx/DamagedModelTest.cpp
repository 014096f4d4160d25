//===- test/Import/Onnx/DamagedModelTest.cpp - flipped and missing bytes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A damaged model gives errors or another valid module, never a crash: the run
// itself is the test, under sanitizers where they are on.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/OnnxImporter.h"
#include "lib/Import/Onnx/OpLibrary/OpLibrary.h"
#include "lib/Import/Onnx/OpTable.h"
#include "test/Import/Onnx/TestModels.h"

#include "mlir/IR/Verifier.h"

namespace cupola::onnx_import {
namespace {

std::string victim() {
  return modelOf("<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>"
                 "g (float[N, 4] x, int64[N] i) => (float[N, 4] y, float[K, 2] z)"
                 "<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},"
                 " int64[2] t = {-1, 2}, int64[1] zero = {0}, int64[1] one = {1}> {"
                 "  m = MatMul(x, w) n = LayerNormalization <axis = -1> (m, w)"
                 "  p = Transpose <perm = [1, 0]> (n) q = Transpose(p)"
                 "  g0 = Gather <axis = 0> (q, i) s = Softmax <axis = 1> (g0)"
                 "  l = Slice(s, zero, one, one) c = Concat <axis = 1> (l, s)"
                 "  r = ReduceSum <keepdims = 1> (c, one) e = Equal(r, r) v = Where(e, s, q)"
                 "  y = my.F <k = 0.5> (v) z = Reshape(y, t) }"
                 "<domain: \"my\", opset_import: [\"\" : 17]>"
                 "F <k> (a) => (b) { h = Constant <value = float {0.5}> () d = Mul(a, h)"
                 "  b = Elu <alpha: float = @k> (d) }")
      .SerializeAsString();
}

class DamagedModel : public testing::Test {
protected:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  int valid = 0, refused = 0;

  void import(const std::string &bytes) {
    Diagnostics diagnostics;
    LoadOptions options;
    options.limits.tensorBytes = 1 << 20;
    const auto model = loadModelBytes(bytes, "m", options, isKnownOp, diagnostics);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    if (model)
      module = importModel(*model, {}, options.limits, context, diagnostics, OpLibrary()).module;
    EXPECT_NE(static_cast<bool>(module), diagnostics.failed());
    EXPECT_TRUE(!module || mlir::succeeded(mlir::verify(*module)));
    for (const Diagnostic &error : diagnostics.errors())
      EXPECT_EQ(error.text().find("the imported graph is not valid"), std::string::npos) << error.text();
    ++(module ? valid : refused);
  }
};

TEST_F(DamagedModel, TheVictimIsSound) {
  import(victim());
  EXPECT_EQ(valid, 1);
}

TEST_F(DamagedModel, EveryByteFlipped) {
  const std::string whole = victim();
  for (size_t i = 0; i < whole.size(); ++i)
    for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      import(damaged);
    }
  EXPECT_GT(refused, valid);
  EXPECT_GT(valid, 0); // names and weights may change
}

TEST_F(DamagedModel, EveryCut) {
  const std::string whole = victim();
  for (size_t size = 0; size < whole.size(); ++size)
    import(whole.substr(0, size));
  EXPECT_GT(refused, 0);
}

} // namespace
} // namespace cupola::onnx_import
