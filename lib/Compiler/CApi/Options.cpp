//===- lib/Compiler/CApi/Options.cpp - The caller's structs as the compiler takes them ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/CApi/Options.h"
#include "lib/Runtime/CApi/Guard.h"

#include <charconv>
#include <thread>

namespace cupola::compiler::capi {

using namespace cupola::runtime::capi;

namespace {

/// The caller's function as one of ours.
decltype(ModelSource::readExternal) readerOf(const cupola_model &model) {
  if (!model.read_external)
    return nullptr;
  return [read = model.read_external, user = model.user](const std::string &location, int64_t offset,
                                                         int64_t size) -> Result<std::string_view> {
    cupola_bytes bytes{};
    cupola_status *status =
        read(user, string(location), static_cast<uint64_t>(offset), static_cast<uint64_t>(size), &bytes);
    if (status) {
      const std::string text(view(cupola_status_message(status)));
      cupola_status_release(status);
      return Status::io(text);
    }
    return std::string_view(static_cast<const char *>(bytes.data), bytes.data ? bytes.size : 0);
  };
}

Result<ModelSource> inMemory(const cupola_model &model) {
  if (!model.bytes.data)
    return Status::usage("the model has neither a path nor bytes");
  if (model.read_external && view(model.external_folder).size() > 0)
    return Status::usage("the model has a folder and a function for external data, expected one of them");
  const std::string_view name = view(model.name);
  ModelSource source(std::string_view(static_cast<const char *>(model.bytes.data), model.bytes.size),
                     name.empty() ? "model" : std::string(name));
  CUPOLA_TRY(toText(model.external_folder, source.externalFolder));
  source.readExternal = readerOf(model);
  return source;
}

/// The elements of an array, each by `convert(element, place)`.
template <typename Given, typename Kept, typename Convert>
Status readAll(const Given *items, size_t count, std::vector<Kept> &kept, Convert convert) {
  if (count > 0)
    CUPOLA_TRY(present({items}));
  for (size_t i = 0; i < count; ++i)
    CUPOLA_TRY(convert(items[i], kept.emplace_back()));
  return Status::ok();
}

Status readStrings(const cupola_strings &given, std::vector<std::string> &kept) {
  return readAll(given.items, given.count, kept, toText);
}

Status readShape(const cupola_fixed_shape &given, ShapeSetting &kept) {
  if (given.rank > 0)
    CUPOLA_TRY(present({given.extents}));
  kept.dims.assign(given.extents, given.extents + given.rank);
  return toText(given.name, kept.name);
}

Status readDim(const cupola_dim_range &given, DimRange &kept) {
  CUPOLA_TRY(toText(given.name, kept.name));
  kept.min = given.min;
  kept.max = given.max;
  if (given.min < 0 || given.max < 0 || (given.max > 0 && given.max < given.min))
    return Status::usage("dimension '" + kept.name + "' has the interval " + std::to_string(given.min) + ".." +
                         std::to_string(given.max));
  return Status::ok();
}

Status readSetting(const cupola_setting &given, std::string &name, std::string &value) {
  CUPOLA_TRY(toText(given.name, name));
  return toText(given.value, value);
}

Status readSequence(const cupola_setting &given, SequenceSetting &kept) {
  std::string value;
  CUPOLA_TRY(readSetting(given, kept.name, value));
  if (value == "absent")
    return Status::ok();
  int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc() || end != value.data() + value.size())
    return Status::usage("sequence '" + kept.name + "' has the length '" + value + "', expected a number or absent");
  kept.count = count;
  return Status::ok();
}

Status readGiven(const cupola_given_input &given, GivenInput &kept) {
  if (given.rank > 0)
    CUPOLA_TRY(present({given.extents}));
  kept.shape.assign(given.extents, given.extents + given.rank);
  if (given.value.data)
    CUPOLA_TRY(toText(given.value, kept.value.emplace()));
  return toText(given.name, kept.name);
}

Status readTexts(const cupola_compile_options &given, Options &options) {
  if (given.targets.count > 0) {
    options.targets.clear();
    CUPOLA_TRY(readStrings(given.targets, options.targets));
  }
  CUPOLA_TRY(readStrings(given.archs, options.archs));
  CUPOLA_TRY(readStrings(given.cpu_levels, options.cpuLevels));
  CUPOLA_TRY(readStrings(given.op_libraries, options.opLibraries));
  options.trustSnippets = given.trust_snippets != 0;
  CUPOLA_TRY(readStrings(given.disabled_passes, options.disabledPasses));
  CUPOLA_TRY(toText(given.cache_dir, options.cacheDir));
  CUPOLA_TRY(toText(given.dump_ir_dir, options.dumpIrDir));
  if (view(given.precision).size() > 0)
    CUPOLA_TRY(toText(given.precision, options.precision));
  CUPOLA_TRY(readStrings(given.keep_fp32, options.keepFp32));
  CUPOLA_TRY(toText(given.io, options.io));
  CUPOLA_TRY(toText(given.tuning, options.tuning));
  CUPOLA_TRY(toText(given.tf32, options.tf32));
  if (view(given.int8_rows).size() > 0)
    CUPOLA_TRY(toText(given.int8_rows, options.int8Rows));
  std::string libraries = "auto";
  if (view(given.libraries).size() > 0)
    CUPOLA_TRY(toText(given.libraries, libraries));
  CUPOLA_ASSIGN(options.libraries, format::chosenLibraries(libraries));
  return Status::ok();
}

Status readSettings(const cupola_compile_options &given, Options &options) {
  CUPOLA_TRY(readAll(given.shapes, given.shape_count, options.shapes, readShape));
  CUPOLA_TRY(readAll(given.dims, given.dim_count, options.dims, readDim));
  CUPOLA_TRY(readAll(given.values, given.value_count, options.values, [](const cupola_setting &from, ValueSetting &to) {
    return readSetting(from, to.name, to.value);
  }));
  CUPOLA_TRY(
      readAll(given.aliases, given.alias_count, options.aliases,
              [](const cupola_setting &from, AliasSetting &to) { return readSetting(from, to.input, to.output); }));
  CUPOLA_TRY(readAll(given.sequences, given.sequence_count, options.sequences, readSequence));
  if (given.given)
    CUPOLA_TRY(readAll(given.given, given.given_count, options.given.emplace(), readGiven));
  if (given.limit_count > 0)
    CUPOLA_TRY(present({given.limits}));
  for (size_t i = 0; i < given.limit_count; ++i) {
    std::string name;
    CUPOLA_TRY(toText(given.limits[i].name, name));
    options.limits[name] = given.limits[i].value;
  }
  return Status::ok();
}

void readCallbacks(const cupola_compile_options &given, Options &options) {
  void *user = given.user;
  if (given.progress)
    options.progress = [user, tell = given.progress](const std::string &what) { tell(user, string(what)); };
  if (given.warn)
    options.warn = [user, tell = given.warn](const std::string &text) { tell(user, string(text)); };
  if (given.cancelled)
    options.cancelled = [user, ask = given.cancelled] { return ask(user) != 0; };
}

} // namespace

Result<ModelSource> sourceOf(const cupola_model *model) {
  CUPOLA_TRY(present({model}));
  const cupola_model known = versioned(model);
  std::string path;
  CUPOLA_TRY(toText(known.path, path));
  if (path.empty())
    return inMemory(known);
  if (known.bytes.data)
    return Status::usage("the model has a path and bytes, expected one of them");
  return ModelSource(std::move(path));
}

Result<Options> optionsOf(const cupola_compile_options *options) {
  const cupola_compile_options known = versioned(options);
  Options result;
  CUPOLA_TRY(readTexts(known, result));
  CUPOLA_TRY(readSettings(known, result));
  result.sourceOnly = known.source_only != 0;
  result.allowHardLinks = known.allow_hard_links != 0;
  result.allowDecoders = known.allow_decoders != 0;
  result.kernelResults = known.kernel_results != 0;
  result.threads = known.threads ? known.threads : std::max(1u, std::thread::hardware_concurrency());
  readCallbacks(known, result);
  return result;
}

} // namespace cupola::compiler::capi
