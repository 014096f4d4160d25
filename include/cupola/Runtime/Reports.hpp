//===- include/cupola/Runtime/Reports.hpp - Reports as C++ objects ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, with the rules of Reports.h; errors are cupola::Error.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_RUNTIME_REPORTS_HPP
#define CUPOLA_RUNTIME_REPORTS_HPP

#include "cupola/Runtime/Reports.h"
#include "cupola/Runtime/Runtime.hpp"

namespace cupola {

/// What the package holds.
inline Report inspectPackage(const Package &package, std::string_view name = "package") {
  cupola_report *report = nullptr;
  capi::check(cupola_package_inspect(package.get(), capi::string(name), &report));
  return capi::take(report);
}

/// Times of whole runs. NULL inputs are random ones.
inline Report bench(const Executable &executable, const cupola_run_inputs *inputs = nullptr,
                    const cupola_bench_options *options = nullptr) {
  cupola_report *report = nullptr;
  capi::check(cupola_executable_bench(executable.get(), inputs, options, &report));
  return capi::take(report);
}

/// A run, step by step: the JSON is a trace.
inline Report profile(const Session &session, const std::vector<cupola_tensor> &inputs,
                      const std::vector<cupola_tensor> &outputs) {
  cupola_report *report = nullptr;
  capi::check(
      cupola_session_profile(session.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), &report));
  return capi::take(report);
}

/// The text is Prometheus's exposition format. On any thread.
inline Report metrics(const Session &session, std::string_view name = "") {
  cupola_report *report = nullptr;
  capi::check(cupola_session_metrics(session.get(), capi::string(name), &report));
  return capi::take(report);
}

/// cupola_verification
class Verification {
public:
  /// Runs once.
  explicit Verification(const Executable &executable, const cupola_run_inputs *inputs = nullptr) {
    cupola_verification *made = nullptr;
    capi::check(cupola_verification_create(executable.get(), inputs, &made));
    handle.reset(made);
  }
  /// An .npz file, which lives as long as this.
  std::string_view inputs() const {
    cupola_bytes npz{};
    capi::check(cupola_verification_inputs(handle.get(), &npz));
    return {static_cast<const char *>(npz.data), npz.size};
  }
  /// `references` is an .npz file. `passed` gets whether all outputs do.
  Report compare(std::string_view references, double tolerance, bool &passed) const {
    cupola_report *report = nullptr;
    int32_t verdict = 0;
    capi::check(cupola_verification_compare(handle.get(), {references.data(), references.size()}, tolerance, &report,
                                            &verdict));
    passed = verdict != 0;
    return capi::take(report);
  }

  /// Kernel by kernel; `references` may be empty.
  Report compareKernels(std::string_view diagnosis, std::string_view references, double tolerance, bool &passed) const {
    cupola_report *report = nullptr;
    int32_t verdict = 0;
    const cupola_bytes expected = {references.empty() ? nullptr : references.data(), references.size()};
    capi::check(cupola_verification_compare_kernels(handle.get(), {diagnosis.data(), diagnosis.size()}, expected,
                                                    tolerance, &report, &verdict));
    passed = verdict != 0;
    return capi::take(report);
  }

private:
  capi::Handle<cupola_verification, cupola_verification_release> handle;
};

} // namespace cupola

#endif // CUPOLA_RUNTIME_REPORTS_HPP
