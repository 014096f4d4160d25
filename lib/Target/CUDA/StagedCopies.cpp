//===- lib/Target/CUDA/StagedCopies.cpp - operands of bytes, which are numbers in shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cp.async brings bytes as they are. A thread makes numbers of what it brought itself, so that nobody has to meet
// before that, nor before the next bytes are on their way.
//===----------------------------------------------------------------------===//

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

void OperandCopies::allocateStaged(Operand &op, int64_t stages) {
  LoadOp load = op.staged;
  op.staging = low.smem(stages * op.count * threads * op.width, load.getType());
}

/// Of this thread's i-th vector.
Expr OperandCopies::stagedPlace(const Operand &op, const Expr &i) const {
  return ((ownBuffer * op.count + i) * threads + copier.value_or(low.thread())) * op.width;
}

LogicalResult OperandCopies::bringStaged(Operand &op) {
  tile = 0;
  return forSomeVectors(op, 0, op.count, [&](const Expr &i, const Expr &outer, const Expr &k) {
    LoadOp load = op.staged;
    const Lowering::Source from = source(op, load, outer, k);
    createCopy(op, load, from, op.staging, stagedPlace(op, i));
    return success();
  });
}

LogicalResult OperandCopies::storeStaged(Operand &op) {
  const Type type = llvm::cast<SmemType>(op.smem.getType()).getElement();
  const int64_t width = std::min(16 / graph::byteSize(type), op.width), parts = op.width / width;
  const int64_t atOnce = std::gcd(op.count, int64_t(4)); // All of them would be much text.
  Value bytes = low.registers({}, LoadOp(op.staged).getType(), op.width), vectors = low.registers({parts}, type, width);
  tile = 0;
  stage = ownBuffer;
  return low.loop("v", 0, op.count, atOnce, /*unroll=*/false, [&](const Expr &first) {
    return forSomeVectors(op, first, atOnce, [&](const Expr &i, const Expr &outer, const Expr &k) {
      low.loadVector(op.staging, {stagedPlace(op, first + i), {}}, bytes);
      WidenOp::create(low.builder, low.func.getLoc(), bytes, vectors);
      for (int64_t part = 0; part < parts; ++part) {
        const Expr along = part * width;
        const Expr to = op.alongK ? sharedPlace(op, outer, k + along) : sharedPlace(op, outer + along, k);
        low.storeVector(vectors, {part}, op.smem, to);
      }
      return success();
    });
  });
}

} // namespace cupola::cuda
