//===- lib/Target/CUDA/CudaDialect.cpp - registration, syntax, verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/CudaTarget.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::cuda;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// 128x64x32
template <class... Numbers> static ParseResult parseDims(AsmParser &parser, Numbers &...dims) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> numbers;
  if (parser.parseDimensionList(numbers, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return failure();
  if (numbers.size() != sizeof...(dims))
    return parser.emitError(loc) << "expected " << sizeof...(dims) << " numbers with an x between them";
  const int64_t *next = numbers.begin();
  ((dims = *next++), ...);
  return success();
}

template <class... Numbers> static void printDims(AsmPrinter &printer, Numbers... dims) {
  llvm::interleave(std::initializer_list<int64_t>{dims...}, printer.getStream(), "x");
}

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

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyPositive(EmitError error, ArrayRef<int64_t> numbers) {
  if (llvm::all_of(numbers, [](int64_t number) { return number > 0; }))
    return success();
  return error() << "has a number that is not positive";
}

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

/// `whole` is parts of `part` each.
static LogicalResult verifyDivides(EmitError error, StringRef name, int64_t whole, int64_t part) {
  if (whole % part == 0)
    return success();
  return error() << name << " of " << whole << " is no multiple of " << part;
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

LogicalResult MatvecAttr::verify(EmitError error, int64_t rows) { return verifyPositive(error, {rows}); }
