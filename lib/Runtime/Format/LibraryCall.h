//===- lib/Runtime/Format/LibraryCall.h - What a library may do in place of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A closed description of a contraction with what follows it, beside the generated
// kernel that computes the same. A runtime that has the library may run it instead; one
// that has not runs the kernel. All extents are numbers: a library compiles code for the
// shapes that it is given, and new shapes never wait for a compiler here.
//
//   Convolution    source [n, h, w, c], weights [kh, kw, c, o], result [n, oh, ow, o]
//   MatrixProduct  source [m, k], weights [k, n], result [m, n]
//
// Tensors are dense f32, row-major in this order of dimensions.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H
#define CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H

#include "lib/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupola::format {

enum class LibraryCallKind : uint8_t { None = 0, Convolution, MatrixProduct };

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
  /// Into Program::buffers: source, weights, the post-ops' operands in order, result.
  std::vector<uint32_t> buffers;

  explicit operator bool() const { return kind != LibraryCallKind::None; }
};
template <class V> void fields(V &v, typename V::template Ref<LibraryCall> c) {
  v(1, c.kind), v(2, c.source), v(3, c.weights), v(4, c.result), v(5, c.strides), v(6, c.dilations), v(7, c.padding),
      v(8, c.postOps), v(9, c.buffers);
}

/// Bytes of each of `buffers`.
std::vector<uint64_t> bufferBytes(const LibraryCall &call);

/// Extents are positive and agree with each other, every product of them is far from
/// 2^63, the kinds are known, `buffers` has the right length. Code::Package names the
/// first mistake.
Status checkLibraryCall(const LibraryCall &call);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_LIBRARYCALL_H
