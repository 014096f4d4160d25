//===- test/Target/CUDA/PackedTexts.cpp - products whose weights are packed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelText.h"
#include "test/Target/CUDA/KernelTexts.h"

namespace cupola::test {

KernelCase packedCase(const PackedShape &s) {
  Text text;
  const std::string compute = computeOf(s.type);
  const Exprs extents = {s.rows, s.columns};
  const Expr n = v("d1"), k = v("d2");
  const std::string tile = text.dot({s.rows, s.columns, s.depth});
  text.yield(text.loadStored(0, s.type, v("d0") * s.depth + k), s.type);
  text.rhs();
  const std::string byte = text.loadStored(1, "ui8", n * (s.depth / 2) + floorDiv(k, 32) * 16 + mod(k, 16));
  const std::string half = text.line("kernel.index " + inOp(mod(floorDiv(k, 16), 2)));
  const std::string shift =
      text.binary("mul", text.convert(half, "i64", "ui8"), text.line("kernel.constant 4 : ui8"), "ui8");
  std::string x = text.binary("bitwise_and", text.binary("shift_right", byte, shift, "ui8"),
                              text.line("kernel.constant 15 : ui8"), "ui8");
  x = text.binary("add", text.convert(x, "ui8", "f32"), text.line("kernel.constant -8.0 : f32"), "f32");
  x = text.binary("mul", x, text.loadStored(2, "f32", n * (s.depth / s.block) + floorDiv(k, s.block)), "f32");
  text.yield(text.convert(x, "f32", s.type), s.type);
  text.close(tileType(compute, extents));
  text.loop({v("d3"), v("d4")}, extents);
  text.store(text.extract(tile, {v("d3"), v("d4")}, compute, extents), 3, s.type, v("d3") * s.columns + v("d4"));
  text.raw("}");
  const bool isHalf = s.type != "f32";
  return {"packed_" + s.type + tag(s.rows) + tag(s.columns) + tag(s.depth) + "_block" + std::to_string(s.block),
          s.rows <= 8 ? "row_matvec"
          : isHalf    ? "gemm_mma"
                      : "gemm",
          text.func("gemm", {}, "", {s.type + ", read", "ui8, read", "f32, read", s.type + ", write"}),
          {},
          {s.rows * s.depth, s.columns * s.depth / 2, s.columns * s.depth / s.block, s.rows * s.columns},
          /*indexBound=*/256};
}

std::vector<KernelCase> packedCases() {
  std::vector<KernelCase> cases;
  for (const char *type : {"f32", "f16", "bf16"}) {
    cases.push_back(packedCase({type, 1, 64, 512, 32}));
    cases.push_back(packedCase({type, 1, 45, 96, 32}));   // less than a step of the lanes, columns beyond the matrix
    cases.push_back(packedCase({type, 3, 33, 1056, 16})); // what is left of the steps; two blocks in a byte
    cases.push_back(packedCase({type, 8, 130, 640, 128}));
    cases.push_back(packedCase({type, 65, 72, 160, 32}));
    cases.push_back(packedCase({type, 16, 100, 64, 64}));
  }
  cases.push_back(packedCase({"f16", 2, 2051, 64, 32})); // several columns of a warp, the last ones of the matrix
  cases.push_back(packedCase({"f16", 1, 4096, 32, 16}));
  return cases;
}

} // namespace cupola::test
