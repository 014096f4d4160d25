//===- test/Sim/Cute/CuteAnswers.cpp - Asks CuTe, on the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Cute/CuteAnswers.h"

#include <cstddef>

// CuTe asks for shared addresses by this name; there is one tile at a time. 1024 bytes are the period of the swizzles.
alignas(1024) static char sharedMemory[65536];
static size_t __cvta_generic_to_shared(const void *p) { return static_cast<const char *>(p) - sharedMemory; }

#include <cute/tensor.hpp> // first: the others do not stand alone

#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

namespace cupola::test {
namespace {

using namespace cute;
using Element = half_t;

// The numbers that wgmma.cuh writes for "as it is" and "n innermost".
static_assert(int(GMMA::Major::K) == 0 && int(GMMA::Major::MN) == 1 && int(GMMA::ScaleIn::One) == 1);

//===--- Shared memory and descriptors ---===//

/// The order of atoms goes with the layout that `tile_to_shape` makes: by default the first mode is walked first.
using FirstModeFirst = Step<_1, _2>;
using SecondModeFirst = Step<_2, _1>;

template <GMMA::Major Major, class Steps, class Atom, int Outer, int K, int Width>
CuteTile tile(const char *name, Order order, uint32_t span) {
  static_assert(Outer * K * sizeof(Element) <= sizeof(sharedMemory));
  // The swizzle acts on addresses, so the layout alone would not tell.
  const auto tensor = make_tensor(make_smem_ptr(reinterpret_cast<Element *>(sharedMemory)),
                                  tile_to_shape(Atom{}, Shape<Int<Outer>, Int<K>>{}, Steps{}));
  CuteTile answer{name, order, span, Outer, K, Width, {}, {}};
  for (int o = 0; o < Outer; ++o)
    for (int k = 0; k < K; ++k)
      answer.bytes.push_back(static_cast<uint32_t>(__cvta_generic_to_shared(&tensor(o, k))));
  for (int o = 0; o < Outer / Width; ++o)
    for (int k = 0; k < K / 16; ++k) {
      const auto part = local_tile(tensor, Shape<Int<Width>, _16>{}, make_coord(o, k));
      answer.descriptors.push_back(
          {static_cast<uint32_t>(o * Width), static_cast<uint32_t>(k * 16), GMMA::make_gmma_desc<Major>(part).desc_});
    }
  return answer;
}

template <int Outer, int K, int Width> CuteTile k128(const char *name) {
  return tile<GMMA::Major::K, FirstModeFirst, GMMA::Layout_K_SW128_Atom<Element>, Outer, K, Width>(name, Order::AlongK,
                                                                                                   128);
}
template <int Outer, int K> CuteTile k64(const char *name) {
  return tile<GMMA::Major::K, FirstModeFirst, GMMA::Layout_K_SW64_Atom<Element>, Outer, K, Outer>(name, Order::AlongK,
                                                                                                  64);
}
template <int Outer, int K> CuteTile k32(const char *name) {
  return tile<GMMA::Major::K, FirstModeFirst, GMMA::Layout_K_SW32_Atom<Element>, Outer, K, Outer>(name, Order::AlongK,
                                                                                                  32);
}
template <int Outer> CuteTile groupsOfN(const char *name) {
  return tile<GMMA::Major::MN, SecondModeFirst, GMMA::Layout_MN_SW128_Atom<Element>, Outer, 64, Outer>(
      name, Order::GroupsOfN, 128);
}
template <int Outer> CuteTile groupsOfK(const char *name) {
  return tile<GMMA::Major::MN, FirstModeFirst, GMMA::Layout_MN_SW128_Atom<Element>, Outer, 64, Outer>(
      name, Order::GroupsOfK, 128);
}

//===--- Fragments ---===//

/// `layout` maps (thread, value) to row + rows * column.
template <class Layout> CuteFragment fragment(const char *name, const Layout &layout, uint32_t rows) {
  CuteFragment answer{name, static_cast<uint32_t>(size<0>(layout)), static_cast<uint32_t>(size<1>(layout)), {}};
  for (uint32_t t = 0; t < answer.threads; ++t)
    for (uint32_t v = 0; v < answer.values; ++v) {
      const auto i = static_cast<uint32_t>(layout(t, v));
      answer.places.push_back({i % rows, i / rows});
    }
  return answer;
}

template <class Operation> CuteFragment accumulators(const char *name) {
  return fragment(name, typename MMA_Traits<Operation>::CLayout{}, 64);
}

//===--- Tensor maps ---===//

std::vector<CuteTensorMap> asked;

/// Of a tile of `Outer` x 64 that `Blocks` blocks of a cluster bring each other.
template <class Copy, class Stride, class Layout, int Blocks>
void askTensorMap(const char *name, Copy copy, Stride stride, Layout layout, Int<Blocks> blocks) {
  const auto *address = reinterpret_cast<const Element *>(uintptr_t(1) << 28);
  const auto tensor = make_tensor(make_gmem_ptr(address), make_layout(make_shape(3000, 1024), stride));
  make_tma_copy(copy, tensor, layout, product_each(shape(layout)), blocks);
  asked.back().name = name;
}

} // namespace

//===--- The answers ---===//

std::vector<CuteTile> cuteTiles() {
  return {k128<64, 64, 64>("A 64x64, swizzle 128"),
          k128<128, 64, 64>("A 128x64, swizzle 128"),
          k128<256, 64, 64>("A 256x64, swizzle 128"),
          k128<128, 64, 128>("B 128x64, swizzle 128"),
          k128<256, 64, 256>("B 256x64, swizzle 128"),
          k128<64, 128, 64>("A 64x128, swizzle 128"),
          k64<64, 32>("64x32, swizzle 64"),
          k64<128, 64>("128x64, swizzle 64"),
          k64<256, 64>("256x64, swizzle 64"),
          k32<64, 16>("64x16, swizzle 32"),
          k32<128, 64>("128x64, swizzle 32"),
          k32<256, 64>("256x64, swizzle 32"),
          groupsOfN<64>("B 64x64, n innermost, groups of n"),
          groupsOfN<128>("B 128x64, n innermost, groups of n"),
          groupsOfN<256>("B 256x64, n innermost, groups of n"),
          groupsOfK<64>("B 64x64, n innermost, groups of k"),
          groupsOfK<128>("B 128x64, n innermost, groups of k"),
          groupsOfK<256>("B 256x64, n innermost, groups of k")};
}

std::vector<CuteFragment> cuteFragments() {
  using namespace SM90::GMMA;
  using K16 = MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>;
  using K8 = MMA_Traits<SM80_16x8x8_F32F16F16F32_TN>;
  using K32 = MMA_Traits<SM80_16x8x32_S32U8S8S32_TN>;
  return {accumulators<MMA_64x64x16_F32F16F16_SS<Major::K, Major::K>>("m64n64k16 C"),
          accumulators<MMA_64x128x16_F32F16F16_SS<Major::K, Major::K>>("m64n128k16 C"),
          accumulators<MMA_64x256x16_F32F16F16_SS<Major::K, Major::K>>("m64n256k16 C"),
          fragment("m64n64k16 A", MMA_Traits<MMA_64x64x16_F32F16F16_RS<Major::K, Major::MN>>::ALayout{}, 64),
          fragment("m16n8k16 A", K16::ALayout{}, 16),
          fragment("m16n8k16 B", K16::BLayout{}, 8),
          fragment("m16n8k16 C", K16::CLayout{}, 16),
          fragment("m16n8k8 A", K8::ALayout{}, 16),
          fragment("m16n8k8 B", K8::BLayout{}, 8),
          fragment("m16n8k8 C", K8::CLayout{}, 16),
          fragment("m16n8k32 A", K32::ALayout{}, 16),
          fragment("m16n8k32 B", K32::BLayout{}, 8),
          fragment("m16n8k32 C", K32::CLayout{}, 16)};
}

std::vector<CuteTensorMap> cuteTensorMaps() {
  using AlongK = GMMA::Layout_K_SW128_Atom<Element>;
  using AlongN = GMMA::Layout_MN_SW128_Atom<Element>;
  const auto rows = make_stride(Int<1024>{}, _1{});
  const auto columns = make_stride(_1{}, Int<3000>{});
  asked.clear();
  askTensorMap("A 128x64", SM90_TMA_LOAD{}, rows, tile_to_shape(AlongK{}, Shape<_128, _64>{}), _1{});
  askTensorMap("A 64x64", SM90_TMA_LOAD{}, rows, tile_to_shape(AlongK{}, Shape<_64, _64>{}), _1{});
  askTensorMap("B 256x64 for two blocks", SM90_TMA_LOAD_MULTICAST{}, rows, tile_to_shape(AlongK{}, Shape<_256, _64>{}),
               _2{});
  askTensorMap("B 64x64, n innermost", SM90_TMA_LOAD{}, columns, tile_to_shape(AlongN{}, Shape<_64, _64>{}), _1{});
  askTensorMap("B 256x64, n innermost", SM90_TMA_LOAD{}, columns,
               tile_to_shape(AlongN{}, Shape<_256, _64>{}, SecondModeFirst{}), _1{});
  return asked;
}

} // namespace cupola::test

//===--- The driver's functions that CuTe calls ---===//

extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap *, CUtensorMapDataType type, cuuint32_t rank, void *,
                                           const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                                           const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                           CUtensorMapFloatOOBfill fill) {
  cupola::test::asked.push_back({"",
                                 static_cast<uint32_t>(type),
                                 static_cast<uint32_t>(interleave),
                                 static_cast<uint32_t>(swizzle),
                                 static_cast<uint32_t>(promotion),
                                 static_cast<uint32_t>(fill),
                                 {extents, extents + rank},
                                 {strides, strides + rank - 1},
                                 {box, box + rank},
                                 {elementStrides, elementStrides + rank}});
  return CUDA_SUCCESS;
}
extern "C" CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "";
  return CUDA_SUCCESS;
}
extern "C" CUresult cuGetErrorName(CUresult, const char **text) {
  *text = "";
  return CUDA_SUCCESS;
}
