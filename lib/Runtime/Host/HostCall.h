//===- lib/Runtime/Host/HostCall.h - one step of the host ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_HOSTCALL_H
#define CUPOLA_LIB_RUNTIME_HOST_HOSTCALL_H

#include "lib/Runtime/Format/HostOps.h"
#include "lib/Runtime/Host/StringTable.h"
#include "lib/Runtime/Status.h"

#include <cstring>
#include <functional>

namespace cupola::runtime {

/// Elements in host memory, of any alignment.
struct HostOperand {
  const char *data;
  uint64_t bytes;
};
struct HostResult {
  char *data;
  uint64_t bytes;
};

/// What a function of the table sees of its step.
class HostCall {
public:
  /// Runs a body that does not throw over parts of [0, count), of at least `least` each, by several threads.
  using Part = std::function<void(uint64_t begin, uint64_t end)>;
  using Threads = std::function<void(uint64_t count, uint64_t least, const Part &body)>;

  /// `call` was seen by format::checkHostCall. Without `threads` all is done by the caller's.
  HostCall(const format::HostCall &call, std::vector<HostOperand> operands, HostResult result, StringTable &strings,
           Threads threads = nullptr)
      : call(call), operands(std::move(operands)), result(result), strings(strings), threads(std::move(threads)) {}

  /// All of an operand, and of the result.
  std::string_view bytes(size_t operand) const { return {operands[operand].data, operands[operand].bytes}; }
  char *resultBytes() const { return result.data; }

  const std::string &argument(size_t index) const { return call.arguments[index]; }
  const std::vector<std::string> &arguments() const { return call.arguments; }

  /// The type that the first argument names, of an op for numbers.
  format::DType numbers() const { return format::dtypeOf(format::HostElement::Number, call.arguments); }
  /// Elements of an operand, and of the result.
  size_t count(size_t operand) const;
  size_t resultCount() const;
  /// An operand that is so many extents: their numbers. Code::Package where it is not, one is negative, or they have
  /// more elements than 64 bits count.
  Result<std::vector<uint64_t>> extents(size_t operand, size_t count) const;
  /// Code::Package where an operand has another number of elements.
  Status expectOperand(size_t operand, uint64_t count) const;
  /// Code::Package where the result has another number of elements.
  Status expectResults(size_t count) const;

  /// Rows that do not depend on each other and take so many steps each, by the threads that there are: as many rows at
  /// a time as are worth a thread. Throws what a body threw.
  void forRows(uint64_t rows, uint64_t steps, const Part &body) const;

  /// Code::Usage: an element is the number of no string.
  Result<std::string_view> text(size_t operand, size_t at) const;
  void putText(size_t at, std::string_view text);
  template <class T> T number(size_t operand, size_t at) const {
    T value;
    std::memcpy(&value, operands[operand].data + at * sizeof(T), sizeof(T));
    return value;
  }
  template <class T> void put(size_t at, T value) { std::memcpy(result.data + at * sizeof(T), &value, sizeof(T)); }

private:
  const format::HostOp &op() const { return *format::findHostOp(call.op); }

  const format::HostCall &call;
  std::vector<HostOperand> operands;
  HostResult result;
  StringTable &strings;
  Threads threads;
};

/// Computes the result. Sizes that do not go together are Code::Package, values that the op cannot take Code::Usage.
Status runHostCall(HostCall &call, const std::string &op);

// The functions of the table, by family.
Status concatStrings(HostCall &call);
Status countNormalized(HostCall &call);
Status normalizeStrings(HostCall &call);
Status countSplit(HostCall &call);
Status splitStrings(HostCall &call);
Status rankStrings(HostCall &call);
Status matchPattern(HostCall &call);
Status parseNumbers(HostCall &call);
Status formatNumbers(HostCall &call);
Status findImageExtents(HostCall &call);
Status decodeImage(HostCall &call);
Status findOrder(HostCall &call);
Status findLastMatches(HostCall &call);
Status findTruePlaces(HostCall &call);
Status scatterReduce(HostCall &call);
Status pickBoxes(HostCall &call);
Status countPicks(HostCall &call);
Status listPicks(HostCall &call);
Status fourierTransform(HostCall &call);
Status cumulateNumbers(HostCall &call);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_HOSTCALL_H
