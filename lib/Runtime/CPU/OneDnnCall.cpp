//===- lib/Runtime/CPU/OneDnnCall.cpp - a contraction by oneDNN on our threads ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/OneDnnCall.h"
#include "lib/Runtime/CPU/HostMemory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace cupola::runtime::onednn {

using format::LibraryCall;
using format::LibraryCallKind;
using format::PostOp;
using format::PostOpKind;

namespace {

struct Function {
  int algorithm;
  bool takesAlpha, takesBeta;
};

Function functionOf(PostOpKind kind) {
  switch (kind) {
  case PostOpKind::AddChannel:
  case PostOpKind::AddTensor:
    return {algBinaryAdd, false, false};
  case PostOpKind::Relu:
    return {algRelu, false, false};
  case PostOpKind::Clip:
    return {algClip, true, true};
  case PostOpKind::Sigmoid:
    return {algLogistic, false, false};
  case PostOpKind::Silu:
    return {algSwish, true, false};
  case PostOpKind::HardSwish:
    return {algHardSwish, false, false};
  case PostOpKind::GeluErf:
    return {algGeluErf, false, false};
  case PostOpKind::GeluTanh:
    return {algGeluTanh, false, false};
  case PostOpKind::Tanh:
    return {algTanh, false, false};
  }
  return {0, false, false};
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Logical dimensions in oneDNN's order (images, channels, height, width), f32.
struct Layout {
  int rank = 0;
  Dims dims = {}, strides = {};
};

/// [n, h, w, c]
Layout image(int64_t n, int64_t h, int64_t w, int64_t c) { return {4, {n, c, h, w}, {h * w * c, 1, w * c, c}}; }
Layout matrix(int64_t rows, int64_t columns) { return {2, {rows, columns}, {columns, 1}}; }

} // namespace

/// Makes the primitives of a call and the works of its pieces.
class OneDnnCall::Builder {
public:
  Builder(OneDnnCall &made, const LibraryCall &call)
      : made(made), call(call), library(*made.library), api(library.api()) {}

  Status build(const void *weights, unsigned threads) {
    const SingleThread alone(library);
    const std::vector<Piece> pieces = cutCall(call, threads);
    for (const Piece &piece : pieces)
      if (indexOf(piece.shape) == shapes.size())
        CUPOLA_TRY(describePiece(piece.shape));
    CUPOLA_TRY(pack(weights)); // not before all of its readers are known to be fast
    for (const Owned<PrimitiveDesc> &desc : descriptions)
      CUPOLA_TRY(addPrimitive(desc.get()));
    for (const Piece &piece : pieces)
      CUPOLA_TRY(addWork(piece, indexOf(piece.shape)));
    return Status::ok();
  }

private:
  bool isProduct() const { return call.kind == LibraryCallKind::MatrixProduct; }
  /// The first post-op is what oneDNN calls the bias.
  bool hasBias() const { return !call.postOps.empty() && call.postOps[0].kind == PostOpKind::AddChannel; }
  int64_t channels() const { return call.result.back(); }
  size_t indexOf(const PieceShape &shape) const {
    return static_cast<size_t>(std::find(shapes.begin(), shapes.end(), shape) - shapes.begin());
  }

  Layout source(const PieceShape &s) const {
    return isProduct() ? matrix(s.rows, call.source[1]) : image(s.images, s.sourceRows, call.source[2], call.source[3]);
  }
  Layout result(const PieceShape &s) const {
    return isProduct() ? matrix(s.rows, channels()) : image(s.images, s.rows, call.result[2], channels());
  }
  Layout bias() const { return isProduct() ? matrix(1, channels()) : Layout{1, {channels()}, {1}}; }
  /// A vector that every place of the result adds.
  Layout perChannel() const { return isProduct() ? matrix(1, channels()) : image(1, 1, 1, channels()); }
  /// As the package has them: [kh, kw, c, o], or [k, n].
  Layout weights() const {
    if (isProduct())
      return matrix(call.weights[0], call.weights[1]);
    const int64_t h = call.weights[0], w = call.weights[1], c = call.weights[2], o = call.weights[3];
    return {4, {o, c, h, w}, {1, o, w * c * o, c * o}};
  }

  Status describe(const Layout &layout, MemoryDesc &desc) const {
    return library.check(api.initByStrides(&desc, layout.rank, layout.dims, dataF32, layout.strides),
                         "describe a tensor");
  }

  Status initOp(const PieceShape &shape, OpDesc &op) {
    MemoryDesc from, to, vector;
    CUPOLA_TRY(describe(source(shape), from));
    CUPOLA_TRY(describe(result(shape), to));
    CUPOLA_TRY(describe(bias(), vector));
    if (shapes.empty()) { // the first primitive chooses, the others take the same
      const Layout any = weights();
      CUPOLA_TRY(library.check(api.initByTag(&packedDesc, any.rank, any.dims, dataF32, tagAny), "describe weights"));
    }
    const MemoryDesc *added = hasBias() ? &vector : nullptr;
    if (isProduct())
      return library.check(api.initProduct(&op, &from, &packedDesc, added, &to), "describe the product");
    const int64_t reach = (call.weights[1] - 1) * call.dilations[1] + 1;
    const int64_t behind =
        (call.result[2] - 1) * call.strides[1] + reach - call.padding[1] - call.source[2]; // may be negative
    const Dims strides = {call.strides[0], call.strides[1]};
    const Dims dilations = {call.dilations[0] - 1, call.dilations[1] - 1};
    const Dims before = {shape.paddingBefore, call.padding[1]};
    const Dims after = {shape.paddingBehind, std::max<int64_t>(behind, 0)};
    return library.check(api.initConvolution(&op, propForwardInference, algConvolutionDirect, &from, &packedDesc, added,
                                             &to, strides, dilations, before, after),
                         "describe the convolution");
  }

  Status addPostOps(PostOps ops, const PieceShape &shape) {
    for (size_t i = hasBias() ? 1 : 0; i < call.postOps.size(); ++i) {
      const PostOp &op = call.postOps[i];
      const Function function = functionOf(op.kind);
      if (!format::hasOperand(op.kind)) {
        CUPOLA_TRY(
            library.check(api.appendEltwise(ops, 1, function.algorithm, function.takesAlpha ? floatOf(op.alpha) : 0,
                                            function.takesBeta ? floatOf(op.beta) : 0),
                          "add a function"));
        continue;
      }
      MemoryDesc desc;
      CUPOLA_TRY(describe(op.kind == PostOpKind::AddChannel ? perChannel() : result(shape), desc));
      CUPOLA_TRY(library.check(api.appendBinary(ops, function.algorithm, &desc), "add a tensor"));
    }
    return Status::ok();
  }

  Result<Owned<Attributes>> attributesOf(const PieceShape &shape) {
    Attributes attributes = nullptr;
    CUPOLA_TRY(library.check(api.createAttributes(&attributes), "make attributes"));
    Owned<Attributes> owned(attributes, api.destroyAttributes);
    PostOps ops = nullptr;
    CUPOLA_TRY(library.check(api.createPostOps(&ops), "make post-ops"));
    const Owned<PostOps> ownedOps(ops, api.destroyPostOps);
    CUPOLA_TRY(addPostOps(ops, shape));
    CUPOLA_TRY(library.check(api.setPostOps(attributes, ops), "set post-ops"));
    CUPOLA_TRY(library.check(api.setScratchpadMode(attributes, scratchpadUser), "take scratch memory"));
    return owned;
  }

  Status describePiece(const PieceShape &shape) {
    CUPOLA_ASSIGN(Owned<Attributes> attributes, attributesOf(shape));
    OpDesc op;
    CUPOLA_TRY(initOp(shape, op));
    PrimitiveDesc desc = nullptr;
    CUPOLA_TRY(library.check(api.describePrimitive(&desc, &op, attributes.get(), library.engine(), nullptr),
                             "compute this contraction"));
    descriptions.emplace_back(desc, api.destroyDescription);
    CUPOLA_TRY(checkCode(desc));
    if (shapes.empty())
      packedDesc = *api.queryMemory(desc, queryWeights, 0);
    shapes.push_back(shape);
    return Status::ok();
  }

  /// Each piece may get code of another kind: the first one's weights may suit only slow code
  /// for the next.
  Status checkCode(PrimitiveDesc desc) {
    const char *code = nullptr;
    CUPOLA_TRY(library.check(api.query(desc, queryImplementation, 0, &code), "name its code"));
    const std::string name = library.name() + " " + code;
    if (!format::isMeasured(library.version(), call.kind, code))
      return Status::environment(name + " is not used: the cost table does not know it");
    if (shapes.empty())
      made.title = name;
    else if (made.title.find(code) == std::string::npos)
      made.title += std::string(", ") + code;
    return Status::ok();
  }

  Status addPrimitive(PrimitiveDesc desc) {
    Primitive primitive = nullptr;
    CUPOLA_TRY(library.check(api.createPrimitive(&primitive, desc), "make the primitive"));
    made.primitives.emplace_back(primitive, api.destroyPrimitive);
    const MemoryDesc *scratchpad = api.queryMemory(desc, queryScratchpad, 0);
    scratchpads.push_back(*scratchpad);
    made.scratch = std::max<uint64_t>(made.scratch, api.bytesOf(scratchpad));
    return Status::ok();
  }

  /// The library's copy of the weights.
  Status pack(const void *values) {
    made.packedBytes = api.bytesOf(&packedDesc);
    made.packed = {static_cast<char *>(allocateHostMemory(made.packedBytes)), std::free};
    if (!made.packed)
      return Status::environment("out of memory: " + std::to_string(made.packedBytes) + " bytes wanted for weights");
    MemoryDesc canonical;
    CUPOLA_TRY(describe(weights(), canonical));
    CUPOLA_ASSIGN(Memory from, addMemory(canonical, const_cast<void *>(values))); // only read
    CUPOLA_ASSIGN(packedWeights, addMemory(packedDesc, made.packed.get()));
    return reorder(canonical, from, packedWeights);
  }

  Status reorder(const MemoryDesc &canonical, Memory from, Memory to) {
    PrimitiveDesc desc = nullptr;
    CUPOLA_TRY(
        library.check(api.describeReorder(&desc, &canonical, library.engine(), &packedDesc, library.engine(), nullptr),
                      "pack weights"));
    const Owned<PrimitiveDesc> owned(desc, api.destroyDescription);
    Primitive primitive = nullptr;
    CUPOLA_TRY(library.check(api.createPrimitive(&primitive, desc), "pack weights"));
    const Owned<Primitive> ownedPrimitive(primitive, api.destroyPrimitive);
    CUPOLA_ASSIGN(Owned<Stream> stream, makeStream());
    const Argument arguments[] = {{argFrom, from}, {argTo, to}};
    return library.check(api.execute(primitive, stream.get(), 2, arguments), "pack weights");
  }

  Result<Owned<Stream>> makeStream() {
    Stream stream = nullptr;
    CUPOLA_TRY(library.check(api.createStream(&stream, library.engine(), streamInOrder), "make a stream"));
    return Owned<Stream>(stream, api.destroyStream);
  }

  Result<Memory> addMemory(const MemoryDesc &desc, void *data) {
    Memory memory = nullptr;
    CUPOLA_TRY(library.check(api.createMemory(&memory, &desc, library.engine(), data), "name memory"));
    made.memories.emplace_back(memory, api.destroyMemory);
    return memory;
  }

  Status follow(Work &work, int kind, const Layout &layout, size_t buffer, uint64_t offset) {
    MemoryDesc desc;
    CUPOLA_TRY(describe(layout, desc));
    CUPOLA_ASSIGN(Memory memory, addMemory(desc, nullptr));
    work.arguments.push_back({kind, memory});
    work.followers.push_back({memory, buffer, offset});
    return Status::ok();
  }

  uint64_t offsetIn(const std::vector<int64_t> &extents, int64_t imageIndex, int64_t row) const {
    int64_t inner = sizeof(float);
    for (size_t i = isProduct() ? 1 : 2; i < extents.size(); ++i)
      inner *= extents[i];
    return static_cast<uint64_t>((isProduct() ? row : imageIndex * extents[1] + row) * inner);
  }

  Status addWork(const Piece &piece, size_t primitive) {
    Work work;
    work.primitive = primitive;
    const uint64_t resultOffset = offsetIn(call.result, piece.image, piece.row);
    CUPOLA_TRY(follow(work, argSource, source(piece.shape), 0,
                      offsetIn(call.source, piece.image, isProduct() ? piece.row : piece.sourceRow)));
    size_t buffer = 2; // behind source and weights
    for (size_t i = 0; i < call.postOps.size(); ++i) {
      const PostOpKind kind = call.postOps[i].kind;
      if (!format::hasOperand(kind))
        continue;
      const bool isBias = i == 0 && hasBias(), isVector = kind == PostOpKind::AddChannel;
      CUPOLA_TRY(follow(work, isBias ? argBias : argPostOp(static_cast<int>(i) - hasBias()),
                        isBias     ? bias()
                        : isVector ? perChannel()
                                   : result(piece.shape),
                        buffer++, isVector ? 0 : resultOffset));
    }
    CUPOLA_TRY(follow(work, argResult, result(piece.shape), buffer, resultOffset));
    work.arguments.push_back({argWeights, packedWeights});
    CUPOLA_ASSIGN(work.scratchpad, addMemory(scratchpads[primitive], nullptr));
    work.arguments.push_back({argScratchpad, work.scratchpad});
    CUPOLA_ASSIGN(work.stream, makeStream());
    made.works.push_back(std::move(work));
    return Status::ok();
  }

  OneDnnCall &made;
  const LibraryCall &call;
  const OneDnn &library;
  const Api &api;
  std::vector<PieceShape> shapes; ///< by primitive, as the next two
  std::vector<Owned<PrimitiveDesc>> descriptions;
  std::vector<MemoryDesc> scratchpads;
  MemoryDesc packedDesc;
  Memory packedWeights = nullptr;
};

Result<std::unique_ptr<OneDnnCall>> OneDnnCall::create(std::shared_ptr<const OneDnn> library, const LibraryCall &call,
                                                       const void *weights, unsigned threads) {
  std::unique_ptr<OneDnnCall> made(new OneDnnCall(std::move(library)));
  CUPOLA_TRY(Builder(*made, call).build(weights, threads));
  return made;
}

ErrorCode OneDnnCall::runPiece(Work &work, const uint64_t *addresses, char *scratchMemory) const {
  const Api &api = library->api();
  for (const Follower &follower : work.followers) {
    char *data = reinterpret_cast<char *>(addresses[follower.buffer]) + follower.offset;
    if (const ErrorCode code = api.setData(follower.memory, data))
      return code;
  }
  if (const ErrorCode code = api.setData(work.scratchpad, scratchMemory))
    return code;
  return api.execute(primitives[work.primitive].get(), work.stream.get(), static_cast<int>(work.arguments.size()),
                     work.arguments.data());
}

Status OneDnnCall::run(ThreadPool &pool, const uint64_t *addresses, char *scratchMemory, uint64_t stride) {
  struct Round {
    OneDnnCall &call;
    const uint64_t *addresses;
    char *scratch;
    uint64_t stride;
    std::atomic<ErrorCode> failed{0};
  } round{*this, addresses, scratchMemory, stride};
  pool.parallelFor(
      static_cast<int64_t>(works.size()), 1,
      [](void *context, int64_t begin, int64_t end, unsigned worker) {
        Round &round = *static_cast<Round *>(context);
        const SingleThread alone(*round.call.library);
        for (int64_t i = begin; i < end; ++i)
          if (const ErrorCode code = round.call.runPiece(round.call.works[static_cast<size_t>(i)], round.addresses,
                                                         round.scratch + worker * round.stride))
            round.failed = code;
      },
      &round);
  return library->check(round.failed, "run");
}

} // namespace cupola::runtime::onednn
