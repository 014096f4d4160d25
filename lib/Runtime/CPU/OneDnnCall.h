//===- lib/Runtime/CPU/OneDnnCall.h - a contraction by oneDNN on our threads ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The work is cut into pieces, one per thread: images, rows of an image with the rows
// around them that their windows reach, or rows of a matrix. Each piece is a primitive of
// oneDNN that works on one thread, and our pool runs them: see docs/rationale/cpu.md.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_CPU_ONEDNNCALL_H
#define CUPOLA_LIB_RUNTIME_CPU_ONEDNNCALL_H

#include "lib/Runtime/CPU/OneDnn.h"
#include "lib/Runtime/CPU/ThreadPool.h"
#include "lib/Runtime/Format/LibraryCall.h"

#include <vector>

namespace cupola::runtime::onednn {

/// What a primitive is made for. A product has `rows` of one `image`.
struct PieceShape {
  int64_t images = 1, rows = 0;
  int64_t sourceRows = 0, paddingBefore = 0, paddingBehind = 0; ///< convolution
  bool operator==(const PieceShape &other) const;
};

/// A piece of a call: its shape and where it begins.
struct Piece {
  PieceShape shape;
  int64_t image = 0, row = 0, sourceRow = 0;
};

/// At least one and at most about `threads` pieces, in order; together they are the call.
std::vector<Piece> cutCall(const format::LibraryCall &call, unsigned threads);

/// One thread at a time runs it.
class OneDnnCall {
public:
  /// `weights` is read now and packed as the library likes it. Code::Environment where the
  /// library cannot.
  static Result<std::unique_ptr<OneDnnCall>>
  create(std::shared_ptr<const OneDnn> library, const format::LibraryCall &call, const void *weights, unsigned threads);

  /// Of the packed weights.
  uint64_t weightBytes() const { return packedBytes; }
  /// Per thread, 64-byte aligned.
  uint64_t scratchBytes() const { return scratch; }
  /// For people: "oneDNN 2.6.3 brgconv:avx512_core".
  const std::string &name() const { return title; }

  /// `addresses` are those of LibraryCall::buffers; thread i of the pool has
  /// [scratch + i * stride, + stride).
  Status run(ThreadPool &pool, const uint64_t *addresses, char *scratch, uint64_t stride);

private:
  /// A memory of a piece that follows the tensor `buffer` of the call.
  struct Follower {
    Memory memory;
    size_t buffer;
    uint64_t offset; ///< bytes
  };
  struct Work {
    size_t primitive = 0;
    std::vector<Argument> arguments;
    std::vector<Follower> followers;
    Memory scratchpad = nullptr;
    Owned<Stream> stream{nullptr, nullptr};
  };
  class Builder;

  OneDnnCall(std::shared_ptr<const OneDnn> library) : library(std::move(library)) {}
  ErrorCode runPiece(Work &work, const uint64_t *addresses, char *scratch) const;

  std::shared_ptr<const OneDnn> library; ///< outlives what follows
  std::unique_ptr<char, void (*)(void *)> packed{nullptr, nullptr};
  uint64_t packedBytes = 0;
  std::vector<Owned<Primitive>> primitives;
  std::vector<Owned<Memory>> memories;
  std::vector<Work> works;
  uint64_t scratch = 0;
  std::string title;
};

} // namespace cupola::runtime::onednn

#endif // CUPOLA_LIB_RUNTIME_CPU_ONEDNNCALL_H
