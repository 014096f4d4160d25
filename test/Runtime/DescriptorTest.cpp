//===- test/Runtime/DescriptorTest.cpp - file descriptors: owned, read and written whole ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Descriptor.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cupola::format {
namespace {

bool isOpen(int number) { return ::fcntl(number, F_GETFD) != -1; }

TEST(Descriptor, ClosesWhatItOwnsOnce) {
  Descriptor first(::memfd_create("first", MFD_CLOEXEC)), second(::memfd_create("second", MFD_CLOEXEC));
  const int one = first.get(), two = second.get();
  Descriptor moved = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(moved.get(), one);
  {
    Descriptor both = std::move(second);
    both = std::move(moved);
    EXPECT_EQ(both.get(), one);
  }
  EXPECT_FALSE(isOpen(one));
  moved.close();
  EXPECT_FALSE(isOpen(two));
}

TEST(Descriptor, ReadsAsFarAsThereIsSomething) {
  const Descriptor file(::memfd_create("file", MFD_CLOEXEC));
  EXPECT_TRUE(writeAll(file.get(), "abc"));
  EXPECT_TRUE(writeAll(file.get(), "def"));
  EXPECT_TRUE(writeAt(file.get(), "XY", 1));
  EXPECT_EQ(contentsOf(file.get()), "aXYdef");
  char bytes[8] = {};
  EXPECT_EQ(readAt(file.get(), bytes, 3, 2), 3u);
  EXPECT_STREQ(bytes, "Yde");
  errno = EIO;
  EXPECT_EQ(readAt(file.get(), bytes, sizeof(bytes), 4), 2u);
  EXPECT_EQ(errno, 0) << "the file ended";
}

TEST(Descriptor, SaysWhyNothingMoves) {
  const Descriptor folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), none;
  char byte;
  EXPECT_EQ(readAt(folder.get(), &byte, 1, 0), 0u);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_FALSE(writeAll(none.get(), "a"));
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(contentsOf(none.get()), "");
}

} // namespace
} // namespace cupola::format
