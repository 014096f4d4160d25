//===- python/src/Blocks.h - memory of numpy arrays ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_BLOCKS_H
#define CUPOLA_PYTHON_SRC_BLOCKS_H

#include <cstddef>
#include <mutex>
#include <vector>

namespace cupola::python {

struct Block {
  void *memory;
  size_t bytes; ///< a multiple of the alignment
};

/// Large blocks are kept when their arrays die, and serve the next runs: the system hands out fresh memory in pages
/// that it zeroes at first touch, which takes longer than to compute an output of tens of megabytes. At most `mostKept`
/// of `mostKeptBytes` are kept; those not used for longest go first. Safe to call from any thread.
class Blocks {
public:
  static constexpr size_t alignment =
      64; ///< what the runtime uses where it lies, on a device that reaches the host's memory
  static constexpr size_t fewestBytes = size_t(1) << 20; ///< of a block that is kept
  static constexpr size_t mostKept = 16, mostKeptBytes = size_t(512) << 20;

  Blocks();

  /// Undefined bytes, at least one. Throws std::bad_alloc.
  Block take(size_t bytes);
  void give(Block block) noexcept;

  /// Of the process. Arrays may outlive what the interpreter destroys last, so it is never destroyed.
  static Blocks &all();

private:
  std::mutex mutex;
  std::vector<Block> kept; ///< in the order in which they were given; has room for all
  size_t keptBytes = 0;
};

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_BLOCKS_H
