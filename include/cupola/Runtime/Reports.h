//===- include/cupola/Runtime/Reports.h - What packages hold, how runs go: the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
//
// `cupola inspect`, `bench`, `verify`, traces and metrics as functions of libcupola_runtime.so, with the rules of
// Runtime.h. Tensors are given and returned as .npz files in memory (numpy's savez): an array for each under its name.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_RUNTIME_REPORTS_H
#define CUPOLA_RUNTIME_REPORTS_H

#include "cupola/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the package holds, "cupola.inspect/1". `name` stands for it in the text. */
CUPOLA_API cupola_status *cupola_package_inspect(const cupola_package *package, cupola_string name,
                                                 cupola_report **report);

/* Where the inputs of a run come from. */
typedef struct cupola_run_inputs {
  size_t struct_size;
  cupola_bytes npz;      /* their values; NULL: random ones, of the fields below */
  cupola_strings shapes; /* of random ones: "batch=16" or "x=1x3x224x224", all that the package leaves open */
  uint64_t seed;         /* equal seeds give equal values */
} cupola_run_inputs;

/* What is measured. */
typedef struct cupola_bench_options {
  size_t struct_size;
  uint64_t warmup;     /* runs before the measured ones */
  uint64_t iterations; /* measured runs; 0: one */
  int32_t profile;     /* 1: also time every step, in as many runs of their own */
} cupola_bench_options;

/* Times of whole runs, inputs on the host to outputs on the host, in a session of its own: "cupola-run/1". NULL inputs
 * are random ones. */
CUPOLA_API cupola_status *cupola_executable_bench(cupola_executable *executable, const cupola_run_inputs *inputs,
                                                  const cupola_bench_options *options, cupola_report **report);

/* As cupola_session_run, step by step with the time of each, for which the device is waited for after every step. The
 * report's text has a line per step, its JSON is a trace, "cupola.trace/1", which Perfetto and Chrome's viewer read. */
CUPOLA_API cupola_status *cupola_session_profile(cupola_session *session, const cupola_tensor *inputs,
                                                 size_t input_count, const cupola_tensor *outputs, size_t output_count,
                                                 cupola_report **report);

/* What the session did so far: runs, failures, a histogram of latencies, compilations and cache hits of its device,
 * memory. A snapshot of counters that are kept anyway, which may be taken at any time and on any thread, while the
 * session runs on another. The report's text is Prometheus's exposition format, its JSON "cupola.metrics/1". `name`
 * becomes the label `model`; empty: there is none. Runs of cupola_session_profile do not count. */
CUPOLA_API cupola_status *cupola_session_metrics(const cupola_session *session, cupola_string name,
                                                 cupola_report **report);

/* One run, to be held against references. */
typedef struct cupola_verification cupola_verification;

/* Runs once, with memory that marks what is dead, so that a plan which reads such gives NaN. */
CUPOLA_API cupola_status *cupola_verification_create(cupola_executable *executable, const cupola_run_inputs *inputs,
                                                     cupola_verification **verification);
/* The inputs of the run, as cupola_compilation_reference takes them; they live as long as the verification. */
CUPOLA_API cupola_status *cupola_verification_inputs(const cupola_verification *verification, cupola_bytes *npz);
/* Compares the outputs that `references` has, by name: "cupola.verify/1". Floats pass when |a - b| <= T * max|b| + T *
 * |b|, T being the tolerance; 0: 5e-5, of a model with float16 5e-3, with bfloat16 4e-2, with rows of int8 5e-2, where
 * an output is a float of 4 or 8 bits a unit in its last place. Integers and bools are to be equal. `passed` gets 1 if
 * all outputs do. CUPOLA_USAGE where nothing is compared. */
CUPOLA_API cupola_status *cupola_verification_compare(const cupola_verification *verification, cupola_bytes references,
                                                      double tolerance, cupola_report **report, int32_t *passed);
/* Holds every kernel's result against a diagnosis of the same inputs (cupola_compilation_diagnose), where the package
 * was compiled with kernel_results, and the imported graph against `references`, unless they are NULL: `kernels` and
 * `first_difference` of "cupola.verify/1". `tolerance` is not 0 here. */
CUPOLA_API cupola_status *cupola_verification_compare_kernels(const cupola_verification *verification,
                                                              cupola_bytes diagnosis, cupola_bytes references,
                                                              double tolerance, cupola_report **report,
                                                              int32_t *passed);
/* Takes NULL. */
CUPOLA_API void cupola_verification_release(cupola_verification *verification);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_RUNTIME_REPORTS_H
