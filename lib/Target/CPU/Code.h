//===- lib/Target/CPU/Code.h - building arithmetic on scalars or vectors ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every element of a kernel is emitted either as one scalar or as a vector of
// CpuArchitecture::lanes() of them. The functions here take both: where one operand is a vector,
// the others are broadcast.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_CODE_H
#define CUPOLA_LIB_TARGET_CPU_CODE_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace cupola::cpu {

/// The type that holds an element of a kernel in a register: signless integers,
/// bf16 as its 16 bits (LLVM would call a library to round to it).
mlir::Type valueType(mlir::Type element);
/// The same in memory: bool is a byte.
mlir::Type storageType(mlir::Type element);
unsigned elementBytes(mlir::Type element);
bool isUnsigned(mlir::Type element);

class Code {
public:
  Code(mlir::OpBuilder &builder, mlir::Location location, const CpuArchitecture &isa, unsigned lanes)
      : b(builder), loc(location), isa(isa), lanes(lanes) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const CpuArchitecture &isa;
  unsigned lanes;
  /// Where library functions are declared. A loop under construction hangs in no module
  /// yet, so it cannot be found from the insertion point.
  mlir::ModuleOp module;

  static bool isVector(mlir::Value value) { return llvm::isa<mlir::VectorType>(value.getType()); }
  mlir::Value splat(mlir::Value value);
  void unify(mlir::Value &lhs, mlir::Value &rhs);
  /// `type`, as a vector where `like` is one.
  mlir::Type typeLike(mlir::Type type, mlir::Value like);

  mlir::Value i64(int64_t value);
  /// A number of the type of `like`.
  mlir::Value real(double value, mlir::Value like);
  mlir::Value integer(int64_t value, mlir::Value like);
  /// The scalar `type`'s number, e.g. a neutral element.
  mlir::Value number(mlir::TypedAttr value);

  template <class Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    unify(lhs, rhs);
    return b.createOrFold<Op>(loc, lhs, rhs);
  }
  template <class Op> mlir::Value unary(mlir::Value value) { return Op::create(b, loc, value); }
  template <class Op> mlir::Value convert(mlir::Value value, mlir::Type element) {
    return b.createOrFold<Op>(loc, typeLike(element, value), value);
  }

  mlir::Value addf(mlir::Value a, mlir::Value c) { return binary<mlir::arith::AddFOp>(a, c); }
  mlir::Value subf(mlir::Value a, mlir::Value c) { return binary<mlir::arith::SubFOp>(a, c); }
  mlir::Value mulf(mlir::Value a, mlir::Value c) { return binary<mlir::arith::MulFOp>(a, c); }
  mlir::Value divf(mlir::Value a, mlir::Value c) { return binary<mlir::arith::DivFOp>(a, c); }
  mlir::Value addi(mlir::Value a, mlir::Value c) { return binary<mlir::arith::AddIOp>(a, c); }
  mlir::Value subi(mlir::Value a, mlir::Value c) { return binary<mlir::arith::SubIOp>(a, c); }
  mlir::Value muli(mlir::Value a, mlir::Value c) { return binary<mlir::arith::MulIOp>(a, c); }
  mlir::Value andi(mlir::Value a, mlir::Value c) { return binary<mlir::arith::AndIOp>(a, c); }
  mlir::Value ori(mlir::Value a, mlir::Value c) { return binary<mlir::arith::OrIOp>(a, c); }
  mlir::Value xori(mlir::Value a, mlir::Value c) { return binary<mlir::arith::XOrIOp>(a, c); }
  mlir::Value minsi(mlir::Value a, mlir::Value c) { return binary<mlir::arith::MinSIOp>(a, c); }
  mlir::Value maxsi(mlir::Value a, mlir::Value c) { return binary<mlir::arith::MaxSIOp>(a, c); }
  mlir::Value fma(mlir::Value a, mlir::Value x, mlir::Value y);
  /// coefficients[0] + coefficients[1] * x + ..., by Horner's rule.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  mlir::Value cmpf(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value c);
  mlir::Value cmpi(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value c);
  mlir::Value isNaN(mlir::Value x);
  mlir::Value clamp(mlir::Value x, double low, double high); ///< NaN stays
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value c);
  mlir::Value bitcast(mlir::Value value, mlir::Type element);

  /// Calls a function of the C library on every element; all of type `element`.
  mlir::Value callLibrary(llvm::StringRef name, mlir::ValueRange operands);

  /// What lanes change places in: lanes with bit `half` of a, and those without it of b. The first vector has the
  /// others of both, `half` lanes apart, the second these.
  std::pair<mlir::Value, mlir::Value> exchange(mlir::Value a, mlir::Value b, unsigned half);
  /// Lane j of vector i becomes lane i of vector j; there are as many vectors as lanes.
  void transpose(llvm::MutableArrayRef<mlir::Value> vectors);

  /// Lane i: the lanes of sums[i], added, which are no more vectors than lanes.
  mlir::Value addLanes(llvm::SmallVector<mlir::Value> sums);
  /// `count` lanes from `first` on.
  mlir::Value part(mlir::Value vector, int64_t first, int64_t count);
  /// `body` of every `count` lanes of vectors, which have a multiple of it, side by side.
  mlir::Value byParts(mlir::ValueRange vectors, int64_t count, llvm::function_ref<mlir::Value(mlir::ValueRange)> body);

  /// Runs `body` for 0 to `count` - 1, with values that each iteration hands to the next.
  llvm::SmallVector<mlir::Value>
  forCount(mlir::Value count, mlir::ValueRange init,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

  /// address + index elements of type `element`; vectors of indices give vectors.
  mlir::Value address(mlir::Value pointer, mlir::Value index, mlir::Type element);
};

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_CODE_H
