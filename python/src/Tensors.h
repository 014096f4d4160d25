//===- python/src/Tensors.h - Arrays of Python as tensors of the runtime ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_TENSORS_H
#define CUPOLA_PYTHON_SRC_TENSORS_H

#include "cupola/Runtime/Runtime.hpp"

#include <nanobind/ndarray.h>

namespace cupola::python {

/// Arrays where they lie: of the buffer protocol, or by DLPack. They stay alive, and where they are, as long as this.
class Tensors {
public:
  /// `types` are those that the package declares: of some, as bfloat16, numpy can export no array, so that unsigned
  /// integers with the bits in them stand for them, and int64 numbers for strings. None is a tensor without an address.
  /// Arrays that are written are not read-only. `strides` are, in elements, those of arrays in memory that is shared,
  /// else empty: an export may lose them where an extent is 0 or 1.
  Tensors(nanobind::list arrays, const std::vector<cupola_type> &types, std::vector<Extents> strides, bool areWritten);

  const std::vector<cupola_tensor> &list() const { return tensors; }

private:
  template <typename Array> void append(Array array, cupola_type type);

  std::vector<Extents> strides;
  std::vector<nanobind::ndarray<>> written;
  std::vector<nanobind::ndarray<nanobind::ro>> read;
  std::vector<cupola_tensor> tensors;
};

/// The types of a package's inputs or outputs.
std::vector<cupola_type> typesOf(const std::vector<TensorInfo> &infos);

/// Binds `Type` and `empty`.
void bindTensors(nanobind::module_ &module);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_TENSORS_H
