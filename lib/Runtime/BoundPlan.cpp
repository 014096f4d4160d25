//===- lib/Runtime/BoundPlan.cpp - A body at one set of symbol values ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/Checks.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/ShapeBinding.h"

namespace cupola::runtime {

namespace {

Status bad(const std::string &what) { return Status::package("the manifest is inconsistent: " + what); }

std::string item(const char *kind, size_t index) { return std::string(kind) + " " + std::to_string(index); }

class PlanBinder {
public:
  PlanBinder(const BodyPlace &place, const BoundInterface *interface, const SymbolValues &values, BoundPlan &plan)
      : place(place), body(place.body()), parsed(place.parsed()), interface(interface), values(values), plan(plan) {}

  /// `wanted[i]`: whether buffer i is placed.
  Status bindBuffers(const std::vector<bool> &wanted) {
    plan.buffers.resize(body.buffers.size());
    for (size_t i = 0; i < body.buffers.size(); ++i) {
      if (!wanted[i])
        continue;
      CUPOLA_ASSIGN(plan.buffers[i].bytes, size(parsed.buffers[i].bytes, item("buffer", i)));
      plan.buffers[i].isOpen = body.buffers[i].bytes.empty();
      CUPOLA_TRY(bindBuffer(i));
    }
    return Status::ok();
  }

  Status bindSteps(const std::vector<format::Step> &steps, const std::vector<ParsedStep> &parsedSteps) {
    for (size_t i = 0; i < steps.size(); ++i) {
      Grid grid;
      CUPOLA_TRY(bindGrid(parsedSteps[i].sizes, item("step", i), grid));
      plan.sizes.push_back(grid);
      CUPOLA_TRY(checkTransfer(steps[i], grid.x, item("step", i)));
      CUPOLA_TRY(checkCall(steps[i].launch.call, item("step", i)));
    }
    return Status::ok();
  }

  Status placeArena(const BucketPlans &known);
  Status placeInit();

private:
  void addRootOffsets(format::BufferKind kind);

  Result<uint64_t> size(const Expr &expr, const std::string &what) const { return evaluateSize(expr, values, what); }

  Status bindGrid(const std::vector<Expr> &sizes, const std::string &what, Grid &grid) const {
    uint64_t *const extents[] = {&grid.x, &grid.y, &grid.z};
    for (size_t d = 0; d < sizes.size(); ++d) {
      CUPOLA_ASSIGN(*extents[d], size(sizes[d], what));
    }
    return grid.isEmpty() || grid.blocks() ? Status::ok() : noValue(what + ": " + grid.text() + " blocks");
  }

  Status bindBuffer(size_t i) {
    const format::Buffer &buffer = body.buffers[i];
    plan.buffers[i].root = buffer.kind;
    plan.buffers[i].index = buffer.index;
    switch (buffer.kind) {
    case format::BufferKind::Arena:
    case format::BufferKind::Growing:
      plan.buffers[i].index = static_cast<uint32_t>(i);
      return Status::ok();
    case format::BufferKind::Init:
      return bindInit(i);
    case format::BufferKind::Parameter:
    case format::BufferKind::Counters:
      return Status::ok();
    case format::BufferKind::Weight:
      return within(i, place.package.weights[buffer.index].bytes);
    case format::BufferKind::Input:
      return within(i, interface->inputBytes[buffer.index]);
    case format::BufferKind::Output:
      return bindOutput(i);
    case format::BufferKind::View:
      return bindView(i);
    }
    return Status::ok();
  }

  /// Another body names the program's buffer, which the init plan placed.
  Status bindInit(size_t i) {
    if (place.position != 0)
      return within(i, initBytes(plan.buffers[i].index));
    plan.buffers[i].index = static_cast<uint32_t>(i);
    return Status::ok();
  }

  uint64_t initBytes(uint32_t buffer) const {
    return static_cast<uint64_t>(place.parsedProgram.buffers[buffer].bytes.constant().value_or(0));
  }

  /// One that is only handed on still has the size of its shape, if that is known.
  Status bindOutput(size_t i) {
    Placement &output = plan.buffers[i];
    if (output.isOpen && !interface->isOpen[output.index]) {
      output.isOpen = false;
      output.bytes = interface->outputBytes[output.index];
    }
    return within(i, interface->outputBytes[output.index]);
  }

  Status bindView(size_t i) {
    Placement &view = plan.buffers[i];
    CUPOLA_ASSIGN(uint64_t offset, size(parsed.buffers[i].offset, item("buffer", i)));
    const Placement &parent = plan.buffers[body.buffers[i].index];
    if (!format::fits(offset, view.bytes, parent.bytes))
      return bad(item("buffer", i) + " reaches beyond the one it is a part of");
    view.root = parent.root;
    view.index = parent.index;
    view.offset = parent.offset + offset;
    return Status::ok();
  }

  Status within(size_t i, uint64_t bytes) const {
    if (plan.buffers[i].bytes <= bytes)
      return Status::ok();
    return bad(item("buffer", i) + " has " + std::to_string(plan.buffers[i].bytes) + " bytes, what it stands for has " +
               std::to_string(bytes));
  }

  Status checkTransfer(const format::Step &step, uint64_t bytes, const std::string &what) const {
    if (const std::optional<format::Transfer> transfer = format::transferOf(step))
      for (const format::Touched &touched : transfer->buffers)
        if (bytes > plan.buffers[touched.buffer].bytes)
          return bad(what + " moves " + std::to_string(bytes) + " bytes, more than its buffers have");
    return Status::ok();
  }

  Status checkCall(const format::LibraryCall &call, const std::string &what) const {
    if (!call)
      return Status::ok();
    const std::vector<uint64_t> needed = format::bufferBytes(call);
    for (size_t i = 0; i < needed.size(); ++i)
      if (needed[i] > plan.buffers[call.buffers[i]].bytes)
        return bad(what + " calls a library with " + std::to_string(needed[i]) + " bytes where buffer " +
                   std::to_string(call.buffers[i]) + " has " + std::to_string(plan.buffers[call.buffers[i]].bytes));
    return Status::ok();
  }

  const BodyPlace &place;
  const format::Body &body;
  const ParsedBody &parsed;
  const BoundInterface *interface; ///< null: no input or output is bound
  const SymbolValues &values;
  BoundPlan &plan;
};

/// Buffers of a root kind, in order.
std::vector<size_t> buffersOfKind(const format::Body &body, format::BufferKind kind) {
  std::vector<size_t> list;
  for (size_t i = 0; i < body.buffers.size(); ++i)
    if (body.buffers[i].kind == kind)
      list.push_back(i);
  return list;
}

Status PlanBinder::placeArena(const BucketPlans &known) {
  const SymbolValues sizing = restricted(values, parsed.sizeSymbols);
  for (const std::shared_ptr<const BucketPlan> &bucket : known)
    if (contains(bucket->bucket, sizing))
      plan.bucket = bucket;
  if (!plan.bucket) {
    CUPOLA_ASSIGN(plan.bucket, planBucket(place.package, body, parsed, sizing));
  }
  plan.arenaBytes = plan.bucket->arenaBytes;
  for (size_t i : buffersOfKind(body, format::BufferKind::Arena))
    plan.buffers[i].offset = plan.bucket->offsets[i];
  addRootOffsets(format::BufferKind::Arena);
  return Status::ok();
}

/// Init buffers stay for the life of the executable, so they never share.
Status PlanBinder::placeInit() {
  format::Size end = 0;
  for (size_t i : buffersOfKind(body, format::BufferKind::Init)) {
    const format::Size start = end.alignedTo(format::kBufferAlignment);
    plan.buffers[i].offset = start.value().value_or(0);
    end = start + plan.buffers[i].bytes;
  }
  if (!end.value())
    return Status::limit("the prepared weights are larger than 2^64 bytes");
  plan.arenaBytes = *end.value();
  addRootOffsets(format::BufferKind::Init);
  return Status::ok();
}

/// Views were placed relative to their root.
void PlanBinder::addRootOffsets(format::BufferKind kind) {
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (body.buffers[i].kind == format::BufferKind::View && plan.buffers[i].root == kind)
      plan.buffers[i].offset += plan.buffers[plan.buffers[i].index].offset;
}

/// What a list of steps touches, with the parents of views.
std::vector<bool> buffersUsed(const format::Program &program, const std::vector<format::Step> &steps) {
  std::vector<bool> used(program.buffers.size());
  for (const format::Step &step : steps)
    for (const format::Touched &touched : format::touchedBy(program, step))
      used[touched.buffer] = true;
  // Parents come before their views.
  for (size_t i = program.buffers.size(); i-- > 0;)
    if (used[i] && program.buffers[i].kind == format::BufferKind::View)
      used[program.buffers[i].index] = true;
  return used;
}

/// A body is entered with all that it uses.
Status checkValues(const format::Package &package, const std::set<std::string> &symbols, const SymbolValues &values) {
  for (const std::string &symbol : symbols)
    if (values.count(symbol) == 0) {
      CUPOLA_TRY(checkElement(package, symbol));
      return bad("symbol " + symbol + " has no value yet");
    }
  return Status::ok();
}

} // namespace

SymbolValues restricted(const SymbolValues &values, const std::set<std::string> &symbols) {
  SymbolValues some;
  for (const std::string &symbol : symbols)
    if (const auto at = values.find(symbol); at != values.end())
      some.emplace_hint(some.end(), *at);
  return some;
}

Result<std::vector<int64_t>> bindScalars(const BodyPlace &place, const SymbolValues &values) {
  std::vector<int64_t> scalars;
  for (const Expr &scalar : place.parsed().scalars) {
    const auto value = scalar.evaluate(values);
    if (!value) {
      CUPOLA_TRY(checkValues(place.package, scalar.symbols(), values));
      return noValue("scalar " + scalar.text());
    }
    scalars.push_back(*value);
  }
  return scalars;
}

Result<BoundPlan> bindBody(const BodyPlace &place, const BoundInterface *interface, const SymbolValues &values,
                           const BucketPlans &known) {
  CUPOLA_TRY(checkValues(place.package, place.parsed().planSymbols, values));
  BoundPlan plan;
  PlanBinder binder(place, interface, values, plan);
  CUPOLA_TRY(binder.bindBuffers(std::vector<bool>(place.body().buffers.size(), true)));
  const std::vector<format::Step> &steps = place.body().steps;
  CUPOLA_TRY(binder.bindSteps(steps, place.parsed().steps));
  const std::vector<bool> all(steps.size(), true);
  CUPOLA_TRY(bindMaps(steps, place.parsed().steps, all, values, plan));
  CUPOLA_TRY(binder.placeArena(known));
  return plan;
}

Result<BoundPlan> bindInitPlan(const format::Package &package, const format::Program &program,
                               const ParsedProgram &parsed, const InitNeeds &needs) {
  std::vector<bool> used = buffersUsed(program, program.init);
  for (size_t i = 0; i < used.size(); ++i) {
    const format::BufferKind kind = program.buffers[i].kind;
    if (used[i] && kind != format::BufferKind::Weight && kind != format::BufferKind::Init &&
        kind != format::BufferKind::View)
      return bad(item("buffer", i) + " does not exist yet in the init steps");
    if (kind == format::BufferKind::Init)
      used[i] = needs.buffers[i];
  }
  BoundPlan plan;
  const SymbolValues none;
  const BodyPlace place{package, program, parsed};
  PlanBinder binder(place, nullptr, none, plan);
  for (const Expr &scalar : parsed.scalars) // those of shapes are not used here
    plan.scalars.push_back(scalar.constant().value_or(0));
  CUPOLA_TRY(binder.bindBuffers(used));
  CUPOLA_TRY(binder.bindSteps(program.init, parsed.init));
  for (size_t i = 0; i < plan.sizes.size(); ++i)
    if (!needs.steps[i])
      plan.sizes[i].x = 0;
  CUPOLA_TRY(bindMaps(program.init, parsed.init, needs.steps, none, plan));
  CUPOLA_TRY(binder.placeInit());
  return plan;
}

} // namespace cupola::runtime
