//===- lib/Runtime/Npz/Npz.h - numpy's .npz files ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A .npz is a zip archive (PKWARE's APPNOTE, with zip64) of .npy members (NEP 1:
// versions 1 to 3), stored or deflated. Values are little-endian and row-major;
// column-major members are turned round. bfloat16, which numpy lacks, is read
// from the void type "|V2" that ml_dtypes writes; what it writes as single bytes
// is uint8 (see takeBits). Strings are those of fixed width (`<U8`, `|S8`). Pickled
// objects are refused.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_NPZ_NPZ_H
#define CUPOLA_LIB_RUNTIME_NPZ_NPZ_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::npz {

struct Array {
  std::string name; ///< without ".npy"
  format::DType dtype = format::DType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<std::string> texts = {}; ///< of strings: the elements, in place of `bytes`

  size_t count() const { return dtype == format::DType::String ? texts.size() : bytes.size() / byteSize(dtype); }
};

/// The most that a file and its values may take, unless the caller says else.
constexpr uint64_t kDefaultLimit = uint64_t(1) << 36;

/// Members in the archive's order. A file that cannot be read is Code::IO, one
/// that is no .npz, is damaged (CRC) or holds what we do not read Code::Usage,
/// one above the limit Code::Limit.
Result<std::vector<Array>> read(const std::string &path, uint64_t limit = kDefaultLimit);
Result<std::vector<Array>> parse(std::string_view archive, uint64_t limit = kDefaultLimit);

/// Stored, not deflated, without times: equal arrays give equal bytes. The file
/// appears whole or not at all.
Status write(const std::string &path, const std::vector<Array> &arrays);
Result<std::string> serialize(const std::vector<Array> &arrays);

/// Whether elements of an array may be the bits of `declared`, a type that .npy has no name for: uint16 of bfloat16,
/// single bytes of types of up to 8 bits, which lie in their low bits.
bool holdsBitsOf(format::DType array, format::DType declared);
/// Makes such an array one of `declared`, with 0 above the bits; another stays as it is.
void takeBits(Array &array, format::DType declared);

/// One .npy member.
Result<Array> parseNpy(std::string_view npy);
/// Strings are written as numpy's `<U`, or as `|S` where they are no UTF-8.
std::string npyHeader(const Array &array);

// Strings of .npy members (NpyStrings.cpp): `kind` is 'U', UTF-32, or 'S', bytes.
char stringKind(const Array &array);
/// Code points or bytes of the longest element; at least 1.
size_t stringWidth(const Array &array, char kind);
std::string packStrings(const Array &array, char kind, size_t width);
/// Without the zeros at their ends; `values` has elements of one width. Nothing: a number is no code point.
std::optional<std::vector<std::string>> unpackStrings(std::string_view values, char kind, size_t width);

} // namespace cupola::npz

#endif // CUPOLA_LIB_RUNTIME_NPZ_NPZ_H
