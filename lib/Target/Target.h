//===- lib/Target/Target.h - what a target is ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A target makes code of kernels: for which architectures, with which passes of its own, and
// in which form it comes into the package. The pipelines know targets by this interface and by
// the table of Target.cpp alone; each is a folder beside this file.
//
// Nothing here looks at the machine: the same module, request and architecture give the same
// bytes everywhere, on any number of threads.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_TARGET_H
#define CUPOLA_LIB_TARGET_TARGET_H

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Runtime/CUDA/CubinCache.h"
#include "lib/Target/Cancel.h"
#include "lib/Target/Tuning.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <atomic>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace cupola {

/// What the user asked for, as in Options (lib/Compiler/Compilation.h).
struct TargetRequest {
  std::vector<std::string> gpus;      ///< make machine code for these now; none: source for all families
  bool sourceOnly = false;            ///< `gpus` choose families of source and nothing more
  std::vector<std::string> cpuLevels; ///< none: all
  /// Measured times, which count before those that come with the target; null: none.
  std::shared_ptr<const TuningTable> tuning = nullptr;
  bool shippedTuning = true;    ///< those that come with the target count, too
  bool fuseHorizontally = true; ///< small kernels that do not depend on each other may share a launch
};

/// What one compilation lends to its targets; all of it may be used on several threads.
struct TargetServices {
  std::shared_ptr<runtime::ByteCache> cache;        ///< never null
  std::shared_ptr<runtime::cuda::CubinCache> nvrtc; ///< never null
  unsigned threads = 1;
  std::function<void(const std::string &)> progress; ///< what long work is at; may be null
  std::function<void(const std::string &)> warn;     ///< what does not stop the compilation; may be null
  CancelPoll cancelled;
  std::atomic<uint64_t> llvmCompiles{0}; ///< LLVM modules that were compiled, not found in the cache
};

/// The code of one variant, as the package and its reports take it.
struct TargetCode {
  std::vector<format::Source> sources;
  std::vector<format::Binary> binaries; ///< no kernels named: it holds all of the program
  /// Per architecture of `binaries` and kernel name, where the compiler tells.
  std::map<std::string, std::vector<runtime::cuda::KernelResources>> resources;
  std::set<std::string> warnings; ///< of lower()
};

/// A kernel whose schedules may be measured.
struct Tunable {
  std::string kernel; ///< the kernel.func
  std::string key;    ///< of TuningLine
  llvm::SmallVector<mlir::Attribute> schedules = {};
};

/// Which optional passes (Pipelines.h) and libraries (format::kLibraries) are on, by name.
using PassSwitch = llvm::function_ref<bool(llvm::StringRef name)>;

/// Work towards machine code: pieces that may run at once, in any order, and what joins them.
struct CodeJobs {
  std::vector<std::function<Status()>> pieces;
  std::function<Status()> join = [] { return Status(); }; ///< after all pieces, on one thread
};

/// How work is done.
struct Workers {
  unsigned threads = 1; ///< at most
  CancelPoll cancelled = {};
};

class Target {
public:
  virtual ~Target() = default;
  virtual llvm::StringRef name() const = 0; ///< "cuda"

  /// The architectures to build variants for, in order. Code::Usage for a name that it does not know.
  virtual Status chooseArchitectures(const TargetRequest &request, std::vector<std::string> &archs) const = 0;
  /// What its passes and kernels are made of.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// Whether its code can have snippets of an op library in it, which are CUDA C++.
  virtual bool callsSnippets() const { return false; }
  /// Whether kernels run on the processor that runs the host's functions, in one memory.
  virtual bool isHost() const { return false; }
  /// Whether a contraction of quantised operands (lib/Transforms/Quantized) is worth more as a product of integers that
  /// are summed in i32, or of float8, than as one of f32.
  virtual bool multipliesIntegers(llvm::StringRef arch, mlir::Operation *contraction) const { return false; }
  /// Passes on main, before fusions are formed, of up to `threads` threads, and after.
  virtual void addGraphPasses(mlir::OpPassManager &main, llvm::StringRef arch, PassSwitch isOn,
                              unsigned threads) const {}
  /// How many multiprocessors the kernels of a module at phase fused need for their blocks to run at once; 0: any
  /// number.
  virtual uint32_t multiprocessorsFor(mlir::ModuleOp fused, llvm::StringRef arch) const { return 0; }
  virtual void addFusionPasses(mlir::OpPassManager &main, llvm::StringRef arch, PassSwitch isOn) const {}
  /// Keys and values that have a few rows more than before, and are returned, are written by the kernel of attention
  /// where they have at most so many elements, or an unknown number; larger ones by kernels of their own.
  virtual int64_t mostKept() const { return std::numeric_limits<int64_t>::max(); }
  /// Products of at most so many rows have a kernel that does several at once, and before them the norm of a single
  /// row; 0: there is none.
  virtual int64_t fewRows() const { return 0; }
  /// Which convolutions read vectors of channels, so that an image of channels first is written once in the other order
  /// rather than gathered for every tap.
  struct WindowImages {
    int64_t mostBytes = 0; ///< of an element; 0: none
    int64_t fewestChannels = 1;
    bool shortRuns = false; ///< not those with a window, but those that find little side by side
  };
  virtual WindowImages windowImages() const { return {}; }
  /// Vectors of so many channels, at least, are interpolated so much faster than other elements that the result is
  /// written before it is transposed; 0: none are.
  virtual int64_t mixedChannels() const { return 0; }
  /// Images whose borders are reflected, repeated or go round are written before windows read them, rather than that
  /// every tap finds its place.
  virtual bool writesMirrored() const { return false; }
  /// What an attention may make of keys and values of bytes as it reads them: nothing, numbers, or what is computed of
  /// them and constants.
  enum class ByteKeys { None, Numbers, Computed };
  virtual ByteKeys byteKeys(llvm::StringRef arch) const { return ByteKeys::None; }
  /// Whether those are the same for all architectures, so that the kernels are, too.
  virtual bool sharesKernels() const = 0;

  /// The kernels of a module at phase kernel: their records, and text where a package carries
  /// some. The module may change: its fusions have the kernels of `kernels` then.
  virtual Status lower(mlir::ModuleOp module, llvm::StringRef arch, const TargetRequest &request,
                       const Workers &workers, TargetKernels &kernels, TargetCode &code) const = 0;
  /// Of such a module, which stays as it is: its kernels, each with the candidates to measure, at most `most`. The
  /// first is what lower() takes without measured times. A kernel.func keeps a schedule that it has in lower().
  virtual Status tunables(mlir::ModuleOp module, llvm::StringRef arch, size_t most,
                          std::vector<Tunable> &kernels) const {
    return Status::unsupported("the schedules of " + name().str() + " cannot be tuned");
  }
  /// What the text includes, for packages that carry it.
  virtual std::vector<format::Source> headers() const { return {}; }
  /// Machine code for now: what the request asks for. `program` holds the kernels that lower() made of `module`.
  /// All arguments outlive the jobs. Errors name kernels of the program or nodes.
  virtual CodeJobs compile(mlir::ModuleOp module, llvm::StringRef arch, const format::Program &program,
                           const TargetRequest &request, TargetServices &services, TargetCode &code) const = 0;
};

/// All targets, in the order of their variants.
llvm::ArrayRef<const Target *> targets();
/// Null for a name that none has.
const Target *findTarget(llvm::StringRef name);

/// Runs the jobs. The error is that of the first piece in order that fails, whatever the number
/// of threads; nothing is joined then. Before every piece it is looked whether to stop.
Status runJobs(llvm::MutableArrayRef<CodeJobs> jobs, const Workers &workers);

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_TARGET_H
