//===- lib/Runtime/Bucket.cpp - Shapes that share an arena's layout ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Bucket.h"

#include "lib/Planner/MemoryPlanner.h"
#include "lib/Runtime/Format/Checked.h"

#include <algorithm>
#include <optional>

namespace cupola::runtime {

namespace {

/// The interval of quarter octaves around `value`; up to 8 every value is its own.
SymbolInterval quarterOctave(int64_t value) {
  if (value <= 8 || value > (int64_t(1) << 61))
    return {value, value};
  int64_t octave = 8; // octave < value <= 2 * octave
  while (2 * octave < value)
    octave *= 2;
  const int64_t step = octave / 4, quarter = (value - octave - 1) / step;
  return {octave + quarter * step + 1, octave + (quarter + 1) * step};
}

class BucketPlanner {
public:
  BucketPlanner(const format::Body &body, const ParsedBody &parsed, Bucket bucket)
      : body(body), parsed(parsed), ranges(rangesOf(bucket)) {
    plan.bucket = std::move(bucket);
  }

  /// Null: a size has no bound in this bucket.
  Result<std::shared_ptr<const BucketPlan>> run() {
    for (size_t i = 0; i < body.steps.size(); ++i) {
      uint64_t most[3] = {1, 1, 1};
      const std::vector<Expr> &sizes = parsed.steps[i].sizes;
      for (size_t d = 0; d < sizes.size(); ++d) {
        const Interval size = bounds(sizes[d], ranges);
        if (!size.hi)
          return {nullptr};
        most[d] = static_cast<uint64_t>(std::max<int64_t>(*size.hi, 0));
        plan.transfersVary |= format::transferOf(body.steps[i]) && size.lo != size.hi;
      }
      plan.sizes.push_back({most[0], most[1], most[2]});
    }
    plan.offsets.assign(body.buffers.size(), 0);
    if (body.arenaBytes >= 0)
      return placeAsPlanned();
    return placeByLifetime();
  }

private:
  Result<std::shared_ptr<const BucketPlan>> finished() { return {std::make_shared<const BucketPlan>(std::move(plan))}; }

  /// The compiler has placed a static arena.
  Result<std::shared_ptr<const BucketPlan>> placeAsPlanned() {
    plan.arenaBytes = static_cast<uint64_t>(body.arenaBytes);
    for (size_t i = 0; i < body.buffers.size(); ++i) {
      if (body.buffers[i].kind != format::BufferKind::Arena)
        continue;
      const int64_t planned = body.buffers[i].planned, bytes = parsed.buffers[i].bytes.constant().value_or(-1);
      if (planned < 0 || planned % format::kBufferAlignment != 0 || bytes < 0 ||
          !format::fits(static_cast<uint64_t>(planned), static_cast<uint64_t>(bytes), plan.arenaBytes))
        return Status::package("the manifest is inconsistent: buffer " + std::to_string(i) +
                               " does not lie in the arena");
      plan.offsets[i] = static_cast<uint64_t>(planned);
    }
    return finished();
  }

  Result<std::shared_ptr<const BucketPlan>> placeByLifetime() {
    std::vector<MemoryRequest> requests;
    std::vector<size_t> buffers;
    for (size_t i = 0; i < body.buffers.size(); ++i) {
      if (body.buffers[i].kind != format::BufferKind::Arena)
        continue;
      const Interval bytes = bounds(parsed.buffers[i].bytes, ranges);
      if (!bytes.hi)
        return {nullptr};
      buffers.push_back(i);
      requests.push_back(
          {static_cast<uint64_t>(std::max<int64_t>(*bytes.hi, 0)), body.buffers[i].first, body.buffers[i].last});
    }
    const std::optional<MemoryPlan> placed = planMemory(requests, format::kBufferAlignment);
    if (!placed)
      return Status::limit("the arena is larger than 2^62 bytes");
    plan.arenaBytes = placed->bytes;
    for (size_t i = 0; i < buffers.size(); ++i)
      plan.offsets[buffers[i]] = placed->offsets[i];
    return finished();
  }

  const format::Body &body;
  const ParsedBody &parsed;
  Ranges ranges;
  BucketPlan plan;
};

} // namespace

Bucket bucketOf(const format::Package &package, const SymbolValues &values) {
  Bucket bucket;
  for (const auto &[id, value] : values)
    bucket[id] = quarterOctave(value);
  for (const format::Symbol &symbol : package.symbols) {
    const auto at = bucket.find(symbol.id);
    if (at == bucket.end())
      continue;
    at->second.low = std::max(at->second.low, symbol.min);
    if (symbol.max != 0)
      at->second.high = std::min(at->second.high, symbol.max);
  }
  return bucket;
}

bool contains(const Bucket &bucket, const SymbolValues &values) {
  return std::all_of(values.begin(), values.end(), [&](const auto &entry) {
    const auto at = bucket.find(entry.first);
    return at != bucket.end() && at->second.low <= entry.second && entry.second <= at->second.high;
  });
}

Ranges rangesOf(const Bucket &bucket) {
  Ranges ranges;
  for (const auto &[id, interval] : bucket)
    ranges[id] = {Expr(interval.low), Expr(interval.high)};
  return ranges;
}

Result<std::shared_ptr<const BucketPlan>> planBucket(const format::Package &package, const format::Body &body,
                                                     const ParsedBody &parsed, const SymbolValues &values) {
  Result<std::shared_ptr<const BucketPlan>> plan = BucketPlanner(body, parsed, bucketOf(package, values)).run();
  if (plan.failed() || *plan)
    return plan;
  Bucket alone;
  for (const auto &[id, value] : values)
    alone[id] = {value, value};
  plan = BucketPlanner(body, parsed, alone).run();
  if (plan.isOk() && !*plan)
    return Status::limit("the size of a buffer or step has no value within 64 bits");
  return plan;
}

} // namespace cupola::runtime
