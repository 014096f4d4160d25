//===- test/Runtime/CUDA/FakeDriver.h - a CUDA driver in plain host memory, strict and able to fail ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements the driver's function table. Work is queued and runs as late as the driver's rules allow, so that memory
// which must stay valid is looked at when it is really needed. Kernels are C++ functions by name. Every misuse (no
// current context, a handle that is gone, a range outside of an allocation, a call that capture forbids, memory that
// goes while work is queued, a graph while it is) is a violation; every object is accounted for.
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKEDRIVER_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKEDRIVER_H

#include "lib/Runtime/CUDA/DriverApi.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace cupola::runtime::cuda {

/// A kernel: its blocks one after the other. `parameters` point to the values, as cuLaunchKernelEx gets them.
using FakeKernel = std::function<void(const CuLaunchConfig &config, void *const *parameters)>;

struct FakeKernelRow {
  FakeKernel run;
  std::vector<size_t> parameterBytes; ///< the driver knows the signature from the cubin, and copies the values
};

/// What cuLaunchKernelEx was asked for.
struct FakeLaunch {
  std::array<unsigned, 3> grid = {};
  unsigned cluster = 0; ///< blocks along x; 0: not asked for
  bool programmatic = false;
  bool cooperative = false;
};

/// What stands for the descriptor that cuTensorMapEncodeTiled makes.
struct FakeTensorMap {
  uint32_t magic = 0; ///< kMagic
  uint8_t type = 0, rank = 0, swizzle = 0, unused = 0;
  CuPointer address = 0;
  std::array<uint64_t, 5> extents = {};
  std::array<uint64_t, 4> strides = {};
  std::array<uint16_t, 5> box = {};
  std::array<int16_t, 3> lower = {}, upper = {}; ///< of a window
  std::array<uint8_t, 5> steps = {};
  static constexpr uint32_t kMagic = 0x7e5024a9;
};

class FakeDriver {
public:
  FakeDriver();
  ~FakeDriver();
  /// The table acts on the one FakeDriver that lives.
  static DriverApi table();

  // What the machine is.
  int version = 13000;
  int devices = 1;
  int capability = 86;
  int sharedBytes = 101376, multiprocessors = 84;
  uint64_t blocksAtOnce = 108; ///< room for blocks that must run at the same time
  bool virtualMemory = true;
  size_t totalBytes = size_t(1) << 30;
  std::map<std::string, FakeKernelRow> kernels;
  FakeKernelRow otherKernels;       ///< what a name that is not in the map stands for, if it can be run
  std::string imagePrefix = "cube"; ///< of everything that can be loaded

  // Which call fails, counted from 1 over all calls; 0: none. Calls that give something back do so and then say
  // `failCode`.
  uint64_t failAt = 0;
  CuResult failCode = cuUnknown;
  std::string failCall; ///< every call of this name fails

  // What happened.
  uint64_t calls = 0;
  std::vector<std::string> log; ///< names of the calls
  std::vector<std::string> violations;
  uint64_t copiedBytes = 0;         ///< between host and device and within, by replays of graphs, too
  std::vector<FakeLaunch> launches; ///< in the order of the calls; replays of graphs are none
  CuResult lost = cuSuccess;        ///< the sticky error that ended the context

  /// What is not given back, as "2 cuMemAlloc, 1 context".
  std::string leaks() const;
  size_t liveBytes() const;
  uint64_t count(const std::string &call) const;

private:
  friend struct FakeCalls;
  using Work = std::function<void()>;
  struct Graph;
  struct Stream {
    std::deque<Work> queue;
    Graph *capture = nullptr; ///< the graph that work goes to
    size_t follows = 0;       ///< nodes of it that the next one comes after
  };
  struct Event {
    Stream *stream = nullptr;
    std::shared_ptr<bool> reached;
    bool timed = false;
    std::shared_ptr<float> at; ///< on the clock, once it was reached
  };
  using Value = std::shared_ptr<unsigned>;
  struct Graph {
    std::vector<Work> work;                                 ///< by node; node i is the pointer i + 1
    std::vector<Value> values;                              ///< of the handles, for its nodes and those in them
    std::set<CuConditionalHandle> handles;                  ///< for its nodes
    std::shared_ptr<int> queued = std::make_shared<int>(0); ///< launches that have not ended
    bool isWhole = true;                                    ///< a body whose capture has ended
    Graph *parent = nullptr;                                ///< of a body
    CuGraph self = nullptr;                                 ///< likewise
    CuGraphNode last = nullptr;                             ///< what cuStreamGetCaptureInfo points to
  };
  struct Library {
    std::deque<const FakeKernelRow *> found;
  };

  /// Counts the call and finds whether it fails.
  CuResult enter(const char *name, bool needsContext = true);
  CuResult submit(CuStream stream, Work work);
  void drain(Stream &stream);
  bool inAllocation(CuPointer address, size_t bytes);
  void violation(const std::string &text) { violations.push_back(text); }

  static FakeDriver *current;
  float clock = 0; ///< milliseconds: every kernel takes one
  int retained = 0;
  std::vector<CuContext> contexts; ///< the stack of the one thread
  bool pushFailed = false;
  size_t usedBytes = 0;
  std::map<CuPointer, size_t> memory;
  std::map<void *, size_t> hostMemory;
  std::map<CuPointer, size_t> reserved, mapped; ///< ranges of addresses, and the parts with memory behind them
  std::map<CuMemoryHandle, size_t> handles;
  CuMemoryHandle lastHandle = 0;
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  std::map<Event *, std::unique_ptr<Event>> events;
  std::map<Graph *, std::unique_ptr<Graph>> graphs, executables;
  std::map<Library *, std::unique_ptr<Library>> libraries;
  std::map<CuConditionalHandle, Value> conditions;
  std::deque<std::shared_ptr<Graph>> nodeBodies; ///< of conditional nodes, as long as the driver lives
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKEDRIVER_H
