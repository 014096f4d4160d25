//===- lib/Reference/Reduce.cpp - reductions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Functions.h"
#include "lib/Reference/Ops.h"

#pragma clang fp contract(off)

using namespace mlir;

namespace cupola::reference {

namespace {

using graph::ReduceKind;

/// The first value of an accumulator: what an empty reduction gives.
template <class W> W neutral(ReduceKind kind, format::DType dtype) {
  if (kind == ReduceKind::Sum || kind == ReduceKind::Mean)
    return 0;
  if (kind == ReduceKind::Prod)
    return 1;
  const bool isLowest = kind == ReduceKind::Max;
  if constexpr (std::is_same_v<W, double>) {
    return isLowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  } else {
    return withStored(dtype, [&](auto tag) -> W {
      using T = decltype(tag);
      if constexpr (std::is_integral_v<T>)
        return static_cast<W>(isLowest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
      else
        return isLowest ? 0 : 1; // bool
    });
  }
}

/// For each dimension how far one step in it moves in the result: 0 where reduced.
std::vector<int64_t> resultStrides(const Shape &result, const Shape &input) {
  std::vector<int64_t> strides(result.size());
  int64_t stride = 1;
  for (size_t dim = result.size(); dim-- > 0;) {
    strides[dim] = result[dim] == 1 && input[dim] != 1 ? 0 : stride;
    stride *= result[dim];
  }
  return strides;
}

/// Calls `visit` with the position of each element and that of its result, in order.
template <class Visit> void forElements(const Shape &input, const Shape &result, Visit visit) {
  const std::vector<int64_t> strides = resultStrides(result, input);
  const int64_t count = countOf(input);
  std::vector<int64_t> index(input.size(), 0);
  int64_t target = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, target);
    for (size_t dim = input.size(); dim-- > 0;) {
      target += strides[dim];
      if (++index[dim] < input[dim])
        break;
      target -= strides[dim] * input[dim];
      index[dim] = 0;
    }
  }
}

/// Whether `a` comes before `b`; NaN is both the largest and the smallest.
template <class W> bool isBetter(ReduceKind kind, W a, W b) {
  if (a != a || b != b)
    return a != a && b == b;
  return kind == ReduceKind::Max ? a > b : a < b;
}

} // namespace

Status computeReduce(Call &call) {
  const ReduceKind kind = cast<graph::ReduceOp>(call.op).getKind();
  const Tensor &input = call.operands[0];
  withWide(input.dtype(), [&](auto tag) {
    using W = decltype(tag);
    const BinaryFunction<W> add = binaryFunction<W>(graph::combiningKind(kind));
    std::vector<W> values(input.count());
    input.read(0, input.count(), values.data());
    std::vector<W> sums(call.result.count(), neutral<W>(kind, input.dtype()));
    forElements(input.shape(), call.result.shape(),
                [&](int64_t from, int64_t to) { sums[to] = add(sums[to], values[from]); });
    if (kind == ReduceKind::Mean) { // 0 / 0 is NaN for floats; integers give 0
      const BinaryFunction<W> divide = binaryFunction<W>(graph::BinaryKind::Div);
      const int64_t results = std::max<int64_t>(call.result.count(), 1);
      for (W &sum : sums)
        sum = divide(sum, static_cast<W>(input.count() / results));
    }
    call.result.write(0, call.result.count(), sums.data());
  });
  return {};
}

Status computeArgReduce(Call &call) {
  auto op = cast<graph::ArgReduceOp>(call.op);
  const Tensor &input = call.operands[0];
  const int64_t extent = input.extent(op.getAxis());
  const int64_t inner = countOf(ArrayRef(input.shape()).drop_front(op.getAxis() + 1));
  if (extent == 0 && call.result.count() != 0)
    return Status::usage("no element of an empty axis is the largest or smallest");
  withWide(input.dtype(), [&](auto tag) {
    using W = decltype(tag);
    for (int64_t i = 0; i < call.result.count(); ++i) {
      const int64_t base = i / inner * extent * inner + i % inner;
      int64_t best = 0;
      W value = input.at<W>(base);
      for (int64_t k = 1; k < extent; ++k) {
        const W next = input.at<W>(base + k * inner);
        // The last of equal ones is the first that no later one gives way to.
        if (isBetter(op.getKind(), next, value) || (op.getLast() && !isBetter(op.getKind(), value, next))) {
          best = k;
          value = next;
        }
      }
      call.result.set(i, best);
    }
  });
  return {};
}

} // namespace cupola::reference
