//===- lib/Reference/Pointwise.cpp - constants and pointwise ops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Functions.h"
#include "lib/Reference/Ops.h"

#include <array>

using namespace mlir;

namespace cupola::reference {

namespace {

/// Elements are widened and rounded in runs that stay in the first-level cache.
constexpr int64_t runLength = 1024;
template <class W> using Run = std::array<W, runLength>;

template <class Body> void forRuns(int64_t count, Body body) {
  for (int64_t begin = 0; begin < count; begin += runLength)
    body(begin, std::min(runLength, count - begin));
}

Status noFunction(StringRef kind, format::DType dtype) {
  return Status::unsupported(kind.str() + " of " + format::dtypeName(dtype) + " has no meaning");
}

} // namespace

Status computeConstant(Call &call) {
  CUPOLA_ASSIGN(call.result, Tensor::of(cast<graph::ConstantOp>(call.op).getValue()));
  return {};
}

Status computeDims(Call &call) {
  CUPOLA_ASSIGN(std::vector<int64_t> numbers, call.numbers(cast<graph::DimsOp>(call.op).getExprs()));
  call.result.write(0, call.result.count(), numbers.data());
  return {};
}

Status computeIota(Call &call) {
  const int64_t axis = cast<graph::IotaOp>(call.op).getAxis();
  ArrayRef<int64_t> shape = call.result.shape();
  const int64_t inner = countOf(shape.drop_front(axis + 1));
  Run<int64_t> run;
  int64_t index = 0, left = inner; // of elements with this index
  forRuns(call.result.count(), [&](int64_t begin, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      run[i] = index;
      if (--left == 0) {
        index = index + 1 == shape[axis] ? 0 : index + 1;
        left = inner;
      }
    }
    call.result.write(begin, count, run.data());
  });
  return {};
}

Status computeUnary(Call &call) {
  auto op = cast<graph::UnaryOp>(call.op);
  const Tensor &input = call.operands[0];
  const double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  return withWide(input.dtype(), [&](auto tag) -> Status {
    using W = decltype(tag);
    UnaryFunction<W> function = unaryFunction<W>(op.getKind());
    if (!function)
      return noFunction(stringifyUnaryKind(op.getKind()), input.dtype());
    Run<W> x;
    forRuns(input.count(), [&](int64_t begin, int64_t count) {
      input.read(begin, count, x.data());
      for (int64_t i = 0; i < count; ++i)
        x[i] = function(x[i], alpha, beta);
      call.result.write(begin, count, x.data());
    });
    return {};
  });
}

Status computeBinary(Call &call) {
  auto op = cast<graph::BinaryOp>(call.op);
  const Tensor &lhs = call.operands[0], &rhs = call.operands[1];
  return withWide(lhs.dtype(), [&](auto tag) -> Status {
    using W = decltype(tag);
    BinaryFunction<W> function = binaryFunction<W>(op.getKind());
    if (!function)
      return noFunction(stringifyBinaryKind(op.getKind()), lhs.dtype());
    Run<W> a, b;
    forRuns(lhs.count(), [&](int64_t begin, int64_t count) {
      lhs.read(begin, count, a.data());
      rhs.read(begin, count, b.data());
      for (int64_t i = 0; i < count; ++i)
        a[i] = function(a[i], b[i]);
      call.result.write(begin, count, a.data());
    });
    return {};
  });
}

Status computeSelect(Call &call) {
  const Tensor &condition = call.operands[0];
  const size_t size = call.result.elementBytes();
  for (int64_t i = 0; i < condition.count(); ++i) {
    const Tensor &from = condition.data()[i] ? call.operands[1] : call.operands[2];
    std::memcpy(call.result.mutableData() + i * size, from.data() + i * size, size);
  }
  return {};
}

/// By the ops that say the same as the snippet, which only a compiler of CUDA C++ understands.
Status computeCall(Call &call) {
  if (!cast<graph::CallOp>(call.op).getSame())
    return Status::unsupported("the op library has a snippet for it and no expression, which alone has a meaning here");
  call.result = call.operands.back();
  return {};
}

Status computeCast(Call &call) {
  const Tensor &input = call.operands[0];
  withWide(input.dtype(), [&](auto tag) {
    Run<decltype(tag)> x;
    forRuns(input.count(), [&](int64_t begin, int64_t count) {
      input.read(begin, count, x.data());
      call.result.write(begin, count, x.data());
    });
  });
  return {};
}

Status computeBitcast(Call &call) {
  const Tensor &input = call.operands[0];
  if (input.bytes() != 0)
    std::memcpy(call.result.mutableData(), input.data(), input.bytes());
  return {};
}

} // namespace cupola::reference
