//===- lib/Runtime/CPU/OneDnn.h - oneDNN, opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_ONEDNN_H
#define CUPOLA_LIB_RUNTIME_CPU_ONEDNN_H

#include "lib/Runtime/CPU/OneDnnApi.h"
#include "lib/Runtime/Format/LibraryCosts.h"
#include "lib/Runtime/Status.h"

#include <memory>
#include <string>
#include <type_traits>

namespace cupola::runtime::onednn {

/// What the library gave, to be given back.
template <typename T> using Owned = std::unique_ptr<std::remove_pointer_t<T>, ErrorCode (*)(T)>;

/// One loaded library with its engine. Immutable, so any thread may use it.
class OneDnn {
public:
  /// Opens what $CUPOLA_ONEDNN names (a path), else libdnnl.so.2, as Debian has it. Code::Environment
  /// where there is none, where it is none of version 2 from 2.6 on, where its threads are
  /// not OpenMP's, and where the variable is `none`.
  static Result<std::shared_ptr<const OneDnn>> load();

  const Api &api() const { return table; }
  Engine engine() const { return processor.get(); }
  /// "oneDNN 2.6.3"
  const std::string &name() const { return title; }
  const std::string &path() const { return libraryPath; }
  format::LibraryVersion version() const { return {number.major, number.minor}; }
  /// Code::Environment with the library's number of an error.
  Status check(ErrorCode code, const char *what) const;

private:
  OneDnn() = default;
  Status start(const std::string &path);

  friend class SingleThread;
  Api table = {};
  Version number = {};
  int (*getThreads)() = nullptr;
  void (*setThreads)(int) = nullptr;
  Owned<Engine> processor{nullptr, nullptr};
  std::string title, libraryPath;
};

/// While it lives, the library works on the calling thread alone: the threads of the
/// runtime's pool are the only ones.
class SingleThread {
public:
  explicit SingleThread(const OneDnn &library) : library(library) {
    if (!library.setThreads)
      return;
    before = library.getThreads();
    library.setThreads(1);
  }
  ~SingleThread() {
    if (library.setThreads)
      library.setThreads(before);
  }
  SingleThread(const SingleThread &) = delete;
  SingleThread &operator=(const SingleThread &) = delete;

private:
  const OneDnn &library;
  int before = 1;
};

} // namespace cupola::runtime::onednn

#endif // CUPOLA_LIB_RUNTIME_CPU_ONEDNN_H
