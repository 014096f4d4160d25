//===- test/Import/ElementTypesTest.cpp - element types of ONNX, MLIR and the package ---===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/NarrowTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "onnx/onnx_pb.h"

#include <gtest/gtest.h>

using namespace cupola;
using T = onnx::TensorProto;

TEST(ElementTypes, AreTheSameInOnnxMlirAndThePackage) {
  mlir::MLIRContext context;
  for (const format::ElementType &row : format::kElementTypes) {
    const mlir::Type type = graph::typeOf(row.dtype, &context);
    if (!isComputed(row.dtype)) {
      EXPECT_EQ(graph::dtypeOf(type), row.storage) << row.name;
      EXPECT_FALSE(onnx_import::elementTypeOf(row.onnx, &context)) << row.name;
      continue;
    }
    EXPECT_EQ(graph::dtypeOf(type), row.dtype) << row.name;
    EXPECT_EQ(onnx_import::elementTypeOf(row.onnx, &context), type) << row.name;
    EXPECT_EQ(onnx_import::dataTypeOf(type), row.onnx) << row.name;
    EXPECT_EQ(type.getIntOrFloatBitWidth(), row.bits) << row.name;
    EXPECT_EQ(graph::byteSize(type), row.bytes) << row.name;
  }
}

TEST(ElementTypes, NarrowTypesAreThoseOfTheInterfaceInBytes) {
  mlir::MLIRContext context;
  for (const format::ElementType &row : format::kElementTypes) {
    const mlir::Type type = onnx_import::narrowTypeOf(row.onnx, &context);
    EXPECT_EQ(bool(type), !isComputed(row.dtype) && row.bytes == 1) << row.name;
    if (!type)
      continue;
    EXPECT_EQ(onnx_import::narrowRowOf(type), &row) << row.name;
    EXPECT_EQ(onnx_import::dataTypeOf(type), row.onnx) << row.name;
    EXPECT_EQ(type.getIntOrFloatBitWidth(), row.bits) << row.name;
    EXPECT_EQ(graph::dtypeOf(onnx_import::heldIn(type)), row.storage) << row.name;
    EXPECT_EQ(onnx_import::modelTypeOf(row.onnx, &context), type) << row.name;
  }
}

TEST(ElementTypes, NumbersAreOnnxs) {
  using format::DType, format::rowOf;
  EXPECT_EQ(rowOf(DType::F32).onnx, T::FLOAT);
  EXPECT_EQ(rowOf(DType::F16).onnx, T::FLOAT16);
  EXPECT_EQ(rowOf(DType::BF16).onnx, T::BFLOAT16);
  EXPECT_EQ(rowOf(DType::F64).onnx, T::DOUBLE);
  EXPECT_EQ(rowOf(DType::I8).onnx, T::INT8);
  EXPECT_EQ(rowOf(DType::I16).onnx, T::INT16);
  EXPECT_EQ(rowOf(DType::I32).onnx, T::INT32);
  EXPECT_EQ(rowOf(DType::I64).onnx, T::INT64);
  EXPECT_EQ(rowOf(DType::U8).onnx, T::UINT8);
  EXPECT_EQ(rowOf(DType::U16).onnx, T::UINT16);
  EXPECT_EQ(rowOf(DType::U32).onnx, T::UINT32);
  EXPECT_EQ(rowOf(DType::U64).onnx, T::UINT64);
  EXPECT_EQ(rowOf(DType::Bool).onnx, T::BOOL);
  EXPECT_EQ(rowOf(DType::String).onnx, T::STRING);
  EXPECT_EQ(rowOf(DType::I4).onnx, T::INT4);
  EXPECT_EQ(rowOf(DType::U4).onnx, T::UINT4);
  EXPECT_EQ(rowOf(DType::I2).onnx, T::INT2);
  EXPECT_EQ(rowOf(DType::U2).onnx, T::UINT2);
  EXPECT_EQ(rowOf(DType::F4E2M1).onnx, T::FLOAT4E2M1);
  EXPECT_EQ(rowOf(DType::F8E4M3FN).onnx, T::FLOAT8E4M3FN);
  EXPECT_EQ(rowOf(DType::F8E4M3FNUZ).onnx, T::FLOAT8E4M3FNUZ);
  EXPECT_EQ(rowOf(DType::F8E5M2).onnx, T::FLOAT8E5M2);
  EXPECT_EQ(rowOf(DType::F8E5M2FNUZ).onnx, T::FLOAT8E5M2FNUZ);
  EXPECT_EQ(rowOf(DType::F8E8M0).onnx, T::FLOAT8E8M0);
}

TEST(ElementTypes, WithoutAPlaceInTheGraphHaveNone) {
  mlir::MLIRContext context;
  for (int type : std::initializer_list<int>{T::UNDEFINED, T::STRING, T::COMPLEX64, T::FLOAT8E4M3FN, T::INT4, 1000, -1})
    EXPECT_FALSE(onnx_import::elementTypeOf(type, &context)) << type;
}

TEST(ElementTypes, NarrowFloatsAreAccumulatedInF32) {
  mlir::MLIRContext context;
  const mlir::Type f32 = mlir::Float32Type::get(&context), f64 = mlir::Float64Type::get(&context);
  EXPECT_EQ(graph::accumulatorOf(mlir::Float16Type::get(&context)), f32);
  EXPECT_EQ(graph::accumulatorOf(mlir::BFloat16Type::get(&context)), f32);
  EXPECT_EQ(graph::accumulatorOf(f32), f32);
  EXPECT_EQ(graph::accumulatorOf(f64), f64);
}
