//===- lib/Compiler/Digest.cpp - what tells models apart ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/Digest.h"

#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Format/Parallel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>

namespace cupola::compiler {

namespace {

constexpr uint64_t kPieceBytes = uint64_t(64) << 10; ///< a core's cache has it while it is hashed, and malloc at hand
constexpr uint64_t kPiecesAtOnce = 16;               ///< by a thread, in one buffer

format::Digest blake3(std::string_view bytes) {
  const auto digest = llvm::BLAKE3::hash<sizeof(format::Digest)>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  format::Digest result;
  std::copy(digest.begin(), digest.end(), result.begin());
  return result;
}

/// Nothing where `piece` has no bytes: of `size`, from `offset` on, which it may put into the buffer.
using PieceSource = std::function<std::optional<std::string_view>(uint64_t offset, uint64_t size, std::string &buffer)>;

std::optional<format::Digest> digestOfPieces(uint64_t size, unsigned threads, const PieceSource &piece) {
  const uint64_t count = (size + kPieceBytes - 1) / kPieceBytes;
  std::string digests(sizeof(size) + count * sizeof(format::Digest), '\0');
  std::memcpy(digests.data(), &size, sizeof(size));
  std::atomic<bool> failed{false};
  parallelFor((count + kPiecesAtOnce - 1) / kPiecesAtOnce, threads, [&](size_t turn) {
    std::string buffer;
    for (uint64_t i = turn * kPiecesAtOnce; i < std::min((turn + 1) * kPiecesAtOnce, count) && !failed; ++i) {
      const uint64_t offset = i * kPieceBytes;
      const auto bytes = piece(offset, std::min(kPieceBytes, size - offset), buffer);
      if (!bytes) {
        failed = true;
        return;
      }
      const format::Digest digest = blake3(*bytes);
      std::memcpy(digests.data() + sizeof(size) + i * sizeof(digest), digest.data(), sizeof(digest));
    }
  });
  if (failed)
    return std::nullopt;
  return blake3(digests);
}

} // namespace

format::Digest digestOf(std::string_view bytes, unsigned threads) {
  return *digestOfPieces(bytes.size(), threads,
                         [&](uint64_t offset, uint64_t size, std::string &) { return bytes.substr(offset, size); });
}

std::optional<format::Digest> digestOfFile(const std::string &path, unsigned threads) {
  const format::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  return digestOfPieces(static_cast<uint64_t>(info.st_size), threads,
                        [&](uint64_t offset, uint64_t size, std::string &buffer) -> std::optional<std::string_view> {
                          buffer.resize(size);
                          if (format::readAt(file.get(), buffer.data(), size, offset) < size)
                            return std::nullopt;
                          return buffer;
                        });
}

} // namespace cupola::compiler
