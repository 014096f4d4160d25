//===- lib/Runtime/Format/ValidateProgram.cpp - The rules of a variant's program ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/ValidateProgram.h"
#include "lib/Runtime/Format/Bodies.h"

#include <map>

namespace cupola::format {

namespace {

constexpr uint64_t kMaxKernelMemory = uint64_t(1) << 32;
constexpr uint32_t kMaxCluster = 8; // of every GPU that has clusters

class ProgramRules {
public:
  ProgramRules(const Package &package, const Variant &variant)
      : package(package), variant(variant), program(variant.program), bodies(program.bodies.size()) {
    for (const Symbol &symbol : package.symbols)
      isAssigned.emplace(symbol.id, !symbol.run);
  }

  Status check() {
    for (size_t i = 0; i < program.kernels.size(); ++i)
      CUPOLA_TRY(checkKernel(program.kernels[i], item("kernel", i)));
    CUPOLA_TRY(checkBody(package, variant, program, nullptr));
    CUPOLA_TRY(enterFrom(0, 0));
    for (size_t i = 0; i < bodies.size(); ++i) {
      const std::string what = item("body", i);
      if (bodies[i].depth == 0)
        return bad(what + " is entered by no step before it");
      CUPOLA_TRY(checkBody(package, variant, program.bodies[i], &bodies[i].parameters).within(what));
      CUPOLA_TRY(enterFrom(1 + i, bodies[i].depth).within(what));
    }
    return Status::ok();
  }

private:
  Status checkKernel(const Kernel &kernel, const std::string &what) const {
    const std::string &name = kernel.name;
    const bool isHash = name.size() == 18 && name.compare(0, 2, "k_") == 0 &&
                        name.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
    if (!isHash)
      return bad(what + " has a name that is no structural hash");
    if (kernel.threads == 0 || kernel.threads > 1024 || kernel.grain == 0)
      return bad(what + " has " + std::to_string(kernel.threads) + " threads and grain " +
                 std::to_string(kernel.grain));
    if (kernel.sharedBytes > kMaxKernelMemory || kernel.scratchBytes > kMaxKernelMemory)
      return bad(what + " wants more than " + std::to_string(kMaxKernelMemory) + " bytes of its own");
    if (kernel.cluster > kMaxCluster)
      return bad(what + " has clusters of " + std::to_string(kernel.cluster) + " blocks, at most " +
                 std::to_string(kMaxCluster) + " are possible");
    if (variant.target == "cpu" && (kernel.cluster != 0 || kernel.programmatic || kernel.cooperative))
      return bad(what + " has what only a launch on a GPU has");
    if (kernel.cooperative && (kernel.cluster > 1 || kernel.programmatic))
      return bad(what + " is cooperative, which goes neither with clusters nor with an early start");
    if (variant.target == "cuda" && kernel.source >= variant.sources.size())
      return bad(what + " names no source");
    for (const std::string &access : kernel.readWrite)
      if (access != "r" && access != "w" && access != "rw")
        return bad(what + " has an unknown kind of access");
    return Status::ok();
  }

  /// What the steps of one body enter and assign.
  Status enterFrom(size_t position, size_t depth) {
    const std::vector<Step> &steps = bodyAt(program, position).steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      for (uint32_t body : bodiesOf(steps[i]))
        CUPOLA_TRY(enter(steps[i], body, position, depth).within(item("step", i)));
      CUPOLA_TRY(assignAll(steps[i]).within(item("step", i)));
    }
    return Status::ok();
  }

  Status enter(const Step &step, uint32_t body, size_t position, size_t depth) {
    if (body >= bodies.size() || body < position)
      return bad("enters body " + std::to_string(body) + " of " + std::to_string(bodies.size()) +
                 ", which does not come after the step's own");
    if (bodies[body].depth != 0)
      return bad("enters body " + std::to_string(body) + ", which another step enters");
    if (depth == kMaxDepth)
      return bad("bodies nest deeper than " + std::to_string(kMaxDepth));
    bodies[body].depth = depth + 1;
    for (const Touched &handed : handedOver(step))
      bodies[body].parameters.push_back(handed.written);
    return Status::ok();
  }

  Status assignAll(const Step &step) {
    if (step.kind == Step::IfStep)
      for (const std::string &symbol : step.branch.symbols)
        CUPOLA_TRY(assign(symbol));
    if (step.kind != Step::WhileStep)
      return Status::ok();
    for (const CarriedExtent &extent : step.loop.extents) {
      CUPOLA_TRY(assign(extent.symbol));
      CUPOLA_TRY(assignOptional(extent.last));
    }
    CUPOLA_TRY(assignOptional(step.loop.index));
    return assignOptional(step.loop.count);
  }

  Status assignOptional(const std::string &symbol) { return symbol.empty() ? Status::ok() : assign(symbol); }

  Status assign(const std::string &symbol) {
    const auto at = isAssigned.find(symbol);
    if (at == isAssigned.end() || at->second)
      return bad("gives a value to '" + symbol + "', which is no run symbol or has one by another step");
    at->second = true;
    return Status::ok();
  }

  struct Entered {
    size_t depth = 0; ///< 0: not entered
    std::vector<bool> parameters;
  };

  const Package &package;
  const Variant &variant;
  const Program &program;
  std::vector<Entered> bodies;
  std::map<std::string, bool> isAssigned; ///< by symbol: nothing more may give it a value
};

} // namespace

Status checkProgram(const Package &package, const Variant &variant) { return ProgramRules(package, variant).check(); }

} // namespace cupola::format
