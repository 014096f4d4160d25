//===- lib/Runtime/Format/Step.h - What the runtime does, step by step ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_STEP_H
#define CUPOLA_LIB_RUNTIME_FORMAT_STEP_H

#include "lib/Runtime/Format/ElementTypes.h"
#include "lib/Runtime/Format/LibraryCall.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupola::format {

/// What a GPU's tensor-copy instruction needs to know about a part of a buffer: how its elements lie, and
/// how many one instruction copies. Elements outside of `extents` are read as zeros and not written.
/// The places of a window over the dimensions between a tensor map's innermost and its outermost one ("im2col" in the
/// PTX ISA): places begin at `lower` + i * step of each, from 0 on, as long as that is no more than its extent - 1 +
/// `upper`.
struct TensorWindow {
  std::vector<int64_t> lower, upper; ///< elements, the inner dimension first
  std::vector<uint32_t> steps;       ///< none: there is no window
  bool isNone() const { return steps.empty(); }
};
template <class V> void fields(V &v, typename V::template Ref<TensorWindow> w) {
  v(1, w.lower), v(2, w.upper), v(3, w.steps);
}

struct TensorMap {
  uint32_t buffer = 0; ///< position in Launch::buffers
  std::string offset;  ///< Expr: bytes from the buffer's start; empty: 0
  DType dtype = DType::F32;
  std::vector<std::string> extents; ///< Expr: elements, the innermost dimension first; 1 to 5 of them
  std::vector<std::string> strides; ///< Expr: bytes, of all dimensions but the innermost
  std::vector<uint32_t> box;        ///< elements copied at once, by dimension; 1 to 256 each
  uint32_t swizzle = 0;             ///< bytes that the 16-byte pieces of a row are spread over: 0 (none), 32, 64, 128
  TensorWindow window = {}; ///< with one, a copy takes box[1] places in their order, across the outer dimensions
};
template <class V> void fields(V &v, typename V::template Ref<TensorMap> m) {
  v(1, m.buffer), v(2, m.offset), v(3, m.dtype), v(4, m.extents), v(5, m.strides), v(6, m.box), v(7, m.swizzle),
      v(8, m.window);
}

struct Launch {
  uint32_t kernel = 0;                ///< into Program::kernels
  std::vector<std::string> grid = {}; ///< Expr: cuda: blocks along x, y and z, 1 to 3 of them; cpu: the iterations
  std::vector<uint32_t> buffers;      ///< into Program::buffers, parameter order
  std::vector<uint32_t> scalars;      ///< into Program::scalars, parameter order
  LibraryCall call = {};              ///< what a library may do instead; of kind None: nothing
  std::vector<TensorMap> maps = {};   ///< cuda: parameter order, behind the scalars
};
template <class V> void fields(V &v, typename V::template Ref<Launch> l) {
  v(1, l.kernel), v(2, l.grid), v(3, l.buffers), v(4, l.scalars), v(5, l.call), v(6, l.maps);
}

struct Copy {
  uint32_t source = 0, target = 0; ///< into Program::buffers
  std::string bytes;               ///< Expr
};
template <class V> void fields(V &v, typename V::template Ref<Copy> c) {
  v(1, c.source), v(2, c.target), v(3, c.bytes);
}

/// Enters one of `bodies`; a body is entered by one step only. Their parameters are `captures`,
/// then `results`.
struct Branch {
  std::vector<uint32_t> bodies;   ///< into Program::bodies. If: then, else; Call: one
  uint32_t condition = 0;         ///< If: a buffer of one bool
  std::vector<uint32_t> captures; ///< buffers that the bodies read
  std::vector<uint32_t> results;  ///< buffers that the bodies write
  /// If: run symbols that have a value afterwards, and for each the Expr of either branch,
  /// over what has a value at its end.
  std::vector<std::string> symbols, thenValues, elseValues;
};
template <class V> void fields(V &v, typename V::template Ref<Branch> b) {
  v(1, b.bodies), v(2, b.condition), v(3, b.captures), v(4, b.results), v(5, b.symbols), v(6, b.thenValues),
      v(7, b.elseValues);
}

/// A value that each iteration makes of the one before: buffers. `initial` is only read, the others
/// take turns; the last value is in `result` when the loop is left.
struct Carried {
  uint32_t initial = 0, result = 0, spare = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Carried> c) {
  v(1, c.initial), v(2, c.result), v(3, c.spare);
}

/// A tensor of one row per iteration: buffers of what the body writes, and of all rows.
struct Scanned {
  uint32_t row = 0, rows = 0;
};
template <class V> void fields(V &v, typename V::template Ref<Scanned> s) { v(1, s.row), v(2, s.rows); }

/// An extent of a carried value that is not the same in all iterations: a run symbol of the body.
/// Expr over what has a value before the loop, and at the end of an iteration.
struct CarriedExtent {
  std::string symbol, initial, next;
  std::string last; ///< the run symbol that has the value afterwards
};
template <class V> void fields(V &v, typename V::template Ref<CarriedExtent> e) {
  v(1, e.symbol), v(2, e.initial), v(3, e.next), v(4, e.last);
}

/// Enters `body` while there is a reason to. Its parameters are `captures`, the carried values of the
/// iteration before, those that it computes, a row of each of `scans`, and `proceed` where there is one.
struct Loop {
  uint32_t body = 0;
  std::string limit;      ///< Expr: most iterations; empty: no limit
  uint32_t trip = 0;      ///< 1 + a buffer of one int64, most iterations as well; 0: none
  uint32_t condition = 0; ///< 1 + a buffer of one bool: whether to begin; 0: yes
  uint32_t proceed = 0;   ///< 1 + a buffer of one bool, written by each iteration: whether another follows; 0: yes
  std::vector<uint32_t> captures;
  std::vector<Carried> carried;
  std::vector<Scanned> scans;
  std::vector<CarriedExtent> extents;
  std::string index, count; ///< run symbols, or empty: the iteration, from 0 on; how many there were
};
template <class V> void fields(V &v, typename V::template Ref<Loop> l) {
  v(1, l.body), v(2, l.limit), v(3, l.trip), v(4, l.condition), v(5, l.proceed), v(6, l.captures), v(7, l.carried),
      v(8, l.scans), v(9, l.extents), v(10, l.index), v(11, l.count);
}

/// What the host computes: a row of the table in lib/Runtime/Host, by its name. All extents follow from the buffers'
/// sizes.
struct HostCall {
  std::string op;                     ///< "string_concat"
  std::vector<std::string> arguments; ///< what the op reads besides operands, in its order
  std::vector<uint32_t> operands;     ///< buffers that it reads
  std::vector<uint32_t> results;      ///< buffers that it writes
};
template <class V> void fields(V &v, typename V::template Ref<HostCall> c) {
  v(1, c.op), v(2, c.arguments), v(3, c.operands), v(4, c.results);
}

/// One thing that the runtime does. A kind of step is a row here: its record and its fields, its name, and what it
/// touches: as a transfer, a control step (Bodies.h) or the launch of a kernel.
struct Step {
  enum Kind : uint8_t { LaunchStep = 1, CopyStep, IfStep, CallStep, WhileStep, HostStep };
  Kind kind = LaunchStep;
  Launch launch;
  Copy copy;
  Branch branch;               ///< IfStep, CallStep
  Loop loop;                   ///< WhileStep
  HostCall host;               ///< HostStep
  std::vector<uint32_t> nodes; ///< into Package::nodes
};
template <class V> void fields(V &v, typename V::template Ref<Step> s) {
  v(1, s.kind), v(2, s.launch), v(3, s.copy), v(4, s.nodes), v(5, s.branch), v(6, s.loop), v(7, s.host);
}

/// "launch", "copy", "if", "call", "while", "host"
inline const char *stepKindName(Step::Kind kind) {
  constexpr const char *kNames[] = {"launch", "copy", "if", "call", "while", "host"};
  return kNames[kind - Step::LaunchStep];
}

inline bool isControl(Step::Kind kind) { return kind >= Step::IfStep && kind <= Step::WhileStep; }

/// A buffer that a step reads or lets others read, or that it writes.
struct Touched {
  uint32_t buffer = 0; ///< of the body that the step is in
  bool written = false;
};

/// What a step is that moves bytes without a kernel. Its rules, its size and its place in recordings and reports
/// follow from this.
struct Transfer {
  std::string bytes;            ///< Expr: of each of `buffers`
  std::vector<Touched> buffers; ///< in the order in which StepList.cpp queues them
};

/// Nothing of other steps.
inline std::optional<Transfer> transferOf(const Step &step) {
  switch (step.kind) {
  case Step::CopyStep:
    return Transfer{step.copy.bytes, {{step.copy.source, false}, {step.copy.target, true}}};
  default:
    return std::nullopt;
  }
}

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_STEP_H
