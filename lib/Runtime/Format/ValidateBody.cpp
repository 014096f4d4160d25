//===- lib/Runtime/Format/ValidateBody.cpp - The rules of one body ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/HostOps.h"
#include "lib/Runtime/Format/Libraries.h"
#include "lib/Runtime/Format/ValidateProgram.h"

#include <map>
#include <set>

namespace cupola::format {

namespace {

class BodyRules {
public:
  BodyRules(const Package &package, const Variant &variant, const Body &body, const std::vector<bool> *parameters)
      : package(package), variant(variant), program(variant.program), body(body), parameters(parameters) {}

  Status check() const {
    std::set<uint32_t> named;
    for (size_t i = 0; i < body.buffers.size(); ++i) {
      CUPOLA_TRY(checkBuffer(i));
      if (body.buffers[i].kind == BufferKind::Parameter && !named.insert(body.buffers[i].index).second)
        return bad(item("buffer", i) + " stands for a parameter that another one stands for");
    }
    for (size_t i = 0; i < body.steps.size(); ++i)
      CUPOLA_TRY(checkStep(body.steps[i], item("step", i)));
    if (!parameters)
      for (size_t i = 0; i < program.init.size(); ++i) {
        CUPOLA_TRY(checkPlainStep(program.init[i], item("init step", i)));
        if (program.init[i].kind == Step::HostStep)
          return bad(item("init step", i) + " is one of the host, which has no strings yet");
      }
    return Status::ok();
  }

private:
  //===--- Buffers ---===//

  Status checkBuffer(size_t index) const {
    const Buffer &buffer = body.buffers[index];
    const std::string what = item("buffer", index);
    CUPOLA_TRY(checkBytes(buffer, what));
    switch (buffer.kind) {
    case BufferKind::Arena:
      if (buffer.first > buffer.last || buffer.last >= body.steps.size())
        return bad(what + " is alive in steps " + std::to_string(buffer.first) + " to " + std::to_string(buffer.last) +
                   " of " + std::to_string(body.steps.size()));
      return Status::ok();
    case BufferKind::Weight:
      return checkIndices(what, {buffer.index}, package.weights.size());
    case BufferKind::Input: // bodies get those of the caller as parameters
      return checkIndices(what, {buffer.index}, parameters ? 0 : package.inputs.size());
    case BufferKind::Output:
      return checkIndices(what, {buffer.index}, parameters ? 0 : package.outputs.size());
    case BufferKind::View: // of an earlier buffer, so that views have a root
      CUPOLA_TRY(checkIndices(what, {buffer.index}, index));
      return isOpen(buffer.index) ? bad(what + " is a part of one whose size is not known") : Status::ok();
    case BufferKind::Init:
      return parameters ? checkInit(buffer, what) : Status::ok();
    case BufferKind::Parameter:
      return checkIndices(what, {buffer.index}, parameters ? parameters->size() : 0);
    case BufferKind::Growing:
      return Status::ok();
    case BufferKind::Counters:
      return format::countersBytes(buffer) ? Status::ok() : bad(what + " of counters has no number as its size");
    }
    return bad(what + " has no known kind");
  }

  /// An output in the caller's memory has a size before the run.
  Status checkBytes(const Buffer &buffer, const std::string &what) const {
    const bool mayBeOpen =
        buffer.kind == BufferKind::Growing || buffer.kind == BufferKind::Parameter || buffer.kind == BufferKind::Output;
    if (buffer.bytes.empty() && !mayBeOpen)
      return bad(what + " has no size");
    if (!buffer.bytes.empty() && buffer.kind == BufferKind::Growing)
      return bad(what + " grows and has a size");
    if (buffer.bytes.empty() && buffer.kind == BufferKind::Output && buffer.index < package.outputs.size() &&
        package.outputs[buffer.index].memoryOf != 0)
      return bad(what + " lies in the memory of an input and has no size");
    return Status::ok();
  }

  Status checkInit(const Buffer &buffer, const std::string &what) const {
    CUPOLA_TRY(checkIndices(what, {buffer.index}, program.buffers.size()));
    if (program.buffers[buffer.index].kind != BufferKind::Init)
      return bad(what + " names none that the init steps write");
    return Status::ok();
  }

  /// Its size is known only where it is handed to.
  bool isOpen(uint32_t buffer) const { return body.buffers[buffer].bytes.empty(); }

  /// A control step may let bodies write it.
  bool isWritable(uint32_t buffer) const {
    while (body.buffers[buffer].kind == BufferKind::View)
      buffer = body.buffers[buffer].index;
    const BufferKind kind = body.buffers[buffer].kind;
    if (kind == BufferKind::Parameter)
      return (*parameters)[body.buffers[buffer].index];
    return kind == BufferKind::Arena || kind == BufferKind::Output || kind == BufferKind::Growing;
  }

  /// Indices of buffers that have a size.
  Status checkSized(const std::string &what, const std::vector<uint32_t> &buffers) const {
    CUPOLA_TRY(checkIndices(what, buffers, body.buffers.size()));
    for (uint32_t buffer : buffers)
      if (isOpen(buffer))
        return bad(what + " uses " + item("buffer", buffer) + ", whose size is not known");
    return Status::ok();
  }

  //===--- Steps ---===//

  Status checkStep(const Step &step, const std::string &what) const {
    if (!isControl(step.kind))
      return checkPlainStep(step, what);
    CUPOLA_TRY(checkIndices(what, step.nodes, package.nodes.size()));
    CUPOLA_TRY(step.kind == Step::WhileStep ? checkLoop(step.loop, what) : checkBranch(step, what));
    for (const Touched &handed : handedOver(step)) {
      CUPOLA_TRY(checkIndices(what, {handed.buffer}, body.buffers.size()));
      if (handed.written && !isWritable(handed.buffer))
        return bad(what + " lets a body write " + item("buffer", handed.buffer) + ", which is only read");
    }
    return checkAlone(step, what);
  }

  /// Memory that may move while a step writes it is nothing else in that step.
  Status checkAlone(const Step &step, const std::string &what) const {
    std::vector<Touched> all = handedOver(step);
    if (step.kind == Step::WhileStep) {
      for (const Carried &carried : step.loop.carried)
        all.push_back({carried.spare, true});
      for (const Scanned &scanned : step.loop.scans)
        all.push_back({scanned.rows, true});
    }
    std::map<uint32_t, bool> isWritten;
    for (const Touched &handed : all) {
      const auto [before, isNew] = isWritten.emplace(handed.buffer, handed.written);
      if (!isNew && isOpen(handed.buffer) && (handed.written || before->second))
        return bad(what + " hands " + item("buffer", handed.buffer) + ", which may grow, over twice");
    }
    return Status::ok();
  }

  Status checkBranch(const Step &step, const std::string &what) const {
    const Branch &branch = step.branch;
    const size_t expected = step.kind == Step::IfStep ? 2 : 1;
    if (branch.bodies.size() != expected)
      return bad(what + " has " + std::to_string(branch.bodies.size()) + " bodies, expected " +
                 std::to_string(expected));
    if (branch.thenValues.size() != branch.symbols.size() || branch.elseValues.size() != branch.symbols.size() ||
        (step.kind == Step::CallStep && !branch.symbols.empty()))
      return bad(what + " has " + std::to_string(branch.symbols.size()) + " symbols with " +
                 std::to_string(branch.thenValues.size()) + " and " + std::to_string(branch.elseValues.size()) +
                 " values");
    return step.kind == Step::IfStep ? checkSized(what, {branch.condition}) : Status::ok();
  }

  Status checkLoop(const Loop &loop, const std::string &what) const {
    if (loop.limit.empty() && loop.trip == 0 && loop.proceed == 0)
      return bad(what + " has no end");
    for (uint32_t buffer : {loop.trip, loop.condition})
      if (buffer != 0)
        CUPOLA_TRY(checkSized(what, {buffer - 1}));
    for (const Carried &carried : loop.carried) {
      CUPOLA_TRY(checkIndices(what, {carried.spare}, body.buffers.size()));
      if (!isWritable(carried.spare) || carried.spare == carried.result)
        return bad(what + " has no second buffer for a carried value");
    }
    for (const Scanned &scanned : loop.scans) {
      CUPOLA_TRY(checkIndices(what, {scanned.rows}, body.buffers.size()));
      if (!isWritable(scanned.rows) || scanned.rows == scanned.row)
        return bad(what + " has no buffer for all rows");
    }
    return Status::ok();
  }

  Status checkPlainStep(const Step &step, const std::string &what) const {
    CUPOLA_TRY(checkIndices(what, step.nodes, package.nodes.size()));
    if (const std::optional<Transfer> transfer = transferOf(step)) {
      for (const Touched &touched : transfer->buffers)
        CUPOLA_TRY(checkSized(what, {touched.buffer}));
      return Status::ok();
    }
    if (step.kind == Step::HostStep)
      return checkHost(step.host, what);
    if (step.kind != Step::LaunchStep)
      return bad(what + " has no known kind");
    const Launch &launch = step.launch;
    CUPOLA_TRY(checkIndices(what, {launch.kernel}, program.kernels.size()));
    CUPOLA_TRY(checkSized(what, launch.buffers));
    CUPOLA_TRY(checkIndices(what, launch.scalars, body.scalars.size()));
    const size_t expected = program.kernels[launch.kernel].readWrite.size();
    if (launch.buffers.size() != expected)
      return bad(what + " passes " + std::to_string(launch.buffers.size()) + " buffers to a kernel of " +
                 std::to_string(expected));
    CUPOLA_TRY(checkGrid(variant, launch, what));
    CUPOLA_TRY(checkMaps(variant, launch, what));
    return launch.call ? checkCall(launch, what) : Status::ok();
  }

  /// What the host writes is nothing that others only read.
  Status checkHost(const HostCall &call, const std::string &what) const {
    CUPOLA_TRY(checkHostCall(call).within(what));
    CUPOLA_TRY(checkSized(what, call.operands));
    CUPOLA_TRY(checkSized(what, call.results));
    for (uint32_t buffer : call.results)
      if (!isWritable(buffer))
        return bad(what + " writes " + item("buffer", buffer) + ", which is only read");
    return Status::ok();
  }

  /// A call reads what the kernel reads, or a weight, and writes what the kernel writes.
  Status checkCall(const Launch &launch, const std::string &what) const {
    const LibraryCall &call = launch.call;
    CUPOLA_TRY(checkLibraryCall(call).within(what));
    if (libraryOf(call.kind).target != variant.target)
      return bad(what + " has a library call, which " + variant.target + " does not know");
    CUPOLA_TRY(checkSized(what, call.buffers));
    const bool isPacked = call.kind != LibraryCallKind::StridedProduct; // the weights, once, from the package
    if (isPacked)
      CUPOLA_TRY(checkPackedWeights(call, what));
    if (call.workspace != 0)
      CUPOLA_TRY(checkWorkspace(launch, what));
    const size_t result = call.buffers.size() - (call.workspace != 0 ? 2 : 1);
    for (size_t i = 0; i <= result; ++i)
      if (!(isPacked && i == 1) && !touches(launch, call.buffers[i], /*writes=*/i == result))
        return bad(what + " calls a library with buffer " + std::to_string(call.buffers[i]) +
                   ", which its kernel does not use so");
    return Status::ok();
  }

  Status checkPackedWeights(const LibraryCall &call, const std::string &what) const {
    const Buffer &weights = body.buffers[call.buffers[1]];
    if (weights.kind != BufferKind::Weight || package.weights[weights.index].dtype != DType::F32 ||
        package.weights[weights.index].bytes != bufferBytes(call)[1])
      return bad(what + " calls a library with weights that are none of its shape");
    return Status::ok();
  }

  /// Memory of the arena that is alive in this step alone.
  Status checkWorkspace(const Launch &launch, const std::string &what) const {
    const uint32_t buffer = launch.call.buffers.back();
    if (body.buffers[buffer].kind != BufferKind::Arena || body.buffers[buffer].first != body.buffers[buffer].last)
      return bad(what + " calls a library with " + item("buffer", buffer) + ", which is no workspace");
    return Status::ok();
  }

  bool touches(const Launch &launch, uint32_t buffer, bool writes) const {
    const std::vector<std::string> &access = program.kernels[launch.kernel].readWrite;
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (launch.buffers[i] == buffer && (access[i] == "w") == writes)
        return true;
    return false;
  }

  const Package &package;
  const Variant &variant;
  const Program &program;
  const Body &body;
  const std::vector<bool> *parameters;
};

} // namespace

Status checkBody(const Package &package, const Variant &variant, const Body &body,
                 const std::vector<bool> *parameters) {
  return BodyRules(package, variant, body, parameters).check();
}

} // namespace cupola::format
