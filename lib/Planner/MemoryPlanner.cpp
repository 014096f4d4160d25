//===- lib/Planner/MemoryPlanner.cpp - greedy placement and search -------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "lib/Planner/MemoryPlanner.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

namespace cupola {
namespace {

struct Item {
  uint64_t size; ///< in units of the alignment, not 0
  uint32_t first, last;
  bool meets(const Item &other) const { return first <= other.last && other.first <= last; }
};

using Order = std::vector<uint32_t>; ///< of indices into the items

struct Placement {
  std::vector<uint64_t> offsets;
  uint64_t height = std::numeric_limits<uint64_t>::max();
};

enum class Fit : uint8_t { First, Best };

class Packer {
public:
  Packer(std::vector<Item> requested, uint64_t work) : items(std::move(requested)), workLeft(work) {
    uint32_t steps = 1;
    for (const Item &item : items)
      steps = std::max(steps, item.last + 1);
    constexpr size_t perShelf = 512; // few enough to search, enough for what lives long to be on few shelves
    stepsPerShelf = std::max<uint32_t>(1, steps / std::max<size_t>(1, items.size() / perShelf));
    shelves.resize(steps / stepsPerShelf + 1);
  }

  uint64_t lowerBound() const;
  Placement pack();

private:
  struct Placed {
    uint64_t begin;
    uint32_t item;
  };

  Placement place(const Order &order, Fit fit);
  uint32_t shelfOf(uint32_t step) const { return step / stepsPerShelf; }
  void put(const Placed &item);
  const std::vector<Placed> &near(const Item &item);
  uint64_t gapFor(const Item &item, Fit fit);
  std::vector<uint64_t> crowds() const;
  Order sortedBy(const std::function<bool(uint32_t, uint32_t)> &before) const;
  bool isLarger(uint32_t a, uint32_t b) const;
  std::vector<Order> otherOrders() const;
  size_t newPosition(const Order &order, size_t from);
  uint64_t random(uint64_t below);
  void climb(Order order);
  void keepBetter(Placement candidate);
  bool isGoodEnough() const { return best.height <= bound + bound / 100; }

  std::vector<Item> items;
  uint64_t workLeft, bound = 0, randomState = 0x2545f4914f6cdd1dull;
  uint32_t stepsPerShelf = 0;
  std::vector<std::vector<Placed>> shelves; ///< what is placed, by time and then by begin; scratch of place()
  std::vector<Placed> gathered;             ///< scratch of near()
  Placement best;
};

/// The most live units at one step.
uint64_t Packer::lowerBound() const {
  // What dies after a step is gone before anything is born at the next.
  struct Event {
    uint64_t step;
    bool born;
    uint64_t size;
  };
  std::vector<Event> events;
  for (const Item &item : items) {
    events.push_back({item.first, true, item.size});
    events.push_back({uint64_t(item.last) + 1, false, item.size});
  }
  std::sort(events.begin(), events.end(),
            [](const Event &a, const Event &b) { return a.step != b.step ? a.step < b.step : a.born < b.born; });
  uint64_t live = 0, most = 0;
  for (const Event &event : events) {
    live = event.born ? live + event.size : live - event.size;
    most = std::max(most, live);
  }
  return most;
}

void Packer::put(const Placed &item) {
  const Item &lives = items[item.item];
  for (uint32_t shelf = shelfOf(lives.first); shelf <= shelfOf(lives.last); ++shelf) {
    auto after = std::upper_bound(shelves[shelf].begin(), shelves[shelf].end(), item.begin,
                                  [](uint64_t begin, const Placed &p) { return begin < p.begin; });
    shelves[shelf].insert(after, item);
  }
}

/// What is placed and lives on a shelf of `item`, by begin.
const std::vector<Packer::Placed> &Packer::near(const Item &item) {
  const uint32_t first = shelfOf(item.first), last = shelfOf(item.last);
  if (first == last)
    return shelves[first];
  gathered.clear();
  for (uint32_t shelf = first; shelf <= last; ++shelf)
    for (const Placed &other : shelves[shelf])
      if (shelf == first || shelfOf(items[other.item].first) == shelf) // on the shelves before, too
        gathered.push_back(other);
  std::sort(gathered.begin(), gathered.end(), [](const Placed &a, const Placed &b) { return a.begin < b.begin; });
  return gathered;
}

/// The lowest place (First), or the tightest (Best), among what is placed.
uint64_t Packer::gapFor(const Item &item, Fit fit) {
  uint64_t end = 0, found = 0, smallest = std::numeric_limits<uint64_t>::max();
  size_t seen = 0;
  for (const Placed &other : near(item)) {
    ++seen;
    const Item &neighbour = items[other.item];
    if (!item.meets(neighbour))
      continue;
    if (other.begin >= end + item.size && other.begin - end < smallest) {
      found = end;
      smallest = other.begin - end;
      if (fit == Fit::First)
        break;
    }
    end = std::max(end, other.begin + neighbour.size);
  }
  workLeft -= std::min<uint64_t>(workLeft, seen);
  return smallest == std::numeric_limits<uint64_t>::max() ? end : found;
}

Placement Packer::place(const Order &order, Fit fit) {
  Placement result;
  result.offsets.resize(items.size());
  result.height = 0;
  for (std::vector<Placed> &shelf : shelves)
    shelf.clear();
  for (uint32_t index : order) {
    uint64_t begin = gapFor(items[index], fit);
    result.offsets[index] = begin;
    result.height = std::max(result.height, begin + items[index].size);
    put({begin, index});
  }
  return result;
}

/// Of each item, the most units that are alive with it at one step.
std::vector<uint64_t> Packer::crowds() const {
  // The most are alive when one of them is born.
  std::vector<uint64_t> liveAtBirth(items.size()), crowds(items.size());
  for (size_t i = 0; i < items.size(); ++i)
    for (const Item &other : items)
      if (other.first <= items[i].first && items[i].first <= other.last)
        liveAtBirth[i] += other.size;
  for (size_t i = 0; i < items.size(); ++i)
    for (size_t k = 0; k < items.size(); ++k)
      if (k == i || (items[k].first >= items[i].first && items[k].first <= items[i].last))
        crowds[i] = std::max(crowds[i], liveAtBirth[k]);
  return crowds;
}

Order Packer::sortedBy(const std::function<bool(uint32_t, uint32_t)> &before) const {
  Order order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    bool isBefore = before(a, b);
    return isBefore != before(b, a) ? isBefore : a < b;
  });
  return order;
}

bool Packer::isLarger(uint32_t a, uint32_t b) const {
  const Item &x = items[a], &y = items[b];
  return x.size != y.size ? x.size > y.size : x.last - x.first > y.last - y.first;
}

/// By how crowded it is around the item (in steps of a twentieth of the bound,
/// and exactly), by area, by life, by birth.
std::vector<Order> Packer::otherOrders() const {
  std::vector<uint64_t> crowd = crowds(), tier = crowd;
  for (uint64_t &units : tier)
    units /= bound / 20 + 1;
  std::vector<double> area, life, birth;
  for (const Item &item : items) {
    life.push_back(double(item.last) - item.first + 1);
    area.push_back(double(item.size) * life.back());
    birth.push_back(-double(item.first));
  }
  auto descending = [&](const auto &key) {
    return sortedBy([&](uint32_t a, uint32_t b) { return key[a] != key[b] ? key[a] > key[b] : isLarger(a, b); });
  };
  return {descending(tier), descending(crowd), descending(area), descending(life), descending(birth)};
}

void Packer::keepBetter(Placement candidate) {
  if (candidate.height < best.height)
    best = std::move(candidate);
}

uint64_t Packer::random(uint64_t below) {
  randomState = randomState * 6364136223846793005ull + 1442695040888963407ull;
  return (randomState >> 33) % below;
}

/// Anywhere ahead, or to the place of one that is in the way.
size_t Packer::newPosition(const Order &order, size_t from) {
  std::vector<size_t> inTheWay;
  if (random(2) == 0)
    for (size_t i = 0; i < from; ++i)
      if (items[order[i]].meets(items[order[from]]))
        inTheWay.push_back(i);
  return inTheWay.empty() ? random(from) : inTheWay[random(inTheWay.size())];
}

/// Moves one item ahead of others, mostly one that stands out above the bound,
/// and keeps what is not worse.
void Packer::climb(Order order) {
  Placement current = place(order, Fit::First);
  while (workLeft > 0 && !isGoodEnough()) {
    std::vector<size_t> high;
    for (size_t i = 1; i < order.size(); ++i)
      if (current.offsets[order[i]] + items[order[i]].size > bound)
        high.push_back(i);
    size_t from = high.empty() || random(4) == 0 ? 1 + random(order.size() - 1) : high[random(high.size())];
    Order next = order;
    uint32_t moved = order[from];
    next.erase(next.begin() + ptrdiff_t(from));
    next.insert(next.begin() + ptrdiff_t(newPosition(order, from)), moved);
    Placement placement = place(next, Fit::First);
    if (placement.height > current.height)
      continue;
    keepBetter(placement);
    current = std::move(placement);
    order = std::move(next);
  }
}

Placement Packer::pack() {
  bound = lowerBound();
  Order start = sortedBy([&](uint32_t a, uint32_t b) { return isLarger(a, b); });
  uint64_t searchWork = workLeft;
  keepBetter(place(start, Fit::Best));
  workLeft = searchWork; // the greedy placement is not part of the search
  if (workLeft == 0 || isGoodEnough())
    return best;
  keepBetter(place(start, Fit::First));
  for (const Order &order : otherOrders()) {
    Placement placement = place(order, Fit::First);
    if (placement.height <= best.height)
      start = order;
    keepBetter(std::move(placement));
    keepBetter(place(order, Fit::Best));
  }
  climb(start);
  return best;
}

} // namespace

std::optional<MemoryPlan> planMemory(const std::vector<MemoryRequest> &requests, uint64_t alignment, uint64_t work) {
  constexpr uint64_t limit = uint64_t(1) << 62;
  std::vector<Item> items;
  std::vector<size_t> itemOf; // requests that have bytes
  uint64_t total = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const MemoryRequest &request = requests[i];
    if (request.first > request.last || request.bytes > limit)
      return std::nullopt;
    uint64_t units = (request.bytes + alignment - 1) / alignment;
    total += units * alignment;
    if (total > limit)
      return std::nullopt;
    if (units == 0)
      continue;
    items.push_back({units, request.first, request.last});
    itemOf.push_back(i);
  }
  MemoryPlan plan;
  plan.offsets.resize(requests.size());
  if (items.empty())
    return plan;
  Packer packer(std::move(items), work);
  Placement placement = packer.pack();
  for (size_t i = 0; i < itemOf.size(); ++i)
    plan.offsets[itemOf[i]] = placement.offsets[i] * alignment;
  plan.bytes = placement.height * alignment;
  plan.lowerBound = packer.lowerBound() * alignment;
  return plan;
}

} // namespace cupola
