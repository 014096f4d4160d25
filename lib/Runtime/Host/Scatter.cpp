//===- lib/Runtime/Host/Scatter.cpp - places that data names ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Combine.h"
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/VisitNumber.h"

#include <algorithm>

namespace cupola::runtime {
namespace {

/// Updates [before, updates, behind] of places [before, extent, behind].
struct Places {
  uint64_t before, updates, behind, extent;

  /// Calls use(place, number, update) for the updates in their order, positions row-major, but not for those whose
  /// index is outside.
  template <class Use> void forEach(const HostCall &call, size_t indices, Use use) const {
    uint64_t update = 0;
    for (uint64_t outer = 0; outer < before; ++outer)
      for (uint64_t i = 0; i < updates; ++i)
        for (uint64_t inner = 0; inner < behind; ++inner, ++update)
          if (const auto index = call.number<int64_t>(indices, update); isInside(index))
            use(placeOf(outer, index) + inner, i, update);
  }

  /// Calls use(place, update) for the first elements of rows of `behind`, which share an index.
  template <class Use> void forRows(const HostCall &call, size_t indices, Use use) const {
    for (uint64_t row = 0; row < before * updates; ++row)
      if (const auto index = call.number<int64_t>(indices, row); isInside(index))
        use(placeOf(row / updates, index), row * behind);
  }

private:
  bool isInside(int64_t index) const { return index >= 0 && static_cast<uint64_t>(index) < extent; }
  uint64_t placeOf(uint64_t outer, int64_t index) const {
    return (outer * extent + static_cast<uint64_t>(index)) * behind;
  }
};

Result<Places> placesOf(const HostCall &call, size_t operand) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> extents, call.extents(operand, 4));
  return Places{extents[0], extents[1], extents[2], extents[3]};
}

/// result[i] = combine(result[i], updates[i]), in memory that need not be aligned.
template <class T, class Kind>
void combineRow(char *__restrict result, const char *__restrict updates, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T value, update;
    std::memcpy(&value, result + i * sizeof(T), sizeof(T));
    std::memcpy(&update, updates + i * sizeof(T), sizeof(T));
    value = Kind::template combine<T>(value, update);
    std::memcpy(result + i * sizeof(T), &value, sizeof(T));
  }
}

/// In the order of the updates. `isRepeated`: there is one index for all that is behind.
template <class T, class Kind> void reduce(HostCall &call, const Places &places, bool isRepeated) {
  char *result = call.resultBytes();
  const char *updates = call.bytes(2).data();
  const auto combine = [&](uint64_t place, uint64_t update, uint64_t count) {
    combineRow<T, Kind>(result + place * sizeof(T), updates + update * sizeof(T), count);
  };
  if (isRepeated)
    places.forRows(call, 1, [&](uint64_t place, uint64_t update) { combine(place, update, places.behind); });
  else
    places.forEach(call, 1, [&](uint64_t place, uint64_t, uint64_t update) { combine(place, update, 1); });
}

template <class T> Status reduceBy(HostCall &call, const Places &places, bool isRepeated) {
  const std::string &kind = call.argument(1);
  if (kind == "add")
    reduce<T, Add>(call, places, isRepeated);
  else if (kind == "mul")
    reduce<T, Multiply>(call, places, isRepeated);
  else if (kind == "max")
    reduce<T, Largest>(call, places, isRepeated);
  else if (kind == "min")
    reduce<T, Smallest>(call, places, isRepeated);
  else
    return Status::package("the manifest is inconsistent: a reduction is '" + kind +
                           "', expected add, mul, max or min");
  return Status::ok();
}

} // namespace

Status findLastMatches(HostCall &call) {
  CUPOLA_ASSIGN(const Places places, placesOf(call, 1));
  CUPOLA_TRY(call.expectOperand(0, places.before * places.updates * places.behind));
  CUPOLA_TRY(call.expectResults(places.before * places.extent * places.behind));
  std::fill_n(call.resultBytes(), call.resultCount() * sizeof(int64_t), static_cast<char>(-1));
  places.forEach(call, 0, [&](uint64_t place, uint64_t number, uint64_t) {
    call.put<int64_t>(place, static_cast<int64_t>(number));
  });
  return Status::ok();
}

/// A place that is false is written, too, and the next one over it: no branch tells them apart.
Status findTruePlaces(HostCall &call) {
  const std::string_view flags = call.bytes(0);
  CUPOLA_TRY(call.expectResults(flags.size() - static_cast<size_t>(std::count(flags.begin(), flags.end(), '\0'))));
  const size_t wanted = call.resultCount();
  for (size_t i = 0, found = 0; found < wanted; ++i) {
    call.put<int64_t>(found, static_cast<int64_t>(i));
    found += flags[i] != 0;
  }
  return Status::ok();
}

Status scatterReduce(HostCall &call) {
  CUPOLA_ASSIGN(const Places places, placesOf(call, 3));
  const uint64_t indices = places.before * places.updates, all = indices * places.behind;
  const bool isRepeated = call.count(1) != all;
  CUPOLA_TRY(call.expectOperand(1, isRepeated ? indices : all));
  CUPOLA_TRY(call.expectOperand(2, all));
  CUPOLA_TRY(call.expectOperand(0, places.before * places.extent * places.behind));
  CUPOLA_TRY(call.expectResults(call.count(0)));
  const std::string_view data = call.bytes(0);
  std::copy(data.begin(), data.end(), call.resultBytes());
  return visitNumber(call.numbers(), [&](auto zero) { return reduceBy<decltype(zero)>(call, places, isRepeated); });
}

} // namespace cupola::runtime
