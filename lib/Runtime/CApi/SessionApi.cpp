//===- lib/Runtime/CApi/SessionApi.cpp - The C functions of executables and sessions ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CApi/Handles.h"
#include "lib/Runtime/Text.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::capi;

namespace {

Status readHooks(const cupola_allocator *given, MemoryHooks &hooks) {
  if (!given)
    return Status::ok();
  const cupola_allocator allocator = versioned(given);
  if (!allocator.allocate || !allocator.free)
    return Status::usage("an allocator needs both of its functions");
  hooks.allocate = [allocator](uint64_t bytes) {
    return reinterpret_cast<DeviceAddress>(allocator.allocate(allocator.user, bytes));
  };
  hooks.free = [allocator](DeviceAddress address) {
    allocator.free(allocator.user, reinterpret_cast<void *>(address));
  };
  return Status::ok();
}

/// Calls a member of the session with the caller's tensors.
template <typename Call>
Status withTensors(cupola_session &session, const cupola_tensor *inputs, size_t inputCount,
                   const cupola_tensor *outputs, size_t outputCount, Call call) {
  std::vector<TensorRef> in, out;
  CUPOLA_TRY(readTensors(session, inputs, inputCount, /*areInputs=*/true, in));
  CUPOLA_TRY(readTensors(session, outputs, outputCount, /*areInputs=*/false, out));
  return call(in, out);
}

} // namespace

extern "C" {

cupola_status *cupola_executable_create(cupola_package *package, cupola_device *device,
                                        cupola_executable **executable) {
  return guarded({package, device, executable}, [&] {
    CUPOLA_ASSIGN(std::shared_ptr<const Executable> made, Executable::create(package->file, device->device));
    *executable = new cupola_executable{std::move(made), device->ordinal};
    return Status::ok();
  });
}

void cupola_executable_release(cupola_executable *executable) { delete executable; }

cupola_status *cupola_session_create(cupola_executable *executable, const cupola_session_options *options,
                                     cupola_session **session) {
  return guarded({executable, session}, [&] {
    const cupola_session_options known = versioned(options);
    SessionOptions chosen;
    chosen.stream = known.stream;
    if (known.in_flight != 0)
      chosen.inFlight = known.in_flight;
    CUPOLA_TRY(readHooks(known.allocator, chosen.memory));
    CUPOLA_ASSIGN(std::unique_ptr<Session> made, Session::create(executable->executable, std::move(chosen)));
    *session = new cupola_session{std::move(made), executable->ordinal};
    return Status::ok();
  });
}

void cupola_session_release(cupola_session *session) { delete session; }

cupola_status *cupola_session_bind(cupola_session *session, const cupola_shape *inputs, size_t count) {
  return guarded({session}, [&] {
    if (count > 0)
      CUPOLA_TRY(present({inputs}));
    std::vector<Shape> shapes;
    std::vector<Strides> strides(count);
    std::vector<Elements> elements(count);
    const std::vector<format::Tensor> &declared = session->session->executable().package().inputs;
    for (size_t i = 0; i < count; ++i) {
      if (inputs[i].rank < 0 || (inputs[i].rank > 0 && !inputs[i].extents))
        return Status::usage("shape " + std::to_string(i) + " has no extents");
      shapes.emplace_back(inputs[i].extents, inputs[i].extents + inputs[i].rank);
      if (inputs[i].strides)
        strides[i].assign(inputs[i].strides, inputs[i].strides + inputs[i].rank);
      if (inputs[i].elements && i < declared.size()) {
        CUPOLA_ASSIGN(elements[i], readElements(declared[i], inputs[i].elements, shapes[i]));
      }
    }
    return session->session->bind(shapes, strides, elements);
  });
}

cupola_status *cupola_session_output_shape(const cupola_session *session, size_t index, cupola_shape *shape) {
  return guarded({session, shape}, [&] {
    if (!session->session->isBound())
      return Status::usage("the session is not bound");
    const std::vector<Shape> &shapes = session->session->outputShapes();
    if (index >= shapes.size())
      return Status::usage("output " + std::to_string(index) + " of " + std::to_string(shapes.size()));
    const Strides *strides = session->session->sharedStrides(index);
    *shape = {shapes[index].data(), static_cast<int32_t>(shapes[index].size()), strides ? strides->data() : nullptr,
              nullptr};
    return Status::ok();
  });
}

cupola_status *cupola_session_run(cupola_session *session, const cupola_tensor *inputs, size_t input_count,
                                  const cupola_tensor *outputs, size_t output_count) {
  return guarded({session}, [&] {
    return withTensors(*session, inputs, input_count, outputs, output_count,
                       [&](const auto &in, const auto &out) { return session->session->run(in, out); });
  });
}

cupola_status *cupola_session_enqueue(cupola_session *session, const cupola_tensor *inputs, size_t input_count,
                                      const cupola_tensor *outputs, size_t output_count, uint64_t *run) {
  return guarded({session, run}, [&] {
    return withTensors(*session, inputs, input_count, outputs, output_count, [&](const auto &in, const auto &out) {
      const Result<uint64_t> queued = session->session->enqueue(in, out);
      if (queued.isOk())
        *run = *queued;
      return queued.status();
    });
  });
}

cupola_status *cupola_session_wait(cupola_session *session, uint64_t run) {
  return guarded({session}, [&] { return session->session->wait(run); });
}

cupola_status *cupola_session_fetch_output(cupola_session *session, size_t index, const cupola_tensor *tensor) {
  return guarded({session, tensor}, [&] {
    const std::vector<format::Tensor> &outputs = session->session->executable().package().outputs;
    if (index >= outputs.size())
      return Status::usage("output " + std::to_string(index) + " of " + std::to_string(outputs.size()));
    TensorRef ref;
    CUPOLA_TRY(fromC(*tensor, session->session->executable().device(), session->ordinal, /*isShared=*/false, ref)
                   .within("output " + quote(outputs[index].name)));
    return session->session->fetch(index, ref);
  });
}

cupola_status *cupola_session_number_strings(cupola_session *session, const cupola_string *strings, size_t count,
                                             int64_t *numbers) {
  return guarded({session}, [&] {
    if (count > 0)
      CUPOLA_TRY(present({strings, numbers}));
    std::vector<std::string_view> texts;
    for (size_t i = 0; i < count; ++i) {
      if (strings[i].size > 0)
        CUPOLA_TRY(present({strings[i].data}));
      texts.emplace_back(strings[i].size > 0 ? strings[i].data : "", strings[i].size);
    }
    return session->session->numberStrings(texts.data(), count, numbers);
  });
}

cupola_status *cupola_session_read_strings(cupola_session *session, const int64_t *numbers, size_t count,
                                           cupola_string *strings) {
  return guarded({session}, [&] {
    if (count > 0)
      CUPOLA_TRY(present({strings, numbers}));
    std::vector<std::string_view> texts(count);
    CUPOLA_TRY(session->session->readStrings(numbers, count, texts.data()));
    for (size_t i = 0; i < count; ++i)
      strings[i] = {texts[i].data(), texts[i].size()};
    return Status::ok();
  });
}

uint64_t cupola_session_copied_tensors(const cupola_session *session) {
  return session ? session->session->copiedTensors() : 0;
}

} // extern "C"
