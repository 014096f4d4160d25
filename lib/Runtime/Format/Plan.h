//===- lib/Runtime/Format/Plan.h - What a package says, as plain structs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler fills these structs, the package stores them, the runtime reads
// them. They hold no MLIR, LLVM or Protobuf type. Sizes, grids and offsets are
// texts of symbolic expressions (lib/Planner/Expr.h) over the package's symbols
// and are evaluated when shapes are bound; a static package has constants there.
// The function `fields` of a struct numbers them as manifest.proto does, for Manifest.cpp.
//
// Conventions that hold for every package:
//  - Tensors are dense and row-major, but for those with Tensor::storage.
//  - Every buffer starts at a multiple of kBufferAlignment, input and output
//    tensors at a multiple of kTensorAlignment, or where the processor computes of
//    their elements' size. The runtime copies or refuses tensors of callers that are
//    aligned less.
//  - The bindings table of a program is an array of 64-bit words: word 0 is the
//    address of the flag block (kFlagWords u32, zero before each run), words 1..S
//    the values of Program::scalars, then the addresses of the inputs, then of
//    the outputs, then of the views whose root is an input or output, in the
//    order of Program::buffers. The table of another body has its own scalars after
//    word 0; its kernels get the addresses of parameters as such. Behind all words,
//    from a multiple of kTensorMapBytes on, lie the tensor maps of the body's launches,
//    in the order of the steps and of Launch::maps.
//  - A kernel is called with the address of its bindings table, a u64 per buffer of the
//    launch (an address, or kReferenceBit and the word that holds it), a u32 per scalar
//    and then per tensor map (the word that it is or begins at), and its step's number.
//  - Steps are numbered through: those of the program first, then those of its bodies,
//    in order (stepAt). That is the number which a kernel raises a flag with.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_PLAN_H
#define CUPOLA_LIB_RUNTIME_FORMAT_PLAN_H

#include "lib/Runtime/Format/ElementTypes.h"
#include "lib/Runtime/Format/Step.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::format {

/// "0.1.0": this build of Cupola.
std::string_view version();

/// The version of the format that this build writes; it reads this one and the one before.
constexpr uint32_t kFormatVersion = 1;
constexpr uint64_t kBufferAlignment = 256;
constexpr uint64_t kTensorAlignment = 64;
constexpr uint32_t kFlagWords = 16;
/// Set in a kernel's buffer argument that names a word of the bindings table.
constexpr uint64_t kReferenceBit = uint64_t(1) << 63;
/// What a tensor map takes in the bindings table, and what it is aligned to there.
constexpr uint64_t kTensorMapBytes = 128;

/// A model input or output. `name` is the model's and only for people and for
/// matching the caller's tensors. `indexedExtent` is set on integer inputs whose
/// values select along an axis: the smallest extent they index (0: unknown).
struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::string> dims;
  int64_t indexedExtent = 0;
  /// An integer or bool input that the model uses as an attention mask.
  bool mask = false;
  /// The tensor is the part at the origin of a dense one with these extents, no smaller
  /// than `dims`; empty: it is dense itself.
  std::vector<std::string> storage = {};
  /// An output: 1 + the input in whose memory it lies, which has the same `storage`; 0: its own.
  uint32_t memoryOf = 0;
  /// A *shape input*: the symbols that its elements are, row-major, as ShapeElements.h reads them; empty: none.
  std::vector<std::string> elements = {};
};
template <class V> void fields(V &v, typename V::template Ref<Tensor> t) {
  v(1, t.name), v(2, t.dtype), v(3, t.dims), v(4, t.indexedExtent), v(5, t.mask), v(6, t.storage), v(7, t.memoryOf),
      v(8, t.elements);
}

/// A dynamic dimension, or an element of a shape input. `name` is the model's, for people only.
struct Symbol {
  std::string id, name;
  int64_t min = 0; ///< kAnyNumber: unbounded
  int64_t max = 0; ///< 0: unbounded
  int64_t divisor = 1;
  /// Has no value when shapes are bound: a control step gives it one, again and again.
  bool run = false;
  /// Not empty: its value, of symbols that stand before it; no extent of an input gives it one.
  std::string definition = {};
};
constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::min();
template <class V> void fields(V &v, typename V::template Ref<Symbol> s) {
  v(1, s.id), v(2, s.name), v(3, s.min), v(4, s.max), v(5, s.divisor), v(6, s.run), v(7, s.definition);
}

/// A relation that must hold when shapes are bound; `message` is the error.
struct Check {
  std::string lhs;
  std::string relation; ///< "==", "<=" or "%==0" (lhs is a multiple of rhs)
  std::string rhs;
  std::string message;
};
template <class V> void fields(V &v, typename V::template Ref<Check> c) {
  v(1, c.lhs), v(2, c.relation), v(3, c.rhs), v(4, c.message);
}

/// Bytes [offset, offset + bytes) of the weights section. `name` is the ONNX
/// initialiser, or empty for a constant that the compiler made.
struct Weight {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  uint64_t offset = 0; ///< multiple of kBufferAlignment
  uint64_t bytes = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Weight> w) {
  v(1, w.name), v(2, w.dtype), v(3, w.dims), v(4, w.offset), v(5, w.bytes);
}

enum class BufferKind : uint8_t {
  Arena = 1, ///< lives in steps [first, last], in the session's arena
  Weight,    ///< weights[index], read only
  Input,     ///< inputs[index], read only
  Output,    ///< outputs[index]
  View,      ///< bytes at `offset` in buffers[index] (an earlier buffer)
  Init, ///< written by the init steps, once per executable, then read only; in a body: buffers[index] of the program
  Parameter, ///< of a body: buffer `index` that the step hands over which enters it
  Growing,   ///< memory of its own, made large enough when a body is entered that has it as a parameter
  Counters,  ///< the session's, one for all bodies: zeros before a launch and after it; the size is a number
};

struct Buffer {
  BufferKind kind = BufferKind::Arena;
  uint32_t index = 0;
  std::string bytes;  ///< Expr; empty where it is known only in a body that gets the buffer: Growing, Parameter
  std::string offset; ///< View: Expr, bytes into the parent
  uint32_t first = 0, last = 0; ///< Arena: steps in which it is alive, inclusive
  int64_t planned = -1;         ///< Arena: its offset when the arena is static
};
template <class V> void fields(V &v, typename V::template Ref<Buffer> b) {
  v(1, b.kind), v(2, b.index), v(3, b.bytes), v(4, b.offset), v(5, b.first), v(6, b.last), v(7, b.planned);
}

struct Kernel {
  std::string name;                   ///< k_ and 16 hex digits
  std::string schedule;               ///< for reports: "pointwise", "gemm", ...
  std::string sourceHash;             ///< hex SHA-256 of the kernel's text
  uint32_t threads = 1;               ///< per block; 1 on cpu
  uint64_t sharedBytes = 0;           ///< cuda: dynamic shared memory
  uint64_t scratchBytes = 0;          ///< cpu: per thread
  uint32_t grain = 1;                 ///< cpu: fewest iterations worth a thread
  uint32_t source = 0;                ///< cuda: into Variant::sources; cpu: 0
  std::vector<std::string> readWrite; ///< "r", "w" or "rw" per buffer parameter
  std::string flops;                  ///< Expr over n0.. (Launch::scalars), for reports only
  uint32_t cluster = 0;               ///< cuda: neighbouring blocks along x that run together; 0: none do
  bool programmatic = false; ///< cuda: it waits itself for the work queued before it, so that it may begin earlier
  bool cooperative = false;  ///< cuda: all blocks of a launch run at the same time, and meet at barriers of the grid
};
template <class V> void fields(V &v, typename V::template Ref<Kernel> k) {
  v(1, k.name), v(2, k.schedule), v(3, k.sourceHash), v(4, k.threads), v(5, k.sharedBytes), v(6, k.scratchBytes),
      v(7, k.grain), v(8, k.source), v(9, k.readWrite), v(10, k.flops), v(11, k.cluster), v(12, k.programmatic),
      v(13, k.cooperative);
}

/// Steps and what they work on. All sizes but those of Growing buffers, and of parameters that are only
/// handed on, follow from symbols that have values when it is entered.
struct Body {
  std::vector<std::string> scalars; ///< Expr
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  int64_t arenaBytes = -1; ///< when the arena is static, else -1
  /// What has to hold when it is entered. Of the program itself, Package::checks say that.
  std::vector<Check> checks = {};
};
template <class V> void fields(V &v, typename V::template Ref<Body> b) {
  v(1, b.scalars), v(2, b.buffers), v(3, b.steps), v(4, b.arenaBytes), v(5, b.checks);
}

struct Program : Body {
  std::vector<Step> init;
  std::vector<Kernel> kernels;
  std::vector<Body> bodies; ///< those that a body's steps enter come after it
};
template <class V> void fields(V &v, typename V::template Ref<Program> p) {
  v(1, p.scalars), v(2, p.buffers), v(3, p.init), v(4, p.steps), v(5, p.kernels), v(6, p.arenaBytes), v(7, p.bodies);
}

/// One text handed to the device compiler: a kernel module or a header. The
/// writer sets `offset` and `bytes` (in the sources section) from `text`.
struct Source {
  std::string name; ///< "m0.cu", "device.cuh"
  std::string text;
  uint64_t offset = 0, bytes = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Source> s) {
  v(1, s.name), v(2, s.offset), v(3, s.bytes);
}

/// A cubin, or the cpu's shared-object image. The writer sets `offset` and
/// `bytes` (in the binaries section) from `image`.
struct Binary {
  std::string arch;              ///< sm_86 or x86-64-v3
  std::vector<uint32_t> kernels; ///< into Program::kernels
  std::string image;
  uint64_t offset = 0, bytes = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Binary> b) {
  v(1, b.arch), v(2, b.kernels), v(3, b.offset), v(4, b.bytes);
}

struct Variant {
  std::string target; ///< "cuda" or "cpu"
  std::string arch;   ///< sm_75, sm_80, ... (a family) or x86-64-v3, x86-64-v4
  Program program;
  std::vector<Source> sources;
  std::vector<Binary> binaries;
  uint32_t multiprocessors = 0; ///< cuda: it is for GPUs that have at least so many, before one for any: 0
};
template <class V> void fields(V &v, typename V::template Ref<Variant> r) {
  v(1, r.target), v(2, r.arch), v(3, r.program), v(4, r.sources), v(5, r.binaries), v(6, r.multiprocessors);
}
/// For people: "cuda sm_80", "cuda sm_80 from 16 multiprocessors on".
inline std::string nameOf(const Variant &variant) {
  const std::string name = variant.target + " " + variant.arch;
  return variant.multiprocessors == 0
             ? name
             : name + " from " + std::to_string(variant.multiprocessors) + " multiprocessors on";
}
/// For folders: "sm_80", "sm_80-from-16".
inline std::string folderOf(const Variant &variant) {
  return variant.arch + (variant.multiprocessors == 0 ? "" : "-from-" + std::to_string(variant.multiprocessors));
}

/// An ONNX node as errors and reports name it.
struct Node {
  std::string name, op;
};
template <class V> void fields(V &v, typename V::template Ref<Node> n) { v(1, n.name), v(2, n.op); }

/// A report the compiler stores for `inspect` and `explain`: JSON text.
struct Report {
  std::string name; ///< "explain:cuda:sm_80"
  std::string json;
};
template <class V> void fields(V &v, typename V::template Ref<Report> r) { v(1, r.name), v(2, r.json); }

/// An entry of the model's metadata_props.
struct Property {
  std::string key, value;
};
template <class V> void fields(V &v, typename V::template Ref<Property> p) { v(1, p.key), v(2, p.value); }

/// What the model says about itself, as it says it: for people, and maybe no UTF-8.
struct Metadata {
  std::string producerName, producerVersion;
  std::string graphName, graphDescription;
  std::string domain, description;
  int64_t version = 0;
  std::vector<Property> properties; ///< in the model's order
};
template <class V> void fields(V &v, typename V::template Ref<Metadata> m) {
  v(1, m.producerName), v(2, m.producerVersion), v(3, m.graphName), v(4, m.graphDescription), v(5, m.domain),
      v(6, m.description), v(7, m.version), v(8, m.properties);
}

/// An input or output of the model that is no tensor: `count` of the package's inputs or outputs, from `first` on, are
/// its elements. How many there are was said when the model was compiled.
struct Composite {
  enum Kind : uint8_t { Sequence = 1, Optional, OptionalSequence };
  std::string name; ///< the model's
  Kind kind = Sequence;
  bool output = false;
  bool absent = false; ///< an optional that has no value, which is not an empty sequence
  uint32_t first = 0, count = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Composite> c) {
  v(1, c.name), v(2, c.kind), v(3, c.output), v(4, c.absent), v(5, c.first), v(6, c.count);
}

struct Package {
  uint32_t format = kFormatVersion;
  std::string producer;           ///< "cupola 0.1.0"
  std::vector<std::string> tools; ///< "llvm 22.1.0", ...
  std::vector<Tensor> inputs, outputs;
  std::vector<Symbol> symbols;
  std::vector<Check> checks;
  std::vector<Node> nodes;
  std::vector<Weight> weights;
  std::vector<Source> headers; ///< device headers the sources include
  std::vector<Variant> variants;
  std::vector<Report> reports;
  Metadata metadata;
  bool tf32 = false;                ///< products on GPUs may read the first 11 bits of each f32 alone
  std::vector<std::string> strings; ///< those that tensors hold as numbers when a run begins, by their number
  std::vector<Composite> composites;
  bool int8Rows = false; ///< products on CPUs round the rows of an operand to bytes, in blocks
};
template <class V> void fields(V &v, typename V::template Ref<Package> p) {
  v(1, p.format), v(2, p.producer), v(3, p.tools), v(4, p.inputs), v(5, p.outputs), v(6, p.symbols), v(7, p.checks),
      v(8, p.nodes), v(9, p.weights), v(10, p.headers), v(11, p.variants), v(12, p.reports), v(13, p.metadata),
      v(14, p.tf32), v(15, p.strings), v(16, p.composites), v(17, p.int8Rows);
}

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_PLAN_H
