//===- lib/Runtime/CUDA/LibraryPaths.cpp - where to look for CUDA's libraries ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/LibraryPaths.h"

#include <cstdlib>
#include <dlfcn.h>

namespace cupola::runtime::cuda {

/// The folder of the binary that holds this function: NVIDIA's Python packages install side by side with ours, which
/// has the libraries in lib/ and the tools in bin/.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return {};
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// The library folders below a CUDA home, as the toolkit ("lib64"), and NVIDIA's Python packages ("lib", or one folder
/// per component until CUDA 12) lay them out.
static void addHome(const std::string &home, std::vector<std::string> &prefixes) {
  for (const char *sub : {"/lib64/", "/lib/", "/nvidia/cu13/lib/", "/nvidia/cuda_nvrtc/lib/", "/nvidia/cublas/lib/"})
    prefixes.push_back(home + sub);
}

std::vector<std::string> cudaLibraryCandidates(const std::string &stem, const std::vector<int> &majors) {
  std::vector<std::string> prefixes;
  const char *chosen = std::getenv("CUPOLA_CUDA_HOME");
  if (chosen && *chosen) {
    addHome(chosen, prefixes);
  } else {
    const std::string own = ownFolder();
    if (!own.empty()) {
      for (const char *component : {"cu13", "cuda_nvrtc", "cublas"})
        prefixes.push_back(own + "/../../nvidia/" + component + "/lib/");
    }
    prefixes.push_back(""); // run path (a development build names its CUDA folder there), LD_LIBRARY_PATH, ld.so.cache
    prefixes.push_back("/usr/local/cuda/lib64/");
    prefixes.push_back("/usr/local/cuda/lib/");
  }
  std::vector<std::string> result;
  for (const std::string &prefix : prefixes)
    for (int major : majors)
      result.push_back(prefix + stem + "." + std::to_string(major));
  return result;
}

} // namespace cupola::runtime::cuda
