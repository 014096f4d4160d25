//===- lib/Runtime/CPU/OneDnn.cpp - oneDNN, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/OneDnn.h"
#include "lib/Runtime/DynamicLibrary.h"

#include <cstdlib>

namespace cupola::runtime::onednn {

Status OneDnn::check(ErrorCode code, const char *what) const {
  if (code == 0)
    return Status::ok();
  return Status::environment(title + " cannot " + what + " (error " + std::to_string(code) + ")");
}

Result<std::shared_ptr<const OneDnn>> OneDnn::load() {
  const char *chosen = std::getenv("CUPOLA_ONEDNN");
  const std::string path = chosen && *chosen ? chosen : "libdnnl.so.2";
  if (path == "none")
    return Status::environment("CUPOLA_ONEDNN is none");
  DynamicLibrary library;
  std::string tried;
  if (!library.openFirst({path}, tried))
    return Status::environment("oneDNN was not found: " + tried.substr(2)); // one line, indented
  std::shared_ptr<OneDnn> made(new OneDnn);
  for (const Symbol &row : symbols) {
    void *address = library.symbol(row.name);
    if (!address)
      return Status::environment(path + " has no " + row.name + ": oneDNN 2.6 or a later one of version 2 is needed");
    *reinterpret_cast<void **>(reinterpret_cast<char *>(&made->table) + row.offset) = address;
  }
  // Those of the OpenMP that the library itself is linked to.
  made->getThreads = reinterpret_cast<int (*)()>(library.symbol("omp_get_max_threads"));
  made->setThreads = reinterpret_cast<void (*)(int)>(library.symbol("omp_set_num_threads"));
  CUPOLA_TRY(made->start(library.path()));
  return std::shared_ptr<const OneDnn>(std::move(made));
}

Status OneDnn::start(const std::string &path) {
  libraryPath = path;
  number = *table.version();
  title = "oneDNN " + std::to_string(number.major) + "." + std::to_string(number.minor) + "." +
          std::to_string(number.patch);
  if (number.major != 2 || number.minor < 6)
    return Status::environment(path + " is " + title + ": 2.6 or a later one of version 2 is needed");
  if (number.cpuRuntime == runtimeSequential)
    setThreads = nullptr;
  else if (number.cpuRuntime != runtimeOpenMp || !getThreads || !setThreads)
    return Status::environment(path + " is " + title + " with threads that are not OpenMP's");
  Engine engine = nullptr;
  CUPOLA_TRY(check(table.createEngine(&engine, engineCpu, 0), "use this processor"));
  processor = {engine, table.destroyEngine};
  return Status::ok();
}

} // namespace cupola::runtime::onednn
