//===- lib/Runtime/Npz/ZipWriter.cpp - Writes the zip container ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every member carries the zip64 field, needed or not: one form for all sizes.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/Npz/Zip.h"

#include <zlib.h>

namespace cupola::npz {

namespace {

constexpr uint16_t kVersion = 45;    ///< the first with zip64
constexpr uint16_t kFirstDay = 0x21; ///< 1 January 1980
constexpr uint32_t kInZip64 = 0xffffffff;

template <typename T> void put(std::string &out, T number) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<char>(uint64_t(number) >> (8 * i)));
}

template <typename... T> void putAll(std::string &out, T... numbers) { (put(out, numbers), ...); }

} // namespace

void ZipWriter::add(const std::string &name, const std::vector<std::string_view> &parts) {
  uint64_t bytes = 0;
  uLong crc = 0;
  for (std::string_view part : parts) {
    bytes += part.size();
    if (!part.empty()) // zlib takes a null pointer as a request for the initial value
      crc = crc32_z(crc, reinterpret_cast<const uint8_t *>(part.data()), part.size());
  }
  const auto checksum = static_cast<uint32_t>(crc);
  const auto nameBytes = static_cast<uint16_t>(name.size());
  const uint64_t offset = out.size();
  const uint16_t zero = 0;

  putAll(out, uint32_t(0x04034b50), kVersion, zero, zero, zero, kFirstDay, checksum, kInZip64, kInZip64, nameBytes,
         uint16_t(20));
  out += name;
  putAll(out, uint16_t(1), uint16_t(16), bytes, bytes);
  for (std::string_view part : parts)
    out += part;

  putAll(directory, uint32_t(0x02014b50), kVersion, kVersion, zero, zero, zero, kFirstDay, checksum, kInZip64, kInZip64,
         nameBytes, uint16_t(28), zero, zero, zero, uint32_t(0), kInZip64);
  directory += name;
  putAll(directory, uint16_t(1), uint16_t(24), bytes, bytes, offset);
  ++members;
}

std::string ZipWriter::finish() {
  const uint64_t start = out.size(), bytes = directory.size();
  out += directory;
  const uint64_t end64 = out.size();
  const uint16_t zero = 0, allOnes = 0xffff;
  putAll(out, uint32_t(0x06064b50), uint64_t(44), kVersion, kVersion, uint32_t(0), uint32_t(0), members, members, bytes,
         start);
  putAll(out, uint32_t(0x07064b50), uint32_t(0), end64, uint32_t(1));
  putAll(out, uint32_t(0x06054b50), zero, zero, allOnes, allOnes, kInZip64, kInZip64, zero);
  return std::move(out);
}

} // namespace cupola::npz
