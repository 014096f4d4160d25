//===- lib/Runtime/Tools/ProfileReport.h - What is said about the steps of a run ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_PROFILEREPORT_H
#define CUPOLA_LIB_RUNTIME_TOOLS_PROFILEREPORT_H

#include "lib/Runtime/Tools/Profile.h"

#include <nlohmann/json.hpp>
#include <string>

namespace cupola::runtime {

/// The kernel's schedule and name, the library's code that runs instead, or what other steps are.
std::string stepName(const Executable &executable, size_t step);
/// What the launch of a step has besides blocks along x, on a grid; "": nothing.
std::string launchOf(const Executable &executable, size_t step, const Grid &grid);

/// A line per step, the slowest first.
std::string profileText(const Executable &executable, const Profile &profile);
/// `profile` of cupola-run/1.
nlohmann::ordered_json profileJson(const Executable &executable, const Profile &profile);
/// `arena` of cupola-run/1: the program's own buffers of the arena, at the bound shapes.
nlohmann::ordered_json arenaJson(const Session &session);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_PROFILEREPORT_H
