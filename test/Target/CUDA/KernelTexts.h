//===- test/Target/CUDA/KernelTexts.h - kernels to run schedules on ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_TARGET_CUDA_KERNELTEXTS_H
#define CUPOLA_TEST_TARGET_CUDA_KERNELTEXTS_H

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace cupola {
struct GpuArchitecture;
}

namespace cupola::test {

/// A kernel and what to run it on.
struct KernelCase {
  std::string name, schedule; ///< schedule: what ChooseSchedule must choose
  std::string text;           ///< one kernel.func
  std::vector<int64_t> scalars;
  std::vector<int64_t> elements;    ///< per buffer
  int64_t indexBound = 7;           ///< integers are in [0, indexBound)
  bool raises = false;              ///< some index is out of range
  std::vector<int64_t> unread = {}; ///< elements of the first buffer that no result depends on: they are NaN
  double tolerance = 0;             ///< relative to the largest magnitude; 0: that of the type
  unsigned orders = 1;              ///< of threads, that the simulator runs it in
};

/// Keeps GoogleTest from printing bytes.
inline void PrintTo(const KernelCase &test, std::ostream *os) { *os << test.name; }

/// Every schedule over its parameter space: aligned and ragged extents, types, layouts.
std::vector<KernelCase> pointwiseCases(), transposeCases(), gatherCases(), rowCases(), reductionCases(), normCases(),
    windowCases(), gemmCases(), halfGemmCases(), wgmmaCases(), wgmmaConvCases(), convCases(), halfConvCases(),
    patchCases(), attentionCases(), halfAttentionCases();
/// Products by tiles of every shape: by cp.async, those that fit into so much shared memory; through registers, with an
/// mma of depth `mmaK`.
std::vector<KernelCase> asyncMmaCases(int64_t sharedBytes), registerMmaCases(int64_t mmaK);
/// Products of f32 as one or three of TF32, asynchronous and through registers, matrices and convolutions.
std::vector<KernelCase> tf32Cases(int64_t sharedBytes);
/// Products of a deep k that blocks share.
std::vector<KernelCase> splitMmaCases();
/// Attention whose keys warps and blocks share, and with more rows in a warp; by warpgroups.
std::vector<KernelCase> scheduledAttentionCases(), wgmmaAttentionCases();

/// out[r, c] = f(in[r, c] + bias[c]), c fixed, r = n0; or both fixed.
KernelCase pointwiseCase(const std::string &type, int64_t rows, int64_t columns, bool dynamic);
/// A permutation of three axes.
KernelCase transposeCase(const std::string &type, int64_t a, int64_t b, int64_t c, std::vector<int> order,
                         const std::string &to = "");
/// out[i, c] = table[ids[i], c].
KernelCase gatherCase(const std::string &type, int64_t count, int64_t columns, bool outOfRange);
/// Softmax over rows of `columns`; `dynamic`: n0 rows of n1 columns without a map.
KernelCase softmaxCase(const std::string &type, int64_t rows, int64_t columns, bool dynamic);
KernelCase layerNormCase(const std::string &type, int64_t rows, int64_t columns);
/// Reduction of [outer, reduced, inner] over the middle axis.
KernelCase reductionCase(const std::string &type, const std::string &kind, int64_t outer, int64_t reduced,
                         int64_t inner, const std::string &schedule = "");
/// The smallest and the largest of [outer, reduced, inner] over the middle axis, and the middle of both.
KernelCase jointCase(const std::string &type, int64_t outer, int64_t reduced, int64_t inner,
                     const std::string &schedule);
/// Sums of rows: each element times its eighth, counted from the row's begin, 1000 more up to element 15.
KernelCase placedSumCase(const std::string &type, int64_t rows, int64_t columns, const std::string &schedule);
KernelCase softmaxColumnsCase(const std::string &type, int64_t outer, int64_t reduced, int64_t inner);
KernelCase argReductionCase(const std::string &type, const std::string &kind, bool last, int64_t outer, int64_t reduced,
                            int64_t inner, const std::string &schedule);

/// Groups of channels, channels last, in `parts` of `length` places each.
struct NormShape {
  int64_t parts, length, groups, channels;
  int64_t elements() const { return parts * length * groups * channels; }
};
/// The first stage: mean and variance of every part of a group.
KernelCase momentsCase(const std::string &type, const NormShape &shape);
/// The second stage: a group's parts combined, its elements normalised.
KernelCase normalizeCase(const std::string &type, const NormShape &shape);

struct GemmOptions {
  std::string type = "f32"; ///< of operands and result
  bool dynamic = false;     ///< m is n0
  bool lhsTransposed = false, rhsTransposed = false;
  bool prologue = false;    ///< lhs is a function of what is loaded
  bool rhsPrologue = false; ///< so is rhs
  int64_t batch = 1;
  int64_t rhsPitch = 0;  ///< between rows of rhs; 0: dense
  std::string schedule;  ///< "gemm_wgmma<..>"; empty: the compiler chooses one
  std::string tf32 = {}; ///< x1, x3: products that f32 may have; empty: exact ones
};
/// TF32 has the bits of f16.
constexpr double tf32Tolerance = 2e-3;
/// out = f(lhs * rhs + bias[n]) + residual[m, n].
KernelCase gemmCase(int64_t m, int64_t n, int64_t k, const GemmOptions &options = {});

/// Products of the same few rows with weights; of one row, perhaps, its layer norm.
struct FewRowsShape {
  std::string type = "f32"; ///< of all buffers
  int64_t rows = 1, columns = 64, depth = 64;
  int products = 1;
  bool norm = false;         ///< of the only row, times gamma
  std::string schedule = {}; ///< "matvec<..>"; empty: the compiler chooses one
  bool turned = false;       ///< weights lie along the depth
};
/// out = gelu(gelu(x W0) (x W1)) .. in one kernel. Buffers: x, gamma, weights, out.
KernelCase fewRowsCase(const FewRowsShape &shape);
std::vector<KernelCase> fewRowsCases();

/// out = x W + bias, or, with scalars (a, s) of each row, made of moments of `parts` of it, (x W - a bias) s + bias; of
/// the result perhaps moments of 32 columns each.
struct FoldedNormShape {
  std::string type = "f16"; ///< of x, W and out
  int64_t rows = 128, columns = 64, depth = 64;
  int64_t parts = 0; ///< 0: no scalars
  bool moments = false;
  bool dynamic = false;      ///< rows are n0
  std::string schedule = {}; ///< "gemm_mma<..>", "gemm_wgmma<..>"; empty: the compiler chooses one
};
/// Buffers: x, W, moments of x, bias, out, moments of out.
KernelCase foldedNormCase(const FoldedNormShape &shape);
/// By tiles that the compiler chooses; those of other tiles that fit into so much shared memory; by warpgroups.
std::vector<KernelCase> foldedNormCases(), asyncFoldedNormCases(int64_t sharedBytes), wgmmaFoldedNormCases();

/// A product whose weights are numbers of four bits less 8 times a scale of `block` neighbours along the depth, as the
/// pass `graph-pack-weights` lays them out.
struct PackedShape {
  std::string type = "f32"; ///< of rows and result
  int64_t rows = 1, columns = 64, depth = 64, block = 32;
  bool zeros = false;        ///< blocks have a number of their own in the place of 8, which is added
  std::string schedule = {}; ///< "gemm_mma<..>"; empty: the compiler chooses one
  bool areBytes = false;     ///< numbers of eight bits less 128, neighbours along the depth
};
/// Buffers: rows, bytes, scales, out, zeros.
KernelCase packedCase(const PackedShape &shape);
std::vector<KernelCase> packedCases();
/// By tiles of every shape: with rows by cp.async, those that fit into so much shared memory; through registers.
std::vector<KernelCase> asyncPackedCases(int64_t sharedBytes), registerPackedCases(int64_t mmaK);

/// Layouts of both operands, rows whose number is n0, and several products, as ByteGemm and Float8Gemm have them.
template <class Gemm>
void addLayouts(std::vector<KernelCase> &cases, KernelCase (*make)(int64_t m, int64_t n, int64_t k, const Gemm &)) {
  Gemm o;
  o.lhsTransposed = true;
  cases.push_back(make(48, 64, 64, o));
  o.alongColumns = true;
  cases.push_back(make(48, 64, 64, o));
  o.lhsTransposed = false;
  cases.push_back(make(45, 70, 96, o));
  o.alongColumns = false;
  o.dynamic = true;
  o.batch = 2;
  cases.push_back(make(45, 64, 96, o));
}

/// A product of bytes whose sums are i32: requantised, or as they are.
struct ByteGemm {
  std::string left = "ui8", right = "i8";
  std::string result = "i8"; ///< or ui8, i32
  bool dynamic = false;      ///< m is n0
  bool lhsTransposed = false;
  bool alongColumns = false; ///< rhs is [k, n], not [n, k]
  int64_t batch = 1;
  std::string schedule = {}; ///< "gemm_mma<..>"; empty: the compiler chooses one
};
/// Numbers below this are all that bytes hold.
constexpr int64_t allBytes = 256;
/// Buffers: lhs, rhs, bias of i32, residual of i8, out.
KernelCase byteGemmCase(int64_t m, int64_t n, int64_t k, const ByteGemm &options = {});
std::vector<KernelCase> byteCases(), byteConvCases();
/// By tiles of every shape: by cp.async, those that fit into so much shared memory; through registers.
std::vector<KernelCase> asyncByteCases(int64_t sharedBytes), registerByteCases();

/// A product of float8 times a number for each column.
struct Float8Gemm {
  std::string left = "f8E4M3FN", right = "f8E4M3FN"; ///< or f8E5M2
  std::string result = "f32";
  bool dynamic = false; ///< m is n0
  bool lhsTransposed = false;
  bool alongColumns = false; ///< rhs is [k, n], not [n, k]
  int64_t batch = 1;
  std::string schedule = {}; ///< "gemm_mma<..>"; empty: the compiler chooses one
};
/// Buffers: lhs, rhs, a f32 per column, out.
KernelCase float8GemmCase(int64_t m, int64_t n, int64_t k, const Float8Gemm &options = {});
std::vector<KernelCase> float8Cases();
/// By tiles that the target has shared memory and registers for.
std::vector<KernelCase> asyncFloat8Cases(const GpuArchitecture &target);

struct AttentionShape {
  std::string type = "f32"; ///< of all buffers
  int64_t batch = 1, rows = 64, keys = 64;
  int64_t head = 64, columns = 64; ///< of q and k, of v
  bool dynamic = false;            ///< rows and keys are n0 and n1
  bool keysTransposed = true;      ///< k is [keys, head], not [head, keys]
  bool mask = false;               ///< adds a buffer [rows, keys] to the scores
  bool causal = false;             ///< scores of keys after the row are -inf
  int64_t window = 0;              ///< so are those of keys that are more than this before it, if there is one
  bool visible = false;            ///< the kernel says which steps a causal row needs
  int64_t sharing = 1;       ///< so many neighbouring rows are heads with the same keys, apart in q and the result
  bool guard = false;        ///< rows of which all scores are -inf, or one NaN, are 0
  bool residual = false;     ///< adds a buffer [batch, rows, columns] to the result
  bool kept = false;         ///< writes 2 v of every other image, too
  bool rotated = false;      ///< k is turned as by positions, each half with the other, by v and the first row of q
  std::string cache = {};    ///< the type of k and v, of which their elements are made; empty: `type`
  int64_t appended = 0;      ///< so many keys, and their values, have loads of their own, behind all others
  std::string schedule = {}; ///< "attention_mma<..>"; empty: the kernel comes without one
};
/// What scores are multiplied with.
constexpr double attentionScale = 0.25;
/// out = softmax(scale q k + mask) v + residual in one kernel. Buffers: q, k, v, mask, residual, kept, out.
KernelCase attentionCase(const AttentionShape &shape);
/// Of attentionCases().
std::vector<AttentionShape> attentionShapes();

/// A loop over two states, of which one is multiplied: h = tanh(x +- h W ..), c = c / 2 + h.
struct RecurrentShape {
  std::string type = "f32"; ///< of all buffers but the last
  int64_t directions = 1, rows = 1, width = 64, gates = 4, steps = 3;
  int products = 1;          ///< 2: of h times a gate, too
  bool dynamic = false;      ///< rows and steps are n0 and n1
  std::string schedule = {}; ///< "recurrence<..>"; empty: the compiler chooses one
  bool together = false;     ///< c begins as h does, of f32
};
/// Buffers: h before, x, weights of each product, all h, the last c.
KernelCase recurrentCase(const RecurrentShape &shape);
std::vector<KernelCase> recurrentCases();

/// A tile of gemm_mma.
struct MmaTile {
  int64_t m, n, k, warpsM, warpsN, slices, stages, split = 1;

  std::string schedule(int64_t mmaK, bool async) const {
    auto text = [](int64_t n) { return std::to_string(n); };
    return "gemm_mma<tile " + text(m) + "x" + text(n) + "x" + text(k) + ", warps " + text(warpsM) + "x" + text(warpsN) +
           ", slices " + text(slices) + ", stages " + text(stages) + ", mma_k " + text(mmaK) + ", async " +
           (async ? "true" : "false") + (split > 1 ? ", split " + text(split) : "") + ">";
  }
  /// Rows of [k][n] operands of four bytes are padded.
  int64_t sharedBytes(int64_t element = 2) const {
    return stages * ((m + n) * k + (element == 4 ? 8 * k : 0)) * element;
  }
};

struct ConvOptions {
  std::string type = "f32";
  int64_t images = 1, height = 8, width = 8; ///< of the input
  int64_t channels = 4, groups = 1;          ///< input channels of a group
  int64_t taps = 3, stride = 1, dilation = 1, pad = 1;
  bool dynamic = false;       ///< n0 images
  bool channelsFirst = false; ///< the input's
  std::string tf32 = {};      ///< as of GemmOptions
  int64_t fill = 0;           ///< of the border, of bytes
  std::string schedule = {};  ///< with parameters, as "conv_patch<..>", or what the compiler must choose; empty: a gemm
};
/// out = relu(conv(in, weights) + bias + residual), channels last, `columns` outputs a group.
KernelCase convCase(int64_t columns, const ConvOptions &options);
/// out[p, c] = reduction over the taps of in[p + tap, c] * weights[tap, c], plus bias[c]: a
/// depthwise convolution, or with another kind a weighted pool. n0 images.
KernelCase windowCase(const std::string &kind, const ConvOptions &options);

} // namespace cupola::test

#endif // CUPOLA_TEST_TARGET_CUDA_KERNELTEXTS_H
