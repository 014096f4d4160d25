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
  Bool,   ///< one byte, 0 or 1
  String, ///< the number of a string in a table; this and the next stand at the interface alone
  I4,
  U4,
  I2,
  U2,
  F4E2M1,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0,
};

/// How the bits of an element are a number; the values are DLPack's DLDataTypeCode.
enum class NumberClass : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Opaque = 3,
  BFloat = 4,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E4M3FNUZ = 11,
  Float8E5M2 = 12,
  Float8E5M2FNUZ = 13,
  Float8E8M0 = 14,
  Float4E2M1 = 17,
};

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
  DType storage;     ///< as what kernels see an element in memory; another type than `dtype` at the interface alone
};

/// In the order of DType, which starts at 1.
inline constexpr ElementType kElementTypes[] = {
    {DType::F32, "f32", "float32", 1, NumberClass::Float, 32, 4, "f4", DType::F32, DType::F32},
    {DType::F16, "f16", "float16", 10, NumberClass::Float, 16, 2, "f2", DType::F32, DType::F16},
    {DType::BF16, "bf16", "bfloat16", 16, NumberClass::BFloat, 16, 2, "V2", DType::F32, DType::BF16},
    {DType::F64, "f64", "float64", 11, NumberClass::Float, 64, 8, "f8", DType::F64, DType::F64},
    {DType::I8, "i8", "int8", 3, NumberClass::Int, 8, 1, "i1", DType::I8, DType::I8},
    {DType::I16, "i16", "int16", 5, NumberClass::Int, 16, 2, "i2", DType::I16, DType::I16},
    {DType::I32, "i32", "int32", 6, NumberClass::Int, 32, 4, "i4", DType::I32, DType::I32},
    {DType::I64, "i64", "int64", 7, NumberClass::Int, 64, 8, "i8", DType::I64, DType::I64},
    {DType::U8, "u8", "uint8", 2, NumberClass::UInt, 8, 1, "u1", DType::U8, DType::U8},
    {DType::U16, "u16", "uint16", 4, NumberClass::UInt, 16, 2, "u2", DType::U16, DType::U16},
    {DType::U32, "u32", "uint32", 12, NumberClass::UInt, 32, 4, "u4", DType::U32, DType::U32},
    {DType::U64, "u64", "uint64", 13, NumberClass::UInt, 64, 8, "u8", DType::U64, DType::U64},
    {DType::Bool, "bool", "bool", 9, NumberClass::Bool, 1, 1, "b1", DType::Bool, DType::Bool},
    {DType::String, "string", "string", 8, NumberClass::Opaque, 64, 8, "S8", DType::I64, DType::I64},
    {DType::I4, "i4", "int4", 22, NumberClass::Int, 4, 1, "V1", DType::I8, DType::I8},
    {DType::U4, "u4", "uint4", 21, NumberClass::UInt, 4, 1, "V1", DType::U8, DType::U8},
    {DType::I2, "i2", "int2", 26, NumberClass::Int, 2, 1, "V1", DType::I8, DType::I8},
    {DType::U2, "u2", "uint2", 25, NumberClass::UInt, 2, 1, "V1", DType::U8, DType::U8},
    {DType::F4E2M1, "f4e2m1", "float4e2m1", 23, NumberClass::Float4E2M1, 4, 1, "V1", DType::U8, DType::U8},
    {DType::F8E4M3FN, "f8e4m3fn", "float8e4m3fn", 17, NumberClass::Float8E4M3FN, 8, 1, "V1", DType::F32, DType::U8},
    {DType::F8E4M3FNUZ, "f8e4m3fnuz", "float8e4m3fnuz", 18, NumberClass::Float8E4M3FNUZ, 8, 1, "V1", DType::U8,
     DType::U8},
    {DType::F8E5M2, "f8e5m2", "float8e5m2", 19, NumberClass::Float8E5M2, 8, 1, "V1", DType::F32, DType::U8},
    {DType::F8E5M2FNUZ, "f8e5m2fnuz", "float8e5m2fnuz", 20, NumberClass::Float8E5M2FNUZ, 8, 1, "V1", DType::U8,
     DType::U8},
    {DType::F8E8M0, "f8e8m0", "float8e8m0", 24, NumberClass::Float8E8M0, 8, 1, "V1", DType::U8, DType::U8},
};

/// Whether a number read from outside is one of the above; the functions below
/// expect that it is.
constexpr bool isValid(DType dtype) { return dtype >= DType::F32 && dtype <= DType::F8E8M0; }
constexpr const ElementType &rowOf(DType dtype) { return kElementTypes[static_cast<size_t>(dtype) - 1]; }

/// Whether kernels compute with elements of the type; the others are converted where the model's graph begins and ends.
constexpr bool isComputed(DType dtype) { return rowOf(dtype).storage == dtype; }

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
