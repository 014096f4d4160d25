//===- lib/Runtime/CApi/ReportApi.cpp - The C functions of reports ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Reports.h"
#include "lib/Runtime/CApi/Handles.h"
#include "lib/Runtime/Page/Page.h"
#include "lib/Runtime/Tools/Bench.h"
#include "lib/Runtime/Tools/Diagnosis.h"
#include "lib/Runtime/Tools/Inspection.h"
#include "lib/Runtime/Tools/Metrics.h"
#include "lib/Runtime/Tools/Trace.h"
#include "lib/Runtime/Tools/Verification.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::capi;

struct cupola_report {
  Report report;
  std::string html; ///< once it was asked for
};

struct cupola_verification {
  std::shared_ptr<const Executable> executable;
  std::string inputs; ///< an .npz file
  std::vector<npz::Array> outputs;
};

namespace {

Status give(Report report, cupola_report **target) {
  *target = new cupola_report{std::move(report), {}};
  return Status::ok();
}

std::string_view viewOf(cupola_bytes bytes) {
  return {static_cast<const char *>(bytes.data), bytes.data ? bytes.size : 0};
}

Result<InputOptions> inputsOf(const cupola_run_inputs *given) {
  const cupola_run_inputs known = versioned(given);
  InputOptions inputs;
  inputs.archive = viewOf(known.npz);
  inputs.seed = known.seed;
  if (known.shapes.count > 0)
    CUPOLA_TRY(present({known.shapes.items}));
  for (size_t i = 0; i < known.shapes.count; ++i)
    CUPOLA_TRY(toText(known.shapes.items[i], inputs.shapes.emplace_back()));
  return inputs;
}

Status verify(const std::shared_ptr<const Executable> &executable, const InputOptions &options,
              cupola_verification &verification) {
  CUPOLA_ASSIGN(auto inputs, makeInputs(executable->package(), executable->parsedInterface(), options));
  CUPOLA_ASSIGN(std::string npz, npz::serialize(named(executable->package().inputs, inputs)));
  CUPOLA_ASSIGN(auto outputs, runPoisoned(executable, inputs));
  verification = {executable, std::move(npz), std::move(outputs)};
  return Status::ok();
}

} // namespace

extern "C" {

cupola_string cupola_report_text(const cupola_report *report) {
  return report ? string(report->report.text) : string("");
}

cupola_string cupola_report_json(const cupola_report *report) {
  return report ? string(report->report.json) : string("");
}

cupola_status *cupola_report_html(cupola_report *report, cupola_string title, cupola_string *html) {
  return guarded({report, html}, [&] {
    report->html = htmlPage(view(title), report->report.json);
    *html = string(report->html);
    return Status::ok();
  });
}

void cupola_report_release(cupola_report *report) { delete report; }

cupola_status *cupola_report_create(cupola_string text, cupola_string json, cupola_report **report) {
  return guarded({report}, [&] { return give({std::string(view(text)), std::string(view(json))}, report); });
}

cupola_status *cupola_package_inspect(const cupola_package *package, cupola_string name, cupola_report **report) {
  return guarded({package, report},
                 [&] { return give(inspectPackage(*package->file, std::string(view(name))), report); });
}

cupola_status *cupola_executable_bench(cupola_executable *executable, const cupola_run_inputs *inputs,
                                       const cupola_bench_options *options, cupola_report **report) {
  return guarded({executable, report}, [&] {
    CUPOLA_ASSIGN(InputOptions chosen, inputsOf(inputs));
    const cupola_bench_options known = versioned(options);
    CUPOLA_ASSIGN(Bench done,
                  bench(executable->executable, {std::move(chosen), known.warmup,
                                                 std::max<uint64_t>(known.iterations, 1), known.profile != 0}));
    return give(std::move(done.report), report);
  });
}

cupola_status *cupola_session_profile(cupola_session *session, const cupola_tensor *inputs, size_t input_count,
                                      const cupola_tensor *outputs, size_t output_count, cupola_report **report) {
  return guarded({session, report}, [&] {
    std::vector<TensorRef> in, out;
    CUPOLA_TRY(readTensors(*session, inputs, input_count, /*areInputs=*/true, in));
    CUPOLA_TRY(readTensors(*session, outputs, output_count, /*areInputs=*/false, out));
    CUPOLA_ASSIGN(Report told, traceRun(*session->session, in, out));
    return give(std::move(told), report);
  });
}

cupola_status *cupola_session_metrics(const cupola_session *session, cupola_string name, cupola_report **report) {
  return guarded({session, report}, [&] { return give(metricsOf(*session->session, view(name)), report); });
}

cupola_status *cupola_verification_create(cupola_executable *executable, const cupola_run_inputs *inputs,
                                          cupola_verification **verification) {
  return guarded({executable, verification}, [&] {
    CUPOLA_ASSIGN(const InputOptions chosen, inputsOf(inputs));
    auto made = std::make_unique<cupola_verification>();
    CUPOLA_TRY(verify(executable->executable, chosen, *made));
    *verification = made.release();
    return Status::ok();
  });
}

cupola_status *cupola_verification_inputs(const cupola_verification *verification, cupola_bytes *npz) {
  return guarded({verification, npz}, [&] {
    *npz = {verification->inputs.data(), verification->inputs.size()};
    return Status::ok();
  });
}

cupola_status *cupola_verification_compare(const cupola_verification *verification, cupola_bytes references,
                                           double tolerance, cupola_report **report, int32_t *passed) {
  return guarded({verification, report, passed}, [&] {
    CUPOLA_ASSIGN(const std::vector<npz::Array> arrays, npz::parse(viewOf(references)));
    if (!(tolerance >= 0))
      return Status::usage("the tolerance is " + std::to_string(tolerance) + ", expected 0 or more");
    const double chosen = tolerance > 0 ? tolerance : usualTolerance(verification->executable->package());
    CUPOLA_ASSIGN(const Comparison comparison, compareOutputs(verification->outputs, arrays, chosen, "references"));
    *passed = comparison.pass;
    return give(comparison.report(), report);
  });
}

cupola_status *cupola_verification_compare_kernels(const cupola_verification *verification, cupola_bytes diagnosis,
                                                   cupola_bytes references, double tolerance, cupola_report **report,
                                                   int32_t *passed) {
  return guarded({verification, report, passed}, [&] {
    CUPOLA_ASSIGN(const Diagnosis found, parseDiagnosis(viewOf(diagnosis)));
    Result<std::vector<npz::Array>> expected = std::vector<npz::Array>();
    if (references.data)
      expected = npz::parse(viewOf(references));
    CUPOLA_TRY(expected.status());
    CUPOLA_ASSIGN(KernelComparison comparison,
                  compareKernels(*verification->executable, verification->outputs, *expected, found, tolerance));
    *passed = comparison.pass;
    return give(std::move(comparison.report), report);
  });
}

void cupola_verification_release(cupola_verification *verification) { delete verification; }

} // extern "C"
