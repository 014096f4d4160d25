//===- test/Runtime/HostileLaunchTest.cpp - Packages whose grids, tensor maps and products break a rule ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/Hostile.h"

namespace cupola::format {

namespace {

constexpr size_t kCpu = 0, kCuda = 1; // variants of the test package

/// The test package with a tensor map of its input in each cuda variant.
Package mappedPackage() {
  Package package = test::makePackage();
  for (size_t i = kCuda; i < package.variants.size(); ++i)
    package.variants[i].program.steps[0].launch.maps = {{0, "", DType::F32, {"4", "s0"}, {"16"}, {4, 64}, 0},
                                                        {3, "16", DType::F32, {"4", "s0 - 1"}, {"16"}, {8, 8}, 32}};
  return package;
}

/// The test package with a strided product in its first step, which reads buffers 2, 1 and 3 and writes buffer 4;
/// buffer 6 is a workspace.
Package productPackage() {
  LibraryCall product;
  product.kind = LibraryCallKind::StridedProduct;
  product.source = {2, 5, 3};
  product.weights = {2, 3, 4};
  product.result = {2, 5, 4};
  product.postOps = {{PostOpKind::AddChannel}, {PostOpKind::AddTensor}, {PostOpKind::Relu}};
  product.buffers = {2, 1, 3, 2, 4, 6};
  product.dtype = DType::F16;
  product.sourceStrides = {15, 3, 1};
  product.weightsStrides = {0, 1, 3};
  product.workspace = 1024;
  Buffer workspace;
  workspace.bytes = "1024";
  Package package = test::makePackage();
  for (size_t i = kCuda; i < package.variants.size(); ++i) {
    package.variants[i].program.buffers.push_back(workspace);
    package.variants[i].program.steps[0].launch.call = product;
  }
  return package;
}

template <typename Change> void expectProductRefused(Change change, const std::string &text) {
  const auto changeCall = [&](Program &p) { change(p.steps[0].launch.call); };
  test::expectRefused(productPackage(), changeCall, text, kCuda);
}

template <typename Change> void expectMapRefused(Change change, const std::string &text) {
  const auto changeMap = [&](Program &p) { change(p.steps[0].launch.maps[0]); };
  test::expectRefused(mappedPackage(), changeMap, text, kCuda);
}

} // namespace

TEST(HostileLaunch, Grids) {
  const auto grid = [](std::vector<std::string> extents) {
    return [extents](Program &p) { p.steps[0].launch.grid = extents; };
  };
  const Package package = test::makePackage();
  test::expectRefused(package, grid({}), "step 0 has a grid of 0 extents", kCpu);
  test::expectRefused(package, grid({"1", "1"}), "step 0 has a grid of 2 extents, possible are 1 to 1", kCpu);
  test::expectRefused(package, grid({}), "step 0 has a grid of 0 extents", kCuda);
  test::expectRefused(package, grid({"1", "1", "1", "1"}), "has a grid of 4 extents, possible are 1 to 3", kCuda);
  const auto initGrid = [](Program &p) { p.init[0].launch.grid.clear(); };
  test::expectRefused(package, initGrid, "init step 0 has a grid of 0 extents", kCuda);
}

TEST(HostileLaunch, Kernels) {
  const Package package = test::makePackage();
  test::expectRefused(
      package, [](Program &p) { p.kernels[1].cluster = 9; }, "kernel 1 has clusters of 9 blocks", kCuda);
  test::expectRefused(package, [](Program &p) { p.kernels[0].cluster = 1; }, "only a launch on a GPU has", kCpu);
  test::expectRefused(package, [](Program &p) { p.kernels[0].programmatic = true; }, "only a launch on a GPU", kCpu);
  const auto cooperate = [](Program &p) { p.kernels[1].cooperative = true; };
  test::expectRefused(package, cooperate, "only a launch on a GPU has", kCpu);
  const auto cluster = [](Program &p) { p.kernels[1].cooperative = true, p.kernels[1].cluster = 2; };
  test::expectRefused(package, cluster, "kernel 1 is cooperative, which goes neither with clusters", kCuda);
  const auto early = [](Program &p) { p.kernels[1].cooperative = p.kernels[1].programmatic = true; };
  test::expectRefused(package, early, "nor with an early start", kCuda);
}

TEST(HostileLaunch, TensorMaps) {
  ASSERT_TRUE(writePackageToMemory(mappedPackage(), test::packageWeights()).isOk());
  const auto move = [](Program &p) { p.steps[0].launch.maps.resize(1); };
  test::expectRefused(mappedPackage(), move, "step 0 has tensor maps, which cpu does not know", kCpu);
  const auto many = [](Program &p) { p.steps[0].launch.maps.resize(33); };
  test::expectRefused(mappedPackage(), many, "step 0 has 33 tensor maps, at most 32 are possible", kCuda);
  expectMapRefused([](TensorMap &m) { m.buffer = 4; }, "step 0, tensor map 0 refers to 4 of 4");
  expectMapRefused([](TensorMap &m) { m.dtype = DType(0); }, "has no known element type");
  expectMapRefused([](TensorMap &m) { m.dtype = DType(14); }, "has no known element type");
  expectMapRefused([](TensorMap &m) { m.extents.clear(); }, "has 0 extents, possible are 1 to 5");
  expectMapRefused([](TensorMap &m) { m.extents.resize(6, "1"); }, "has 6 extents, possible are 1 to 5");
  expectMapRefused([](TensorMap &m) { m.strides.clear(); }, "of 2 extents has 0 strides and a box of 2");
  expectMapRefused([](TensorMap &m) { m.box.push_back(1); }, "of 2 extents has 1 strides and a box of 3");
  expectMapRefused([](TensorMap &m) { m.box[1] = 0; }, "copies 0 elements at once");
  expectMapRefused([](TensorMap &m) { m.box[0] = 260; }, "copies 260 elements at once, possible are 1 to 256");
  expectMapRefused([](TensorMap &m) { m.box[0] = 5; }, "copies rows of 20 bytes, which are no multiple of 16");
  expectMapRefused([](TensorMap &m) { m.swizzle = 16; }, "has an unknown swizzle of 16 bytes");
  expectMapRefused([](TensorMap &m) { m.swizzle = 32, m.box[0] = 12; },
                   "rows of 48 bytes, more than its swizzle of 32");
}

TEST(HostileLaunch, StridedProducts) {
  ASSERT_TRUE(writePackageToMemory(productPackage(), test::packageWeights()).isOk());
  const LibraryCall product = productPackage().variants[kCuda].program.steps[0].launch.call;
  const auto move = [&](Program &p) { p.steps[0].launch.call = product; };
  test::expectRefused(test::makePackage(), move, "step 0 has a library call, which cpu does not know", kCpu);
  using Call = LibraryCall;
  expectProductRefused([](Call &c) { c.dtype = DType(0); }, "none of f32, f16 and bf16");
  expectProductRefused([](Call &c) { c.dtype = DType::I8; }, "none of f32, f16 and bf16");
  expectProductRefused([](Call &c) { c.source.pop_back(); }, "2 extents of source, expected 3");
  expectProductRefused([](Call &c) { c.weights[0] = 1; }, "do not agree");
  expectProductRefused([](Call &c) { c.result[2] = 5; }, "do not agree");
  expectProductRefused([](Call &c) { c.padding = {1, 1}; }, "a product with a window");
  expectProductRefused([](Call &c) { c.sourceStrides.pop_back(); }, "2 strides of source, expected 3");
  expectProductRefused([](Call &c) { c.sourceStrides[0] = -1; }, "a stride -1 of source");
  expectProductRefused([](Call &c) { c.sourceStrides[0] = int64_t(1) << 31; }, "a stride 2147483648 of source");
  expectProductRefused([](Call &c) { c.sourceStrides[0] = (int64_t(1) << 31) - 1; }, "a source of more than");
  expectProductRefused([](Call &c) { c.sourceStrides[1] = 2; }, "neither rows nor columns of source");
  expectProductRefused([](Call &c) { c.weightsStrides = {0, 5, 2}; }, "neither rows nor columns of weights");
  expectProductRefused([](Call &c) { std::swap(c.postOps[1], c.postOps[2]); }, "another epilogue");
  expectProductRefused([](Call &c) { c.postOps[1] = c.postOps[0]; }, "another epilogue");
  expectProductRefused([](Call &c) { c.postOps[2].kind = PostOpKind::GeluErf; }, "another epilogue");
  expectProductRefused([](Call &c) { c.workspace = uint64_t(1) << 31; }, "a workspace of 2147483648 bytes");
  expectProductRefused([](Call &c) { c.workspace = 0; }, "names 6 buffers, expected 5");
  expectProductRefused([](Call &c) { c.buffers[1] = 0; }, "buffer 0, which its kernel does not use so");
  expectProductRefused([](Call &c) { c.buffers[4] = 5; }, "buffer 5, which its kernel does not use so");
  expectProductRefused([](Call &c) { c.buffers[5] = 5; }, "buffer 5, which is no workspace");
  const auto outlive = [](Program &p) { p.buffers[6].last = 1; };
  test::expectRefused(productPackage(), outlive, "buffer 6, which is no workspace", kCuda);
}

} // namespace cupola::format
