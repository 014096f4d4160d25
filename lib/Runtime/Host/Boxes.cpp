//===- lib/Runtime/Host/Boxes.cpp - boxes that do not overlap ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace cupola::runtime {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One that shares nothing with any, as long as it is no other.
struct Box {
  float top = kInfinity, left = kInfinity, bottom = -kInfinity, right = -kInfinity;

  float area() const { return (bottom - top) * (right - left); }
};

/// Boxes that were taken, by their edges: compilers make vectors of the loop over those of a block.
class Taken {
public:
  explicit Taken(float overlap) : overlap(overlap) {}

  void clear() {
    count = 0;
    for (std::vector<float> *edge : {&tops, &lefts, &bottoms, &rights})
      edge->clear();
  }

  void add(const Box &box) {
    if (count == tops.size())
      append(Box());
    tops[count] = box.top, lefts[count] = box.left, bottoms[count] = box.bottom, rights[count] = box.right;
    ++count;
  }

  /// Whether what the box and one that was taken have in common is too large a part of both.
  bool overlaps(const Box &box) const {
    for (size_t first = 0; first < count; first += block)
      if (mayShare(box, first) && sharesTooMuch(box, first))
        return true;
    return false;
  }

private:
  static constexpr size_t block = 16;

  void append(const Box &box) {
    const size_t size = count + block;
    tops.resize(size, box.top), lefts.resize(size, box.left);
    bottoms.resize(size, box.bottom), rights.resize(size, box.right);
  }

  float heightWith(const Box &box, size_t i) const {
    return std::min(bottoms[i], box.bottom) - std::max(tops[i], box.top);
  }
  float widthWith(const Box &box, size_t i) const {
    return std::min(rights[i], box.right) - std::max(lefts[i], box.left);
  }

  bool mayShare(const Box &box, size_t first) const {
    int32_t any = 0;
    for (size_t i = first; i < first + block; ++i)
      any |= static_cast<int32_t>(heightWith(box, i) > 0) & static_cast<int32_t>(widthWith(box, i) > 0);
    return any != 0;
  }

  bool sharesTooMuch(const Box &box, size_t first) const {
    const float area = box.area();
    for (size_t i = first; i < std::min(first + block, count); ++i) {
      const float shared = std::max(heightWith(box, i), 0.0f) * std::max(widthWith(box, i), 0.0f);
      const float both = area + Box{tops[i], lefts[i], bottoms[i], rights[i]}.area() - shared;
      if (shared > 0 && shared / both > overlap)
        return true;
    }
    return false;
  }

  const float overlap;
  size_t count = 0;
  std::vector<float> tops, lefts, bottoms, rights; ///< whole blocks, of empty boxes behind the last one
};

/// In the order in which a maximum finds them: NaN, then from the largest on, equal ones by their places.
uint64_t orderOf(float score, size_t place) {
  uint32_t bits;
  score += 0.0f; // one zero
  std::memcpy(&bits, &score, sizeof(bits));
  const uint32_t sign = uint32_t(1) << 31, ascending = bits & sign ? ~bits : bits | sign;
  const uint32_t rank = score != score ? 0 : ~ascending;
  return uint64_t(rank) << 32 | place;
}

struct Extents {
  uint64_t batch, classes, boxes, picks, most;
};

class Picks {
public:
  Picks(HostCall &call, const Extents &extents) : call(call), extents(extents), taken(call.number<float>(2, 0)) {}

  /// Of some rows, one for each class of each batch.
  void run(uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row) {
      if (row == begin || row % extents.classes == 0)
        readBoxes(row / extents.classes);
      pick(row);
    }
  }

private:
  void readBoxes(uint64_t batch) {
    boxes.resize(extents.boxes);
    const auto edge = [&](uint64_t which, uint64_t box) {
      return call.number<float>(0, (batch * 4 + which) * extents.boxes + box);
    };
    for (uint64_t i = 0; i < extents.boxes; ++i) {
      const Box box{edge(0, i), edge(1, i), edge(2, i), edge(3, i)};
      const bool isNumber =
          box.top == box.top && box.left == box.left && box.bottom == box.bottom && box.right == box.right;
      boxes[i] = isNumber ? box : Box(); // NaN is no less than anything, and shares nothing
    }
  }

  /// The best one lies in front of a heap: often few of many are taken.
  void pick(uint64_t row) {
    order.clear();
    for (uint64_t i = 0; i < extents.boxes; ++i)
      if (call.number<uint8_t>(3, row * extents.boxes + i) != 0)
        order.push_back(orderOf(call.number<float>(1, row * extents.boxes + i), i));
    std::make_heap(order.begin(), order.end(), std::greater<>());
    taken.clear();
    uint64_t count = 0;
    for (; !order.empty() && count < std::min(extents.picks, extents.most); order.pop_back()) {
      std::pop_heap(order.begin(), order.end(), std::greater<>());
      const uint64_t place = order.back() & 0xffffffffu;
      if (taken.overlaps(boxes[place]))
        continue;
      taken.add(boxes[place]);
      call.put<int64_t>(row * extents.picks + count++, static_cast<int64_t>(place));
    }
    for (; count < extents.picks; ++count)
      call.put<int64_t>(row * extents.picks + count, -1);
  }

  HostCall &call;
  const Extents extents;
  Taken taken;
  std::vector<Box> boxes;
  std::vector<uint64_t> order;
};

} // namespace

Status pickBoxes(HostCall &call) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> list, call.extents(4, 5));
  const Extents extents{list[0], list[1], list[2], list[3], list[4]};
  const uint64_t rows = extents.batch * extents.classes;
  if (call.numbers() != format::DType::F32 || extents.boxes > std::numeric_limits<uint32_t>::max())
    return Status::package("the manifest is inconsistent: the host picks no boxes of this type or number");
  CUPOLA_TRY(call.expectOperand(0, extents.batch * 4 * extents.boxes));
  CUPOLA_TRY(call.expectOperand(1, rows * extents.boxes));
  CUPOLA_TRY(call.expectOperand(2, 1));
  CUPOLA_TRY(call.expectOperand(3, rows * extents.boxes));
  CUPOLA_TRY(call.expectResults(rows * extents.picks));
  if (rows * extents.picks == 0)
    return Status::ok();
  call.forRows(rows, extents.boxes * 4, [&](uint64_t begin, uint64_t end) { Picks(call, extents).run(begin, end); });
  return Status::ok();
}

Status countPicks(HostCall &call) {
  CUPOLA_TRY(call.expectResults(1));
  int64_t count = 0;
  for (size_t i = 0; i < call.count(0); ++i)
    count += call.number<int64_t>(0, i) >= 0;
  call.put<int64_t>(0, count);
  return Status::ok();
}

Status listPicks(HostCall &call) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> extents, call.extents(1, 3));
  const uint64_t classes = extents[1], picks = extents[2];
  CUPOLA_TRY(call.expectOperand(0, extents[0] * classes * picks));
  size_t next = 0;
  for (uint64_t i = 0; i < extents[0] * classes * picks; ++i) {
    const auto box = call.number<int64_t>(0, i);
    if (box < 0)
      continue;
    if (next + 3 > call.resultCount())
      return call.expectResults(next + 3);
    const uint64_t row = i / picks;
    for (uint64_t number : {row / classes, row % classes, static_cast<uint64_t>(box)})
      call.put<int64_t>(next++, static_cast<int64_t>(number));
  }
  return call.expectResults(next);
}

} // namespace cupola::runtime
