//===- lib/Target/CPU/Kernel.cpp - the function of a kernel and its iterations ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

Emitter::Emitter(OpBuilder &builder, FuncOp func, const KernelPlan &plan, const CpuArchitecture &isa)
    : c(builder, func.getLoc(), isa, isa.lanes()), func(func), plan(plan), isa(isa), vars(plan.vars),
      divisors(scalarDivisors(func.getScalars())), quantizations(func) {
  divisors[kLiveVectors] = isa.lanes();
}

void Emitter::emitKernel(ModuleOp module, StringRef name) {
  MLIRContext *context = func.getContext();
  c.module = module;
  c.b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = c.b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, pointer, i64, i64, pointer});
  auto function = LLVM::LLVMFuncOp::create(c.b, c.loc, name, type);
  for (unsigned pointerArgument : {0, 1, 4})
    function.setArgAttr(pointerArgument, LLVM::LLVMDialect::getNoAliasAttrName(), c.b.getUnitAttr());
  mlir::Block *entry = function.addEntryBlock(c.b);
  c.b.setInsertionPointToStart(entry);
  loadArguments(function);
  emitConstants();
  forLoop(entry->getArgument(2), entry->getArgument(3), 1, {}, [&](Value iteration, Carried) {
    emitIteration(iteration);
    return Values();
  });
  LLVM::ReturnOp::create(c.b, c.loc, ValueRange());
}

/// args: the buffers' addresses, the scalars' words in the bindings, the step.
void Emitter::loadArguments(LLVM::LLVMFuncOp function) {
  Type pointer = LLVM::LLVMPointerType::get(c.b.getContext()), i64 = c.b.getI64Type();
  bindings = function.getArgument(0);
  scratch = function.getArgument(4);
  Value args = function.getArgument(1);
  int64_t word = 0;
  auto next = [&](Type type) -> Value {
    Value at = c.address(args, c.i64(word++), i64);
    return LLVM::LoadOp::create(c.b, c.loc, type, at, 8, false, false, /*isInvariant=*/true);
  };
  for (Value view : func.getViews())
    buffers[view] = next(pointer);
  for (unsigned i = 0; i < func.getScalars().size(); ++i) {
    Value at = c.address(bindings, next(i64), i64);
    variables["n" + std::to_string(i)] =
        LLVM::LoadOp::create(c.b, c.loc, i64, at, 8, false, false, /*isInvariant=*/true);
  }
  step = next(i64);
}

void Emitter::emitConstants() {
  for (Operation &op : func.getBody().front())
    if (llvm::isa<kernel::ConstantOp>(op))
      emitOp(&op);
}

Emitter::Values Emitter::delinearize(Value iteration) {
  Values result(plan.parallel.size());
  for (size_t i = plan.parallel.size(); i-- > 1;) {
    Value extent = index(plan.parallel[i]);
    result[i] = c.binary<arith::RemUIOp>(iteration, extent);
    iteration = c.binary<arith::DivUIOp>(iteration, extent);
  }
  if (!result.empty())
    result[0] = iteration;
  return result;
}

void Emitter::emitIteration(Value iteration) {
  Values parallel = delinearize(iteration);
  if (plan.steps)
    emitSteps(parallel);
  else if (plan.contraction)
    emitContraction(parallel);
  else if (plan.nest.transposition)
    emitTransposition(parallel);
  else
    emitNest(plan.nest, parallel);
}

} // namespace cupola::cpu
