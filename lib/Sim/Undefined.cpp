//===- lib/Sim/Undefined.cpp - The callbacks of -fsanitize=undefined ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The data that the compiler passes starts with the source place (file, line, column); nothing else of it is used.
#include "lib/Sim/Machine.h"

using namespace cupola::sim;

namespace {

enum class Then { GoOn, Stop };

void report(const char *what, Then then, void *pc) {
  machine.reports.add(Finding::Undefined, std::string(what) + " in " + threadText(), reinterpret_cast<uintptr_t>(pc));
  if (then == Then::Stop)
    abandonLaunch();
}

} // namespace

// After an index out of range or a division by zero the kernel would write over its stack, or trap.
#define CUPOLA_SIM_UNDEFINED(name, what, then)                                                                         \
  extern "C" void __ubsan_handle_##name(const void *, uintptr_t, uintptr_t) {                                          \
    report(what, then, __builtin_return_address(0));                                                                   \
  }
CUPOLA_SIM_UNDEFINED(out_of_bounds, "an index outside a local array", Then::Stop)
CUPOLA_SIM_UNDEFINED(shift_out_of_bounds, "a shift by a count outside the type's width", Then::GoOn)
CUPOLA_SIM_UNDEFINED(add_overflow, "signed overflow in an addition", Then::GoOn)
CUPOLA_SIM_UNDEFINED(sub_overflow, "signed overflow in a subtraction", Then::GoOn)
CUPOLA_SIM_UNDEFINED(mul_overflow, "signed overflow in a multiplication", Then::GoOn)
CUPOLA_SIM_UNDEFINED(negate_overflow, "signed overflow in a negation", Then::GoOn)
CUPOLA_SIM_UNDEFINED(divrem_overflow, "a division by zero or signed overflow in it", Then::Stop)
