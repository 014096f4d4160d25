//===- test/Sim/ConformanceTensor.cpp - Tensor copies and wgmma ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

namespace cupola::test {

namespace {

using Matrix = std::vector<long double>;

/// One thread gets ready; `body` is what it copies, `bytes` in all.
std::string bringText(uint64_t bytes, const std::string &body, int maps) {
  std::string text = "  u64 *const bar = cu_shared<u64>(65536);\n  if (cu_tid() == 0) {\n    mbarrier_init(bar, 1);\n"
                     "    mbarrier_init_fence();\n  }\n  cluster_barrier();\n  if (cu_tid() == 0) {\n";
  for (int i = 0; i < maps; ++i)
    text += "    const TensorMap *const m" + std::to_string(i) + " = cu_tensor_map(bindings, map" + std::to_string(i) +
            ");\n    tensor_map_acquire(m" + std::to_string(i) + ");\n";
  return text + "    mbarrier_expect(bar, " + std::to_string(bytes) + ");\n" + body + "  }\n  mbarrier_wait(bar, 0);\n";
}

/// Where 16 bytes lie in shared memory: the number of the row of 128 bytes, as far as the swizzle goes, changes that of
/// the 16 bytes in it.
size_t placeOf(size_t chunk, uint32_t swizzle) {
  const size_t row = chunk / 8 % 8, column = chunk % 8;
  return chunk / 8 * 8 + (column ^ (swizzle ? row % (swizzle / 16) : 0));
}

/// Rows as they lie in shared memory.
std::string swizzledBytes(const std::vector<uint16_t> &rows, uint32_t swizzle) {
  const std::string straight = toBytes(rows);
  std::string swizzled(straight.size(), '\0');
  for (size_t chunk = 0; chunk < straight.size() / 16; ++chunk)
    swizzled.replace(placeOf(chunk, swizzle) * 16, 16, straight, chunk * 16, 16);
  return swizzled;
}

/// The box as it lies in shared memory, zeros outside of the tensor.
std::string boxBytes(const KernelMap &map, const std::vector<uint16_t> &tensor, const std::vector<int> &at) {
  std::vector<uint16_t> box;
  size_t count = 1;
  for (uint32_t b : map.box)
    count *= b;
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i, byte = 0;
    bool inside = true;
    for (size_t d = 0; d < map.box.size(); ++d) {
      const int64_t x = at[d] + static_cast<int64_t>(rest % map.box[d]);
      rest /= map.box[d];
      inside &= x >= 0 && x < static_cast<int64_t>(map.extents[d]);
      byte += static_cast<size_t>(x) * (d == 0 ? 2 : map.strides[d - 1]);
    }
    box.push_back(inside ? tensor[byte / 2] : 0);
  }
  return swizzledBytes(box, map.swizzle);
}

std::vector<uint16_t> numbered(size_t count) {
  std::vector<uint16_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<uint16_t>(i * 7 + 1));
  return values;
}

/// A box of a tensor of `rank` dimensions that leaves it on several sides.
ConformanceCase copyCase(size_t rank, uint32_t swizzle) {
  ConformanceCase c;
  c.name = "tensor_copy_" + std::to_string(rank) + "d_swizzle" + std::to_string(swizzle);
  c.minimumArch = 90;
  c.run.kernel = "k_copy";
  c.run.sharedBytes = 65536 + 8;
  const std::vector<uint64_t> extents = {40, 9, 3, 2, 3};
  const std::vector<uint32_t> box = {swizzle ? swizzle / 2 : 48, 8, 2, 2, 2};
  const std::vector<int> at = {16, 3, -1, 1, 1};
  KernelMap map = {0, format::DType::F16, {}, {}, {}, swizzle};
  uint64_t bytes = 2, elements = 1;
  std::string coordinates;
  for (size_t d = 0; d < rank; ++d) {
    map.extents.push_back(extents[d]);
    map.box.push_back(box[d]);
    elements *= extents[d];
    if (d + 1 < rank)
      map.strides.push_back(elements * 2);
    bytes *= box[d];
    coordinates += (d ? ", " : "") + std::to_string(at[d]);
  }
  c.run.text = kernelHead("k_copy", 32, 2, 0, 1) +
               bringText(bytes, "    tensor_copy(cu_shared<f16>(0), m0, {" + coordinates + "}, bar);\n", 1) +
               "  for (u32 i = cu_tid(); i < " + std::to_string(bytes / 4) +
               "; i += 32)\n    cu_write<u32>(bindings, ref1)[i] = cu_shared<u32>(0)[i];\n}\n";
  const std::vector<uint16_t> tensor = numbered(elements);
  c.run.buffers = {input(tensor), output<uint8_t>(bytes)};
  c.run.maps = {map};
  c.check = [=](const std::vector<std::string> &found) {
    return compareBytes(found[0], boxBytes(map, tensor, {at.begin(), at.begin() + static_cast<ptrdiff_t>(rank)}));
  };
  return c;
}

/// Windows of images as a convolution has them, the inner axis first.
struct ImageAxis {
  int64_t extent, places, step, padding; ///< of the images; of the result; from one to the next; before the first
  int64_t tap;                           ///< the element of the windows that is copied
  int64_t first;                         ///< the place that the copy begins at

  /// Where the last window ends, beyond the image: its first elements end as much before that as it is long.
  int64_t upper() const { return step * (places - 1) - padding - (extent - 1); }
};

/// 16 places of the windows of three images of 72 channels, from channel 16 on: across rows, planes and images. This is
/// a convolution's own arithmetic: which image, row and column place number i is, and what its tap reads.
std::vector<uint16_t> windowRows(const std::vector<ImageAxis> &axes, const std::vector<uint16_t> &tensor) {
  std::vector<uint16_t> rows;
  int64_t first = 0, placesOfImage = 1, elements = 72;
  for (const ImageAxis &axis : axes) {
    first += axis.first * placesOfImage;
    placesOfImage *= axis.places;
    elements *= axis.extent;
  }
  for (int64_t place = first; place < first + 16; ++place) {
    int64_t at = place / placesOfImage * elements, rest = place, stride = 72;
    bool isInside = place / placesOfImage < 3;
    for (const ImageAxis &axis : axes) {
      const int64_t x = rest % axis.places * axis.step - axis.padding + axis.tap;
      isInside &= x >= 0 && x < axis.extent;
      at += x * stride;
      stride *= axis.extent;
      rest /= axis.places;
    }
    for (int64_t c = 16; c < 80; ++c)
      rows.push_back(isInside && c < 72 ? tensor[size_t(at + c)] : 0);
  }
  return rows;
}

ConformanceCase windowCase(const std::vector<ImageAxis> &axes) {
  ConformanceCase c;
  c.name = "tensor_copy_window_" + std::to_string(axes.size() + 2) + "d";
  c.minimumArch = 90;
  c.run.kernel = "k_window";
  c.run.sharedBytes = 65536 + 8;
  KernelMap map = {0, format::DType::F16, {72}, {}, {64, 16}, 128};
  std::string coordinates = "16", taps;
  uint64_t elements = 72;
  for (const ImageAxis &axis : axes) {
    map.extents.push_back(uint64_t(axis.extent));
    map.strides.push_back(elements * 2);
    map.window.lower.push_back(-axis.padding);
    map.window.upper.push_back(axis.upper());
    map.window.steps.push_back(uint32_t(axis.step));
    elements *= uint64_t(axis.extent);
    coordinates += ", " + std::to_string(axis.first * axis.step - axis.padding);
    taps += (taps.empty() ? "" : ", ") + std::to_string(axis.tap) + "u";
  }
  map.extents.push_back(3);
  map.strides.push_back(elements * 2);
  map.box.resize(map.extents.size(), 1);
  c.run.text =
      kernelHead("k_window", 32, 2, 0, 1) +
      bringText(2048, "    tensor_copy_window(cu_shared<f16>(0), m0, {" + coordinates + ", 0}, {" + taps + "}, bar);\n",
                1) +
      "  for (u32 i = cu_tid(); i < 512; i += 32)\n    cu_write<u32>(bindings, ref1)[i] = "
      "cu_shared<u32>(0)[i];\n}\n";
  const std::vector<uint16_t> tensor = numbered(elements * 3);
  c.run.buffers = {input(tensor), output<uint8_t>(2048)};
  c.run.maps = {map};
  c.check = [=](const std::vector<std::string> &found) {
    return compareBytes(found[0], swizzledBytes(windowRows(axes, tensor), 128));
  };
  return c;
}

/// Each of two blocks copies half of what both get.
ConformanceCase multicastCase() {
  ConformanceCase c;
  c.name = "tensor_copy_multicast";
  c.minimumArch = 90;
  c.run.kernel = "k_multicast";
  c.run.sharedBytes = 65536 + 8;
  c.run.grid = 2;
  c.run.cluster = 2;
  c.run.text = kernelHead("k_multicast", 32, 2, 0, 1) +
               bringText(2048,
                         "    tensor_copy_multicast(cu_shared<f16>(1024 * cluster_rank()), m0, "
                         "{0, 8 * static_cast<i32>(cluster_rank())}, bar, 3);\n",
                         1) +
               "  for (u32 i = cu_tid(); i < 512; i += 32)\n    cu_write<u32>(bindings, ref1)[cu_block() * 512 + i] = "
               "cu_shared<u32>(0)[i];\n  cluster_barrier();\n}\n";
  const std::vector<uint16_t> tensor = numbered(64 * 16);
  c.run.buffers = {input(tensor), output<uint8_t>(4096)};
  const KernelMap map = {0, format::DType::F16, {64, 16}, {128}, {64, 8}, 128};
  c.run.maps = {map};
  c.check = [=](const std::vector<std::string> &found) {
    const std::string both = boxBytes(map, tensor, {0, 0}) + boxBytes(map, tensor, {0, 8});
    return compareBytes(found[0], both + both);
  };
  return c;
}

struct WgmmaCase {
  int tiles; ///< of 8 columns
  bool bf16, transposed, fragments = false;
};

/// The left operand in registers: packed from what accumulators of 64 columns would hold. The accumulators are set,
/// then added to.
std::string fragmentsText(const WgmmaCase &s, const std::string &type) {
  const std::string product = s.transposed ? "wgmma_fragments_transposed" : "wgmma_fragments";
  const std::string operands = "(acc, f, b, 4096);\n  wgmma_commit();\n  wgmma_wait<0>(acc);\n";
  return "  f32 left[8][4];\n  CUPOLA_UNROLL\n  for (i32 j = 0; j < 8; ++j) {\n    CUPOLA_UNROLL\n"
         "    for (i32 e = 0; e < 4; ++e)\n      left[j][e] = cu_cast<f32>(cu_read<" +
         type + ">(bindings, ref0)[wgmma_row(e) * 64 + 8 * j + wgmma_col(e)]);\n  }\n  u32 f[4][4];\n  wgmma_pack<" +
         type + ">(f, left);\n  wgmma_fence(acc, f);\n  " + product + "<false>" + operands +
         "  wgmma_fence(acc, f);\n  " + product + operands;
}

/// A [64][64 k] times B, [n][64 k] or [64 k][n], in two groups, by each of the two blocks of a cluster.
std::string wgmmaText(const WgmmaCase &s) {
  const std::string type = s.bf16 ? "bf16" : "f16", tiles = std::to_string(s.tiles);
  const int n = s.tiles * 8;
  std::string copies = "    tensor_copy(cu_shared<" + type + ">(0), m0, {0, 0}, bar);\n";
  for (int j = 0; j < (s.transposed ? n / 64 : 1); ++j)
    copies += "    tensor_copy(cu_shared<" + type + ">(" + std::to_string(8192 + 8192 * j) + "), m1, {" +
              std::to_string(64 * j) + ", 0}, bar);\n";
  const std::string product = s.transposed ? "wgmma_transposed(acc, a + 16 * k, b + 1024 * k, 4096);\n"
                                           : "wgmma(acc, a + 16 * k, b + 16 * k);\n";
  const std::string products = "  wgmma_fence(acc);\n  CUPOLA_UNROLL\n  for (i32 k = 0; k < 3; ++k)\n    " + product +
                               "  wgmma_commit();\n  const i32 k = 3;\n  " + product +
                               "  wgmma_commit();\n  wgmma_wait<1>(acc);\n  wgmma_wait<0>(acc);\n";
  return kernelHead("k_wgmma", 128, 3, 0, 2) + bringText(static_cast<uint64_t>(8192 + n * 128), copies, 2) +
         "  const " + type + " *const a = cu_shared<" + type + ">(0), *const b = cu_shared<" + type +
         ">(8192);\n  f32 acc[" + tiles + "][4];\n  CUPOLA_UNROLL\n  for (i32 j = 0; j < " + tiles +
         "; ++j) {\n    CUPOLA_UNROLL\n    for (i32 e = 0; e < 4; ++e)\n      acc[j][e] = 0.5f;\n  }\n" +
         (s.fragments ? fragmentsText(s, type) : products) + "  CUPOLA_UNROLL\n  for (i32 j = 0; j < " + tiles +
         "; ++j) {\n    CUPOLA_UNROLL\n    for (i32 e = 0; e < 4; ++e)\n"
         "      cu_write<f32>(bindings, ref2)[(cu_block() * 64 + wgmma_row(e)) * " +
         std::to_string(n) + " + 8 * j + wgmma_col(e)] = acc[j][e];\n  }\n}\n";
}

ConformanceCase warpgroupCase() {
  ConformanceCase c;
  c.name = "warpgroup_index";
  c.minimumArch = 90;
  c.run.kernel = "k_warpgroup";
  c.run.threads = 384;
  c.run.text =
      kernelHead("k_warpgroup", 384, 1, 0) + "  cu_write<u32>(bindings, ref0)[cu_tid()] = cu_warpgroup();\n}\n";
  c.run.buffers = {output<uint32_t>(384)};
  c.check = isEach<uint32_t>(384, [](uint32_t t) -> uint32_t { return t / 128; });
  return c;
}

/// Small integers: every sum is exact, in any order.
ConformanceCase wgmmaCase(const WgmmaCase &s) {
  ConformanceCase c;
  c.name = std::string("wgmma_") + (s.fragments ? "fragments_" : "") + (s.transposed ? "transposed_" : "") +
           (s.bf16 ? "bf16_" : "f16_") + std::to_string(s.tiles * 8);
  c.minimumArch = 90;
  c.run.arch = "sm_90a";
  c.run.kernel = "k_wgmma";
  c.run.threads = 128;
  c.run.grid = 2;
  c.run.cluster = 2;
  c.run.sharedBytes = 65536 + 8;
  c.run.text = wgmmaText(s);
  const auto n = static_cast<size_t>(s.tiles) * 8;
  Numbers numbers(17);
  Matrix a(64 * 64), b(n * 64);
  for (Matrix *m : {&a, &b})
    for (long double &x : *m)
      x = numbers.small(8);
  const FloatFormat &format = s.bf16 ? kBf16 : kF16;
  const std::string aBytes = encodeAll(format, a), bBytes = encodeAll(format, b);
  c.run.buffers = {{"r", aBytes.size(), aBytes}, {"r", bBytes.size(), bBytes}, output<float>(2 * 64 * n)};
  const auto dtype = s.bf16 ? format::DType::BF16 : format::DType::F16;
  c.run.maps = {{0, dtype, {64, 64}, {128}, {64, 64}, 128},
                {1, dtype, {64, n}, {128}, {64, static_cast<uint32_t>(n)}, 128}};
  if (s.transposed)
    c.run.maps[1] = {1, dtype, {n, 64}, {2 * n}, {64, 64}, 128};
  c.check = [=](const std::vector<std::string> &found) {
    Matrix expected;
    for (size_t i = 0; i < 64; ++i)
      for (size_t j = 0; j < n; ++j) {
        long double sum = s.fragments ? 0 : 0.5L;
        for (size_t k = 0; k < 64; ++k)
          sum += (s.fragments ? 2 : 1) * a[i * 64 + k] * b[s.transposed ? k * n + j : j * 64 + k];
        expected.push_back(sum);
      }
    const Matrix ofOneBlock = expected;
    expected.insert(expected.end(), ofOneBlock.begin(), ofOneBlock.end());
    return compareFloats(kF32, found[0], expected, 0, 0);
  };
  return c;
}

} // namespace

std::vector<ConformanceCase> tensorCases() {
  std::vector<ConformanceCase> cases = {multicastCase(), warpgroupCase()};
  // Extent, places, step, padding, tap, first place.
  cases.push_back(windowCase({{9, 9, 1, 1, 2, 5}}));
  cases.push_back(windowCase({{5, 3, 2, 1, 0, 1}, {4, 4, 1, 1, 2, 2}}));
  cases.push_back(windowCase({{4, 4, 1, 2, 4, 3}, {3, 3, 1, 0, 0, 1}, {5, 2, 3, 1, 1, 0}}));
  for (size_t rank = 2; rank <= 5; ++rank)
    for (uint32_t swizzle : {0u, 32u, 64u, 128u})
      cases.push_back(copyCase(rank, swizzle));
  for (int tiles : {8, 16, 32})
    for (bool bf16 : {false, true})
      for (bool transposed : {false, true})
        cases.push_back(wgmmaCase({tiles, bf16, transposed}));
  for (int tiles : {8, 16})
    for (bool bf16 : {false, true})
      for (bool transposed : {false, true})
        cases.push_back(wgmmaCase({tiles, bf16, transposed, /*fragments=*/true}));
  return cases;
}

} // namespace cupola::test
