//===- lib/Runtime/Host/Order.cpp - the order of numbers ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/VisitNumber.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

namespace cupola::runtime {
namespace {

/// Unsigned numbers in the order in which the elements go.
template <class T> uint64_t rankOf(T key, bool isLargestFirst) {
  using Bits = std::make_unsigned_t<T>;
  const Bits sign = std::is_signed_v<T> ? Bits(Bits(1) << (8 * sizeof(T) - 1)) : Bits(0);
  const auto rank = static_cast<Bits>(static_cast<Bits>(key) ^ sign);
  return isLargestFirst ? static_cast<Bits>(~rank) : rank;
}

struct Rows {
  size_t count, elements, wanted;
  bool isLargestFirst;
};

/// A rank with its place. In one number, which is what sorting is fastest of, where both have 32 bits.
struct Narrow {
  uint64_t both;
  Narrow(uint64_t rank, size_t place) : both(rank << 32 | place) {}
  size_t place() const { return both & 0xffffffffu; }
  bool operator<(const Narrow &other) const { return both < other.both; }
};
struct Wide {
  uint64_t rank;
  size_t at;
  Wide(uint64_t rank, size_t place) : rank(rank), at(place) {}
  size_t place() const { return at; }
  bool operator<(const Wide &other) const { return rank != other.rank ? rank < other.rank : at < other.at; }
};

/// The first few of a long row, in order: hardly any element goes before the last of them. False where many do, as in a
/// row that is sorted the other way.
template <class Entry, class EntryAt>
bool findFew(std::vector<Entry> &entries, const Rows &rows, const EntryAt &entryAt) {
  for (size_t i = 0; i < rows.wanted; ++i)
    entries.push_back(entryAt(i));
  std::sort(entries.begin(), entries.end());
  size_t left = std::max(rows.elements / 8, 16 * rows.wanted);
  for (size_t i = rows.wanted; i < rows.elements && !entries.empty(); ++i)
    if (const Entry entry = entryAt(i); entry < entries.back()) {
      if (left-- == 0)
        return false;
      const auto at = std::upper_bound(entries.begin(), entries.end(), entry);
      std::move_backward(at, entries.end() - 1, entries.end());
      *at = entry;
    }
  return true;
}

template <class Entry, class EntryAt>
void findFirst(std::vector<Entry> &entries, const Rows &rows, const EntryAt &entryAt) {
  constexpr size_t few = 1024;
  if (rows.wanted <= few && rows.wanted * rows.wanted <= rows.elements && findFew(entries, rows, entryAt))
    return;
  entries.clear();
  for (size_t i = 0; i < rows.elements; ++i)
    entries.push_back(entryAt(i));
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(rows.wanted);
  if (rows.wanted < rows.elements)
    std::nth_element(entries.begin(), end, entries.end());
  std::sort(entries.begin(), end);
}

template <class T, class Entry> void order(HostCall &call, const Rows &rows) {
  call.forRows(rows.count, rows.elements, [&](uint64_t begin, uint64_t end) {
    std::vector<Entry> entries;
    entries.reserve(rows.elements);
    for (uint64_t row = begin; row < end; ++row) {
      entries.clear();
      const char *keys = call.bytes(0).data() + row * rows.elements * sizeof(T);
      findFirst(entries, rows, [keys, isLargestFirst = rows.isLargestFirst](size_t i) {
        T key;
        std::memcpy(&key, keys + i * sizeof(T), sizeof(T));
        return Entry(rankOf(key, isLargestFirst), i);
      });
      for (size_t i = 0; i < rows.wanted; ++i)
        call.put<int64_t>(row * rows.wanted + i, static_cast<int64_t>(entries[i].place()));
    }
  });
}

} // namespace

Status findOrder(HostCall &call) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> extents, call.extents(1, 3));
  const Rows rows{extents[0], extents[1], extents[2], call.argument(1) == "largest"};
  if (!rows.isLargestFirst && call.argument(1) != "smallest")
    return Status::package("the manifest is inconsistent: an order is '" + call.argument(1) +
                           "', expected largest or smallest");
  if (rows.wanted > rows.elements)
    return Status::package("the manifest is inconsistent: " + std::to_string(rows.wanted) + " of " +
                           std::to_string(rows.elements) + " elements are asked for");
  CUPOLA_TRY(call.expectOperand(0, rows.count * rows.elements));
  CUPOLA_TRY(call.expectResults(rows.count * rows.wanted));
  return visitInteger(call.numbers(), [&](auto zero) {
    using T = decltype(zero);
    if (sizeof(T) > 4 || rows.elements > std::numeric_limits<uint32_t>::max())
      order<T, Wide>(call, rows);
    else
      order<T, Narrow>(call, rows);
    return Status::ok();
  });
}

} // namespace cupola::runtime
