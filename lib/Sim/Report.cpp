//===- lib/Sim/Report.cpp - What the checks found, as text ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Report.h"

#include "lib/Sim/Process.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

namespace cupola::sim {

const char *findingName(Finding finding) {
  switch (finding) {
  case Finding::OutOfBounds:
    return "out of bounds";
  case Finding::ReadOnly:
    return "store to a read-only buffer";
  case Finding::Uninitialised:
    return "uninitialised read";
  case Finding::Race:
    return "race";
  case Finding::Misaligned:
    return "misaligned access";
  case Finding::ForeignStack:
    return "access to another thread's stack";
  case Finding::Deadlock:
    return "deadlock";
  case Finding::Divergence:
    return "divergence";
  case Finding::AsyncCopy:
    return "asynchronous copy";
  case Finding::MBarrier:
    return "mbarrier";
  case Finding::TensorCopy:
    return "tensor copy";
  case Finding::Wgmma:
    return "wgmma";
  case Finding::Registers:
    return "registers";
  case Finding::GridWait:
    return "overlapping launch";
  case Finding::Undefined:
    return "undefined behaviour";
  case Finding::GuardZone:
    return "guard zone";
  case Finding::Limit:
    return "limit";
  }
  return "finding";
}

void Reports::add(Finding finding, std::string text, uintptr_t pc, uintptr_t otherPc) {
  if (full() || !seen.insert({static_cast<int>(finding), pc}).second)
    return;
  entries.push_back({finding, std::move(text), pc, otherPc});
}

std::string Reports::text() const {
  std::string all;
  for (const Entry &e : entries) {
    all += (all.empty() ? "" : "\n") + std::string(findingName(e.finding)) + ": " + e.text;
    if (e.pc)
      all += ", at " + describeCode(e.pc);
    if (e.otherPc)
      all += "; the earlier access at " + describeCode(e.otherPc);
  }
  return all;
}

namespace {

/// The last part of a path.
std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// "m0.cu:12" of the symbolizer's "/dir/m0.cu:12:5"; empty if it knew nothing.
std::string sourceLine(const std::string &place) {
  const size_t column = place.rfind(':');
  if (column == std::string::npos || place.find("??") != std::string::npos)
    return "";
  return baseName(place.substr(0, column));
}

/// What the symbolizer answers for one address: a function and a place per frame, inlined header functions first and
/// the kernel last. The result names the kernel's line and what it called there.
std::string describeFrames(const std::string &answer) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < answer.size();) {
    const size_t end = std::min(answer.find('\n', begin), answer.size());
    if (end == begin)
      break;
    lines.push_back(answer.substr(begin, end - begin));
    begin = end + 1;
  }
  const size_t frames = lines.size() / 2;
  const std::string place = frames ? sourceLine(lines[frames * 2 - 1]) : "";
  if (place.empty())
    return "";
  const std::string &function = lines[frames * 2 - 2];
  std::string text = place + " (" + function.substr(0, function.find('('));
  // Frames of the primitives say nothing that the one above them does not.
  for (size_t f = 0; f + 1 < frames; ++f) {
    const std::string inner = sourceLine(lines[f * 2 + 1]);
    if (inner.compare(0, 10, "primitives") != 0 && !inner.empty())
      return text + ", in " + inner + ")";
  }
  return text + ")";
}

/// A module is loaded from an unnamed file; another process reaches it through ours.
std::string reachablePath(const std::string &path) {
  const std::string self = "/proc/self/";
  return path.compare(0, self.size(), self) == 0 ? "/proc/" + std::to_string(getpid()) + path.substr(10) : path;
}

} // namespace

std::string describeCode(uintptr_t pc) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(pc), &info) || !info.dli_fname)
    return "unknown code";
  // A return address belongs to the line of the call before it.
  const uint64_t offset = pc - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase);
  char number[32];
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(offset));
  for (const char *tool : {"llvm-symbolizer-22", "llvm-symbolizer"}) {
    Process process;
    if (process.start({tool, "--obj=" + reachablePath(info.dli_fname), number}, "").failed() || process.wait().failed())
      continue;
    const std::string frames = describeFrames(process.output());
    if (!frames.empty())
      return frames;
  }
  return std::string(info.dli_sname ? info.dli_sname : "kernel") + " " + number;
}

} // namespace cupola::sim
