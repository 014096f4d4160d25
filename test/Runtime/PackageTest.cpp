//===- test/Runtime/PackageTest.cpp - The package file and its hash tree ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Layout.h"
#include "lib/Runtime/Format/Manifest.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "test/Runtime/Scratch.h"
#include "test/Runtime/TestPackage.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cupola::format {

using test::makePackage;
using test::packageBytes;
using test::packageWeights;
using test::Scratch;

static Status openBytes(std::string_view bytes) { return PackageFile::fromMemory(bytes).status(); }

/// A package whose data spans several leaves.
static Package largePackage() {
  Package package = makePackage();
  package.weights.push_back({"big", DType::U8, {5 * int64_t(kLeafBytes) / 2 + 3}, 0, 5 * kLeafBytes / 2 + 3});
  return package;
}

static WeightSource largeWeights() {
  return [](uint32_t index, uint64_t offset, char *target, uint64_t size) {
    if (index == 0)
      return packageWeights()(index, offset, target, size);
    for (uint64_t i = 0; i < size; ++i)
      target[i] = static_cast<char>((offset + i) * 7);
    return Status::ok();
  };
}

TEST(Package, RoundTripsThroughAFile) {
  const Scratch scratch;
  const std::string path = scratch.path("a.cupola");
  ASSERT_TRUE(writePackage(largePackage(), largeWeights(), path).isOk());
  Result<std::shared_ptr<const PackageFile>> file = PackageFile::open(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  const Package &read = (*file)->package(), wrote = largePackage();
  ASSERT_EQ(read.variants.size(), 3u);
  EXPECT_EQ(read.variants[1].sources[0].text, wrote.variants[1].sources[0].text);
  EXPECT_EQ(read.variants[0].binaries[0].image, wrote.variants[0].binaries[0].image);
  EXPECT_EQ(read.headers[0].text, "// a header\n");
  ASSERT_EQ((*file)->weight(0).size(), 48u);
  float third = 0;
  std::memcpy(&third, (*file)->weight(0).data() + 12, 4);
  EXPECT_EQ(third, 3.0f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*file)->weight(1).data()) % kBufferAlignment, 0u);
  EXPECT_EQ((*file)->weight(1)[2 * kLeafBytes + 5], static_cast<char>((2 * kLeafBytes + 5) * 7));
}

TEST(Package, EqualPackagesAreEqualBytesInFileAndMemory) {
  const Scratch scratch;
  const std::string path = scratch.path("a.cupola");
  ASSERT_TRUE(writePackage(largePackage(), largeWeights(), path).isOk());
  Result<std::string> file = readFile(path, 1 << 30);
  Result<std::string> memory = writePackageToMemory(largePackage(), largeWeights());
  ASSERT_TRUE(file.isOk() && memory.isOk());
  EXPECT_EQ(*file, *memory);
  for (unsigned threads : {2, 8})
    EXPECT_EQ(test::need(writePackageToMemory(largePackage(), largeWeights(), threads)), *memory) << threads;
}

TEST(Package, StoresEqualTextsOnce) {
  Package package = makePackage();
  const size_t before = packageBytes(package).size();
  Variant again = package.variants[2];
  again.arch = "sm_86";
  package.variants.push_back(again);
  EXPECT_LT(packageBytes(package).size(), before + 1024);
  const auto file = test::loadPackage(package);
  EXPECT_EQ(file->package().variants[3].sources[0].offset, file->package().variants[1].sources[0].offset);
}

TEST(Package, EveryFlippedByteIsRefused) {
  const std::string bytes = packageBytes(makePackage());
  ASSERT_LE(bytes.size(), 65536u);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (char mask : {'\x01', '\xff'}) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ mask);
      ASSERT_EQ(openBytes(flipped).code(), Code::Package) << "byte " << i;
    }
  }
  EXPECT_TRUE(openBytes(bytes).isOk());
}

TEST(Package, EveryCutIsRefused) {
  const std::string bytes = packageBytes(makePackage());
  for (size_t length = 0; length < bytes.size(); ++length)
    ASSERT_EQ(openBytes(std::string_view(bytes).substr(0, length)).code(), Code::Package) << length << " bytes";
  EXPECT_EQ(openBytes(bytes + '\0').code(), Code::Package);
}

TEST(Package, DamageInALargeOneIsRefused) {
  Result<std::string> bytes = writePackageToMemory(largePackage(), largeWeights());
  ASSERT_TRUE(bytes.isOk());
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t at = random() % bytes->size();
    (*bytes)[at] ^= 4;
    ASSERT_EQ(openBytes(*bytes).code(), Code::Package) << "byte " << at;
    (*bytes)[at] ^= 4;
  }
  EXPECT_TRUE(openBytes(*bytes).isOk());
}

/// Fixes all hashes of a changed package, as somebody who wants it to load would.
static std::string rehash(std::string bytes) {
  Result<Layout> layout = parseHeader(bytes, bytes.size());
  EXPECT_TRUE(layout.isOk()) << layout.status().message();
  std::string leaves;
  for (uint64_t at = layout->dataStart; at < bytes.size(); at += kLeafBytes) {
    const Digest leaf = leafHash(std::string_view(bytes).substr(at, kLeafBytes));
    leaves.append(leaf.begin(), leaf.end());
  }
  const std::string header = makeHeader(*layout, leaves);
  return bytes.replace(0, header.size(), header);
}

TEST(Package, RefusesPaddingThatIsNotZeroUnderRightHashes) {
  const std::string bytes = packageBytes(makePackage());
  Result<Layout> layout = parseHeader(bytes, bytes.size());
  ASSERT_TRUE(layout.isOk());
  ASSERT_TRUE(openBytes(rehash(bytes)).isOk());
  std::string padded = bytes;
  const Layout::Section &manifest = layout->section(SectionKind::Manifest);
  ASSERT_LT(manifest.offset + manifest.bytes, layout->section(SectionKind::Sources).offset);
  padded[manifest.offset + manifest.bytes] = 1;
  const Status status = openBytes(rehash(padded));
  EXPECT_EQ(status.code(), Code::Package);
  EXPECT_NE(status.message().find("should be zero"), std::string::npos) << status.message();
}

TEST(Package, RefusesOtherFormatsAndFilesByName) {
  std::string bytes = packageBytes(makePackage());
  bytes[8] = 9;
  EXPECT_EQ(openBytes(bytes).message(),
            "the package has format 9, this runtime reads format 1: recompile the model, or "
            "use the runtime it was compiled with");
  EXPECT_NE(openBytes("\x08\x07onnx").message().find("not a Cupola package"), std::string::npos);
  EXPECT_NE(openBytes("").message().find("empty"), std::string::npos);
}

TEST(Package, RefusesSizesThatWrap) {
  const std::string bytes = packageBytes(makePackage());
  for (size_t section = 0; section < kSectionCount; ++section)
    for (uint64_t size : {~uint64_t(0), ~uint64_t(0) - 255, uint64_t(1) << 63}) {
      std::string changed = bytes;
      std::memcpy(&changed[kTableOffset + section * kSectionEntryBytes + 16], &size, 8);
      ASSERT_EQ(openBytes(changed).code(), Code::Package);
    }
}

TEST(Package, WhatCannotBeOpenedIsAnIOError) {
  const Scratch scratch;
  EXPECT_EQ(PackageFile::open(scratch.path("none")).status().code(), Code::IO);
  EXPECT_EQ(PackageFile::open(scratch.path("")).status().code(), Code::IO);
  ASSERT_EQ(::mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(PackageFile::open(scratch.path("fifo")).status().code(), Code::IO);
  EXPECT_EQ(PackageFile::open("/dev/zero").status().code(), Code::IO);
}

TEST(PackageWriter, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const Scratch scratch;
  const std::string path = scratch.path("a.cupola");
  ASSERT_TRUE(writeFile(path, "old").isOk());
  int calls = 0;
  const WeightSource failing = [&](uint32_t, uint64_t, char *, uint64_t) {
    return ++calls == 3 ? Status::io("gone") : Status::ok();
  };
  const Status status = writePackage(largePackage(), failing, path);
  EXPECT_EQ(status.code(), Code::IO);
  EXPECT_EQ(*readFile(path, 100), "old");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(PackageWriter, AFullDiskLeavesTheOldFileAndNothingElse) {
  const Scratch scratch;
  const std::string path = scratch.path("a.cupola");
  ASSERT_TRUE(writeFile(path, "old").isOk());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1 << 20; // writes beyond fail as they do on a full disk
  ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = writePackage(largePackage(), largeWeights(), path);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.code(), Code::IO);
  EXPECT_EQ(*readFile(path, 100), "old");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(PackageWriter, RefusesTargetsThatAreNoFiles) {
  const Scratch scratch;
  EXPECT_EQ(writePackage(makePackage(), packageWeights(), "/dev/null").code(), Code::IO);
  EXPECT_EQ(writePackage(makePackage(), packageWeights(), scratch.path("")).code(), Code::IO);
  EXPECT_EQ(writePackage(makePackage(), packageWeights(), scratch.path("no/such")).code(), Code::IO);
  EXPECT_EQ(scratch.entries(), 0u);
  struct stat info;
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(PackageWriter, RefusesWhatReadersWouldRefuse) {
  const auto refused = [](auto change) {
    Package package = makePackage();
    change(package);
    return writePackageToMemory(package, packageWeights()).status().code() == Code::Package;
  };
  const auto program = [](Package &p) -> Program & { return p.variants[0].program; };
  EXPECT_FALSE(refused([](Package &) {}));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].launch.kernel = 2; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].launch.buffers[0] = 6; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].launch.buffers.pop_back(); }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].launch.scalars[0] = 4; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].nodes[0] = 3; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).steps[0].kind = Step::Kind(3); }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).buffers[4].last = 2; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).buffers[0].index = 1; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).buffers[1] = {BufferKind::View, 1, "4", "0"}; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).buffers[1].kind = BufferKind(10); }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).kernels[0].name = "k_main; rm"; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).kernels[0].threads = 2048; }));
  EXPECT_TRUE(refused([&](Package &p) { program(p).kernels[0].readWrite[0] = "x"; }));
  EXPECT_TRUE(refused([&](Package &p) { p.variants[1].program.kernels[0].source = 1; }));
  EXPECT_TRUE(refused([&](Package &p) { p.variants[0].binaries[0].kernels[0] = 2; }));
  EXPECT_TRUE(refused([&](Package &p) { p.variants[0].target = "tpu"; }));
  EXPECT_TRUE(refused([&](Package &p) { p.inputs[0].dtype = DType(0); }));
  const auto share = [](Package &p) {
    p.inputs[0].storage = p.outputs[0].storage = {"s0 + 8", "4"};
    p.outputs[0].memoryOf = 1;
  };
  EXPECT_FALSE(refused([&](Package &p) { share(p); }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.outputs[0].memoryOf = 3; }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.outputs[0].memoryOf = 0; }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.outputs[0].memoryOf = 2; }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.outputs[0].storage[0] = "s0 + 9"; }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.inputs[0].storage.clear(); }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.inputs[0].dims.pop_back(); }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.inputs[1].storage = {"s0"}; }));
  EXPECT_TRUE(refused([&](Package &p) { share(p), p.outputs.push_back(p.outputs[0]); }));
  const auto compose = [&](std::vector<Composite> composites) {
    return refused([&](Package &p) { p.composites = composites; });
  };
  const Composite x{"x", Composite::Sequence, false, false, 0, 2}, y{"y", Composite::Optional, true, false, 0, 1};
  const Composite empty{"e", Composite::OptionalSequence, false, true, 2, 0};
  EXPECT_FALSE(compose({x, empty, y}));
  EXPECT_TRUE(compose({y, x}));
  EXPECT_TRUE(compose({x, x}));
  EXPECT_TRUE(compose({{"x", Composite::Sequence, false, false, 1, 2}}));
  EXPECT_TRUE(compose({{"x", Composite::Sequence, false, false, ~0u, 2}}));
  EXPECT_TRUE(compose({{"x", Composite::Sequence, false, true, 0, 0}}));
  EXPECT_TRUE(compose({{"x", Composite::Optional, false, false, 0, 2}}));
  EXPECT_TRUE(compose({{"x", Composite::Optional, false, true, 0, 1}}));
  EXPECT_TRUE(compose({{"x", Composite::Kind(4), false, false, 0, 1}}));
  EXPECT_TRUE(refused([&](Package &p) { p.weights[0].dims[0] = -3; }));
  EXPECT_TRUE(refused([&](Package &p) { p.weights[0].bytes = 44; }));
  EXPECT_TRUE(refused([&](Package &p) { p.weights[0].dims = {int64_t(1) << 62, 1 << 3}; }));
}

TEST(PackageWriter, RefusesLibraryCallsThatDoNotFit) {
  // The second step reads buffer 4 and writes buffer 5; buffer 0 holds 12 weights.
  const LibraryCall product = {LibraryCallKind::MatrixProduct, {5, 3},   {3, 4}, {5, 4}, {}, {}, {},
                               {{PostOpKind::Relu}},           {4, 0, 5}};
  const LibraryCall window = {
      LibraryCallKind::Convolution, {1, 9, 7, 1}, {3, 2, 1, 2}, {1, 5, 3, 2}, {2, 2}, {1, 1}, {1, 0},
      {{PostOpKind::AddTensor}},    {4, 0, 4, 5}};
  const auto refused = [](LibraryCall call, auto change, size_t variant = 0) {
    change(call);
    Package package = makePackage();
    package.variants[variant].program.steps[1].launch.call = call;
    return writePackageToMemory(package, packageWeights()).status().code() == Code::Package;
  };
  const auto same = [](LibraryCall &) {};
  EXPECT_FALSE(refused(product, same));
  EXPECT_FALSE(refused(window, same));
  EXPECT_TRUE(refused(product, same, /*variant=*/1)) << "cuda";
  for (const auto &change : std::vector<void (*)(LibraryCall &)>{
           [](LibraryCall &c) { c.kind = LibraryCallKind::StridedProduct; },
           [](LibraryCall &c) { c.source[0] = 4; },
           [](LibraryCall &c) { c.source.push_back(1); },
           [](LibraryCall &c) { c.source[0] = c.result[0] = 0; },
           [](LibraryCall &c) { c.source[0] = c.result[0] = -5; },
           [](LibraryCall &c) { c.source[0] = c.result[0] = int64_t(1) << 31; },
           [](LibraryCall &c) { c.source[0] = c.result[0] = int64_t(1) << 30; },
           [](LibraryCall &c) { c.weights[1] = c.result[1] = 5; },
           [](LibraryCall &c) { c.postOps.resize(100); },
           [](LibraryCall &c) { c.postOps[0].kind = PostOpKind(0); },
           [](LibraryCall &c) { c.postOps[0].kind = PostOpKind(11); },
           [](LibraryCall &c) { c.postOps.push_back({PostOpKind::AddChannel}); },
           [](LibraryCall &c) { c.buffers.pop_back(); },
           [](LibraryCall &c) { c.buffers.back() = 6; },
           [](LibraryCall &c) { c.buffers.back() = 4; },
           [](LibraryCall &c) { c.buffers[0] = 5; },
           [](LibraryCall &c) { c.buffers[1] = 2; },
       }) {
    EXPECT_TRUE(refused(product, change));
    EXPECT_TRUE(refused(window, change));
  }
  for (const auto &change : std::vector<void (*)(LibraryCall &)>{
           [](LibraryCall &c) { c.strides[0] = 0; },
           [](LibraryCall &c) { c.strides[0] = 3; },
           [](LibraryCall &c) { c.strides = {2}; },
           [](LibraryCall &c) { c.dilations[1] = -1; },
           [](LibraryCall &c) { c.dilations[1] = int64_t(1) << 30; },
           [](LibraryCall &c) { c.padding[0] = 3; },
           [](LibraryCall &c) { c.padding[0] = -1; },
           [](LibraryCall &c) { c.result[1] = 7; },
           [](LibraryCall &c) { c.result[1] = 3; },
       })
    EXPECT_TRUE(refused(window, change));
  EXPECT_TRUE(refused(product, [](LibraryCall &c) { c.strides = {1, 1}; }));
  EXPECT_TRUE(refused(product, [](LibraryCall &c) { c.kind = LibraryCallKind(4); }));
  EXPECT_TRUE(refused(product, [](LibraryCall &c) { c.dtype = DType::F32; }));
  EXPECT_TRUE(refused(product, [](LibraryCall &c) { c.sourceStrides = {3, 1}; }));
}

} // namespace cupola::format
