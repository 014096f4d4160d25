//===- lib/Target/ScheduleAttr.h - what schedules of all targets share: choice, syntax, checks ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_SCHEDULEATTR_H
#define CUPOLA_LIB_TARGET_SCHEDULEATTR_H

#include "mlir/IR/DialectImplementation.h"

namespace cupola {

/// The cheapest for a kernel, of equals the first; null if there is none.
template <class Schedule, class Kernel, class Architecture>
Schedule cheapest(const mlir::SmallVector<Schedule> &candidates, const Kernel &kernel, const Architecture &target) {
  Schedule best;
  double least = 0;
  for (Schedule candidate : candidates)
    if (double cost = candidate.cost(kernel, target); !best || cost < least) {
      best = candidate;
      least = cost;
    }
  return best;
}

//===----------------------------------------------------------------------===//
// custom<Dims>(..): 128x64x32
//===----------------------------------------------------------------------===//

template <class... Numbers> mlir::ParseResult parseDims(mlir::AsmParser &parser, Numbers &...dims) {
  mlir::SMLoc loc = parser.getCurrentLocation();
  mlir::SmallVector<int64_t> numbers;
  if (parser.parseDimensionList(numbers, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return mlir::failure();
  if (numbers.size() != sizeof...(dims))
    return parser.emitError(loc) << "expected " << sizeof...(dims) << " numbers with an x between them";
  const int64_t *next = numbers.begin();
  ((dims = *next++), ...);
  return mlir::success();
}

template <class... Numbers> void printDims(mlir::AsmPrinter &printer, Numbers... dims) {
  llvm::interleave(std::initializer_list<int64_t>{dims...}, printer.getStream(), "x");
}

//===----------------------------------------------------------------------===//
// For verifiers
//===----------------------------------------------------------------------===//

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

inline mlir::LogicalResult verifyPositive(EmitError error, mlir::ArrayRef<int64_t> numbers) {
  if (llvm::all_of(numbers, [](int64_t number) { return number > 0; }))
    return mlir::success();
  return error() << "has a number that is not positive";
}

/// `whole` is parts of `part` each.
inline mlir::LogicalResult verifyDivides(EmitError error, mlir::StringRef name, int64_t whole, int64_t part) {
  if (whole % part == 0)
    return mlir::success();
  return error() << name << " of " << whole << " is no multiple of " << part;
}

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_SCHEDULEATTR_H
