//===- lib/Compiler/CApi/CompilationApi.cpp - The C functions of the compiler ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/CApi/Options.h"
#include "lib/Compiler/CheckReport.h"
#include "lib/Compiler/ExplainText.h"
#include "lib/Runtime/CApi/Guard.h"
#include "lib/Runtime/Format/PackageWriter.h"

#include <optional>
#include <set>

using namespace cupola;
using namespace cupola::compiler;
using namespace cupola::runtime::capi;

struct cupola_problems {
  std::vector<Problem> list;
};

/// With what its functions have returned.
struct cupola_compilation {
  std::unique_ptr<Compilation> compilation;
  std::optional<std::string> package, explained;
  std::string reference, diagnosis;         ///< for others, as bytes
  std::map<std::string, std::string> texts; ///< by phase
  mutable std::set<std::string> names;      ///< of phases
};

namespace {

/// Calls `make` for a text that is not there yet.
template <typename Make> Status fill(std::optional<std::string> &text, Make make) {
  if (text)
    return Status::ok();
  CUPOLA_ASSIGN(text, make());
  return Status::ok();
}

/// Whether a check finds such an error in the model, rather than failing.
bool isOfModel(Code code) {
  return code == Code::BadModel || code == Code::Unsupported || code == Code::Limit || code == Code::IO;
}

Status give(const runtime::Report &report, cupola_report **target) {
  cupola_status *status = cupola_report_create(string(report.text), string(report.json), target);
  if (!status)
    return Status::ok();
  const Status result(static_cast<Code>(cupola_status_code(status)), std::string(view(cupola_status_message(status))));
  cupola_status_release(status);
  return result;
}

Status noIndex(const char *what, size_t index, size_t count) {
  return Status::usage(std::string(what) + " " + std::to_string(index) + " of " + std::to_string(count));
}

} // namespace

extern "C" {

cupola_string cupola_compiler_version(void) { return string(format::version()); }

cupola_status *cupola_model_check(const cupola_model *model, const cupola_compile_options *options,
                                  cupola_problems **problems) {
  return guarded({problems}, [&] {
    CUPOLA_ASSIGN(ModelSource source, compiler::capi::sourceOf(model));
    CUPOLA_ASSIGN(Options chosen, compiler::capi::optionsOf(options));
    auto found = std::make_unique<cupola_problems>();
    const Status status = Compilation::check(source, std::move(chosen), found->list);
    if (status.failed() && !isOfModel(status.code()))
      return status;
    *problems = found.release();
    return Status::ok();
  });
}

size_t cupola_problems_count(const cupola_problems *problems) { return problems ? problems->list.size() : 0; }

cupola_status *cupola_problems_get(const cupola_problems *problems, size_t index, cupola_problem *problem) {
  return guarded({problems, problem}, [&] {
    if (index >= problems->list.size())
      return noIndex("problem", index, problems->list.size());
    const Problem &found = problems->list[index];
    giveVersioned(cupola_problem{0, static_cast<cupola_code>(found.code), string(found.node), string(found.op),
                                 found.opset, string(found.reason), string(found.text),
                                 found.isDecidedByInputs ? 1 : 0},
                  problem);
    return Status::ok();
  });
}

cupola_status *cupola_problems_report(const cupola_problems *problems, cupola_string name, cupola_report **report) {
  return guarded({problems, report},
                 [&] { return give(checkReport(std::string(view(name)), problems->list), report); });
}

void cupola_problems_release(cupola_problems *problems) { delete problems; }

cupola_status *cupola_compilation_create(const cupola_model *model, const cupola_compile_options *options,
                                         cupola_compilation **compilation) {
  return guarded({compilation}, [&] {
    CUPOLA_ASSIGN(ModelSource source, compiler::capi::sourceOf(model));
    CUPOLA_ASSIGN(Options chosen, compiler::capi::optionsOf(options));
    auto handle = std::make_unique<cupola_compilation>();
    CUPOLA_ASSIGN(handle->compilation, Compilation::load(source, std::move(chosen)));
    *compilation = handle.release();
    return Status::ok();
  });
}

void cupola_compilation_release(cupola_compilation *compilation) { delete compilation; }

cupola_status *cupola_compilation_build(cupola_compilation *compilation) {
  return guarded({compilation}, [&] { return compilation->compilation->build(); });
}

cupola_status *cupola_compilation_write_package(cupola_compilation *compilation, cupola_string path) {
  return guarded({compilation}, [&] {
    std::string name;
    CUPOLA_TRY(toText(path, name));
    return compilation->compilation->writePackage(name);
  });
}

cupola_status *cupola_compilation_package(cupola_compilation *compilation, cupola_bytes *bytes) {
  return guarded({compilation, bytes}, [&] {
    CUPOLA_TRY(fill(compilation->package, [&] { return compilation->compilation->package(); }));
    *bytes = {compilation->package->data(), compilation->package->size()};
    return Status::ok();
  });
}

cupola_status *cupola_compilation_emit(cupola_compilation *compilation, cupola_string phase, cupola_string *text) {
  return guarded({compilation, text}, [&] {
    const std::string name(view(phase));
    auto place = compilation->texts.find(name);
    if (place == compilation->texts.end()) {
      CUPOLA_ASSIGN(std::string made, compilation->compilation->emit(name));
      place = compilation->texts.emplace(name, std::move(made)).first;
    }
    *text = string(place->second);
    return Status::ok();
  });
}

cupola_status *cupola_compilation_explain(cupola_compilation *compilation, cupola_string *json) {
  return guarded({compilation, json}, [&] {
    CUPOLA_TRY(fill(compilation->explained, [&] { return compilation->compilation->explain(); }));
    *json = string(*compilation->explained);
    return Status::ok();
  });
}

cupola_status *cupola_compilation_explain_report(cupola_compilation *compilation, int32_t all_edges,
                                                 cupola_report **report) {
  return guarded({compilation, report}, [&] {
    CUPOLA_TRY(fill(compilation->explained, [&] { return compilation->compilation->explain(); }));
    CUPOLA_ASSIGN(std::string json, compilation->compilation->explainWithSources());
    return give({explainText(*compilation->explained, all_edges != 0), std::move(json)}, report);
  });
}

cupola_status *cupola_compilation_reference(cupola_compilation *compilation, cupola_bytes inputs,
                                            cupola_bytes *outputs) {
  return guarded({compilation, inputs.data, outputs}, [&] {
    CUPOLA_ASSIGN(const std::vector<npz::Array> given,
                  npz::parse({static_cast<const char *>(inputs.data), inputs.size}));
    CUPOLA_ASSIGN(const std::vector<npz::Array> computed, compilation->compilation->reference(given));
    CUPOLA_ASSIGN(std::string archive, npz::serialize(computed));
    compilation->reference = std::move(archive);
    *outputs = {compilation->reference.data(), compilation->reference.size()};
    return Status::ok();
  });
}

cupola_status *cupola_compilation_diagnose(cupola_compilation *compilation, cupola_bytes inputs, cupola_string target,
                                           cupola_string arch, double tolerance, cupola_bytes *diagnosis) {
  return guarded({compilation, inputs.data, diagnosis}, [&] {
    CUPOLA_ASSIGN(const std::vector<npz::Array> given,
                  npz::parse({static_cast<const char *>(inputs.data), inputs.size}));
    CUPOLA_ASSIGN(const Diagnosis found, compilation->compilation->diagnose(given, std::string(view(target)),
                                                                            std::string(view(arch)), tolerance));
    CUPOLA_ASSIGN(std::string bytes, runtime::serialize(found));
    compilation->diagnosis = std::move(bytes);
    *diagnosis = {compilation->diagnosis.data(), compilation->diagnosis.size()};
    return Status::ok();
  });
}

size_t cupola_compilation_phase_count(const cupola_compilation *compilation) {
  return compilation ? compilation->compilation->phases().size() : 0;
}

cupola_status *cupola_compilation_phase(const cupola_compilation *compilation, size_t index, cupola_phase *phase) {
  return guarded({compilation, phase}, [&] {
    const auto phases = compilation->compilation->phases();
    if (index >= phases.size())
      return noIndex("phase", index, phases.size());
    const auto &[name, milliseconds] = phases[index];
    giveVersioned(cupola_phase{0, string(*compilation->names.insert(name).first), milliseconds}, phase);
    return Status::ok();
  });
}

} // extern "C"
