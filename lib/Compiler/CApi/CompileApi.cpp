//===- lib/Compiler/CApi/CompileApi.cpp - The C functions from a model to a package ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/CApi/Options.h"
#include "lib/Runtime/CApi/Guard.h"

#include "cupola/Runtime/Runtime.h"

using namespace cupola;
using namespace cupola::compiler;
using namespace cupola::runtime::capi;

namespace {

/// The error of a function of the runtime; `code` in place of its own, if it is one.
Status taken(cupola_status *status, std::optional<Code> code = std::nullopt) {
  if (!status)
    return Status::ok();
  const Status result(code.value_or(static_cast<Code>(cupola_status_code(status))),
                      std::string(view(cupola_status_message(status))));
  cupola_status_release(status);
  return result;
}

/// Packages are the runtime library's: it opens the file, and verifies it with that.
std::function<Status(const std::string &path)> opened(cupola_package **package) {
  return
      [package](const std::string &path) { return taken(cupola_package_open(string(path), package), Code::Package); };
}

} // namespace

extern "C" {

cupola_status *cupola_compile(const cupola_model *model, const cupola_compile_options *options,
                              cupola_package **package) {
  return guarded({package}, [&] {
    CUPOLA_ASSIGN(ModelSource source, compiler::capi::sourceOf(model));
    CUPOLA_ASSIGN(Options chosen, compiler::capi::optionsOf(options));
    cupola_package *made = nullptr;
    const auto compiled = Compilation::compile(
        source, std::move(chosen), {opened(&made), [&](Compilation &compilation) -> Status {
                                      CUPOLA_ASSIGN(const std::string bytes, compilation.package());
                                      return taken(cupola_package_open_memory(bytes.data(), bytes.size(), &made));
                                    }});
    CUPOLA_TRY(compiled.status());
    *package = made;
    return Status::ok();
  });
}

cupola_status *cupola_find_compiled(const cupola_model *model, const cupola_compile_options *options,
                                    cupola_package **package) {
  return guarded({package}, [&] {
    CUPOLA_ASSIGN(ModelSource source, compiler::capi::sourceOf(model));
    CUPOLA_ASSIGN(Options chosen, compiler::capi::optionsOf(options));
    cupola_package *found = nullptr;
    CUPOLA_TRY(Compilation::find(source, std::move(chosen), opened(&found)).status());
    *package = found;
    return Status::ok();
  });
}

} // extern "C"
