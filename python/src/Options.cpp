//===- python/src/Options.cpp - A model and options as Python gives them ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Options.h"
#include "python/src/Errors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cupola::python {

//===--- Model ---===//

cupola_model Model::view() {
  cupola_model model{};
  model.struct_size = sizeof(model);
  model.path = capi::string(path);
  if (data.is_none())
    return model;
  encoded = nb::cast<Bytes>(data);
  // An empty model is one, too: it has an address.
  model.bytes = {encoded.size() ? static_cast<const void *>(encoded.data()) : "", encoded.size()};
  model.name = capi::string(name);
  model.external_folder = capi::string(externalFolder);
  model.read_external = readExternal.is_none() ? nullptr : &Model::read;
  model.user = this;
  return model;
}

cupola_status *Model::read(void *user, cupola_string location, uint64_t offset, uint64_t size, cupola_bytes *bytes) {
  Model &model = *static_cast<Model *>(user);
  nb::gil_scoped_acquire acquire;
  try {
    model.external = nb::cast<Bytes>(model.readExternal(textOf(capi::text(location)), offset, size));
    *bytes = {model.external.data(), model.external.size()};
    return nullptr;
  } catch (const std::exception &error) {
    return cupola_status_create(CUPOLA_IO, capi::string(error.what()));
  }
}

//===--- Options ---===//

/// Calls a function of Python that says that it does not raise.
static void tell(const nb::object &function, cupola_string text) {
  nb::gil_scoped_acquire acquire;
  try {
    function(textOf(capi::text(text)));
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("cupola: a function of the compiler's caller");
  }
}

cupola_strings Options::View::list(const Names &names) {
  std::vector<cupola_string> &strings = lists.emplace_back();
  for (const std::string &name : names)
    strings.push_back(capi::string(name));
  return {strings.data(), strings.size()};
}

static void readSettings(const std::vector<Options::Setting> &settings, std::vector<cupola_setting> &given) {
  for (const auto &[name, value] : settings)
    given.push_back({capi::string(name), capi::string(value)});
}

void Options::View::readInputs(const Options &options) {
  if (!options.given)
    return;
  for (const auto &[name, extents, numbers] : *options.given)
    inputs.push_back(
        {capi::string(name), extents.data(), extents.size(), numbers ? capi::string(*numbers) : cupola_string{}});
  inputs.reserve(1); // a list without inputs has an address, too
  given.given = inputs.data(), given.given_count = inputs.size();
}

Options::View::View(Options &options) {
  given.targets = list(options.targets);
  given.archs = list(options.archs);
  given.cpu_levels = list(options.cpuLevels);
  given.disabled_passes = list(options.disabledPasses);
  given.source_only = options.sourceOnly;
  given.allow_hard_links = options.allowHardLinks;
  given.allow_decoders = options.allowDecoders;
  given.kernel_results = options.kernelResults;
  for (const auto &[name, extents] : options.shapes)
    shapes.push_back({capi::string(name), extents.data(), extents.size()});
  for (const auto &[name, min, max] : options.dims)
    dims.push_back({capi::string(name), min, max});
  readSettings(options.values, values);
  readSettings(options.aliases, aliases);
  readSettings(options.sequences, sequences);
  readInputs(options);
  for (const auto &[name, value] : options.limits)
    limits.push_back({capi::string(name), value});
  given.shapes = shapes.data(), given.shape_count = shapes.size();
  given.dims = dims.data(), given.dim_count = dims.size();
  given.values = values.data(), given.value_count = values.size();
  given.aliases = aliases.data(), given.alias_count = aliases.size();
  given.sequences = sequences.data(), given.sequence_count = sequences.size();
  given.limits = limits.data(), given.limit_count = limits.size();
  given.cache_dir = capi::string(options.cacheDir);
  given.dump_ir_dir = capi::string(options.dumpIrDir);
  given.libraries = capi::string(options.libraries);
  given.precision = capi::string(options.precision);
  given.keep_fp32 = list(options.keepFp32);
  given.io = capi::string(options.io);
  given.op_libraries = list(options.opLibraries);
  given.trust_snippets = options.trustSnippets;
  given.tuning = capi::string(options.tuning);
  given.tf32 = capi::string(options.tf32);
  given.int8_rows = capi::string(options.int8Rows);
  given.threads = options.threads;
  given.user = &options;
  if (!options.progress.is_none())
    given.progress = [](void *user, cupola_string what) { tell(static_cast<Options *>(user)->progress, what); };
  if (!options.warn.is_none())
    given.warn = [](void *user, cupola_string text) { tell(static_cast<Options *>(user)->warn, text); };
  given.cancelled = [](void *user) { return static_cast<Options *>(user)->stop.load() ? 1 : 0; };
}

void bindOptions(nb::module_ &module) {
  nb::class_<Model>(module, "Model", "cupola_model: a file, or bytes.")
      .def(nb::init<>())
      .def_rw("path", &Model::path)
      .def_rw("name", &Model::name)
      .def_rw("external_folder", &Model::externalFolder)
      .def_rw("data", &Model::data, nb::arg().none())
      .def_rw("read_external", &Model::readExternal, nb::arg().none());

  nb::class_<Options>(module, "Options", nb::is_weak_referenceable(), "cupola_compile_options")
      .def(nb::init<>())
      .def_rw("targets", &Options::targets)
      .def_rw("archs", &Options::archs)
      .def_rw("cpu_levels", &Options::cpuLevels)
      .def_rw("disabled_passes", &Options::disabledPasses)
      .def_rw("source_only", &Options::sourceOnly)
      .def_rw("allow_hard_links", &Options::allowHardLinks)
      .def_rw("allow_decoders", &Options::allowDecoders)
      .def_rw("kernel_results", &Options::kernelResults)
      .def_rw("shapes", &Options::shapes)
      .def_rw("dims", &Options::dims)
      .def_rw("values", &Options::values)
      .def_rw("aliases", &Options::aliases)
      .def_rw("sequences", &Options::sequences)
      .def_rw("given", &Options::given, nb::arg().none())
      .def_rw("limits", &Options::limits)
      .def_rw("cache_dir", &Options::cacheDir)
      .def_rw("dump_ir_dir", &Options::dumpIrDir)
      .def_rw("libraries", &Options::libraries)
      .def_rw("precision", &Options::precision)
      .def_rw("keep_fp32", &Options::keepFp32)
      .def_rw("io", &Options::io)
      .def_rw("tf32", &Options::tf32)
      .def_rw("int8_rows", &Options::int8Rows)
      .def_rw("op_libraries", &Options::opLibraries)
      .def_rw("trust_snippets", &Options::trustSnippets)
      .def_rw("tuning", &Options::tuning)
      .def_rw("threads", &Options::threads)
      .def_rw("progress", &Options::progress, nb::arg().none())
      .def_rw("warn", &Options::warn, nb::arg().none())
      .def(
          "cancel", [](Options &options) { options.stop = true; },
          "Ends the compilation under way, which raises; from any thread.");
}

} // namespace cupola::python
