//===- test/Sim/FragmentLayoutTest.cpp - Fragment layouts against a second source, MLIR's nvgpu ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A layout remembered wrongly in the headers and in the simulator alike would pass every other test.
#include "lib/Sim/FragmentLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/NVGPU/Utils/MMAUtils.h"

#include <gtest/gtest.h>

using namespace cupola::sim;
using mlir::nvgpu::MatMulOperandRole;

namespace {

struct Operand {
  MatMulOperandRole role;
  int64_t rows, columns; ///< of MLIR's operand; B is given as columns x k
  enum { F16, F32, I8, I32 } element;
  Coordinate (*ours)(unsigned lane, unsigned element);
};

template <Coordinate (*Place)(unsigned, unsigned)> Coordinate transposed(unsigned lane, unsigned element) {
  const Coordinate at = Place(lane, element);
  return {at.column, at.row};
}

const Operand kOperands[] = {
    {MatMulOperandRole::A, 16, 16, Operand::F16, coordinateOfA},
    {MatMulOperandRole::B, 8, 16, Operand::F16, transposed<coordinateOfB>},
    {MatMulOperandRole::A, 16, 8, Operand::F16, coordinateOfA},
    {MatMulOperandRole::B, 8, 8, Operand::F16, transposed<coordinateOfB>},
    {MatMulOperandRole::A, 16, 8, Operand::F32, coordinateOfTf32A},
    {MatMulOperandRole::B, 8, 8, Operand::F32, transposed<coordinateOfTf32B>},
    {MatMulOperandRole::A, 16, 32, Operand::I8, coordinateOfByteA},
    {MatMulOperandRole::B, 8, 32, Operand::I8, transposed<coordinateOfByteB>},
    {MatMulOperandRole::C, 16, 8, Operand::F32, coordinateOfC},
    {MatMulOperandRole::C, 16, 8, Operand::I32, coordinateOfC},
};

TEST(FragmentLayout, AgreesWithNvgpu) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::affine::AffineDialect, mlir::nvgpu::NVGPUDialect>();
  mlir::OpBuilder builder(&context);
  const mlir::Location location = builder.getUnknownLoc();
  for (const Operand &operand : kOperands) {
    mlir::nvgpu::WarpMatrixInfo info;
    const mlir::Type elements[] = {builder.getF16Type(), builder.getF32Type(), builder.getI8Type(),
                                   builder.getI32Type()};
    info.vectorType = mlir::VectorType::get({operand.rows, operand.columns}, elements[operand.element]);
    info.operandRole = operand.role;
    mlir::FailureOr<mlir::AffineMap> map = mlir::nvgpu::getLaneIdAndValueIdToOperandCoord(builder, location, info);
    ASSERT_TRUE(mlir::succeeded(map));
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t value = 0; value < operand.rows * operand.columns / 32; ++value) {
        llvm::SmallVector<mlir::Attribute> out;
        ASSERT_TRUE(mlir::succeeded(map->constantFold({builder.getIndexAttr(lane), builder.getIndexAttr(value)}, out)));
        const Coordinate at = operand.ours(static_cast<unsigned>(lane), static_cast<unsigned>(value));
        EXPECT_EQ(mlir::cast<mlir::IntegerAttr>(out[0]).getInt(), at.row) << "lane " << lane << " value " << value;
        EXPECT_EQ(mlir::cast<mlir::IntegerAttr>(out[1]).getInt(), at.column) << "lane " << lane << " value " << value;
      }
  }
}

} // namespace
