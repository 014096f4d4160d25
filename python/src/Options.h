//===- python/src/Options.h - A model and options as Python gives them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_PYTHON_SRC_OPTIONS_H
#define CUPOLA_PYTHON_SRC_OPTIONS_H

#include "cupola/Compiler/Compiler.hpp"

#include <atomic>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>

namespace cupola::python {

using Bytes = nanobind::ndarray<const uint8_t, nanobind::ndim<1>, nanobind::c_contig>;

/// cupola_model. Its functions are called with the interpreter's lock.
struct Model {
  std::string path, name, externalFolder;
  nanobind::object data = nanobind::none();         ///< bytes, or None
  nanobind::object readExternal = nanobind::none(); ///< (location, offset, size) -> bytes, or None

  /// Refers to this, with the lock. The model outlives it.
  cupola_model view();

private:
  static cupola_status *read(void *user, cupola_string location, uint64_t offset, uint64_t size, cupola_bytes *bytes);

  Bytes encoded, external; ///< what `data` and the last call of `readExternal` gave
};

/// cupola_compile_options: the C interface's fields under their names there. A compilation keeps it.
struct Options {
  using Names = std::vector<std::string>;
  using Setting = std::pair<std::string, std::string>;

  Names targets, archs, cpuLevels, disabledPasses, keepFp32, opLibraries;
  bool sourceOnly = false, allowHardLinks = false, allowDecoders = false, kernelResults = false, trustSnippets = false;
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  std::vector<std::tuple<std::string, int64_t, int64_t>> dims; ///< name, min, max
  std::vector<Setting> values, aliases, sequences;
  /// Name, extents, numbers if they are few; none: cupola_compile_options::given is null.
  std::optional<std::vector<std::tuple<std::string, std::vector<int64_t>, std::optional<std::string>>>> given;
  std::vector<std::pair<std::string, int64_t>> limits;
  std::string cacheDir, dumpIrDir, libraries, precision, io, tf32, int8Rows, tuning;
  uint32_t threads = 0;
  /// (str) -> None, which do not raise; or None.
  nanobind::object progress = nanobind::none(), warn = nanobind::none();
  std::atomic<bool> stop{false}; ///< ends the compilation under way

  /// What the C interface reads. Refers to the options.
  class View {
  public:
    explicit View(Options &options);
    const cupola_compile_options *get() const { return &given; }

  private:
    cupola_strings list(const Names &names);
    void readInputs(const Options &options);

    std::vector<std::vector<cupola_string>> lists;
    std::vector<cupola_fixed_shape> shapes;
    std::vector<cupola_dim_range> dims;
    std::vector<cupola_setting> values, aliases, sequences;
    std::vector<cupola_given_input> inputs;
    std::vector<cupola_limit> limits;
    cupola_compile_options given = compileOptions();
  };
};

/// Binds `Model` and `Options`.
void bindOptions(nanobind::module_ &module);

} // namespace cupola::python

#endif // CUPOLA_PYTHON_SRC_OPTIONS_H
