//===- lib/Runtime/Tools/Inputs.cpp - Inputs and outputs of the command line tools ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Inputs.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/RandomInputs.h"
#include "lib/Runtime/ShapeRequest.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <cstring>

namespace cupola::runtime {

namespace {

/// The array of an input, by its name or "in:" and its name.
npz::Array *findArray(std::vector<npz::Array> &arrays, const std::string &name) {
  for (const std::string &wanted : {name, "in:" + name})
    for (npz::Array &array : arrays)
      if (array.name == wanted)
        return &array;
  return nullptr;
}

std::string namesOf(const std::vector<npz::Array> &arrays) {
  std::string text;
  for (const npz::Array &array : arrays)
    text += (text.empty() ? "" : ", ") + quote(array.name);
  return text.empty() ? "nothing" : text;
}

/// numpy has no bfloat16, so that files hold such values as floats, if not as their bits (void or uint16): they
/// become what they stand for.
/// False: one of them would have to be rounded.
bool narrow(npz::Array &array) {
  std::vector<uint8_t> &bytes = array.bytes;
  for (size_t at = 0; at < bytes.size(); at += 4) // little-endian: the low half comes first
    if (bytes[at] != 0 || bytes[at + 1] != 0)
      return false;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    bytes[at / 2] = bytes[at + 2];
    bytes[at / 2 + 1] = bytes[at + 3];
  }
  bytes.resize(bytes.size() / 2);
  array.dtype = format::DType::BF16;
  return true;
}

/// Whether the name of an array says that an input or output of the package is an empty sequence.
bool isEmptySequence(const format::Package &package, const std::string &name, bool isOutput) {
  return std::any_of(package.composites.begin(), package.composites.end(), [&](const format::Composite &composite) {
    return composite.output == isOutput && composite.count == 0 && !composite.absent && name == composite.name + "[]";
  });
}

Status checkNoneLeft(const format::Package &package, const std::vector<npz::Array> &arrays,
                     const std::vector<bool> &used) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::string &given = arrays[i].name, name = given.compare(0, 3, "in:") == 0 ? given.substr(3) : given;
    if (used[i] || given.compare(0, 4, "out:") == 0 || isEmptySequence(package, name, /*isOutput=*/false))
      continue;
    std::string text = "the model has no input " + quote(name);
    for (const format::Composite &composite : package.composites)
      if (!composite.output && name.compare(0, composite.name.size() + 1, composite.name + "[") == 0)
        text += ": " + quote(composite.name) + " was compiled as " +
                (composite.absent ? "absent" : "a sequence of " + std::to_string(composite.count));
    return Status::usage(text);
  }
  return Status::ok();
}

/// A run finds some extent of it.
bool isOpen(const Shape &shape) { return std::find(shape.begin(), shape.end(), -1) != shape.end(); }

/// Of all tensors together whose shape is known.
Result<uint64_t> bytesOf(const std::vector<format::Tensor> &tensors, const std::vector<Shape> &shapes) {
  format::Size sum(0);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (isOpen(shapes[i]))
      continue;
    CUPOLA_ASSIGN(const uint64_t bytes, tensorBytes(tensors[i].dtype, shapes[i]));
    sum = sum + bytes;
  }
  if (!sum.value())
    return Status::limit("the tensors are larger than 2^64 bytes");
  return *sum.value();
}

} // namespace

Result<std::vector<HostTensor>> inputsFromArrays(const format::Package &package, std::vector<npz::Array> arrays) {
  std::vector<HostTensor> inputs;
  std::vector<bool> used(arrays.size());
  for (const format::Tensor &input : package.inputs) {
    npz::Array *array = findArray(arrays, input.name);
    if (!array)
      return Status::usage("input " + quote(input.name) + " is missing, the file has " + namesOf(arrays));
    npz::takeBits(*array, input.dtype);
    const bool mayNarrow = array->dtype == format::DType::F32 && input.dtype == format::DType::BF16;
    if (mayNarrow && !narrow(*array))
      return Status::usage("input " + quote(input.name) +
                           ": the model declares bf16, which does not hold all of these "
                           "elements of f32: round them when the file is made");
    if (array->dtype != input.dtype)
      return Status::usage("input " + quote(input.name) + ": element type is " + format::dtypeName(array->dtype) +
                           ", the model declares " + format::dtypeName(input.dtype));
    used[static_cast<size_t>(array - arrays.data())] = true;
    inputs.push_back({array->dtype, array->shape, std::move(array->bytes), std::move(array->texts)});
  }
  CUPOLA_TRY(checkNoneLeft(package, arrays, used));
  return inputs;
}

Result<std::vector<HostTensor>> makeInputs(const format::Package &package, const ParsedInterface &parsed,
                                           const InputOptions &options) {
  if (!options.npz.empty() || options.archive.data()) {
    const std::string source = options.archive.data() ? "inputs" : options.npz;
    Result<std::vector<npz::Array>> arrays =
        options.archive.data() ? npz::parse(options.archive) : npz::read(options.npz);
    CUPOLA_TRY(arrays.status());
    CUPOLA_TRY(takePinned(options.pinned, *arrays).within(source));
    Result<std::vector<HostTensor>> inputs = inputsFromArrays(package, arrays.take());
    return inputs.isOk() ? std::move(inputs) : Result<std::vector<HostTensor>>(inputs.status().within(source));
  }
  for (const format::Tensor &input : package.inputs)
    if (!input.elements.empty())
      return Status::usage(
          "input " + quote(input.name) +
          ": its elements decide shapes, so that none are made up: give inputs in a file (--inputs), or "
          "compile with its value (--set " +
          printable(input.name) + "=..)");
  CUPOLA_ASSIGN(std::vector<Shape> shapes, requestShapes(package, parsed, options.shapes));
  CUPOLA_ASSIGN(const uint64_t bytes, bytesOf(package.inputs, shapes));
  CUPOLA_TRY(format::checkMemory("out of memory: making the inputs", bytes));
  std::vector<HostTensor> inputs;
  for (uint32_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(randomTensor(package.inputs[i], shapes[i], options.seed, i));
  return inputs;
}

Result<std::vector<HostTensor>> makeOutputs(const Session &session) {
  const std::vector<format::Tensor> &declared = session.executable().package().outputs;
  const std::vector<Shape> &shapes = session.outputShapes();
  CUPOLA_ASSIGN(const uint64_t bytes, bytesOf(declared, shapes));
  // The arena was promised by the system, and is there once it is written.
  const uint64_t arena = session.executable().device().properties().hostMemory ? session.arenaBytes() : 0;
  CUPOLA_TRY(format::checkMemory("out of memory: a run with outputs of " + std::to_string(bytes) +
                                     " bytes and an arena of " + std::to_string(arena),
                                 (format::Size(bytes) + arena).value().value_or(bytes)));
  std::vector<HostTensor> outputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    outputs.push_back({declared[i].dtype, shapes[i], {}, {}});
    if (!isOpen(shapes[i]))
      outputs[i].bytes.resize(*tensorBytes(declared[i].dtype, shapes[i]));
  }
  return outputs;
}

static Status readTexts(Session &session, HostTensor &output) {
  std::vector<int64_t> numbers(output.bytes.size() / sizeof(int64_t));
  if (!numbers.empty())
    std::memcpy(numbers.data(), output.bytes.data(), output.bytes.size());
  std::vector<std::string_view> texts(numbers.size());
  CUPOLA_TRY(session.readStrings(numbers.data(), numbers.size(), texts.data()));
  output.texts.assign(texts.begin(), texts.end());
  return Status::ok();
}

Status fetchOutputs(Session &session, std::vector<HostTensor> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (isOpen(outputs[i].shape)) {
      outputs[i].shape = session.outputShapes()[i];
      CUPOLA_ASSIGN(const uint64_t bytes, tensorBytes(outputs[i].dtype, outputs[i].shape));
      CUPOLA_TRY(format::checkMemory("out of memory: an output", bytes));
      outputs[i].bytes.resize(bytes);
      CUPOLA_TRY(session.fetch(i, outputs[i].ref()));
    }
    if (outputs[i].dtype == format::DType::String)
      CUPOLA_TRY(readTexts(session, outputs[i]));
  }
  return Status::ok();
}

Status writeOutputs(const std::string &path, const format::Package &package, const std::vector<HostTensor> &outputs) {
  std::vector<npz::Array> arrays;
  for (size_t i = 0; i < outputs.size(); ++i)
    arrays.push_back({package.outputs[i].name, outputs[i].dtype, outputs[i].shape, outputs[i].bytes, outputs[i].texts});
  addEmptySequences(package, arrays);
  return npz::write(path, arrays);
}

void addEmptySequences(const format::Package &package, std::vector<npz::Array> &outputs) {
  for (const format::Composite &composite : package.composites)
    if (const std::string name = composite.name + "[]"; isEmptySequence(package, name, /*isOutput=*/true))
      outputs.push_back({name, format::DType::Bool, {0}, {}});
}

static Status numberTexts(Session &session, HostTensor &input) {
  const std::vector<std::string_view> texts(input.texts.begin(), input.texts.end());
  std::vector<int64_t> numbers(texts.size());
  CUPOLA_TRY(session.numberStrings(texts.data(), texts.size(), numbers.data()));
  input.bytes.resize(numbers.size() * sizeof(int64_t));
  if (!numbers.empty())
    std::memcpy(input.bytes.data(), numbers.data(), input.bytes.size());
  return Status::ok();
}

Status bindTo(Session &session, std::vector<HostTensor> &inputs) {
  for (HostTensor &input : inputs)
    if (input.dtype == format::DType::String)
      CUPOLA_TRY(numberTexts(session, input));
  std::vector<Elements> elements;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const format::Tensor &declared = session.executable().package().inputs[i];
    CUPOLA_ASSIGN(Elements values, readElements(declared, inputs[i].bytes.data(), inputs[i].shape));
    elements.push_back(std::move(values));
  }
  return session.bind(shapesOf(inputs), {}, elements);
}

std::vector<Shape> shapesOf(const std::vector<HostTensor> &tensors) {
  std::vector<Shape> shapes;
  for (const HostTensor &tensor : tensors)
    shapes.push_back(tensor.shape);
  return shapes;
}

std::vector<TensorRef> refsOf(std::vector<HostTensor> &tensors) {
  std::vector<TensorRef> refs;
  for (HostTensor &tensor : tensors)
    refs.push_back(tensor.ref());
  return refs;
}

/// Copies `part` to the origin of `whole`, which has more rows in at most one dimension.
static void copyRows(const HostTensor &part, HostTensor &whole) {
  size_t axis = 0;
  while (axis < part.shape.size() && part.shape[axis] == whole.shape[axis])
    ++axis;
  size_t outer = 1;
  for (size_t d = 0; d < axis; ++d)
    outer *= static_cast<size_t>(part.shape[d]);
  if (part.bytes.empty())
    return;
  const size_t from = part.bytes.size() / outer, to = whole.bytes.size() / outer;
  for (size_t i = 0; i < outer; ++i)
    std::copy_n(part.bytes.begin() + static_cast<ptrdiff_t>(i * from), from,
                whole.bytes.begin() + static_cast<ptrdiff_t>(i * to));
}

std::vector<TensorRef> inputRefs(const format::Package &package, std::vector<HostTensor> &inputs,
                                 std::vector<HostTensor> &outputs) {
  std::vector<TensorRef> refs = refsOf(inputs);
  for (size_t o = 0; o < outputs.size(); ++o)
    if (package.outputs[o].memoryOf != 0) {
      const size_t i = package.outputs[o].memoryOf - 1;
      copyRows(inputs[i], outputs[o]);
      refs[i].data = outputs[o].bytes.data();
      refs[i].strides = denseStrides(outputs[o].shape);
    }
  return refs;
}

} // namespace cupola::runtime
