//===- tools/cupola/Tune.cpp - cupola tune ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/Parallel.h"
#include "lib/Runtime/Tools/KernelClock.h"
#include "lib/Target/Tuning.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <unistd.h>

namespace cupola::tool {

namespace {

/// A candidate as it comes from the worker: its package is a part of `bytes`.
struct Candidate {
  TuningLine line;
  std::string nodes;
  std::string_view package;
};

struct TuneCommand {
  CompileFlags flags;
  DeviceFlags device;
  std::string output;
  std::vector<std::string> sizes;
  compiler::TuneOptions options;
  runtime::ClockOptions clock;
  double seconds = 10; ///< of a kernel

  TuningTable table;
  std::shared_ptr<runtime::Device> opened;
  std::string bytes, nvrtc;
  std::vector<Candidate> candidates;
  size_t measured = 0;
  Status failure; ///< of the last candidate that was not measured

  Status run() {
    if (flags.isPackage())
      return Status::usage("tune compiles every kernel in several ways: give the model, not a package");
    for (const std::string &text : sizes) {
      CUPOLA_ASSIGN(const auto size, namedNumber(text));
      options.sizes[size.first] = size.second;
    }
    if (access(output.c_str(), F_OK) == 0) {
      CUPOLA_ASSIGN(table, TuningTable::read(output));
    }
    CUPOLA_TRY(openDevice());
    CUPOLA_TRY(makeCandidates());
    return measureAll();
  }

  Status openDevice() {
    runtime::DeviceOptions chosen = device.options;
    chosen.threads = flags.threads;
    chosen.cacheDir = flags.given.cacheDir;
    if (device.device == "sim")
      chosen.arch = flags.given.archs.empty() ? "sm_80" : flags.given.archs.front();
    auto made = runtime::createDevice(device.device, chosen);
    if (made.failed() && made.status().code() == Code::Environment && device.device == "cuda")
      return made.status().within(
          "tune measures kernels on a GPU, and finds none (--device sim exercises the same steps "
          "without one, but its counts measure no GPU)");
    CUPOLA_TRY(made.status());
    opened = made.take();
    CUPOLA_ASSIGN(nvrtc, opened->sourceCompiler());
    return {};
  }

  /// The family whose source the device takes, or that of --arch.
  Result<std::string> family() const {
    const std::vector<std::string> &archs = flags.given.archs;
    if (archs.size() > 1)
      return Status::usage("kernels are measured for one architecture at a time, --arch names " +
                           std::to_string(archs.size()));
    std::string best;
    int rank = -1;
    for (const GpuArchitecture &row : kGpuArchitectures)
      if (row.name == row.family && opened->rank("cuda", row.name) > rank) {
        rank = opened->rank("cuda", row.name);
        best = row.name;
      }
    if (archs.empty())
      return best;
    const GpuArchitecture *row = findGpu(archs.front());
    if (!row)
      return Status::usage("unknown CUDA architecture '" + archs.front() +
                           "'; there are: " + architectureNames(kGpuArchitectures));
    if (opened->rank("cuda", row->family) < 0)
      return Status::usage("the device is " + opened->properties().arch + ", which runs nothing made for " +
                           archs.front());
    return std::string(row->family);
  }

  /// In a worker, as everything that reads the model: a line of JSON, and the packages one after the other.
  Status makeCandidates() {
    CUPOLA_ASSIGN(compiler::Options chosen, flags.options());
    CUPOLA_ASSIGN(const std::string arch, family());
    chosen.targets = {"cuda"};
    chosen.archs = {arch};
    chosen.sourceOnly = true;
    const int code = collectFromWorker(flags, bytes, [&](std::string &out) -> Status {
      CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, chosen));
      Json list = Json::array();
      std::string packages;
      CUPOLA_TRY(compilation->tune(options, [&](const compiler::TuneCandidate &one) -> Status {
        list.push_back({one.kernel, one.target, one.schedule, one.nodes, one.package.size()});
        packages += one.package;
        return {};
      }));
      out = list.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" + packages;
      return {};
    });
    if (code != 0)
      return Status(static_cast<Code>(code), "");
    size_t at = bytes.find('\n') + 1;
    for (const Json &one : Json::parse(bytes.substr(0, at))) {
      const size_t size = one[4];
      candidates.push_back({{one[0], one[1], nvrtc, one[2]}, one[3], std::string_view(bytes).substr(at, size)});
      at += size;
    }
    return {};
  }

  using Loaded = Result<std::shared_ptr<const runtime::Executable>>;

  Loaded load(const Candidate &candidate) const {
    CUPOLA_ASSIGN(auto file, format::PackageFile::fromMemory(candidate.package));
    return runtime::Executable::create(std::move(file), opened);
  }

  /// Compiling takes longer than running, so that is done on all threads, before anything runs.
  std::vector<Loaded> loadAll(size_t begin, size_t end) const {
    std::vector<Loaded> loaded(end - begin, Loaded(nullptr));
    parallelFor(loaded.size(), flags.threadCount(), [&](size_t i) { loaded[i] = load(candidates[begin + i]); });
    return loaded;
  }

  Result<double> measure(const Loaded &loaded, size_t among) const {
    CUPOLA_TRY(loaded.status());
    runtime::ClockOptions chosen = clock;
    chosen.seconds = seconds / static_cast<double>(among);
    return runtime::timeLastStep(*loaded, chosen);
  }

  /// Those from `begin` on that are of one kernel.
  size_t endOfKernel(size_t begin) const {
    size_t end = begin;
    while (end < candidates.size() && candidates[end].line.kernel == candidates[begin].line.kernel)
      ++end;
    return end;
  }

  /// The kernels from `begin` on whose candidates keep all threads busy.
  size_t endOfBatch(size_t begin) const {
    size_t end = begin;
    while (end < candidates.size() && end - begin < 2 * flags.threadCount())
      end = endOfKernel(end);
    return end;
  }

  /// What is measured so far stays in the file, however the command ends.
  Status measureAll() {
    for (size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
      end = endOfBatch(begin);
      progress(begin, "compiling");
      const std::vector<Loaded> loaded = loadAll(begin, end);
      for (size_t first = begin, last = begin; first < end; first = last) {
        last = endOfKernel(first);
        measureKernel(first, last, &loaded[first - begin]);
        CUPOLA_TRY(format::writeFile(output, table.text()));
      }
    }
    if (candidates.empty())
      CUPOLA_TRY(format::writeFile(output, table.text()));
    runtime::clearProgress();
    std::printf("%s: %zu of %zu candidates measured\n", output.c_str(), measured, candidates.size());
    return measured == 0 && failure.failed() ? failure : Status();
  }

  void progress(size_t candidate, const std::string &what) const {
    runtime::showProgress("candidate " + std::to_string(candidate + 1) + " of " + std::to_string(candidates.size()) +
                          ": " + what);
  }

  void measureKernel(size_t first, size_t last, const Loaded *loaded) {
    std::vector<Candidate> done;
    for (size_t i = first; i < last; ++i) {
      Candidate &candidate = candidates[i];
      progress(i, candidate.line.schedule);
      const Result<double> time = measure(loaded[i - first], last - first);
      if (time.failed()) {
        failure = time.status();
        runtime::printWarning(candidate.nodes + ": " + candidate.line.schedule +
                              " was not measured: " + failure.message());
        continue;
      }
      candidate.line.time = *time;
      table.add(candidate.line);
      done.push_back(candidate);
    }
    measured += done.size();
    if (!done.empty())
      print(done);
  }

  /// The first is what its cost would have chosen.
  void print(const std::vector<Candidate> &done) const {
    const Candidate &best = *std::min_element(
        done.begin(), done.end(), [](const Candidate &a, const Candidate &b) { return a.line.time < b.line.time; });
    const char *unit = nvrtc == "sim" ? "counts" : "us";
    runtime::clearProgress();
    std::printf("%s %s\n  %10.6g %s  %s\n", best.line.kernel.c_str(), best.nodes.c_str(), best.line.time, unit,
                best.line.schedule.c_str());
    if (best.line.schedule != done.front().line.schedule)
      std::printf("  %10.6g %s  %s, by cost\n", done.front().line.time, unit, done.front().line.schedule.c_str());
  }
};

const char *const footer =
    "Every kernel of the model is compiled once per candidate, alone with all that is fused into it, and run on random "
    "inputs. The times go to a file of text, a line each, sorted; lines that are there stay. Then:\n"
    "  cupola compile model.onnx -o model.cupola --tuning times.jsonl\n"
    "Kernels of other models that are the same profit, too. See docs/tuning.md.\n";

} // namespace

std::function<int()> declareTune(CLI::App &app) {
  auto command = std::make_shared<TuneCommand>();
  command->flags.declare(app, "MODEL.onnx", /*withTargets=*/false);
  for (const char *pointless : {"--cpu", "--libraries", "--tuning"})
    app.remove_option(app.get_option(pointless));
  app.get_option("--arch")->description(
      "The architecture whose source is measured (default: what this GPU takes; with --device sim sm_80)");
  command->device.device = "cuda";
  app.add_option("--device", command->device.device,
                 "What to measure on: cuda (a GPU); sim exercises the same steps without one, and its counts are no "
                 "times of a GPU")
      ->check(CLI::IsMember({"cuda", "sim"}))
      ->capture_default_str();
  command->device.options.progress = runtime::showProgress;
  command->device.options.warn = runtime::printWarning;
  app.add_option("-o,--output", command->output, "The file of times to write, or to add to")->required();
  app.add_option(
         "--candidates", command->options.candidates,
         "Candidates to measure of each kernel, at most: by estimated cost the cheapest of each schedule, then of all")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_option("--size", command->sizes,
                 "What a dimension that stays dynamic is measured at, as sequence=128 (default: 256, or what it may "
                 "have next to it); may be repeated");
  app.add_option("--runs", command->clock.runs, "On a GPU: runs of each candidate, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", command->seconds,
                 "On a GPU: seconds of runs of each kernel, shared by its candidates; three runs each are made anyway")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", command->clock.inputs.seed, "Of the inputs")->capture_default_str();
  app.footer(footer);
  return [command] { return finish(command->run()); };
}

} // namespace cupola::tool
