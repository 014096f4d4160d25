//===- lib/Runtime/Status.h - The one error type of runtime, format and devices ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A Status is a code and a text. The codes are the exit codes of the command
// line, so that a tool returns `int(status.code())` and the C ABI passes the
// same number on. Texts are lower-case, carry the numbers found and expected,
// and have no final period. Nothing here throws.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_STATUS_H
#define CUPOLA_LIB_RUNTIME_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace cupola {

enum class Code : int {
  Ok = 0,
  Finding = 1,     ///< outputs differ from the reference, or the simulator found a defect
  Usage = 2,       ///< wrong call, option, input tensor or input value
  BadModel = 3,    ///< the model is malformed
  Unsupported = 4, ///< well-formed, but outside what is implemented
  Limit = 5,       ///< a declared limit was exceeded
  Environment = 6, ///< device, driver, library or memory is missing
  Package = 7,     ///< the package is damaged or of another format
  IO = 8,          ///< a file could not be read or written
  Internal = 70,   ///< a bug of Cupola
  Cancelled = 130, ///< the caller asked to stop
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message) : statusCode(code), text(std::move(message)) {
    assert(code != Code::Ok && "a success carries no message");
  }

  static Status ok() { return Status(); }
  static Status finding(std::string m) { return {Code::Finding, std::move(m)}; }
  static Status usage(std::string m) { return {Code::Usage, std::move(m)}; }
  static Status unsupported(std::string m) { return {Code::Unsupported, std::move(m)}; }
  static Status limit(std::string m) { return {Code::Limit, std::move(m)}; }
  static Status environment(std::string m) { return {Code::Environment, std::move(m)}; }
  static Status package(std::string m) { return {Code::Package, std::move(m)}; }
  static Status io(std::string m) { return {Code::IO, std::move(m)}; }
  /// What no input may cause; says so, and what a report needs.
  static Status internal(const std::string &m) {
    return {Code::Internal, m + "\nnote: this is a bug of Cupola; please report it with this text, the command, the "
                                "model or package, and the output of 'cupola --version'"};
  }

  bool isOk() const { return statusCode == Code::Ok; }
  bool failed() const { return statusCode != Code::Ok; }
  Code code() const { return statusCode; }
  const std::string &message() const { return text; }

  /// The same error with `prefix` and ": " before its text.
  Status within(const std::string &prefix) const {
    return isOk() ? Status() : Status(statusCode, prefix + ": " + text);
  }

private:
  Code statusCode = Code::Ok;
  std::string text;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : state(std::move(status)) {
    assert(state.failed() && "a Result without a value needs an error");
  }

  bool isOk() const { return held.has_value(); }
  bool failed() const { return !held.has_value(); }
  const Status &status() const { return state; }

  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  T take() { return std::move(*held); }

  /// Status::within, of an error.
  Result within(const std::string &prefix) && { return failed() ? Result(state.within(prefix)) : std::move(*this); }

private:
  std::optional<T> held;
  Status state;
};

} // namespace cupola

/// Returns from the enclosing function when `expression` is an error.
#define CUPOLA_TRY(expression)                                                                                         \
  do {                                                                                                                 \
    if (::cupola::Status cupolaStatus = (expression); cupolaStatus.failed())                                           \
      return cupolaStatus;                                                                                             \
  } while (false)

/// Gives `target`, a declaration or a place, the value of an expression that is a Result; returns from the enclosing
/// function when it is an error. Two statements, so no body of an `if` without braces.
#define CUPOLA_ASSIGN(target, ...) CUPOLA_ASSIGN_BY(CUPOLA_JOIN(cupolaResult, __LINE__), target, __VA_ARGS__)
#define CUPOLA_ASSIGN_BY(result, target, ...)                                                                          \
  auto result = (__VA_ARGS__);                                                                                         \
  if (result.failed())                                                                                                 \
    return result.status();                                                                                            \
  target = result.take()
#define CUPOLA_JOIN(a, b) CUPOLA_JOIN_AGAIN(a, b) // the first spells __LINE__ out
#define CUPOLA_JOIN_AGAIN(a, b) a##b

#endif // CUPOLA_LIB_RUNTIME_STATUS_H
