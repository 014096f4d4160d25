//===- lib/Runtime/LoopRun.cpp - One execution of a loop step ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/LoopRun.h"
#include "lib/Runtime/Format/Checked.h"

#include <algorithm>

namespace cupola::runtime {

LoopRun::LoopRun(BodyRunner &runner, Frame &frame, size_t step, size_t depth)
    : runner(runner), frame(frame), depth(depth), loop(frame.body().steps[step].loop),
      parsed(frame.parsed().controls.at(step)), nodes(runner.stepText(frame, step)) {}

Status LoopRun::run() {
  CUPOLA_TRY(begin());
  if (onlyCounts())
    done = *most; // as it is: where it may not be negative the symbol's range says so
  const size_t outside = runner.position.size();
  while (proceed && (!most || done < *most)) {
    if (runner.isWatched())
      runner.position += "iteration " + std::to_string(done + 1) + ": ";
    CUPOLA_TRY(iterate());
    runner.position.resize(outside);
  }
  return finish();
}

//===--- Before the first iteration ---===//

Status LoopRun::begin() {
  CUPOLA_TRY(findMost());
  if (loop.condition != 0)
    CUPOLA_TRY(runner.readBool(frame.handed(loop.condition - 1, false), proceed));
  extents.resize(loop.extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    CUPOLA_TRY(runner.evaluate(parsed.extents[i].initial, extents[i]).within(nodes));
  rowBytes.assign(loop.scans.size(), 0);
  return Status::ok();
}

/// A number of data becomes a symbol as the count of a loop whose body has nothing to do.
bool LoopRun::onlyCounts() const {
  return most && proceed && loop.proceed == 0 && loop.carried.empty() && loop.scans.empty() &&
         runner.frames[1 + loop.body].body().steps.empty();
}

Status LoopRun::findMost() {
  int64_t bound = 0;
  if (!loop.limit.empty()) {
    CUPOLA_TRY(runner.evaluate(parsed.limit, bound).within(nodes));
    most = bound;
  }
  if (loop.trip != 0) {
    CUPOLA_TRY(runner.read(frame.handed(loop.trip - 1, false), &bound, sizeof(bound)));
    most = std::min(most.value_or(bound), bound);
  }
  return Status::ok();
}

//===--- An iteration ---===//

Status LoopRun::iterate() {
  for (size_t i = 0; i < extents.size(); ++i)
    CUPOLA_TRY(assign(loop.extents[i].symbol, extents[i]));
  if (!loop.index.empty())
    CUPOLA_TRY(assign(loop.index, done));
  CUPOLA_TRY(runner.enter(loop.body, depth, parameters(), nodes));
  CUPOLA_TRY(nextExtents());
  for (size_t i = 0; i < loop.scans.size(); ++i)
    CUPOLA_TRY(appendRow(i));
  ++done;
  return loop.proceed == 0 ? Status::ok() : runner.readBool(frame.handed(loop.proceed - 1, false), proceed);
}

std::vector<HandedBuffer> LoopRun::parameters() const {
  std::vector<HandedBuffer> list;
  list.reserve(loop.captures.size() + 2 * loop.carried.size() + loop.scans.size() + 1);
  for (uint32_t buffer : loop.captures)
    list.push_back(frame.handed(buffer, false));
  for (size_t i = 0; i < loop.carried.size(); ++i)
    list.push_back(value(i));
  for (size_t i = 0; i < loop.carried.size(); ++i)
    list.push_back(target(i));
  for (const format::Scanned &scan : loop.scans)
    list.push_back(frame.handed(scan.row, true));
  if (loop.proceed != 0)
    list.push_back(frame.handed(loop.proceed - 1, true));
  return list;
}

/// What the iterations so far made.
HandedBuffer LoopRun::value(size_t carried) const {
  const format::Carried &buffers = loop.carried[carried];
  HandedBuffer last = frame.handed(buffers.initial, false);
  if (done > 0)
    last = frame.handed(isResult(done - 1) ? buffers.result : buffers.spare, false);
  return last;
}

HandedBuffer LoopRun::target(size_t carried) const {
  const format::Carried &buffers = loop.carried[carried];
  return frame.handed(isResult(done) ? buffers.result : buffers.spare, true);
}

/// They get their values when the next iteration begins: an expression may use the others.
Status LoopRun::nextExtents() {
  for (size_t i = 0; i < extents.size(); ++i)
    CUPOLA_TRY(runner.evaluate(parsed.extents[i].next, extents[i]).within(nodes));
  return Status::ok();
}

Status LoopRun::appendRow(size_t scan) {
  const HandedBuffer row = frame.handed(loop.scans[scan].row, false);
  const HandedBuffer rows = frame.handed(loop.scans[scan].rows, true);
  const uint64_t bytes = row.size();
  if (done == 0)
    rowBytes[scan] = bytes;
  if (bytes != rowBytes[scan])
    return Status::usage(nodes + ": iteration " + std::to_string(done) + " gives a row of " + std::to_string(bytes) +
                         " bytes, those before have " + std::to_string(rowBytes[scan]));
  const std::optional<uint64_t> room = roomFor(bytes);
  if (!room)
    return Status::limit(nodes + ": all rows are larger than 2^64 bytes");
  const uint64_t before = static_cast<uint64_t>(done) * bytes;
  if (rows.memory) {
    CUPOLA_TRY(runner.reserve(*rows.memory, *room, before).within(nodes));
    rows.memory->setBytes(before + bytes);
  }
  if (!format::fits(before, bytes, rows.size()))
    return Status::package(nodes + ": the manifest is inconsistent: rows have " + std::to_string(rows.size()) +
                           " bytes, which " + std::to_string(done + 1) + " of " + std::to_string(bytes) + " exceed");
  return runner.stream->copy(rows.start() + before, row.start(), bytes);
}

/// Of all rows where their number is known, else of those that there are now.
std::optional<uint64_t> LoopRun::roomFor(uint64_t rowBytes) const {
  const int64_t rows = isCounted() ? *most : done + 1;
  return (format::Size(rowBytes) * format::Size(static_cast<uint64_t>(rows))).value();
}

//===--- After the last one ---===//

Status LoopRun::finish() {
  for (size_t i = 0; i < loop.carried.size(); ++i)
    CUPOLA_TRY(keepLast(i).within(nodes));
  for (size_t i = 0; i < loop.scans.size() && done == 0; ++i)
    if (const HandedBuffer rows = frame.handed(loop.scans[i].rows, true); rows.memory) {
      rows.memory->setBytes(0);
      CUPOLA_TRY(runner.reserve(*rows.memory, 0).within(nodes)); // an address
    }
  for (size_t i = 0; i < extents.size(); ++i)
    if (!loop.extents[i].last.empty())
      CUPOLA_TRY(assign(loop.extents[i].last, extents[i]));
  return loop.count.empty() ? Status::ok() : assign(loop.count, done);
}

/// Buffers of a size of their own change places; what has a place is copied to it.
Status LoopRun::keepLast(size_t carried) {
  if (done > 0 && isResult(done - 1))
    return Status::ok();
  const HandedBuffer last = value(carried), result = frame.handed(loop.carried[carried].result, true);
  if (done > 0 && last.memory && result.memory) {
    result.memory->swap(*last.memory);
    return Status::ok();
  }
  const uint64_t bytes = last.size();
  if (result.memory) {
    CUPOLA_TRY(runner.reserve(*result.memory, bytes));
    result.memory->setBytes(bytes);
  } else if (bytes > result.bytes) {
    return Status::package("the manifest is inconsistent: a carried value of " + std::to_string(bytes) +
                           " bytes ends in a buffer that has " + std::to_string(result.bytes));
  }
  return runner.stream->copy(result.start(), last.start(), bytes);
}

Status LoopRun::assign(const std::string &symbol, int64_t value) { return runner.assign(symbol, value, nodes); }

} // namespace cupola::runtime
