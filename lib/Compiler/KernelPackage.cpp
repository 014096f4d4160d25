//===- lib/Compiler/KernelPackage.cpp - a kernel alone as a package ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/KernelPackage.h"

#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Placement.h"
#include "lib/Compiler/InputTensor.h"
#include "lib/Runtime/Format/PackageWriter.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

Result<int64_t> valueOf(const Expr &expr, const Sizes &values) {
  const std::optional<int64_t> value = expr.evaluate(values);
  if (!value)
    return Status::unsupported("its sizes do not fit 64 bits");
  return *value;
}

/// Texts of numbers, as a package has expressions.
Result<std::vector<std::string>> textsOf(ArrayRef<Expr> exprs, const Sizes &values) {
  std::vector<std::string> texts;
  for (const Expr &expr : exprs) {
    CUPOLA_ASSIGN(const int64_t value, valueOf(expr, values));
    texts.push_back(std::to_string(value));
  }
  return texts;
}

/// The value whose memory `value` is a part of.
Value wholeOf(Value value) {
  while (graph::JoinOp join = graph::joinOf(value))
    value = join.getResult();
  return value;
}

class Maker {
public:
  Maker(const TargetKernel &kernel, const Sizes &sizes) : kernel(kernel), sizes(sizes) {}

  Status make(graph::FusionOp fusion) {
    CUPOLA_ASSIGN(const std::vector<std::string> scalars, textsOf(graph::exprsOf(*fusion.getScalars()), sizes));
    for (auto [i, text] : llvm::enumerate(scalars)) {
      launch.scalars.push_back(i);
      parameters["n" + std::to_string(i)] = std::stoll(text);
    }
    program.scalars = scalars;
    program.kernels = {kernel.record};
    for (Value input : fusion.getInputs())
      CUPOLA_TRY(addInput(input));
    for (Value result : fusion.getResults())
      CUPOLA_TRY(addResult(result));
    for (const KernelWorkspace &part : kernel.workspace)
      CUPOLA_TRY(addWorkspace(part));
    return addLaunch();
  }

  format::Package package;
  format::Program program;

private:
  uint32_t addBuffer(format::BufferKind kind, uint32_t index, int64_t bytes) {
    program.buffers.push_back({kind, index, std::to_string(bytes), "", 0, 0, -1}); // of the only step
    return program.buffers.size() - 1;
  }

  /// Of the memory that the value lies in.
  Result<int64_t> elementsOf(Value value) const {
    CUPOLA_ASSIGN(const int64_t elements, valueOf(graph::product(graph::placementOf(value).storage), sizes));
    return elements > 0 ? Result<int64_t>(elements) : Status::unsupported("it computes nothing at these sizes");
  }

  Status addInput(Value value) {
    CUPOLA_ASSIGN(const int64_t elements, elementsOf(value));
    const int64_t bytes = elements * graph::byteSize(graph::elementOf(value));
    launch.buffers.push_back(addBuffer(format::BufferKind::Input, package.inputs.size(), bytes));
    format::Tensor tensor = inputTensor(value);
    tensor.name = "in" + std::to_string(package.inputs.size());
    tensor.dims = {std::to_string(elements)};
    package.inputs.push_back(std::move(tensor));
    return {};
  }

  /// Nobody wants to have it, and other kernels may write the rest of it. Parts of one value lie in one buffer.
  Status addResult(Value result) {
    auto [found, isNew] = results.try_emplace(wholeOf(result));
    if (isNew) {
      CUPOLA_ASSIGN(const int64_t elements, elementsOf(result));
      found->second = addBuffer(format::BufferKind::Arena, 0, elements * graph::byteSize(graph::elementOf(result)));
    }
    launch.buffers.push_back(found->second);
    return {};
  }

  Status addWorkspace(const KernelWorkspace &part) {
    if (!part.isCounters) {
      CUPOLA_ASSIGN(const int64_t bytes, valueOf(part.bytes, parameters));
      launch.buffers.push_back(addBuffer(format::BufferKind::Arena, 0, bytes));
      return {};
    }
    if (!counters)
      counters = addBuffer(format::BufferKind::Counters, 0, kLaunchCounters * 4);
    launch.buffers.push_back(*counters);
    return {};
  }

  Status addLaunch() {
    CUPOLA_ASSIGN(launch.grid, textsOf(kernel.grid, parameters));
    for (const KernelTensorMap &map : kernel.maps) {
      CUPOLA_ASSIGN(const std::vector<std::string> offset, textsOf(map.offset, parameters));
      CUPOLA_ASSIGN(std::vector<std::string> extents, textsOf(map.extents, parameters));
      CUPOLA_ASSIGN(std::vector<std::string> strides, textsOf(map.strides, parameters));
      launch.maps.push_back({map.buffer, offset[0] == "0" ? "" : offset[0], map.dtype, std::move(extents),
                             std::move(strides), map.box, map.swizzle, map.window});
    }
    format::Step step;
    step.kind = format::Step::LaunchStep;
    step.launch = std::move(launch);
    program.steps.push_back(std::move(step));
    return {};
  }

  const TargetKernel &kernel;
  const Sizes &sizes;
  Sizes parameters; ///< n0, n1, ..
  format::Launch launch;
  DenseMap<Value, uint32_t> results;
  std::optional<uint32_t> counters;
};

} // namespace

Result<std::string> packageOfKernel(graph::FusionOp fusion, const TargetKernel &kernel, const TargetCode &code,
                                    const VariantSpec &spec, const Sizes &sizes) {
  Maker maker(kernel, sizes);
  CUPOLA_TRY(maker.make(fusion));
  format::Package &package = maker.package;
  package.producer = "cupola " + std::string(format::version());
  package.variants.push_back({spec.target, spec.arch, std::move(maker.program), code.sources, {}});
  package.headers = findTarget(spec.target)->headers();
  return format::writePackageToMemory(std::move(package),
                                      [](uint32_t, uint64_t, char *, uint64_t) { return Status(); });
}

} // namespace cupola::compiler
