//===- lib/Runtime/BoundPlan.cpp - A program at one set of input shapes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/Format/Checked.h"

namespace cupola::runtime {

namespace {

Status bad(const std::string &what) { return Status::package("the manifest is inconsistent: " + what); }

std::string item(const char *kind, size_t index) { return std::string(kind) + " " + std::to_string(index); }

class PlanBinder {
public:
  PlanBinder(const format::Package &package, const format::Program &program, const ParsedProgram &parsed,
             const SymbolValues &values, BoundPlan &plan)
      : package(package), program(program), parsed(parsed), values(values), plan(plan) {}

  Status bindScalars() {
    for (const Expr &scalar : parsed.scalars) {
      const auto value = scalar.evaluate(values);
      if (!value)
        return beyond("scalar " + scalar.text());
      plan.scalars.push_back(*value);
    }
    return Status::ok();
  }

  /// `wanted[i]`: whether buffer i is placed.
  Status bindBuffers(const std::vector<bool> &wanted) {
    plan.buffers.resize(program.buffers.size());
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      if (!wanted[i])
        continue;
      Result<uint64_t> bytes = size(parsed.buffers[i].bytes, item("buffer", i));
      if (bytes.failed())
        return bytes.status();
      plan.buffers[i].bytes = *bytes;
      CUPOLA_TRY(bindBuffer(i));
    }
    return Status::ok();
  }

  Status bindSteps(const std::vector<format::Step> &steps, const std::vector<Expr> &sizes) {
    for (size_t i = 0; i < steps.size(); ++i) {
      Result<uint64_t> value = size(sizes[i], item("step", i));
      if (value.failed())
        return value.status();
      plan.sizes.push_back(*value);
      const format::Copy &copy = steps[i].copy;
      if (steps[i].kind == format::Step::CopyStep &&
          (*value > plan.buffers[copy.source].bytes || *value > plan.buffers[copy.target].bytes))
        return bad(item("step", i) + " copies " + std::to_string(*value) + " bytes, more than its buffers have");
      CUPOLA_TRY(checkCall(steps[i].launch.call, item("step", i)));
    }
    return Status::ok();
  }

  Status placeArena(const BucketPlans &known);
  Status placeInit();

private:
  void addRootOffsets(format::BufferKind kind);

  static Status beyond(const std::string &what) { return Status::limit(what + " has no value within 64 bits"); }

  Result<uint64_t> size(const Expr &expr, const std::string &what) const {
    const auto value = expr.evaluate(values);
    if (!value || *value < 0)
      return beyond(what + ": " + expr.text());
    return static_cast<uint64_t>(*value);
  }

  Status bindBuffer(size_t i) {
    const format::Buffer &buffer = program.buffers[i];
    Placement &place = plan.buffers[i];
    place.root = buffer.kind;
    place.index = buffer.index;
    switch (buffer.kind) {
    case format::BufferKind::Arena:
    case format::BufferKind::Init:
      place.index = static_cast<uint32_t>(i);
      return Status::ok();
    case format::BufferKind::Weight:
      return within(i, package.weights[buffer.index].bytes);
    case format::BufferKind::Input:
      return within(i, plan.inputBytes[buffer.index]);
    case format::BufferKind::Output:
      return within(i, plan.outputBytes[buffer.index]);
    case format::BufferKind::View:
      break;
    }
    Result<uint64_t> offset = size(parsed.buffers[i].offset, item("buffer", i));
    if (offset.failed())
      return offset.status();
    const Placement &parent = plan.buffers[buffer.index];
    if (!format::fits(*offset, place.bytes, parent.bytes))
      return bad(item("buffer", i) + " reaches beyond the one it is a part of");
    place.root = parent.root;
    place.index = parent.index;
    place.offset = parent.offset + *offset;
    return Status::ok();
  }

  Status within(size_t i, uint64_t bytes) const {
    if (plan.buffers[i].bytes <= bytes)
      return Status::ok();
    return bad(item("buffer", i) + " has " + std::to_string(plan.buffers[i].bytes) + " bytes, what it stands for has " +
               std::to_string(bytes));
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

  const format::Package &package;
  const format::Program &program;
  const ParsedProgram &parsed;
  const SymbolValues &values;
  BoundPlan &plan;
};

/// Buffers of a root kind, in order.
std::vector<size_t> buffersOfKind(const format::Program &program, format::BufferKind kind) {
  std::vector<size_t> list;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].kind == kind)
      list.push_back(i);
  return list;
}

Status PlanBinder::placeArena(const BucketPlans &known) {
  for (const std::shared_ptr<const BucketPlan> &bucket : known)
    if (contains(bucket->bucket, values))
      plan.bucket = bucket;
  if (!plan.bucket) {
    Result<std::shared_ptr<const BucketPlan>> made = planBucket(package, program, parsed, values);
    if (made.failed())
      return made.status();
    plan.bucket = made.take();
  }
  plan.arenaBytes = plan.bucket->arenaBytes;
  for (size_t i : buffersOfKind(program, format::BufferKind::Arena))
    plan.buffers[i].offset = plan.bucket->offsets[i];
  addRootOffsets(format::BufferKind::Arena);
  return Status::ok();
}

/// Init buffers stay for the life of the executable, so they never share.
Status PlanBinder::placeInit() {
  format::Size end = 0;
  for (size_t i : buffersOfKind(program, format::BufferKind::Init)) {
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
    if (program.buffers[i].kind == format::BufferKind::View && plan.buffers[i].root == kind)
      plan.buffers[i].offset += plan.buffers[plan.buffers[i].index].offset;
}

/// What a list of steps touches, with the parents of views.
std::vector<bool> buffersUsed(const format::Program &program, const std::vector<format::Step> &steps) {
  std::vector<bool> used(program.buffers.size());
  for (const format::Step &step : steps) {
    if (step.kind == format::Step::CopyStep)
      used[step.copy.source] = used[step.copy.target] = true;
    else
      for (uint32_t buffer : step.launch.buffers)
        used[buffer] = true;
  }
  // Parents come before their views.
  for (size_t i = program.buffers.size(); i-- > 0;)
    if (used[i] && program.buffers[i].kind == format::BufferKind::View)
      used[program.buffers[i].index] = true;
  return used;
}

Status bindTensors(const std::vector<format::Tensor> &tensors, const std::vector<ParsedTensor> &parsed,
                   const SymbolValues &values, std::vector<Shape> &shapes, std::vector<uint64_t> &bytes) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    Result<Shape> shape = evaluateShape(tensors[i], parsed[i], values);
    if (shape.failed())
      return shape.status();
    Result<Shape> storage = evaluateStorage(tensors[i], parsed[i], values);
    if (storage.failed())
      return storage.status();
    Result<uint64_t> size = tensorBytes(tensors[i].dtype, *storage);
    if (size.failed())
      return size.status();
    shapes.push_back(shape.take());
    bytes.push_back(*size);
  }
  return Status::ok();
}

} // namespace

Result<BoundPlan> bindPlan(const format::Package &package, const format::Program &program,
                           const ParsedInterface &parsedInterface, const ParsedProgram &parsedProgram,
                           const std::vector<Shape> &inputs, const BucketPlans &known,
                           const std::vector<Strides> &strides) {
  Result<SymbolValues> values = bindShapes(package, parsedInterface, inputs, strides);
  if (values.failed())
    return values.status();
  BoundPlan plan;
  CUPOLA_TRY(bindTensors(package.inputs, parsedInterface.inputs, *values, plan.inputShapes, plan.inputBytes));
  CUPOLA_TRY(bindTensors(package.outputs, parsedInterface.outputs, *values, plan.outputShapes, plan.outputBytes));
  for (size_t i = 0; i < package.outputs.size(); ++i)
    if (package.outputs[i].memoryOf != 0) // bindTensors evaluated its storage
      plan.sharedStrides[i] = denseStrides(*evaluateStorage(package.outputs[i], parsedInterface.outputs[i], *values));
  PlanBinder binder(package, program, parsedProgram, *values, plan);
  CUPOLA_TRY(binder.bindScalars());
  CUPOLA_TRY(binder.bindBuffers(std::vector<bool>(program.buffers.size(), true)));
  CUPOLA_TRY(binder.bindSteps(program.steps, parsedProgram.steps));
  CUPOLA_TRY(binder.placeArena(known));
  return plan;
}

Result<BoundPlan> bindInitPlan(const format::Package &package, const format::Program &program,
                               const ParsedProgram &parsed, const InitNeeds &needs) {
  std::vector<bool> used = buffersUsed(program, program.init);
  for (size_t i = 0; i < used.size(); ++i) {
    const format::BufferKind kind = program.buffers[i].kind;
    if (used[i] &&
        (kind == format::BufferKind::Arena || kind == format::BufferKind::Input || kind == format::BufferKind::Output))
      return bad(item("buffer", i) + " does not exist yet in the init steps");
    if (kind == format::BufferKind::Init)
      used[i] = needs.buffers[i];
  }
  BoundPlan plan;
  const SymbolValues none;
  PlanBinder binder(package, program, parsed, none, plan);
  for (const Expr &scalar : parsed.scalars) // those of shapes are not used here
    plan.scalars.push_back(scalar.constant().value_or(0));
  CUPOLA_TRY(binder.bindBuffers(used));
  CUPOLA_TRY(binder.bindSteps(program.init, parsed.init));
  for (size_t i = 0; i < plan.sizes.size(); ++i)
    if (!needs.steps[i])
      plan.sizes[i] = 0;
  CUPOLA_TRY(binder.placeInit());
  return plan;
}

} // namespace cupola::runtime
