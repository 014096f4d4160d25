//===- lib/Runtime/DynamicLibrary.cpp - a library opened by dlopen ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/DynamicLibrary.h"

#include <dlfcn.h>
#include <link.h>

namespace cupola::runtime {

bool DynamicLibrary::openFirst(const std::vector<std::string> &candidates, std::string &tried) {
  for (const std::string &candidate : candidates) {
    // Local: nothing else in the process may bind to these symbols, nor we to another copy of them.
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle) {
      const link_map *found = nullptr; // of a bare name: where the loader's search led
      const bool isKnown = dlinfo(handle, RTLD_DI_LINKMAP, &found) == 0 && found->l_name && *found->l_name;
      openedPath = isKnown ? found->l_name : candidate;
      return true;
    }
    const char *reason = dlerror();
    std::string text = reason ? reason : "unknown reason";
    // The loader's text usually begins with the path that it is about.
    const std::string prefix = candidate + ": ";
    if (text.compare(0, prefix.size(), prefix) == 0)
      text.erase(0, prefix.size());
    tried += (tried.empty() ? "  " : "\n  ") + candidate + ": " + text;
  }
  return false;
}

void *DynamicLibrary::symbol(const char *name) const { return handle ? dlsym(handle, name) : nullptr; }

} // namespace cupola::runtime
