//===- lib/Runtime/Format/ElementTypes.h - the types of a tensor's elements, in one table ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A new element type is a value of DType and a row here; dialects/Graph/ElementTypes.h has its
// MLIR type. What the bits mean to ONNX, DLPack and numpy, and how wide a sum of them has to
// be, nobody else writes down.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_ELEMENTTYPES_H
#define CUPOLA_LIB_RUNTIME_FORMAT_ELEMENTTYPES_H

#include <cstdint>
#include <string_view>

namespace cupola::format {

/// Numbers of the package's format.
enum class DType : uint8_t {
  F32 = 1,
  F16,
  BF16,
  F64,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool, ///< one byte, 0 or 1
};

/// How the bits of an element are a number; the values are DLPack's DLDataTypeCode.
enum class NumberClass : uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };

struct ElementType {
  DType dtype;
  const char *name;     ///< in packages, reports and CUDA sources: "f16"
  const char *onnxName; ///< ONNX's and numpy's: "float16"
  int32_t onnx;         ///< TensorProto.DataType
  NumberClass number;
  uint16_t bits;     ///< that carry the value
  uint16_t bytes;    ///< in memory
  const char *npy;   ///< .npy's descr without the order of bytes; numpy has no bfloat16, its bits are void
  DType accumulator; ///< what sums and products of it are computed in
};

/// In the order of DType, which starts at 1.
inline constexpr ElementType kElementTypes[] = {
    {DType::F32, "f32", "float32", 1, NumberClass::Float, 32, 4, "f4", DType::F32},
    {DType::F16, "f16", "float16", 10, NumberClass::Float, 16, 2, "f2", DType::F32},
    {DType::BF16, "bf16", "bfloat16", 16, NumberClass::BFloat, 16, 2, "V2", DType::F32},
    {DType::F64, "f64", "float64", 11, NumberClass::Float, 64, 8, "f8", DType::F64},
    {DType::I8, "i8", "int8", 3, NumberClass::Int, 8, 1, "i1", DType::I8},
    {DType::I16, "i16", "int16", 5, NumberClass::Int, 16, 2, "i2", DType::I16},
    {DType::I32, "i32", "int32", 6, NumberClass::Int, 32, 4, "i4", DType::I32},
    {DType::I64, "i64", "int64", 7, NumberClass::Int, 64, 8, "i8", DType::I64},
    {DType::U8, "u8", "uint8", 2, NumberClass::UInt, 8, 1, "u1", DType::U8},
    {DType::U16, "u16", "uint16", 4, NumberClass::UInt, 16, 2, "u2", DType::U16},
    {DType::U32, "u32", "uint32", 12, NumberClass::UInt, 32, 4, "u4", DType::U32},
    {DType::U64, "u64", "uint64", 13, NumberClass::UInt, 64, 8, "u8", DType::U64},
    {DType::Bool, "bool", "bool", 9, NumberClass::Bool, 1, 1, "b1", DType::Bool},
};

/// Whether a number read from outside is one of the above; the functions below
/// expect that it is.
constexpr bool isValid(DType dtype) { return dtype >= DType::F32 && dtype <= DType::Bool; }
constexpr const ElementType &rowOf(DType dtype) { return kElementTypes[static_cast<size_t>(dtype) - 1]; }

/// Bytes of one element.
constexpr uint32_t byteSize(DType dtype) { return rowOf(dtype).bytes; }
/// "f32", "bool", ...
constexpr const char *dtypeName(DType dtype) { return rowOf(dtype).name; }
constexpr bool isFloat(DType dtype) {
  return rowOf(dtype).number == NumberClass::Float || rowOf(dtype).number == NumberClass::BFloat;
}

/// The first row for which `matches` holds, or null.
template <class Match> constexpr const ElementType *findElementType(Match matches) {
  for (const ElementType &row : kElementTypes)
    if (matches(row))
      return &row;
  return nullptr;
}

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_ELEMENTTYPES_H
