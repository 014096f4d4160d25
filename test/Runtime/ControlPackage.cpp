//===- test/Runtime/ControlPackage.cpp - Packages with branches and loops, made by hand ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/ControlPackage.h"

namespace cupola::test {

using namespace format;

uint32_t BodyBuilder::add(BufferKind kind, uint32_t index, const std::string &bytes) {
  Buffer buffer;
  buffer.kind = kind;
  buffer.index = index;
  buffer.bytes = bytes;
  body.buffers.push_back(buffer);
  return static_cast<uint32_t>(body.buffers.size() - 1);
}

uint32_t BodyBuilder::view(uint32_t parent, const std::string &bytes, const std::string &offset) {
  const uint32_t made = add(BufferKind::View, parent, bytes);
  body.buffers[made].offset = offset;
  return made;
}

void BodyBuilder::launch(uint32_t kernel, const std::string &count, std::vector<uint32_t> buffers,
                         const std::vector<std::string> &scalars) {
  Step step;
  step.launch.kernel = kernel;
  step.launch.grid = {cuda ? "ceildiv(" + count + ", 128)" : count};
  step.launch.buffers = std::move(buffers);
  for (const std::string &scalar : scalars) {
    step.launch.scalars.push_back(static_cast<uint32_t>(body.scalars.size()));
    body.scalars.push_back(scalar);
  }
  body.steps.push_back(step);
}

void BodyBuilder::scale(const std::string &count, uint32_t in, uint32_t out, const std::string &factor) {
  launch(0, count, {in, out}, {count, factor});
}

void BodyBuilder::gather(const std::string &rows, std::vector<uint32_t> xTableIdsOut, const std::string &tableRows) {
  launch(1, "4*" + rows, std::move(xTableIdsOut), {"4*" + rows, tableRows});
}

void BodyBuilder::less(uint32_t in, uint32_t out, const std::string &bound) { launch(2, "1", {in, out}, {bound}); }

void BodyBuilder::extend(const std::string &count, uint32_t in, uint32_t out, const std::string &had) {
  launch(3, count, {in, out}, {count, had});
}

void BodyBuilder::copy(uint32_t source, uint32_t target, const std::string &bytes) {
  Step step;
  step.kind = Step::CopyStep;
  step.copy = {source, target, bytes};
  body.steps.push_back(step);
}

Branch &BodyBuilder::branch(Step::Kind kind) {
  body.steps.emplace_back().kind = kind;
  return body.steps.back().branch;
}

Loop &BodyBuilder::loop() {
  body.steps.emplace_back().kind = Step::WhileStep;
  return body.steps.back().loop;
}

static std::vector<Kernel> makeKernels(bool cuda) {
  std::vector<Kernel> kernels(4);
  for (size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].name = "k_000000000000000" + std::to_string(1 + i);
    kernels[i].schedule = "pointwise";
    kernels[i].threads = cuda ? 128 : 1;
    kernels[i].scratchBytes = cuda ? 0 : 4;
    kernels[i].grain = 8;
    kernels[i].readWrite = {"r", "w"};
  }
  kernels[1].readWrite = {"r", "r", "r", "w"};
  return kernels;
}

Package makeControlPackage(Package package, size_t bodies,
                           const std::function<void(std::vector<BodyBuilder> &)> &fill) {
  package.producer = "cupola test";
  package.headers = runnableHeaders();
  for (const char *arch : {"x86-64-v2", "sm_75", "sm_80"}) {
    Variant &variant = package.variants.emplace_back();
    variant.arch = arch;
    const bool cuda = variant.arch[0] == 's';
    variant.target = cuda ? "cuda" : "cpu";
    variant.program.kernels = makeKernels(cuda);
    variant.program.bodies.resize(bodies);
    std::vector<BodyBuilder> builders = {BodyBuilder(variant.program, cuda)};
    for (Body &body : variant.program.bodies)
      builders.emplace_back(body, cuda);
    fill(builders);
    for (size_t i = 0; i <= bodies; ++i) { // arena buffers live in all steps
      Body &body = i == 0 ? static_cast<Body &>(variant.program) : variant.program.bodies[i - 1];
      for (Buffer &buffer : body.buffers)
        if (buffer.kind == BufferKind::Arena)
          buffer.last = static_cast<uint32_t>(body.steps.size() - 1);
    }
    if (cuda)
      variant.sources = {{"m0.cu", cudaSource()}};
    else
      variant.binaries = {{"x86-64-v2", {0, 1, 2, 3}, cpuImage()}};
  }
  return package;
}

} // namespace cupola::test
