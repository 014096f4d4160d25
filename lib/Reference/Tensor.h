//===- lib/Reference/Tensor.h - a tensor of the interpreter ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_REFERENCE_TENSOR_H
#define CUPOLA_LIB_REFERENCE_TENSOR_H

#include "lib/Reference/Number.h"
#include "lib/Runtime/Status.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cstring>
#include <memory>
#include <vector>

namespace cupola::reference {

using Shape = std::vector<int64_t>;

/// "[2, 16]"
std::string shapeText(const Shape &shape);
/// Elements of a shape whose tensor exists, or of a part of it.
int64_t countOf(llvm::ArrayRef<int64_t> extents);

/// Dense, row-major elements in their stored form. Copies share the memory, which
/// nobody changes once the op that made the tensor is done.
class Tensor {
public:
  Tensor() = default;
  /// A tensor over memory of somebody who outlives it.
  static Tensor borrow(format::DType dtype, Shape shape, const void *data);
  /// A tensor to be filled. Code::Limit if its size leaves int64, Code::Environment
  /// if there is no memory for it.
  static Result<Tensor> make(format::DType dtype, Shape shape);
  /// The value of a constant, in place where its bytes are what they seem.
  static Result<Tensor> of(mlir::ElementsAttr value);
  /// The same elements, as many, under another shape.
  Tensor reshaped(Shape shape) const;

  format::DType dtype() const { return type; }
  const Shape &shape() const { return extents; }
  int64_t extent(size_t dim) const { return extents[dim]; }
  int64_t count() const { return elements; }
  size_t elementBytes() const { return format::byteSize(type); }
  size_t bytes() const { return static_cast<size_t>(elements) * elementBytes(); }
  const char *data() const { return memory; }
  /// Only for who made the tensor.
  char *mutableData() { return owned.get(); }

  /// Elements [begin, begin + count), widened.
  template <class W> void read(int64_t begin, int64_t count, W *out) const {
    withStored(type, [&](auto tag) {
      using T = decltype(tag);
      const char *from = memory + begin * static_cast<int64_t>(sizeof(T));
      for (int64_t i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
        out[i] = load<W>(element);
      }
    });
  }
  template <class W> W at(int64_t position) const {
    W value;
    read(position, 1, &value);
    return value;
  }
  /// Calls visit(begin, numbers) with all elements, widened, piece by piece.
  template <class Visit> void forPieces(Visit visit) const {
    constexpr int64_t piece = 4096;
    double numbers[piece];
    for (int64_t begin = 0; begin < elements; begin += piece) {
      const int64_t size = std::min(piece, elements - begin);
      read(begin, size, numbers);
      visit(begin, llvm::ArrayRef<double>(numbers, size));
    }
  }
  /// Rounds to the element type.
  template <class W> void write(int64_t begin, int64_t count, const W *in) {
    withStored(type, [&](auto tag) {
      using T = decltype(tag);
      char *to = owned.get() + begin * static_cast<int64_t>(sizeof(T));
      for (int64_t i = 0; i < count; ++i) {
        const T element = store<T>(in[i]);
        std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), &element, sizeof(T));
      }
    });
  }
  template <class W> void set(int64_t position, W value) { write(position, 1, &value); }

private:
  format::DType type = format::DType::F32;
  Shape extents;
  int64_t elements = 0;
  std::shared_ptr<char[]> owned; ///< null where the memory is somebody else's
  const char *memory = nullptr;
};

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_TENSOR_H
