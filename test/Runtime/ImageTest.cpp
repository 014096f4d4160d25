//===- test/Runtime/ImageTest.cpp - Files of pictures, sound and damaged ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Image.h"

#include <gtest/gtest.h>

#include <random>

using namespace cupola;
using namespace cupola::runtime;

namespace {

std::string bytesOf(const std::string &digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Two columns and three rows: red, green; blue, (10, 20, 30); white, (128, 64, 32).
const std::vector<int> kPixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 255, 255, 255, 128, 64, 32};
const std::string kPngFile = bytesOf(
    "89504e470d0a1a0a0000000d4948445200000002000000030802000000368849d60000001d49444154789c63f8cfc0c0f09f818181e13f97"
    "881cd3ffff0c653a4c003dad05de4d01762e0000000049454e44ae426082");
const std::string kWebpFile = bytesOf(
    "5249464640000000574542505650384c330000002f018000002f40906db341dce2fe7ad32093b6c95fbfb33f826c9bed22f7a7dcfc071a79"
    "24ebbe8140200d3944b4c311fd0f0d00");
/// Like them, but for what JPEG loses.
const std::string kJpegFile = bytesOf(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b"
    "0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffdb004301030404050405090505091"
    "40d0b0d1414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414"
    "ffc00011080003000203011100021101031101ffc40014000100000000000000000000000000000007ffc4001e1000010403000300000000"
    "0000000000000501020304060711002141ffc4001501010100000000000000000000000000000607ffc40023110002010301090000000000"
    "000000000001020304112100050612162224314171ffda000c03010002110311003f0029dac2df886d1cc41072e7a8881666e51a75633b75"
    "5b0c11cef646c4ecaabc46b513dafcf27b5d0d2cd572c8d4d15cb31368a30324f801001f00007ad21e4eddfda3ded6d12492c9d4eecbc4cc"
    "cd9666637259892493924dcebfffd9");
const std::string kPpmFile = std::string("P6 # red first\n2 3\n255\n") +
                             std::string("\xff\0\0\0\xff\0\0\0\xff\x0a\x14\x1e\xff\xff\xff\x80\x40\x20", 18);

std::string little(uint32_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i, value >>= 8)
    text += static_cast<char>(value);
  return text;
}

/// 24 bits a pixel, the last row first.
std::string bmpFile(int32_t height = 3) {
  std::string file = "BM" + little(54 + 24, 4) + little(0, 4) + little(54, 4) + little(40, 4) + little(2, 4) +
                     little(static_cast<uint32_t>(height), 4) + little(1, 2) + little(24, 2) + little(0, 24);
  for (size_t y = 0; y < 3; ++y) {
    for (size_t x = 0; x < 2; ++x)
      for (size_t c = 3; c-- > 0;)
        file += static_cast<char>(kPixels[((height > 0 ? 2 - y : y) * 2 + x) * 3 + c]);
    file += little(0, 2);
  }
  return file;
}

Result<std::vector<uint8_t>> decoded(const std::string &file) {
  const std::string copy(file); // of exactly its length, for checks of bounds
  CUPOLA_ASSIGN(const ImageExtents extents, extentsOfImage(copy));
  return pixelsOfImage(copy, extents);
}

std::vector<std::string> allFiles() {
  std::vector<std::string> files;
  for (const std::string &file : {kPngFile, kWebpFile, kJpegFile, kPpmFile, bmpFile(), bmpFile(-3)})
    if (decoded(file).status().code() != Code::Environment) // a library is missing
      files.push_back(file);
  return files;
}

void expectPixels(const std::string &file, int tolerance = 0) {
  const Result<std::vector<uint8_t>> pixels = decoded(file);
  if (pixels.status().code() == Code::Environment)
    GTEST_SKIP() << pixels.status().message();
  ASSERT_TRUE(pixels.isOk()) << pixels.status().message();
  ASSERT_EQ(pixels->size(), kPixels.size());
  for (size_t i = 0; i < kPixels.size(); ++i)
    EXPECT_NEAR((*pixels)[i], kPixels[i], tolerance) << i;
}

void expectError(const std::string &file, Code code, const std::string &words) {
  const Status status = decoded(file).status();
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

TEST(Image, Png) { expectPixels(kPngFile); }
TEST(Image, Webp) { expectPixels(kWebpFile); }
TEST(Image, Jpeg) { expectPixels(kJpegFile, 40); }
TEST(Image, Pnm) { expectPixels(kPpmFile); }
TEST(Image, PnmOfTexts) {
  expectPixels("P3\n2 3 255\n255 0 0 0 255 0\n# blue\n0 0 255 10 20 30 255 255 255 128 64 32");
}
TEST(Image, Bmp) { expectPixels(bmpFile()); }
TEST(Image, BmpFromTheTop) { expectPixels(bmpFile(-3)); }

TEST(Image, GrayAndOtherRanges) {
  const Result<std::vector<uint8_t>> pixels = decoded("P2 2 1 15 15 8");
  ASSERT_TRUE(pixels.isOk());
  EXPECT_EQ(*pixels, (std::vector<uint8_t>{255, 255, 255, 136, 136, 136}));
}

TEST(Image, BmpOfAPalette) {
  std::string file = "BM" + little(0, 8) + little(62, 4) + little(40, 4) + little(3, 4) + little(1, 4) + little(1, 2) +
                     little(1, 2) + little(0, 16) + little(2, 4) + little(0, 4);
  file += std::string("\x01\x02\x03\0\x04\x05\x06\0", 8) + std::string("\xa0\0\0\0", 4); // 101
  const Result<std::vector<uint8_t>> pixels = decoded(file);
  ASSERT_TRUE(pixels.isOk()) << pixels.status().message();
  EXPECT_EQ(*pixels, (std::vector<uint8_t>{6, 5, 4, 3, 2, 1, 6, 5, 4}));
}

TEST(Image, WhatIsRefused) {
  expectError("", Code::Unsupported, "the 0 bytes do not begin as a picture, supported are JPEG, PNG, WebP, BMP, PNM");
  expectError("II*", Code::Unsupported, "the 3 bytes do not begin");
  expectError("P6 0 2 255 ", Code::Usage, "PNM: the picture has 0 x 2 pixels");
  expectError("P6 1 1 65535 ab", Code::Usage, "its numbers go up to 65535, supported is up to 255");
  expectError("P2 1 1 3 4", Code::Usage, "it has the number 4, expected at most 3");
  expectError("P6 99999999999 1 255 ", Code::Usage, "is too large");
  expectError("BM", Code::Usage, "its header alone takes 54");
}

/// Small files that stand for very many pixels: nothing is taken for them.
TEST(Image, Bombs) {
  expectError("P6 60000 60000 255 ", Code::Usage,
              "PNM: the picture has 60000 x 60000 pixels, expected at most 67108864 in all");
  expectError("P6 4294967295 4294967295 255 ", Code::Usage, "expected at most 67108864");
  std::string bmp = bmpFile();
  bmp.replace(18, 8, little(0x7fffffff, 4) + little(0x80000000, 4));
  expectError(bmp, Code::Usage, "BMP: the picture has 2147483647 x 2147483648 pixels");
  bmp = bmpFile();
  bmp.replace(18, 8, little(8000, 4) + little(8000, 4));
  expectError(bmp, Code::Usage, "BMP: it has 78 bytes, and pixels up to byte 192000054");
}

/// What is cut off is an error, and never a picture of which a part is made up.
TEST(Image, CutOff) {
  for (const std::string &file : allFiles()) {
    const size_t padding = file[0] == 'B'      ? 0
                           : file == kPngFile  ? 12
                           : file == kJpegFile ? 2
                                               : 1; // what ends it may lack
    for (size_t size = 0; size + padding < file.size(); ++size) {
      const Status status = decoded(file.substr(0, size)).status();
      EXPECT_TRUE(status.code() == Code::Usage || status.code() == Code::Unsupported)
          << file.substr(0, 4) << " of " << size << ": " << status.message();
    }
  }
}

/// Whatever bytes there are, there is a picture or an error.
TEST(Image, Damaged) {
  std::mt19937 random(7);
  for (const std::string &file : allFiles())
    for (int i = 0; i < 400; ++i) {
      std::string damaged = file;
      for (unsigned change = 0; change <= random() % 4; ++change)
        damaged[2 + random() % (file.size() - 2)] = static_cast<char>(random());
      const Result<std::vector<uint8_t>> pixels = decoded(damaged);
      EXPECT_TRUE(pixels.isOk() || pixels.status().code() == Code::Usage || pixels.status().code() == Code::Unsupported)
          << pixels.status().message();
    }
}

} // namespace
