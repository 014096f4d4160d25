//===- lib/Runtime/Format/Validate.cpp - The rules that every package keeps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Validate.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/ShapeElements.h"
#include "lib/Runtime/Format/ValidateProgram.h"

#include <map>
#include <unordered_set>

namespace cupola::format {

namespace {

Status checkRange(const std::string &what, uint64_t offset, uint64_t bytes, uint64_t section) {
  if (fits(offset, bytes, section))
    return Status::ok();
  return bad(what + " lies at " + std::to_string(offset) + " with " + std::to_string(bytes) +
             " bytes, its section has " + std::to_string(section));
}

Status checkWeight(const Weight &weight, const std::string &what, uint64_t section) {
  if (!isValid(weight.dtype) || !isComputed(weight.dtype))
    return bad(what + " has no known element type");
  Size bytes = byteSize(weight.dtype);
  for (int64_t dim : weight.dims) {
    if (dim < 0)
      return bad(what + " has a negative extent");
    bytes = bytes * Size(static_cast<uint64_t>(dim));
  }
  if (bytes.value() != weight.bytes)
    return bad(what + " has " + std::to_string(weight.bytes) + " bytes, which its shape does not give");
  if (weight.offset % kBufferAlignment != 0)
    return bad(what + " is not aligned");
  return checkRange(what, weight.offset, weight.bytes, section);
}

Status checkTensors(const std::vector<Tensor> &tensors, const char *kind) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!isValid(tensors[i].dtype))
      return bad(item(kind, i) + " has no known element type");
  return Status::ok();
}

/// Elements are symbols that nothing else gives a value, as many for each as its type takes.
Status checkElements(const Package &package) {
  std::map<std::string_view, const Symbol *> open;
  for (const Symbol &symbol : package.symbols)
    if (!symbol.run && symbol.definition.empty())
      open.emplace(symbol.id, &symbol);
  for (size_t i = 0; i < package.outputs.size(); ++i)
    if (!package.outputs[i].elements.empty())
      return bad(item("output", i) + " has elements that are symbols");
  for (size_t i = 0; i < package.inputs.size(); ++i) {
    const std::vector<std::string> &elements = package.inputs[i].elements;
    const size_t each = symbolsPerElement(package.inputs[i].dtype);
    if (!elements.empty() && (each == 0 || elements.size() % each != 0))
      return bad(item("input", i) + " has " + std::to_string(elements.size()) + " symbols for its elements");
    for (const std::string &id : elements)
      if (open.erase(id) == 0)
        return bad(item("input", i) + " has an element '" + id + "', which is no symbol or has a value");
  }
  return Status::ok();
}

/// Inputs before outputs, each in the order of its tensors, of which none is in two.
Status checkComposites(const Package &package) {
  uint64_t ends[2] = {0, 0};
  bool wasOutput = false;
  for (size_t i = 0; i < package.composites.size(); ++i) {
    const Composite &composite = package.composites[i];
    const std::string what = item("composite", i);
    const size_t all = composite.output ? package.outputs.size() : package.inputs.size();
    if (composite.kind < Composite::Sequence || composite.kind > Composite::OptionalSequence)
      return bad(what + " has no known kind");
    if (composite.output < wasOutput || composite.first < ends[composite.output] ||
        !fits(composite.first, composite.count, all))
      return bad(what + " begins at " + std::to_string(composite.first) + " with " + std::to_string(composite.count) +
                 " tensors, which are not there or are of another one");
    const bool isLone = composite.kind == Composite::Optional;
    if ((composite.absent && (composite.count != 0 || composite.kind == Composite::Sequence)) ||
        (isLone && composite.count != (composite.absent ? 0 : 1)))
      return bad(what + " has " + std::to_string(composite.count) + " tensors, which its kind does not have");
    wasOutput = composite.output;
    ends[composite.output] = uint64_t(composite.first) + composite.count;
  }
  return Status::ok();
}

/// Outputs in the memory of inputs, each of its own.
Status checkShared(const Package &package) {
  std::vector<bool> taken(package.inputs.size());
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    const Tensor &output = package.outputs[i];
    const std::string what = item("output", i);
    if ((output.memoryOf == 0) != output.storage.empty())
      return bad(what + " has storage and no input that it shares it with, or the reverse");
    if (output.memoryOf == 0)
      continue;
    CUPOLA_TRY(checkIndices(what, {output.memoryOf - 1}, package.inputs.size()));
    const Tensor &input = package.inputs[output.memoryOf - 1];
    if (taken[output.memoryOf - 1] || input.storage != output.storage || input.dtype != output.dtype ||
        input.storage.size() != input.dims.size() || output.storage.size() != output.dims.size())
      return bad(what + " does not fit the memory of " + item("input", output.memoryOf - 1));
    taken[output.memoryOf - 1] = true;
  }
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && !package.inputs[i].storage.empty())
      return bad(item("input", i) + " has storage that no output shares");
  return Status::ok();
}

/// A text has one number.
Status checkStrings(const Package &package) {
  std::unordered_set<std::string_view> texts;
  for (const std::string &text : package.strings)
    if (!texts.insert(text).second)
      return bad("a string has two numbers");
  return Status::ok();
}

Status checkVariant(const Package &package, const Variant &variant, const SectionSizes &sizes) {
  if (variant.target != "cuda" && variant.target != "cpu")
    return bad("no known target");
  for (size_t i = 0; i < variant.sources.size(); ++i)
    CUPOLA_TRY(checkRange(item("source", i), variant.sources[i].offset, variant.sources[i].bytes, sizes.sources));
  for (size_t i = 0; i < variant.binaries.size(); ++i) {
    const Binary &binary = variant.binaries[i];
    CUPOLA_TRY(checkRange(item("binary", i), binary.offset, binary.bytes, sizes.binaries));
    CUPOLA_TRY(checkIndices(item("binary", i), binary.kernels, variant.program.kernels.size()));
  }
  return checkProgram(package, variant);
}

} // namespace

Status validatePackage(const Package &package, const SectionSizes &sizes) {
  CUPOLA_TRY(checkTensors(package.inputs, "input"));
  CUPOLA_TRY(checkTensors(package.outputs, "output"));
  CUPOLA_TRY(checkElements(package));
  CUPOLA_TRY(checkShared(package));
  CUPOLA_TRY(checkComposites(package));
  CUPOLA_TRY(checkStrings(package));
  for (size_t i = 0; i < package.weights.size(); ++i)
    CUPOLA_TRY(checkWeight(package.weights[i], item("weight", i), sizes.weights));
  for (size_t i = 0; i < package.headers.size(); ++i)
    CUPOLA_TRY(checkRange(item("header", i), package.headers[i].offset, package.headers[i].bytes, sizes.sources));
  for (const Variant &variant : package.variants)
    CUPOLA_TRY(checkVariant(package, variant, sizes).within("variant " + nameOf(variant)));
  return Status::ok();
}

} // namespace cupola::format
