//===- lib/Runtime/Tools/Inputs.h - Inputs and outputs of the command line tools ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_INPUTS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_INPUTS_H

#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/ParsedProgram.h"
#include "lib/Runtime/Session.h"
#include "lib/Runtime/Tensor.h"
#include "lib/Runtime/Tools/PinnedInputs.h"

namespace cupola::runtime {

struct InputOptions {
  std::string npz;                 ///< a file; "": values from the seed
  std::string_view archive;        ///< in place of a file: the bytes of one
  std::vector<std::string> shapes; ///< --shape options, for values from the seed
  uint64_t seed = 0;
  PinnedInputs pinned; ///< --set options, by which the .npz may go beyond the inputs
};

/// The values of all inputs in the package's order. An .npz names them plainly or
/// as "in:NAME" (then "out:NAME" members are passed over); it must have every
/// input, in the declared element type, and nothing else. Code::Usage otherwise. Elements of a sequence x are called
/// "x[0]", "x[1]", ..; an empty one may be there as "x[]".
Result<std::vector<HostTensor>> makeInputs(const format::Package &package, const ParsedInterface &parsed,
                                           const InputOptions &options);
Result<std::vector<HostTensor>> inputsFromArrays(const format::Package &package, std::vector<npz::Array> arrays);

/// Room for the outputs of a bound session, all bytes zero. Code::Environment where the machine
/// has not enough memory for them and for what the session will touch. One whose shape a run
/// finds has no room yet.
Result<std::vector<HostTensor>> makeOutputs(const Session &session);

/// After a run: gives those room and fetches them; then finds the texts of strings.
Status fetchOutputs(Session &session, std::vector<HostTensor> &outputs);

/// An array of no elements, "y[]", for each output that is an empty sequence.
void addEmptySequences(const format::Package &package, std::vector<npz::Array> &outputs);

/// Under the outputs' names.
Status writeOutputs(const std::string &path, const format::Package &package, const std::vector<HostTensor> &outputs);

/// To the shapes, and the elements where they decide shapes. Strings get their numbers in the session.
Status bindTo(Session &session, std::vector<HostTensor> &inputs);
std::vector<Shape> shapesOf(const std::vector<HostTensor> &tensors);
std::vector<TensorRef> refsOf(std::vector<HostTensor> &tensors);

/// The inputs for runs that write to `outputs`. An input that shares its memory with an
/// output is copied to where it stands in that one.
std::vector<TensorRef> inputRefs(const format::Package &package, std::vector<HostTensor> &inputs,
                                 std::vector<HostTensor> &outputs);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_INPUTS_H
