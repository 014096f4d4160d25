//===- lib/Runtime/Format/LibraryCall.h - What a library may do in place of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A closed description of a contraction with what follows it, beside the generated
// kernel that computes the same. A runtime that has the library may run it instead; one
// that has not runs the kernel. All extents are numbers: a library compiles code for the
// shapes that it is given, or looks for its best, and new shapes never wait for that here.
//
//   Convolution     source [n, h, w, c], weights [kh, kw, c, o], result [n, oh, ow, o]
//   MatrixProduct   source [m, k], weights [k, n], result [m, n]
//   StridedProduct  source [b, m, k], weights [b, k, n], result [b, m, n]
//
// Tensors are dense f32, row-major in this order of dimensions; but all of a StridedProduct are
// of `dtype`, and its source and weights lie as their strides say.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H
#define CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H

#include "lib/Runtime/Format/ElementTypes.h"
#include "lib/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupola::format {

enum class LibraryCallKind : uint8_t { None = 0, Convolution, MatrixProduct, StridedProduct };

/// What happens to every element of the result, one after the other.
enum class PostOpKind : uint8_t {
  AddChannel = 1, ///< + operand[channel], the last dimension
  AddTensor,      ///< + operand, of the result's shape
  Relu,
  Clip, ///< to [alpha, beta]
  Sigmoid,
  Silu, ///< x * sigmoid(alpha * x)
  HardSwish,
  GeluErf,
  GeluTanh,
  Tanh,
};

/// Whether the post-op reads a buffer.
inline bool hasOperand(PostOpKind kind) { return kind <= PostOpKind::AddTensor; }

struct PostOp {
  PostOpKind kind = PostOpKind::Relu;
  uint32_t alpha = 0, beta = 0; ///< the bits of two f32
};
template <class V> void fields(V &v, typename V::template Ref<PostOp> p) { v(1, p.kind), v(2, p.alpha), v(3, p.beta); }

struct LibraryCall {
  LibraryCallKind kind = LibraryCallKind::None;
  std::vector<int64_t> source, weights, result;
  /// Convolution, height and width each: the window's steps, the distance of its taps, and
  /// the zeros in front of the source. Behind it are as many as the last window reaches.
  std::vector<int64_t> strides, dilations, padding;
  std::vector<PostOp> postOps;
  /// Into Program::buffers: source, weights, the post-ops' operands in order, result, workspace if there is one.
  std::vector<uint32_t> buffers;
  // What follows is a StridedProduct's alone.
  DType dtype = {}; ///< f32, f16 or bf16; products and their sums are f32
  /// Elements from one to the next along each dimension. Rows or columns lie in one piece, with 1 between their
  /// elements and at least their length between two of them.
  std::vector<int64_t> sourceStrides = {}, weightsStrides = {};
  uint64_t workspace = 0; ///< bytes that nothing else uses meanwhile; 0: there is no such buffer

  explicit operator bool() const { return kind != LibraryCallKind::None; }
};
template <class V> void fields(V &v, typename V::template Ref<LibraryCall> c) {
  v(1, c.kind), v(2, c.source), v(3, c.weights), v(4, c.result), v(5, c.strides), v(6, c.dilations), v(7, c.padding),
      v(8, c.postOps), v(9, c.buffers), v(10, c.dtype), v(11, c.sourceStrides), v(12, c.weightsStrides),
      v(13, c.workspace);
}

/// Whether a StridedProduct may have these post-ops: a library adds a channel and a tensor, each at most once, before
/// it applies a function, Relu or GeluTanh.
bool isProductEpilogue(const std::vector<PostOp> &ops);

/// Bytes of each of `buffers`.
std::vector<uint64_t> bufferBytes(const LibraryCall &call);

/// Extents are positive and agree with each other, every product of them is far from
/// 2^63, the kinds are known, `buffers` has the right length. Code::Package names the
/// first mistake.
Status checkLibraryCall(const LibraryCall &call);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H
