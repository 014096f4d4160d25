//===- lib/Target/CUDA/Tuning.cpp - schedules by measured times ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Tuning.h"

#include "lib/Runtime/Format/Sha256.h"
#include "lib/Runtime/Text.h"
#include "lib/Target/CUDA/shippedTuningFiles.h"

using namespace mlir;

namespace cupola::cuda {

static std::string textOf(ScheduleInterface schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return text;
}

std::string tuningKey(kernel::FuncOp func) {
  OwningOpRef<kernel::FuncOp> copy(func.clone());
  copy->setSymName("k");
  copy->removeScheduleAttr();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  return format::hex(format::sha256(text)).substr(0, 16);
}

static ScheduleInterface fastest(ArrayRef<ScheduleInterface> candidates, const TuningTable::Times &times) {
  ScheduleInterface best;
  double least = 0;
  for (ScheduleInterface candidate : candidates) {
    const auto found = times.find(withoutSpaces(textOf(candidate)));
    if (found == times.end() || (best && found->second.time >= least))
      continue;
    best = candidate;
    least = found->second.time;
  }
  return best;
}

ScheduleInterface fastest(const Candidates &candidates, kernel::FuncOp func, StringRef arch,
                          ArrayRef<const TuningTable *> tables) {
  if (tables.empty())
    return nullptr;
  const std::string key = tuningKey(func);
  std::set<std::string> known;
  for (ScheduleInterface candidate : candidates)
    known.insert(withoutSpaces(textOf(candidate)));
  for (const TuningTable *table : tables) {
    const TuningTable::Times *times = table->find(key, arch.str());
    if (!times)
      continue;
    for (const auto &[schedule, measured] : *times)
      if (!known.count(schedule))
        func->emitWarning() << "the tuning of kernel " << key << " for " << arch << " names the schedule "
                            << runtime::quote(measured.schedule)
                            << ", which is no candidate of it any more: the line is ignored";
    if (ScheduleInterface best = fastest(candidates, *times))
      return best;
  }
  return nullptr;
}

Candidates worthMeasuring(const Candidates &candidates, const KernelFacts &facts, const GpuArchitecture &target,
                          size_t most) {
  std::vector<std::pair<double, size_t>> ranked; // of equal costs the first candidate comes first
  for (auto [i, candidate] : llvm::enumerate(candidates))
    ranked.emplace_back(ScheduleInterface(candidate).cost(facts, target), i);
  llvm::sort(ranked);
  std::set<std::pair<bool, size_t>> order; // of a schedule that came before, its place in `ranked`
  std::set<StringRef> schedules;
  for (auto [place, one] : llvm::enumerate(ranked))
    order.emplace(!schedules.insert(candidates[one.second].getAbstractAttribute().getName()).second, place);
  std::set<size_t> chosen;
  for (const auto &[isLater, place] : order)
    if (chosen.size() < most)
      chosen.insert(place);
  Candidates result;
  for (size_t place : chosen)
    result.push_back(candidates[ranked[place].second]);
  return result;
}

const TuningTable &shippedTuning() {
  static const TuningTable table = [] {
    const ShippedTuningFilesFile &file = shippedTuningFiles[0];
    Result<TuningTable> parsed = TuningTable::parse(file.text, std::string(file.name));
    if (parsed.failed())
      llvm::report_fatal_error(llvm::StringRef(parsed.status().message()));
    return parsed.take();
  }();
  return table;
}

} // namespace cupola::cuda
