//===- test/Runtime/NpzTest.cpp - Against files that numpy wrote ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The files come from test/Runtime/npz/make_npz.py.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "test/Runtime/Scratch.h"

#include <cstring>
#include <gtest/gtest.h>

namespace cupola::npz {

using format::DType;

namespace {

const std::string kFolder = "test/Runtime/npz/";

std::vector<Array> readNumpy(const std::string &name) {
  Result<std::vector<Array>> arrays = read(kFolder + name);
  EXPECT_TRUE(arrays.isOk()) << arrays.status().message();
  return arrays.isOk() ? arrays.take() : std::vector<Array>();
}

const Array &find(const std::vector<Array> &arrays, const std::string &name) {
  static const Array none;
  for (const Array &array : arrays)
    if (array.name == name)
      return array;
  ADD_FAILURE() << "no array " << name;
  return none;
}

template <typename T> std::vector<T> values(const Array &array) {
  std::vector<T> result(array.bytes.size() / sizeof(T));
  if (!result.empty())
    std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

std::vector<Array> someArrays() {
  return {{"x", DType::F32, {2}, {0, 0, 128, 63, 0, 0, 0, 64}},
          {"b/y", DType::Bool, {}, {1}},
          {"h", DType::BF16, {1, 1}, {1, 2}},
          {"", DType::U8, {0, 7}, {}}};
}

void expectEqual(const std::vector<Array> &a, const std::vector<Array> &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].dtype, b[i].dtype);
    EXPECT_EQ(a[i].shape, b[i].shape);
    EXPECT_EQ(a[i].bytes, b[i].bytes);
    EXPECT_EQ(a[i].texts, b[i].texts);
  }
}

} // namespace

TEST(Npz, ReadsEveryTypeNumpyWrites) {
  const std::vector<Array> arrays = readNumpy("stored.npz");
  ASSERT_EQ(arrays.size(), 16u);
  EXPECT_EQ(find(arrays, "t_f4").shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(values<float>(find(arrays, "t_f4")), (std::vector<float>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<double>(find(arrays, "t_f8")), (std::vector<double>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<uint16_t>(find(arrays, "t_f2")), (std::vector<uint16_t>{0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200}));
  EXPECT_EQ(values<int8_t>(find(arrays, "t_i1")), (std::vector<int8_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<int16_t>(find(arrays, "t_i2")), (std::vector<int16_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<int32_t>(find(arrays, "t_i4")), (std::vector<int32_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<int64_t>(find(arrays, "t_i8")), (std::vector<int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(values<uint8_t>(find(arrays, "t_u1")), (std::vector<uint8_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<uint16_t>(find(arrays, "t_u2")), (std::vector<uint16_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<uint32_t>(find(arrays, "t_u4")), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<uint64_t>(find(arrays, "t_u8")), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(find(arrays, "t_b1").dtype, DType::Bool);
  EXPECT_EQ(values<uint8_t>(find(arrays, "t_b1")), (std::vector<uint8_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(find(arrays, "scalar").shape.empty());
  EXPECT_EQ(values<float>(find(arrays, "scalar")), std::vector<float>{1.5f});
  EXPECT_EQ(find(arrays, "empty").shape, (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(values<int64_t>(find(arrays, "spaced name/\xc3\xa9")), (std::vector<int64_t>{1, 2}));
}

/// ml_dtypes writes '<V1', and '<f1' for float8_e5m2.
TEST(Npz, SingleBytesBecomeWhatIsDeclared) {
  for (const char *descr : {"'<V1'", "'|V1'", "'<f1'", "'|u1'", "'|i1'"}) {
    std::string header = "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (3,), }\n";
    Result<Array> read = parseNpy(std::string("\x93NUMPY\x01", 7) + '\0' + static_cast<char>(header.size()) + '\0' +
                                  header + "\x1f\xf8\x07");
    ASSERT_TRUE(read.isOk()) << read.status().message();
    Array four = *read, eight = *read, wide = *read;
    takeBits(four, DType::I4);
    EXPECT_EQ(four.dtype, DType::I4);
    EXPECT_EQ(four.bytes, (std::vector<uint8_t>{0xf, 0x8, 0x7}));
    takeBits(eight, DType::F8E5M2);
    EXPECT_EQ(eight.dtype, DType::F8E5M2);
    EXPECT_EQ(eight.bytes, read->bytes);
    takeBits(wide, DType::F32);
    EXPECT_EQ(wide.dtype, read->dtype);
    const std::string written = npyHeader(four);
    EXPECT_NE(written.find("'descr': '|V1'"), std::string::npos) << written;
  }
}

TEST(Npz, TurnsColumnMajorRound) {
  const std::vector<Array> arrays = readNumpy("stored.npz");
  std::vector<int32_t> counted(24);
  for (int i = 0; i < 24; ++i)
    counted[i] = i;
  EXPECT_EQ(find(arrays, "columns").shape, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(values<int32_t>(find(arrays, "columns")), counted);
}

TEST(Npz, DeflatedEqualsStored) { expectEqual(readNumpy("deflated.npz"), readNumpy("stored.npz")); }

TEST(Npz, RefusesWhatItDoesNotRead) {
  const Status big = read(kFolder + "big_endian.npz").status();
  EXPECT_EQ(big.code(), Code::Usage);
  EXPECT_NE(big.message().find("element type '>f4' is not read"), std::string::npos) << big.message();
  EXPECT_NE(read(kFolder + "pickled.npz").status().message().find("it holds pickled objects"), std::string::npos);
  EXPECT_EQ(read(kFolder + "none.npz").status().code(), Code::IO);
  EXPECT_EQ(read(kFolder).status().code(), Code::IO);
  EXPECT_EQ(read(kFolder + "make_npz.py").status().code(), Code::Usage);
}

TEST(Npz, RoundTrips) {
  const test::Scratch scratch;
  ASSERT_TRUE(write(scratch.path("a.npz"), someArrays()).isOk());
  Result<std::vector<Array>> back = read(scratch.path("a.npz"));
  ASSERT_TRUE(back.isOk()) << back.status().message();
  expectEqual(*back, someArrays());
  EXPECT_EQ(scratch.entries(), 1u);
  EXPECT_EQ(*serialize(someArrays()), *serialize(someArrays()));
}

TEST(Npz, LimitsAndDamage) {
  const std::string archive = *serialize(someArrays());
  EXPECT_EQ(parse(archive, 100).status().code(), Code::Limit);
  for (size_t length = 0; length < archive.size(); ++length)
    ASSERT_TRUE(parse(std::string_view(archive).substr(0, length)).failed()) << length;
  Result<std::string> deflated = format::readFile(kFolder + "deflated.npz", 1 << 20);
  ASSERT_TRUE(deflated.isOk());
  size_t refused = 0;
  for (size_t i = 0; i < deflated->size(); ++i) {
    std::string flipped = *deflated;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    refused += parse(flipped).failed(); // times and versions do not matter; nothing crashes
  }
  EXPECT_GT(refused, deflated->size() / 2);
}

TEST(Npy, HeadersInAnyOrderAndSpacing) {
  const auto npy = [](const std::string &header) {
    std::string text = "\x93NUMPY";
    text += '\x01', text += '\0', text += static_cast<char>(header.size()), text += '\0';
    return text + header + std::string(8, '\0');
  };
  EXPECT_TRUE(parseNpy(npy("{\"shape\":(2,),'fortran_order':True,'descr':'<f4'}")).isOk());
  EXPECT_TRUE(parseNpy(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }\n")).isOk());
  for (const char *wrong : {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}",
                            "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
                            "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
                            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"})
    EXPECT_EQ(parseNpy(npy(wrong)).status().code(), Code::Usage) << wrong;
}

namespace {

Array textArray(std::vector<int64_t> shape, std::vector<std::string> texts) {
  return {"s", DType::String, std::move(shape), {}, std::move(texts)};
}

/// A .npy of strings as numpy writes it.
std::string stringsNpy(const std::string &descr, const std::string &shape, const std::string &values,
                       const char *order = "False") {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  std::string npy("\x93NUMPY\x01\0", 8);
  npy += static_cast<char>(text.size());
  npy += '\0';
  return npy + text + values;
}

} // namespace

TEST(Npz, StringsComeBack) {
  const std::vector<Array> arrays{textArray({2, 2}, {"a", "\xc3\xa9t\xc3\xa9", "", "\xf0\x9f\x98\x80"}),
                                  textArray({0}, {}), textArray({1}, {"\xff is no UTF-8"}), textArray({}, {""})};
  const Result<std::string> archive = serialize(arrays);
  ASSERT_TRUE(archive.isOk());
  EXPECT_NE(archive->find("'<U3'"), std::string::npos);
  EXPECT_NE(archive->find("'|S13'"), std::string::npos);
  Result<std::vector<Array>> read = parse(*archive);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  expectEqual(read.take(), arrays);
}

TEST(Npz, StringsOfNumpy) {
  Result<Array> array = parseNpy(stringsNpy("|S2", "2, 2", std::string("ab\0\0c\0de", 8), "True"));
  ASSERT_TRUE(array.isOk()) << array.status().message();
  EXPECT_EQ(array->texts, (std::vector<std::string>{"ab", "c", "", "de"}));
  array = parseNpy(stringsNpy("<U0", "3,", ""));
  ASSERT_TRUE(array.isOk()) << array.status().message();
  EXPECT_EQ(array->texts, std::vector<std::string>(3));
  for (const std::string &npy :
       {stringsNpy("<U2", "1,", "abcd"), stringsNpy(">U1", "1,", "abcd"),
        stringsNpy("<U1", "1,", std::string("\0\xd8\0\0", 4)), stringsNpy("<U1", "1,", "\xff\xff\xff\xff"),
        stringsNpy("|S99999999999", "1,", "a"), stringsNpy("<U0", "99999999999,", ""), stringsNpy("|S", "1,", "a"),
        stringsNpy("|S4", "4611686018427387904, 4", "")})
    EXPECT_EQ(parseNpy(npy).status().code(), Code::Usage) << npy;
}

} // namespace cupola::npz
