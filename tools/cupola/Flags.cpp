//===- tools/cupola/Flags.cpp - options that several commands take ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/Command.h"

#include <thread>

namespace cupola::tool {

void CompileFlags::declare(CLI::App &app, const std::string &what, bool withTargets) {
  const bool takesPackages = what.find("FILE.cupola") != std::string::npos;
  app.add_option(what, model,
                 takesPackages ? "The model, or a package that `cupola compile` made"
                               : "The model; what a package holds is shown by `cupola inspect`")
      ->required();
  if (withTargets)
    app.add_option("--target", given.targets, "What to compile for: cuda or cpu (default: cuda,cpu)")->delimiter(',');
  app.add_option("--arch", given.archs,
                 "CUDA architectures to make machine code for now, as sm_80,sm_90a (needs NVRTC). "
                 "Without it the package carries source, which the machine it runs on compiles")
      ->delimiter(',');
  app.add_option("--cpu", given.cpuLevels, "CPU levels: x86-64-v3,x86-64-v4 (default: both)")->delimiter(',');
  app.add_option("--shape", shapes,
                 "Fix an input's shape, as x=1x3x224x224, or a dynamic dimension, as batch=16; "
                 "may be repeated");
  app.add_option("--dim", dims, "Bound a dimension that stays dynamic, as past=1..4096");
  app.add_option(
      "--set", sets,
      "Pin an input to a value, as sample_rate=16000 or axes=0,2: the model is compiled for it and has no such "
      "input any more; may be repeated");
  app.add_option(
      "--sequence", sequences,
      "Of how many tensors an input that is a sequence consists, as x=3; of an optional, x=1, or x=absent for "
      "one without a value. Files of inputs have them as x[0], x[1].. and tell it by themselves; may be "
      "repeated");
  app.add_option(
      "--alias", aliases,
      "Keep an output in the memory of the input that it begins with, as past=present or, for all layers, "
      "past_*=present_*: a run then writes only what Concat or GroupQueryAttention appends; may be repeated");
  app.add_option("--precision", given.precision,
                 "fp16 or bf16: what is f32 in the model lies in memory with 16 bits and is computed in f32, matrix "
                 "products on 16-bit operands. What needs more stays f32 (`cupola explain` says what and why)")
      ->check(CLI::IsMember({"fp32", "fp16", "bf16"}))
      ->capture_default_str();
  app.add_option("--keep-fp32", given.keepFp32,
                 "With --precision or --tf32: nodes whose results stay f32, by name, as '/encoder/layer.7/*'; may be "
                 "repeated");
  app.add_option("--io", given.io, "fp16 or bf16, as --precision: inputs and outputs have 16 bits, too")
      ->check(CLI::IsMember({"fp16", "bf16"}));
  app.add_flag("--tf32{x1}", given.tf32,
               "Products of f32 may be products of TF32, which reads 11 bits of each operand (cuda, from sm_80 on); "
               "--tf32=x3: three of them, which read 22 bits and leave about the errors of f32")
      ->check(CLI::IsMember({"x1", "x3"}));
  app.add_flag("--int8-rows{always}", given.int8Rows,
               "Products with constant weights of up to 8 bits may round the rows of their other operand to int8, in "
               "blocks of 16 to 128 with one scale each (cpu): two to three times as fast, with errors of up to 1/254 "
               "of a block's largest element. Without it those with weights of 4 bits do, MatMulNBits where its "
               "accuracy_level is 4 (as in onnxruntime); --int8-rows=never: none does")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option(
      "--op-library", given.opLibraries,
      "A file (YAML) that defines ops of domains of one's own, by expressions or CUDA C++ (docs/custom-ops.md); "
      "may be repeated");
  app.add_flag("--trust-snippets", given.trustSnippets,
               "Let CUDA C++ of the --op-library files become part of kernels: it runs wherever the package runs");
  app.add_option("--disable-pass", given.disabledPasses, "Leave an optional pass out; the answer stays right");
  app.add_option("--limit", limits, "Raise or lower a limit on models, as nodes=2000000");
  app.add_option("--dump-ir", given.dumpIrDir, "Write the IR after every pass to this folder");
  app.add_option("--cache-dir", given.cacheDir,
                 "Where compiled kernels and packages are kept, so that the same is compiled once; 'none': nowhere. "
                 "All of them take "
                 "at most CUPOLA_CACHE_LIMIT MiB (4096 where that is not set; 0: no limit), and those not used for "
                 "longest go first");
  app.add_option("--libraries", libraries,
                 "Libraries that may do contractions in place of kernels: onednn (cpu), cublaslt (cuda), or "
                 "onednn,cublaslt; none; auto is onednn")
      ->check([](const std::string &text) { return format::chosenLibraries(text).status().message(); });
  app.add_option("--tuning", given.tuning,
                 "Measured times by which schedules of CUDA kernels are chosen: a file of `cupola tune`, before those "
                 "that Cupola brings; 'none': neither");
  app.add_option("--threads", threads, "Threads; 0 is one per core");
  app.add_flag("--allow-hard-links", given.allowHardLinks, "Accept external data files with hard links");
  app.add_flag("--allow-decoders", given.allowDecoders,
               "Accept ImageDecoder: libjpeg-turbo, libpng and libwebp decode pictures wherever the package runs");
  app.add_option("--deadline", deadline, "Seconds after which the compiler is stopped")->capture_default_str();
  app.add_option("--memory", memory, "MiB of address space the compiler may take; 0: no limit");
  given.progress = runtime::showProgress;
  given.warn = runtime::printWarning;
}

static Result<int64_t> number(const std::string &text, const std::string &whole) {
  try {
    size_t end = 0;
    int64_t value = std::stoll(text, &end);
    if (end == text.size() && !text.empty())
      return value;
  } catch (const std::exception &) {
  }
  return Status::usage("'" + whole + "': '" + text + "' is no number");
}

static Result<std::pair<std::string, std::string>> split(const std::string &text, const char *form) {
  size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0)
    return Status::usage("'" + text + "' has not the form " + form);
  return std::make_pair(text.substr(0, at), text.substr(at + 1));
}

Result<std::pair<std::string, int64_t>> namedNumber(const std::string &text) {
  CUPOLA_ASSIGN(auto parts, split(text, "NAME=NUMBER"));
  CUPOLA_ASSIGN(const int64_t value, number(parts.second, text));
  return std::make_pair(parts.first, value);
}

static Status addShape(const std::string &text, compiler::Options &options) {
  CUPOLA_ASSIGN(auto parts, split(text, "NAME=2x16 or NAME=16"));
  compiler::ShapeSetting setting{parts.first, {}};
  for (size_t begin = 0; begin < parts.second.size();) {
    size_t end = std::min(parts.second.find('x', begin), parts.second.size());
    CUPOLA_ASSIGN(auto extent, number(parts.second.substr(begin, end - begin), text));
    setting.dims.push_back(extent);
    begin = end + 1;
  }
  options.shapes.push_back(std::move(setting));
  return {};
}

static Status addDim(const std::string &text, compiler::Options &options) {
  CUPOLA_ASSIGN(auto parts, split(text, "NAME=1..4096"));
  size_t dots = parts.second.find("..");
  if (dots == std::string::npos)
    return Status::usage("'" + text + "' has not the form NAME=1..4096");
  CUPOLA_ASSIGN(const int64_t min, number(parts.second.substr(0, dots), text));
  CUPOLA_ASSIGN(const int64_t max, number(parts.second.substr(dots + 2), text));
  if (min < 0 || max < std::max<int64_t>(min, 1))
    return Status::usage("'" + text + "': an interval is expected, as 1..4096");
  options.dims.push_back({parts.first, min, max});
  return {};
}

Result<compiler::Options> CompileFlags::options() const {
  compiler::Options options = given;
  for (const std::string &shape : shapes)
    CUPOLA_TRY(addShape(shape, options));
  for (const std::string &dim : dims)
    CUPOLA_TRY(addDim(dim, options));
  for (const std::string &text : sets) {
    CUPOLA_ASSIGN(auto parts, split(text, "NAME=16000 or NAME=1,2,3"));
    options.values.push_back({parts.first, parts.second});
  }
  for (const std::string &text : sequences) {
    CUPOLA_ASSIGN(auto parts, split(text, "NAME=3 or NAME=absent"));
    compiler::SequenceSetting setting{parts.first, std::nullopt};
    if (parts.second != "absent") {
      CUPOLA_ASSIGN(setting.count, number(parts.second, text));
    }
    options.sequences.push_back(std::move(setting));
  }
  for (const std::string &text : aliases) {
    CUPOLA_ASSIGN(auto parts, split(text, "past=present"));
    options.aliases.push_back({parts.first, parts.second});
  }
  for (const std::string &text : limits) {
    CUPOLA_ASSIGN(const auto limit, namedNumber(text));
    options.limits[limit.first] = limit.second;
  }
  options.libraries = *format::chosenLibraries(libraries);
  options.threads = threadCount();
  return options;
}

unsigned CompileFlags::threadCount() const {
  return threads ? threads : std::max(1u, std::thread::hardware_concurrency());
}

runtime::PinnedInputs CompileFlags::pinned() const {
  runtime::PinnedInputs pinned;
  for (const std::string &text : sets)
    if (auto parts = split(text, ""); parts.isOk())
      pinned[parts->first] = parts->second;
  return pinned;
}

void DeviceFlags::declare(CLI::App &app, bool withReference) {
  std::vector<std::string> devices{"auto", "cuda", "cpu", "sim"};
  std::string help = "Where to run: cuda (a GPU), cpu, sim (the CUDA kernels on the CPU, with checks), "
                     "auto (cuda if there is a GPU, else cpu)";
  if (withReference) {
    devices.push_back("reference");
    help += ", reference (the model op by op, unfused)";
  }
  app.add_option("--device", device, help)->check(CLI::IsMember(devices))->capture_default_str();
  options.progress = runtime::showProgress;
  options.warn = runtime::printWarning;
}

} // namespace cupola::tool
