//===- include/cupola/Status.hpp - Errors of the C interfaces as exceptions ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_STATUS_HPP
#define CUPOLA_STATUS_HPP

#include "cupola/Status.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cupola {

/// A status that was not success.
class Error : public std::runtime_error {
public:
  /// As check() makes it.
  Error(cupola_code code, const std::string &message) : std::runtime_error(message), kind(code) {}
  /// Its kind.
  cupola_code code() const { return kind; }

private:
  cupola_code kind;
};

namespace capi {

/// A copy.
inline std::string text(cupola_string string) { return std::string(string.data, string.size); }
/// Refers to `text`.
inline cupola_string string(std::string_view text) { return {text.data(), text.size()}; }

/// Throws and releases an error.
inline void check(cupola_status *status) {
  if (!status)
    return;
  const Error error(cupola_status_code(status), text(cupola_status_message(status)));
  cupola_status_release(status);
  throw error;
}

/// Calls the `release` function of a kind of handle.
template <typename T, void (*Release)(T *)> struct Releaser {
  /// For std::unique_ptr.
  void operator()(T *handle) const { Release(handle); }
};
/// Owns a handle.
template <typename T, void (*Release)(T *)> using Handle = std::unique_ptr<T, Releaser<T, Release>>;

} // namespace capi

/// cupola_report
struct Report {
  std::string text; ///< for people
  std::string json; ///< for programs
};

namespace capi {

/// Copies and releases it.
inline Report take(cupola_report *report) {
  const Handle<cupola_report, cupola_report_release> handle(report);
  return {text(cupola_report_text(report)), text(cupola_report_json(report))};
}

} // namespace capi

/// A report's JSON as a page of a browser (cupola_report_html).
inline std::string htmlPage(std::string_view json, std::string_view title) {
  cupola_report *report = nullptr;
  capi::check(cupola_report_create(capi::string(""), capi::string(json), &report));
  const capi::Handle<cupola_report, cupola_report_release> handle(report);
  cupola_string html{};
  capi::check(cupola_report_html(report, capi::string(title), &html));
  return capi::text(html);
}

} // namespace cupola

#endif // CUPOLA_STATUS_HPP
