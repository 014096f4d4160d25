//===- lib/Runtime/Format/Plan.h - What a package says, as plain structs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler fills these structs, the package stores them, the runtime reads
// them. They hold no MLIR, LLVM or Protobuf type. Sizes, grids and offsets are
// texts of symbolic expressions (lib/Planner/Expr.h) over the package's symbols
// and are evaluated when shapes are bound; a static package has constants there.
//
// Conventions that hold for every package:
//  - Tensors are dense and row-major, but for those with Tensor::storage.
//  - Every buffer starts at a multiple of kBufferAlignment, input and output
//    tensors at a multiple of kTensorAlignment. The runtime copies or refuses
//    tensors of callers that are aligned less.
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

#include "lib/Runtime/Format/LibraryCall.h"

#include <cstdint>
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
};

/// A dynamic dimension. `name` is the model's dim_param, for people only.
struct Symbol {
  std::string id, name;
  int64_t min = 0;
  int64_t max = 0; ///< 0: unbounded
  int64_t divisor = 1;
  /// Has no value when shapes are bound: a control step gives it one, again and again.
  bool run = false;
};

/// A relation that must hold when shapes are bound; `message` is the error.
struct Check {
  std::string lhs;
  std::string relation; ///< "==", "<=" or "%==0" (lhs is a multiple of rhs)
  std::string rhs;
  std::string message;
};

/// Bytes [offset, offset + bytes) of the weights section. `name` is the ONNX
/// initialiser, or empty for a constant that the compiler made.
struct Weight {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  uint64_t offset = 0; ///< multiple of kBufferAlignment
  uint64_t bytes = 0;
};

enum class BufferKind : uint8_t {
  Arena = 1, ///< lives in steps [first, last], in the session's arena
  Weight,    ///< weights[index], read only
  Input,     ///< inputs[index], read only
  Output,    ///< outputs[index]
  View,      ///< bytes at `offset` in buffers[index] (an earlier buffer)
  Init, ///< written by the init steps, once per executable, then read only; in a body: buffers[index] of the program
  Parameter, ///< of a body: buffer `index` that the step hands over which enters it
  Growing,   ///< memory of its own, made large enough when a body is entered that has it as a parameter
};

struct Buffer {
  BufferKind kind = BufferKind::Arena;
  uint32_t index = 0;
  std::string bytes;  ///< Expr; empty where it is known only in a body that gets the buffer: Growing, Parameter
  std::string offset; ///< View: Expr, bytes into the parent
  uint32_t first = 0, last = 0; ///< Arena: steps in which it is alive, inclusive
  int64_t planned = -1;         ///< Arena: its offset when the arena is static
};

/// What a GPU's tensor-copy instruction needs to know about a part of a buffer: how its elements lie, and
/// how many one instruction copies. Elements outside of `extents` are read as zeros and not written.
struct TensorMap {
  uint32_t buffer = 0; ///< position in Launch::buffers
  std::string offset;  ///< Expr: bytes from the buffer's start; empty: 0
  DType dtype = DType::F32;
  std::vector<std::string> extents; ///< Expr: elements, the innermost dimension first; 1 to 5 of them
  std::vector<std::string> strides; ///< Expr: bytes, of all dimensions but the innermost
  std::vector<uint32_t> box;        ///< elements copied at once, by dimension; 1 to 256 each
  uint32_t swizzle = 0;             ///< bytes that the 16-byte pieces of a row are spread over: 0 (none), 32, 64, 128
};

struct Launch {
  uint32_t kernel = 0;                ///< into Program::kernels
  std::vector<std::string> grid = {}; ///< Expr: cuda: blocks along x, y and z, 1 to 3 of them; cpu: the iterations
  std::vector<uint32_t> buffers;      ///< into Program::buffers, parameter order
  std::vector<uint32_t> scalars;      ///< into Program::scalars, parameter order
  LibraryCall call = {};              ///< what a library may do instead; of kind None: nothing
  std::vector<TensorMap> maps = {};   ///< cuda: parameter order, behind the scalars
};

struct Copy {
  uint32_t source = 0, target = 0; ///< into Program::buffers
  std::string bytes;               ///< Expr
};

/// Enters one of `bodies`; a body is entered by one step only. Their parameters are `captures`,
/// then `results`.
struct Branch {
  std::vector<uint32_t> bodies;   ///< into Program::bodies. If: then, else; Call: one
  uint32_t condition = 0;         ///< If: a buffer of one bool
  std::vector<uint32_t> captures; ///< buffers that the bodies read
  std::vector<uint32_t> results;  ///< buffers that the bodies write
  /// If: run symbols that have a value afterwards, and for each the Expr of either branch,
  /// over what has a value at its end.
  std::vector<std::string> symbols, thenValues, elseValues;
};

/// A value that each iteration makes of the one before: buffers. `initial` is only read, the others
/// take turns; the last value is in `result` when the loop is left.
struct Carried {
  uint32_t initial = 0, result = 0, spare = 0;
};

/// A tensor of one row per iteration: buffers of what the body writes, and of all rows.
struct Scanned {
  uint32_t row = 0, rows = 0;
};

/// An extent of a carried value that is not the same in all iterations: a run symbol of the body.
/// Expr over what has a value before the loop, and at the end of an iteration.
struct CarriedExtent {
  std::string symbol, initial, next;
  std::string last; ///< the run symbol that has the value afterwards
};

/// Enters `body` while there is a reason to. Its parameters are `captures`, the carried values of the
/// iteration before, those that it computes, a row of each of `scans`, and `proceed` where there is one.
struct Loop {
  uint32_t body = 0;
  std::string limit;      ///< Expr: most iterations; empty: no limit
  uint32_t trip = 0;      ///< 1 + a buffer of one int64, most iterations as well; 0: none
  uint32_t condition = 0; ///< 1 + a buffer of one bool: whether to begin; 0: yes
  uint32_t proceed = 0;   ///< 1 + a buffer of one bool, written by each iteration: whether another follows; 0: yes
  std::vector<uint32_t> captures;
  std::vector<Carried> carried;
  std::vector<Scanned> scans;
  std::vector<CarriedExtent> extents;
  std::string index, count; ///< run symbols, or empty: the iteration, from 0 on; how many there were
};

struct Step {
  enum Kind : uint8_t { LaunchStep = 1, CopyStep, IfStep, CallStep, WhileStep };
  Kind kind = LaunchStep;
  Launch launch;
  Copy copy;
  Branch branch;               ///< IfStep, CallStep
  Loop loop;                   ///< WhileStep
  std::vector<uint32_t> nodes; ///< into Package::nodes
};

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
};

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

struct Program : Body {
  std::vector<Step> init;
  std::vector<Kernel> kernels;
  std::vector<Body> bodies; ///< those that a body's steps enter come after it
};

/// One text handed to the device compiler: a kernel module or a header. The
/// writer sets `offset` and `bytes` (in the sources section) from `text`.
struct Source {
  std::string name; ///< "m0.cu", "device.cuh"
  std::string text;
  uint64_t offset = 0, bytes = 0;
};

/// A cubin, or the cpu's shared-object image. The writer sets `offset` and
/// `bytes` (in the binaries section) from `image`.
struct Binary {
  std::string arch;              ///< sm_86 or x86-64-v3
  std::vector<uint32_t> kernels; ///< into Program::kernels
  std::string image;
  uint64_t offset = 0, bytes = 0;
};

struct Variant {
  std::string target; ///< "cuda" or "cpu"
  std::string arch;   ///< sm_75, sm_80, ... (a family) or x86-64-v3, x86-64-v4
  Program program;
  std::vector<Source> sources;
  std::vector<Binary> binaries;
};

/// An ONNX node as errors and reports name it.
struct Node {
  std::string name, op;
};

/// A report the compiler stores for `inspect` and `explain`: JSON text.
struct Report {
  std::string name; ///< "explain:cuda:sm_80"
  std::string json;
};

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
};

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_PLAN_H
