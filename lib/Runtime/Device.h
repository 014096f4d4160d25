//===- lib/Runtime/Device.h - What the runtime asks of a device ---===//
// SPDX-License-Identifier: Apache-2.0
//
// `cuda`, `cpu` and `sim` stand behind these three abstract classes and pass one
// conformance suite (test/Runtime/DeviceConformance.cpp). Rules:
//  - Every call returns a Status; nothing throws.
//  - A Device may be used by several threads, a Stream and its Modules by one at
//    a time. Modules and Streams do not outlive their Device.
//  - Work on one stream happens in order. `upload` and `download` may return
//    before the bytes moved: host memory stays valid until `synchronize`, or until
//    an event that was recorded behind them is waited for.
//  - After an error that the device cannot recover from, every later call
//    returns the first cause.
//  - A length of zero bytes or a grid of zero blocks succeeds and does nothing.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_DEVICE_H
#define CUPOLA_LIB_RUNTIME_DEVICE_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Grid.h"
#include "lib/Runtime/Status.h"

#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::runtime {

/// An address in the device's memory; on `cpu` and `sim` a host address.
using DeviceAddress = uint64_t;

struct DeviceOptions {
  std::string arch;     ///< sim: sm_75, sm_80..; cpu: caps the level; "": default
  int ordinal = 0;      ///< cuda: which device
  unsigned threads = 0; ///< cpu, sim: worker threads; 0: one per core
  std::string cacheDir; ///< compiled modules; "": default, "none": no cache
  uint64_t seed = 0;    ///< sim: order of blocks
  bool checks = true;   ///< sim: bounds, initialisation, races
  /// Gets what went wrong without harm, such as a cache that cannot be used.
  /// Any thread may call it, one at a time. Null: nobody listens.
  std::function<void(const std::string &)> warn;
  /// Hears what long work is at: each source that is compiled when a package is loaded, and each step of a run that
  /// marks dead memory (all on a device with `tracksContents`, else those of sessions that poison it). The thread that
  /// loads or runs calls it. Null: nobody listens.
  std::function<void(const std::string &)> progress;
};

struct DeviceProperties {
  std::string name;        ///< "cuda", "cpu" or "sim"
  std::string arch;        ///< "sm_86", "x86-64-v4"
  std::string description; ///< for people: "NVIDIA H200", "16 threads"
  unsigned threads = 0;    ///< cpu: of its pool
  uint64_t totalBytes = 0;
  uint64_t sharedBytes = 0; ///< most dynamic shared memory of a block
  uint32_t multiprocessors = 0;
  /// Device addresses are host addresses: weights are used where they lie.
  bool hostMemory = false;
  /// Of tensors that kernels use where they lie; 1: that of their elements is enough.
  uint64_t tensorAlignment = format::kTensorAlignment;
  /// Wants `discard` calls for arena regions whose contents died.
  bool tracksContents = false;
};

enum class ImageKind : uint8_t { CudaSource = 1, Cubin, CpuObject };

/// What a module gives the device to run. The views live during `loadModule`.
struct ModuleImage {
  ImageKind kind = ImageKind::CudaSource;
  std::string name;                                     ///< for messages and caches
  std::string arch;                                     ///< of the variant or binary
  std::string_view bytes;                               ///< text or image
  std::vector<const format::Kernel *> kernels;          ///< what it must contain
  const std::vector<format::Source> *headers = nullptr; ///< CudaSource: includes
};

/// One kernel of a module, which owns it, or a call into a library.
class Function {
public:
  virtual ~Function() = default;
  /// Of a call: the library and its code, for people.
  virtual std::string library() const { return {}; }
  /// Of a call: what its weights take of the device's memory.
  virtual uint64_t residentBytes() const { return 0; }
};

class Module {
public:
  virtual ~Module() = default;
  /// The function of ModuleImage::kernels[index].
  virtual Function &function(size_t index) = 0;
};

/// format::TensorMap at one set of symbol values. Entries beyond `rank` mean nothing.
struct TensorMapValue {
  DeviceAddress address = 0;
  format::DType dtype = format::DType::F32;
  size_t rank = 0;
  std::array<uint64_t, 5> extents = {}; ///< elements, none 0
  std::array<uint64_t, 4> strides = {}; ///< bytes
  std::array<uint32_t, 5> box = {};
  uint32_t swizzle = 0;
  format::TensorWindow window = {};
};
using TensorMapBytes = std::array<unsigned char, format::kTensorMapBytes>;

/// A launch. The kernel receives `bindings`, then the references, the slots and
/// the step number (see lib/Runtime/Format/Plan.h). `addresses` and `bytes` say
/// what each reference resolves to and how large that buffer is.
struct LaunchArguments {
  Function *function = nullptr;
  Grid grid = {0};
  DeviceAddress bindings = 0;
  const uint64_t *references = nullptr;
  const DeviceAddress *addresses = nullptr;
  const uint64_t *bytes = nullptr;
  size_t referenceCount = 0;
  const uint32_t *slots = nullptr; ///< word indices into the bindings table: of scalars, then of tensor maps
  size_t slotCount = 0;
  uint32_t step = 0;
};

/// Work recorded once and replayed at little cost (a CUDA graph). It may outlive
/// its stream, not its device, the modules and the memory that it names, and goes when no
/// replay of it is under way.
class Recording {
public:
  virtual ~Recording() = default;
};

/// A point in the work of a stream, for one thread at a time. This class is that of streams
/// whose work has happened when a call returns.
class Event {
public:
  virtual ~Event() = default;
  /// Waits for everything that was queued before the last `record`, and returns the first
  /// error of it. Without a `record` there is nothing to wait for.
  virtual Status wait() { return {}; }
  /// On the device, from the last `record` of an earlier event to that of this one. Both are timed, of one stream, and
  /// waited for.
  virtual Result<double> millisecondsSince(const Event &earlier) const {
    return std::chrono::duration<double, std::milli>(recorded - earlier.recorded).count();
  }

  std::chrono::steady_clock::time_point recorded; ///< of this class alone
};

/// What decides, on the device, whether recorded work runs: everything below has to hold when it is its turn.
struct Condition {
  DeviceAddress flag = 0;                              ///< of a bool that is true; 0: nothing asked
  bool negated = false;                                ///< the bool is false instead
  DeviceAddress trip = 0;                              ///< of an i64 above the iterations so far; 0: nothing asked
  int64_t limit = std::numeric_limits<int64_t>::max(); ///< above the iterations so far
  DeviceAddress count = 0;                             ///< of an i64, where iterations are counted; 0: there are none
  DeviceAddress raised = 0;                            ///< of a u32 that is 0: no step has raised a flag
};

class Stream {
public:
  virtual ~Stream() = default;
  virtual Status upload(DeviceAddress target, const void *source, uint64_t bytes) = 0;
  virtual Status download(void *target, DeviceAddress source, uint64_t bytes) = 0;
  virtual Status copy(DeviceAddress target, DeviceAddress source, uint64_t bytes) = 0;
  virtual Status fill(DeviceAddress target, uint8_t value, uint64_t bytes) = 0;
  virtual Status launch(const LaunchArguments &arguments) = 0;
  /// The bytes are dead: reading them before they are written is an error that
  /// a checking device reports.
  virtual Status discard(DeviceAddress, uint64_t /*bytes*/) { return {}; }
  /// Waits for everything queued, and returns the first error of it.
  virtual Status synchronize() = 0;

  /// Runs `body`, which does not throw, over parts of [0, count), of at least `least` each, on the threads by which the
  /// device computes on the host, and waits for them. Without such threads all is one part.
  virtual void inParts(uint64_t count, uint64_t /*least*/, const std::function<void(uint64_t, uint64_t)> &body) {
    body(0, count);
  }

  /// An event for `record` of this stream, which it may outlive.
  virtual Result<std::unique_ptr<Event>> createEvent() { return std::make_unique<Event>(); }
  /// One that also says when it was reached, which costs more.
  virtual Result<std::unique_ptr<Event>> createTimedEvent() { return createEvent(); }
  /// Moves the event behind everything queued so far.
  virtual Status record(Event &event) {
    event.recorded = std::chrono::steady_clock::now();
    return {};
  }

  /// Whether `beginRecording`, `endRecording` and `replay` work here.
  virtual bool canRecord() const { return false; }
  /// From here on `copy`, `fill` and `launch` are recorded, not run; `upload`,
  /// `download`, `record` and `synchronize` are errors. A library's functions must have run before.
  virtual Status beginRecording() { return Status::unsupported("the device does not record"); }
  /// Makes room for conditionals in recordings, so many inside of each other. While nothing is under way.
  virtual Status prepareConditionals(size_t /*depth*/) { return Status::unsupported("the device does not decide"); }
  /// What is recorded until `endConditional` runs where `condition` holds, and, where it `repeats`, again as long as
  /// the one of `endConditional` does. A count begins at 0.
  virtual Status beginConditional(const Condition & /*condition*/, bool /*repeats*/) {
    return Status::unsupported("the device does not decide");
  }
  virtual Status endConditional(const Condition & /*again*/) {
    return Status::unsupported("the device does not decide");
  }
  /// Ends it after an error, too; the result is then to be dropped.
  virtual Result<std::unique_ptr<Recording>> endRecording() {
    return Status::unsupported("the device does not record");
  }
  /// Queues everything recorded, in order, with the arguments of that time.
  virtual Status replay(Recording &) { return Status::unsupported("the device does not record"); }
};

/// Counted since the device was made or `resetStatistics`. Only `sim` fills
/// the memory figures; a request is one warp-wide access.
struct KernelStatistics {
  std::string name;
  uint64_t launches = 0, blocks = 0;
  uint64_t bytesRead = 0, bytesWritten = 0; ///< global, as lanes asked for them
  uint64_t requests = 0, sectors = 0;       ///< global, 32-byte sectors
  uint64_t distinctSectors = 0;             ///< each counted once per launch, as an ideal cache fetches them
  uint64_t sharedRequests = 0, bankConflicts = 0;
  uint64_t barriers = 0;
};

/// What loading sources cost since the device was made.
struct CompileCounters {
  uint64_t compiles = 0;  ///< sources that a compiler was called for
  uint64_t cacheHits = 0; ///< sources whose machine code a cache had
};

class Device {
public:
  virtual ~Device() = default;

  /// DeviceOptions::progress, as createDevice sets it; may be null.
  std::function<void(const std::string &)> progress;

  virtual const DeviceProperties &properties() const = 0;

  /// How well the device runs a variant: negative if not at all, else higher is
  /// better.
  virtual int rank(std::string_view target, std::string_view arch) const = 0;
  /// Whether it loads a binary built for `arch` ("" asks about source text of a
  /// variant that `rank` accepts).
  virtual bool accepts(ImageKind kind, std::string_view arch) const = 0;
  /// Whether its compiler takes source text of a variant for `arch` that `rank`
  /// accepts, as far as that is known beforehand; if not, `warn` hears why.
  virtual bool compiles(std::string_view /*arch*/) { return true; }

  /// Aligned to format::kBufferAlignment. Out of memory: Code::Environment with
  /// bytes wanted and free; the device stays usable.
  virtual Result<DeviceAddress> allocate(uint64_t bytes) = 0;
  /// Memory that `grow` may make larger later; otherwise like `allocate`.
  virtual Result<DeviceAddress> allocateGrowing(uint64_t bytes) { return allocate(bytes); }
  /// Makes memory of `allocateGrowing` at least `bytes` large where it lies.
  /// Code::Unsupported: the device cannot, allocate anew. After an error the
  /// memory is as it was.
  virtual Status grow(DeviceAddress, uint64_t /*bytes*/) {
    return Status::unsupported("memory does not grow in place here");
  }
  /// No work that uses the memory may be under way.
  virtual void free(DeviceAddress address) = 0;
  /// Bytes that `allocate` could give now.
  virtual Result<uint64_t> freeBytes() = 0;
  /// Host memory that transfers run fastest from (pinned where that exists).
  virtual Result<void *> allocateHost(uint64_t bytes) = 0;
  virtual void freeHost(void *memory) = 0;

  /// `native` is the caller's stream (CUstream) or null for one of our own.
  virtual Result<std::unique_ptr<Stream>> createStream(void *native) = 0;
  virtual Result<std::unique_ptr<Module>> loadModule(const ModuleImage &image) = 0;
  /// Which compiler makes code of sources here, as tuning databases name it: the version of NVRTC, "12.9", or "sim".
  virtual Result<std::string> sourceCompiler() {
    return Status::unsupported("the device " + properties().name + " compiles no sources");
  }
  /// A library's way to do what `call` describes, where it is to be preferred to kernels for `arch`.
  /// `weights` of the package, where the call names some, are read now; else null. A launch of the
  /// function takes the addresses of the call's buffers, and a grid of any size but 0. It is shared by
  /// streams on several threads. An error says why the kernel does it.
  virtual Result<std::unique_ptr<Function>> prepareCall(const format::LibraryCall & /*call*/, std::string_view /*arch*/,
                                                        const void * /*weights*/) {
    return Status::unsupported("the device calls no libraries");
  }

  /// What kernels find in the bindings table for `value`. Code::Unsupported: the device has no such instruction;
  /// Code::Package: it has, and cannot copy from there or so.
  virtual Status encodeTensorMap(const TensorMapValue & /*value*/, TensorMapBytes & /*map*/) {
    return Status::unsupported("the device knows no tensor maps");
  }

  /// Per kernel, sorted by name.
  virtual std::vector<KernelStatistics> statistics() const = 0;
  virtual void resetStatistics() = 0;
  /// On any thread.
  virtual CompileCounters compileCounters() const { return {}; }
};

/// The plug-in ABI: a shared library exports
///   extern "C" const cupola::runtime::DevicePlugin *cupola_device_plugin();
/// and is built with the same compiler and headers as the runtime; kPluginAbi
/// changes whenever this file or Plan.h does.
constexpr uint32_t kPluginAbi = 13;

struct DevicePlugin {
  uint32_t abi;     ///< kPluginAbi
  const char *name; ///< "sim"
  /// Makes a device. On success fills `device` (the caller deletes it).
  Status (*create)(const DeviceOptions &options, std::unique_ptr<Device> &device);
};

using DevicePluginEntry = const DevicePlugin *(*)();

/// Makes the device `name` ("cpu", "cuda", "sim"; "auto": cuda if there is one,
/// else cpu). Unknown names are Code::Usage, missing hardware Code::Environment.
Result<std::shared_ptr<Device>> createDevice(const std::string &name, const DeviceOptions &options);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_DEVICE_H
