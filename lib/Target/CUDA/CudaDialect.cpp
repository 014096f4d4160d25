//===- lib/Target/CUDA/CudaDialect.cpp - registration, verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"
#include "lib/Target/ScheduleAttr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::cuda;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#include "lib/Target/CUDA/CudaAttrInterfaces.cpp.inc"
#include "lib/Target/CUDA/CudaDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Target/CUDA/CudaAttrs.cpp.inc"

void CudaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Target/CUDA/CudaAttrs.cpp.inc"
      >();
}

void cuda::registerCudaDialect(DialectRegistry &registry) { registry.insert<CudaDialect>(); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyThreads(EmitError error, int64_t threads) {
  if (threads > 0 && threads <= 1024 && threads % 32 == 0)
    return success();
  return error() << threads << " threads are no block of whole warps, 1024 threads at most";
}

static LogicalResult verifyVector(EmitError error, int64_t vector) {
  if (vector > 0 && vector <= 16 && llvm::isPowerOf2_64(vector))
    return success();
  return error() << "a vector of " << vector << " elements is none of 1, 2, 4, 8 and 16";
}

LogicalResult PointwiseAttr::verify(EmitError error, int64_t threads, int64_t vector) {
  return success(succeeded(verifyThreads(error, threads)) && succeeded(verifyVector(error, vector)));
}

LogicalResult TransposeAttr::verify(EmitError error, int64_t threads) {
  // A block turns tiles of 32 by 32.
  return success(succeeded(verifyThreads(error, threads)) &&
                 succeeded(verifyDivides(error, "a tile", 32 * 32, threads)));
}

LogicalResult RowReductionAttr::verify(EmitError error, int64_t threads, int64_t row, int64_t vector) {
  if (failed(verifyThreads(error, threads)) || failed(verifyVector(error, vector)))
    return failure();
  if (row != 32 && row != threads)
    return error() << row << " threads of a row are neither a warp nor the block of " << threads;
  return success();
}

LogicalResult ColumnReductionAttr::verify(EmitError error, int64_t threads) { return verifyThreads(error, threads); }

LogicalResult ReductionAttr::verify(EmitError error, int64_t threads, int64_t vector) {
  return success(succeeded(verifyThreads(error, threads)) && succeeded(verifyVector(error, vector)));
}

LogicalResult GemmAttr::verify(EmitError error, int64_t m, int64_t n, int64_t k, int64_t threadM, int64_t threadN,
                               int64_t split) {
  // A thread's elements come in groups of four by four.
  if (failed(verifyPositive(error, {m, n, k, threadM, threadN, split})) ||
      failed(verifyDivides(error, "the thread's m", threadM, 4)) ||
      failed(verifyDivides(error, "the thread's n", threadN, 4)) ||
      failed(verifyDivides(error, "the tile's m", m, threadM)) ||
      failed(verifyDivides(error, "the tile's n", n, threadN)) ||
      failed(verifyDivides(error, "the tile's k", k, split)))
    return failure();
  return verifyThreads(error, m / threadM * (n / threadN) * split);
}

LogicalResult GemmMmaAttr::verify(EmitError error, int64_t m, int64_t n, int64_t k, int64_t warpsM, int64_t warpsN,
                                  int64_t split, int64_t mmaK, bool) {
  if (failed(verifyPositive(error, {m, n, k, warpsM, warpsN, split, mmaK})))
    return failure();
  if (mmaK != 8 && mmaK != 16)
    return error() << "an mma of depth " << mmaK << " is none of 8 and 16";
  // The matrix units multiply 16 by mmaK with mmaK by 8.
  if (failed(verifyDivides(error, "the tile's m", m, 16 * warpsM)) ||
      failed(verifyDivides(error, "the tile's n", n, 8 * warpsN)) ||
      failed(verifyDivides(error, "the tile's k", k, split * mmaK)))
    return failure();
  return verifyThreads(error, warpsM * warpsN * split * 32);
}

LogicalResult GemmWgmmaAttr::verify(EmitError error, int64_t m, int64_t n, int64_t stages, int64_t cluster) {
  if (failed(verifyPositive(error, {m, n, stages, cluster})) || failed(verifyDivides(error, "the tile's m", m, 64)))
    return failure();
  if (n != 64 && n != 128 && n != 256)
    return error() << "a tile of " << n << " columns is none of 64, 128 and 256";
  if (stages < 2)
    return error() << "one stage leaves nothing to overlap";
  // A copy along n brings 64 columns.
  if (cluster > 8 || n % (64 * cluster) != 0)
    return error() << "a cluster of " << cluster << " blocks does not share " << n << " columns";
  return verifyThreads(error, (m / 64 + 1) * 128);
}

LogicalResult AttentionAttr::verify(EmitError error, int64_t rows) {
  if (failed(verifyPositive(error, {rows})) || failed(verifyDivides(error, "the block's rows", rows, 8)))
    return failure();
  return verifyThreads(error, rows * 4);
}

LogicalResult AttentionMmaAttr::verify(EmitError error, int64_t rows, bool) {
  if (failed(verifyPositive(error, {rows})) || failed(verifyDivides(error, "the block's rows", rows, 16)))
    return failure();
  return verifyThreads(error, rows / 16 * 32);
}

LogicalResult MatvecAttr::verify(EmitError error, int64_t rows) { return verifyPositive(error, {rows}); }
