//===- lib/Compiler/Compilation.h - ONNX models to packages ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What the command line and the C interface (cupola/Compiler/Compiler.h) are made of. No
// MLIR type appears here. Errors are Status values whose code is the exit code of the
// command line.
//
//   cupola::compiler::Options options;
//   options.targets = {"cpu"};
//   auto compilation = cupola::compiler::Compilation::load("model.onnx", options);
//   if (compilation.failed()) ...
//   cupola::Status status = (*compilation)->writePackage("model.cupola");
//
// In-process compilation trusts the model not to exhaust memory or time; the command
// line compiles in a worker process with limits.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_COMPILER_COMPILATION_H
#define CUPOLA_LIB_COMPILER_COMPILATION_H

#include "lib/Runtime/Format/Libraries.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/Status.h"
#include "lib/Runtime/Tools/Diagnosis.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::runtime {
class ByteCache;
} // namespace cupola::runtime

namespace cupola::compiler {

class Compilation;

/// A model: a file, or bytes in memory, which the caller keeps while they are loaded.
struct ModelSource {
  ModelSource(std::string path) : name(std::move(path)) {}
  ModelSource(const char *path) : name(path) {}
  ModelSource(std::string_view bytes, std::string name) : name(std::move(name)), bytes(bytes) {}

  std::string name; ///< the path; with bytes: what messages call the model
  std::optional<std::string_view> bytes;
  /// With bytes: the folder of its external data, or who gives them (lib/Import/Onnx/ExternalData.h). Without either,
  /// it may have none.
  std::string externalFolder;
  std::function<Result<std::string_view>(const std::string &location, int64_t offset, int64_t size)> readExternal;
};

/// A value for an input's shape (dims) or for a symbol (dims has one entry).
struct ShapeSetting {
  std::string name;
  std::vector<int64_t> dims;
};

/// The interval of a symbol that stays dynamic; max 0: unbounded.
struct DimRange {
  std::string name;
  int64_t min = 1, max = 0;
};

/// A value for an input, which is no input of the package then: up to 256 numbers of its type
/// in row-major order, "16000" or "1,2,3".
struct ValueSetting {
  std::string name, value;
};

/// How many tensors an input is: the length of a sequence, 1 for an optional that is one; nothing for an optional that
/// is absent.
struct SequenceSetting {
  std::string name;
  std::optional<int64_t> count;
};

/// An input of a run. An element of a sequence x is called "x[0]", and "x[]" stands for a sequence without any; an
/// optional without a value is left out.
struct GivenInput {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<std::string> value; ///< as of ValueSetting; nothing: it has too many elements, or others
};
/// Of arrays that are called NAME or in:NAME; others than inputs are called out:NAME.
std::vector<GivenInput> givenInputs(const std::vector<npz::Array> &arrays);

/// The names of an input and an output that share their memory; one `*` in both stands for
/// the same text.
struct AliasSetting {
  std::string input, output;
};

struct Options {
  std::vector<std::string> targets = {"cuda", "cpu"};
  /// Architectures to make cubins for now (needs NVRTC); none: source for all families.
  std::vector<std::string> archs;
  /// With archs: only choose the families of source by them, make no cubin.
  bool sourceOnly = false;
  std::vector<std::string> cpuLevels; ///< x86-64-v3, x86-64-v4; none: both
  std::vector<ShapeSetting> shapes;
  std::vector<DimRange> dims;
  std::vector<ValueSetting> values;
  std::vector<SequenceSetting> sequences;
  /// All inputs of the run that the model is compiled for. They tell what the options above leave open and has to be
  /// known while compiling: lengths of sequences, ranks, and the values of inputs and the extents without which it
  /// fails.
  std::optional<std::vector<GivenInput>> given;
  /// Outputs that lie in the memory of an input, whose rows they begin with: past=present.
  std::vector<AliasSetting> aliases;
  std::vector<std::string> opLibraries; ///< files that define ops (docs/custom-ops.md)
  bool trustSnippets = false;           ///< that CUDA C++ of those files becomes part of kernels
  std::vector<std::string> disabledPasses;
  std::string dumpIrDir;                                              ///< IR after every pass; "": none
  std::string cacheDir;                                               ///< "": the default folder, "none": no cache
  std::set<std::string> libraries = *format::chosenLibraries("auto"); ///< that may do contractions
  std::string precision = "fp32";    ///< fp16, bf16: f32 values lie in memory with 16 bits
  std::vector<std::string> keepFp32; ///< patterns (*, ?, [a-z]) of names of nodes whose results stay f32 all the same
  std::string tf32; ///< x1, x3: products of f32 may be one, or three, of TF32 (with fp32 alone); "": they are not
  /// Whether products may round the rows that meet constant weights of few bits to bytes, in blocks (cpu): always, with
  /// up to 8 bits; auto, where the model says so or says nothing of weights of up to 4; never.
  std::string int8Rows = "auto";
  std::string io;       ///< fp16, bf16, as `precision`: inputs and outputs have 16 bits, too; "": they stay
  std::string tuning;   ///< a file of measured times (docs/tuning.md); "": those shipped alone, "none": not even those
  unsigned threads = 1; ///< of the compilation; the bytes do not depend on it
  bool allowHardLinks = false;
  bool allowDecoders = false; ///< ImageDecoder, whose pictures libraries decode wherever the package runs
  /// The package's outputs are the model's, then the result of every other kernel: for
  /// comparing kernel by kernel. Takes one target architecture.
  bool kernelResults = false;
  /// For `reference` and `nodes` alone, before any pass: outputs are the model's, then its inputs and all that a node
  /// of its main graph computes.
  bool everyValue = false;
  std::map<std::string, int64_t> limits; ///< overrides by name; see `cupola compile --help`
  /// Called with "import", "graph", "kernels", .. as phases begin, on any thread, one call at a time of this and
  /// of `warn`; may be empty.
  std::function<void(const std::string &)> progress;
  /// Problems that do not stop the compilation (an unusable cache), likewise.
  std::function<void(const std::string &)> warn;
  /// Whether to stop. Asked between phases, passes, kernels, NVRTC programs and calls of readExternal, on any thread,
  /// several at once; once it was true, this and every later call that has work to do ends with Code::Cancelled. May be
  /// empty.
  std::function<bool()> cancelled;
  std::shared_ptr<runtime::ByteCache> cache; ///< that of cacheDir; null: it is opened
};

/// Who gets a package. Both calls are made where what the cache had turns out damaged.
struct PackageTaker {
  /// `path` names a file that holds it, during the call, not verified. Code::Package: it cannot be used.
  std::function<Status(const std::string &path)> fromCache;
  /// Calls Compilation::writePackage or package, once.
  std::function<Status(Compilation &compilation)> fromCompilation;
};

/// A node of the main graph, after the calls of local functions became their bodies. Constants are none.
struct ModelNode {
  uint32_t index = 0;
  std::string name, op; ///< the name may be empty
};

/// Nodes of a model as a model of their own.
struct ModelPart {
  std::string onnx;                         ///< its bytes
  std::vector<std::string> inputs, outputs; ///< its names
};

/// A reason why a model cannot be compiled.
struct Problem {
  Code code;
  std::string node, op;           ///< the node, or its first output, and its op type; empty: of the model as a whole
  int64_t opset = 0;              ///< that the node is of
  std::string reason;             ///< without the node
  std::string text;               ///< the whole error: "model.onnx: node 'a' (Relu, opset 17): .."
  bool isDecidedByInputs = false; ///< those of a run (Options::given) may decide it
};

using runtime::Diagnosis;

/// An op that --precision gave 16 bits, computed by lib/Reference on the operands that f32 would
/// have given it, rounded to how they lie in memory.
struct NodeError {
  std::string node, op;            ///< of the ONNX node; the first, where there are several
  double local = 0;                ///< largest error of its result, relative to the largest element
  double accumulated = 0;          ///< the same where its operands have the errors of what came before
  bool overflow = false;           ///< an element is infinite or NaN that should not be
  std::vector<std::string> blamed; ///< nodes that have to stay f32 for the error to go
};

/// What 16 bits cost on some inputs: the ops in question, the worst first (overflows before all
/// else), and the largest accumulated error of an output.
struct PrecisionReport {
  std::vector<NodeError> nodes;
  double outputError = 0;
};

/// How a budget was held: the nodes that went back to f32, by the errors they had.
struct BudgetReport {
  double errorBefore = 0, errorAfter = 0; ///< of the outputs
  std::vector<NodeError> kept;
  unsigned rounds = 0; ///< how often the model was computed
};

struct TuneOptions {
  size_t candidates = 8;                ///< at most, of each kernel
  std::map<std::string, int64_t> sizes; ///< of dimensions that stay dynamic, by name; 256 or what comes near it
};

/// A kernel of the model with one of the schedules that it may have.
struct TuneCandidate {
  std::string kernel, target, schedule; ///< as in a tuning database (docs/schemas.md)
  std::string nodes;                    ///< for people
  std::string package;                  ///< the kernel alone, the last step, as a static model
};

/// A compiled model. Everything it returns is deterministic.
class Compilation {
public:
  /// Reads, checks and imports the model. Every problem found, up to 100, is a line of the message.
  static Result<std::unique_ptr<Compilation>> load(const ModelSource &source, Options options);
  /// The same with nothing left out: `problems` in the order of the model.
  static Status check(const ModelSource &source, Options options, std::vector<Problem> &problems);
  /// The package of the model, and of nothing but that: found in the cache, if the same was compiled before, and stored
  /// there if not. Warnings are told in both cases. Null: it was found.
  static Result<std::unique_ptr<Compilation>> compile(const ModelSource &source, Options options,
                                                      const PackageTaker &taker);
  /// PackageTaker::fromCache alone; false: the cache has no such package.
  static Result<bool> find(const ModelSource &source, Options options,
                           const std::function<Status(const std::string &path)> &fromCache);
  ~Compilation();

  /// The text of a phase: "graph", "fused", "kernel", "plan" (IR, every variant) or "cuda"
  /// (the kernels' source).
  Result<std::string> emit(const std::string &phase);

  /// Builds all variants, once; the other calls do so when needed.
  Status build();
  /// Writes the package; a failed write leaves nothing behind.
  Status writePackage(const std::string &path);
  /// The package's bytes in memory.
  Result<std::string> package();
  /// Writes each CUDA module to DIR/<arch>/<module>.cu, and the headers beside them.
  Status dumpCuda(const std::string &dir);

  /// What was decided and why, as JSON (docs/schemas.md), per variant.
  Result<std::string> explain();
  /// The same with the text of every kernel: CUDA source, or IR where a target has no other text.
  Result<std::string> explainWithSources();

  /// What the model gives for these inputs (by name), computed op by op by
  /// lib/Reference, without any optimisation.
  Result<std::vector<npz::Array>> reference(const std::vector<npz::Array> &inputs);

  /// Inputs that got a value, as of ValueSetting, from Options::given, and are no inputs of the package.
  const std::map<std::string, std::string> &pinned() const;

  /// With Options::everyValue: what a part of the model can be made of, in its order.
  const std::vector<ModelNode> &nodes() const;
  /// An ONNX model of these nodes (ModelNode::index, ascending), with all weights inside and without
  /// symbols: what they read of others is an input of the shape that `values` has under its name (of `reference` with
  /// Options::everyValue), or a constant where it steers shapes. Code::Unsupported where a value is not known.
  static Result<ModelPart> part(const ModelSource &source, const Options &options, std::vector<uint32_t> nodes,
                                const std::vector<npz::Array> &values);

  /// What every kernel of a variant should compute for these inputs (by name), and whether the
  /// passes kept the model's answer. `tolerance` as of `cupola verify`.
  Result<Diagnosis> diagnose(const std::vector<npz::Array> &inputs, const std::string &target, const std::string &arch,
                             double tolerance);

  /// What Options::precision costs on these inputs (by name), node by node, by lib/Reference: the
  /// answer depends on model, options and inputs alone. Code::Usage without a 16-bit precision.
  Result<PrecisionReport> blame(const std::vector<npz::Array> &inputs);
  /// Returns nodes to f32, the worst first, until no output's error is above `budget` (relative to
  /// its largest element). Before build(). Takes time in proportion to the ops, a few times over.
  Result<BudgetReport> holdBudget(const std::vector<npz::Array> &inputs, double budget);
  /// Inputs, outputs and symbols, as the package will have them, and nothing else.
  format::Package interface() const;

  /// Hands `take` the candidates of each kernel that has several, those of a kernel one after the other, first the one
  /// with the least cost. Takes one architecture of a target that can be tuned. What it returns ends the call.
  Status tune(const TuneOptions &options, const std::function<Status(TuneCandidate)> &take);

  /// Milliseconds by phase, in order.
  std::vector<std::pair<std::string, double>> phases() const;
  /// NVRTC programs and LLVM modules compiled, not taken from the cache.
  uint64_t nvrtcCompiles() const;
  uint64_t llvmCompiles() const;

  class Impl;
  Impl &impl() { return *state; } ///< for the compiler's own tools

private:
  explicit Compilation(std::unique_ptr<Impl> state);
  std::unique_ptr<Impl> state;
};

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_COMPILATION_H
