//===- python/src/Tensors.cpp - Arrays of Python as tensors of the runtime ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Tensors.h"

#include "python/src/Blocks.h"

#include <algorithm>
#include <memory>
#include <nanobind/stl/vector.h>
#include <new>

namespace nb = nanobind;

namespace cupola::python {

/// Without a conversion, which would be a copy.
template <typename Array> static Array arrayOf(nb::handle given, const char *what) {
  Array array;
  if (!nb::try_cast(given, array, /*convert=*/false))
    throw Error(CUPOLA_USAGE, std::string("an array of type ") + nb::type_name(given.type()).c_str() + " gives no " +
                                  what + " by DLPack or the buffer protocol");
  return array;
}

/// As what numpy exports arrays of the type: itself, the unsigned integer with its bits, or the number of a string.
static cupola_type exported(cupola_type type) {
  if (type.code == CUPOLA_TYPE_OPAQUE)
    return {CUPOLA_TYPE_INT, type.bits, type.lanes};
  const bool isNumpys = type.bits >= 8 && (type.code == CUPOLA_TYPE_INT || type.code == CUPOLA_TYPE_UINT ||
                                           type.code == CUPOLA_TYPE_FLOAT || type.code == CUPOLA_TYPE_BOOL);
  return isNumpys ? type : cupola_type{CUPOLA_TYPE_UINT, std::max<uint8_t>(type.bits, 8), type.lanes};
}

template <typename Array> void Tensors::append(Array array, cupola_type type) {
  const nb::dlpack::dtype found = array.dtype();
  cupola_tensor &tensor = tensors.emplace_back();
  tensor.data = array.data_handle();
  tensor.byte_offset = array.byte_offset();
  tensor.device = {array.device_type(), array.device_id()};
  tensor.ndim = static_cast<int32_t>(array.ndim());
  tensor.shape = const_cast<int64_t *>(array.shape_ptr());
  tensor.strides = const_cast<int64_t *>(array.stride_ptr());
  const cupola_type bits = exported(type);
  const bool isBits = type.bits != 0 && bits.code == found.code && bits.bits == found.bits;
  tensor.dtype = isBits ? type : cupola_type{found.code, found.bits, found.lanes};
}

Tensors::Tensors(nb::list arrays, const std::vector<cupola_type> &types, std::vector<Extents> strides, bool areWritten)
    : strides(std::move(strides)) {
  for (nb::handle array : arrays) {
    const cupola_type type = tensors.size() < types.size() ? types[tensors.size()] : cupola_type{};
    if (array.is_none())
      tensors.push_back({nullptr, {1, 0}, 0, type, nullptr, nullptr, 0});
    else if (areWritten)
      append(written.emplace_back(arrayOf<nb::ndarray<>>(array, "memory to write")), type);
    else
      append(read.emplace_back(arrayOf<nb::ndarray<nb::ro>>(array, "memory to read")), type);
  }
  for (size_t i = 0; i < tensors.size() && i < this->strides.size(); ++i)
    if (Extents &own = this->strides[i]; !own.empty() && static_cast<int32_t>(own.size()) == tensors[i].ndim)
      tensors[i].strides = own.data();
}

std::vector<cupola_type> typesOf(const std::vector<TensorInfo> &infos) {
  std::vector<cupola_type> types;
  for (const TensorInfo &info : infos)
    types.push_back(info.type);
  return types;
}

static nb::ndarray<nb::numpy> empty(const std::vector<size_t> &shape, cupola_type type) {
  const cupola_type bits = exported(type);
  size_t bytes = bits.bits / 8;
  for (size_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw std::bad_alloc();
  auto block = std::make_unique<Block>(Blocks::all().take(bytes));
  void *memory = block->memory;
  const nb::capsule owner(block.get(), [](void *owned) noexcept {
    const std::unique_ptr<Block> given(static_cast<Block *>(owned));
    Blocks::all().give(*given);
  });
  block.release();
  const nb::dlpack::dtype dtype{bits.code, bits.bits, bits.lanes};
  return nb::ndarray<nb::numpy>(memory, shape.size(), shape.data(), owner, nullptr, dtype);
}

void bindTensors(nb::module_ &module) {
  nb::class_<cupola_type>(module, "Type", "An element type as DLPack writes it.")
      .def(
          "__init__", [](cupola_type *self, uint8_t code, uint8_t bits) { *self = {code, bits, 1}; }, nb::arg("code"),
          nb::arg("bits"))
      .def_ro("code", &cupola_type::code)
      .def_ro("bits", &cupola_type::bits);
  module.def(
      "empty", empty, nb::arg("shape"), nb::arg("type"),
      nb::sig("def empty(shape: typing.Sequence[int], type: Type) -> numpy.typing.NDArray[typing.Any]"),
      "A numpy array with undefined elements, aligned to 64 bytes; of unsigned integers for types that numpy lacks, "
      "of int64 for strings.");
}

} // namespace cupola::python
