//===- test/Runtime/HostRunner.h - one op of the host, by itself ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_HOSTRUNNER_H
#define CUPOLA_TEST_RUNTIME_HOSTRUNNER_H

#include "lib/Runtime/Host/HostCall.h"

namespace cupola::test {

template <class T> runtime::HostOperand viewOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

/// `result` has as many elements as the op is to make.
template <class T>
Status runHostOp(const std::string &op, const std::vector<std::string> &arguments,
                 std::vector<runtime::HostOperand> operands, std::vector<T> &result, runtime::StringTable &strings,
                 runtime::HostCall::Threads threads = nullptr) {
  const format::HostCall record{op, arguments, std::vector<uint32_t>(operands.size()), {0}};
  CUPOLA_TRY(format::checkHostCall(record));
  runtime::HostCall call(record, std::move(operands),
                         {reinterpret_cast<char *>(result.data()), result.size() * sizeof(T)}, strings,
                         std::move(threads));
  return runtime::runHostCall(call, op);
}

/// The same of an op for numbers.
template <class T>
Status runHostOp(const std::string &op, const std::vector<std::string> &arguments,
                 std::vector<runtime::HostOperand> operands, std::vector<T> &result,
                 runtime::HostCall::Threads threads = nullptr) {
  const std::vector<std::string> none;
  runtime::StringTable strings(none);
  return runHostOp(op, arguments, std::move(operands), result, strings, std::move(threads));
}

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_HOSTRUNNER_H
