//===- lib/Runtime/Npz/ZipReader.cpp - Reads the zip container ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Npz/Zip.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

namespace cupola::npz {

namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr uint32_t kDirectorySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint16_t kZip64Field = 1;

Status bad(const std::string &what) { return Status::usage("not a readable .npz: " + what); }

/// Little-endian numbers at checked places; a read beyond the end sets `failed`.
class Cursor {
public:
  Cursor(std::string_view bytes, uint64_t at) : bytes(bytes), at(at) {}

  template <typename T> T get() {
    if (!format::fits(at, sizeof(T), bytes.size())) {
      broken = true;
      return 0;
    }
    T number = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      number |= T(T(static_cast<uint8_t>(bytes[at + i])) << (8 * i));
    at += sizeof(T);
    return number;
  }
  std::string_view take(uint64_t count) {
    if (broken || !format::fits(at, count, bytes.size())) {
      broken = true;
      return {};
    }
    at += count;
    return bytes.substr(at - count, count);
  }
  void skip(uint64_t count) { take(count); }
  uint64_t position() const { return at; }
  bool failed() const { return broken; }
  bool atEnd() const { return broken || at == bytes.size(); }

private:
  std::string_view bytes;
  uint64_t at;
  bool broken = false;
};

struct Directory {
  uint64_t entries = 0, offset = 0;
};

/// The end record lies in the last 64 KiB, before a comment.
Result<Directory> findDirectory(std::string_view archive) {
  constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20;
  const uint64_t size = archive.size();
  if (size < kEndBytes)
    return bad("it has " + std::to_string(size) + " bytes");
  const uint64_t last = size - kEndBytes;
  const uint64_t first = last - std::min<uint64_t>(last, 0xffff);
  for (uint64_t at = last + 1; at-- > first;) {
    Cursor end(archive, at);
    if (end.get<uint32_t>() != kEndSignature)
      continue;
    end.skip(6);
    Directory directory;
    directory.entries = end.get<uint16_t>();
    end.skip(4);
    directory.offset = end.get<uint32_t>();
    if (at < kLocatorBytes)
      return directory;
    Cursor locator(archive, at - kLocatorBytes);
    if (locator.get<uint32_t>() != kLocator64Signature)
      return directory;
    locator.skip(4);
    Cursor end64(archive, locator.get<uint64_t>());
    if (end64.get<uint32_t>() != kEnd64Signature)
      return bad("its zip64 directory is missing");
    end64.skip(28);
    directory.entries = end64.get<uint64_t>();
    end64.skip(8);
    directory.offset = end64.get<uint64_t>();
    return end64.failed() ? bad("its zip64 directory is cut off") : Result<Directory>(directory);
  }
  return bad("it has no zip directory (is it cut off?)");
}

/// Zip64 numbers stand in for those that are all ones, in this order.
void readZip64(std::string_view extra, ZipMember &member) {
  Cursor fields(extra, 0);
  while (!fields.atEnd()) {
    const uint16_t id = fields.get<uint16_t>();
    const std::string_view body = fields.take(fields.get<uint16_t>());
    if (id != kZip64Field)
      continue;
    Cursor numbers(body, 0);
    constexpr uint32_t kAllOnes = std::numeric_limits<uint32_t>::max();
    for (uint64_t *number : {&member.expandedBytes, &member.bytes, &member.headerOffset})
      if (*number == kAllOnes)
        *number = numbers.get<uint64_t>();
  }
}

Result<std::string_view> storedBytes(std::string_view archive, const ZipMember &member) {
  Cursor header(archive, member.headerOffset);
  const bool signatureFits = header.get<uint32_t>() == kLocalSignature;
  header.skip(22);
  const uint16_t nameBytes = header.get<uint16_t>();
  const uint16_t extraBytes = header.get<uint16_t>();
  header.skip(nameBytes);
  header.skip(extraBytes);
  const std::string_view bytes = header.take(member.bytes);
  if (!signatureFits || header.failed())
    return bad("a member lies outside the file");
  return bytes;
}

Status inflateAll(std::string_view packed, std::string &expanded) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return Status::environment("zlib has no memory");
  constexpr uint64_t kStep = uint64_t(1) << 30; // zlib counts in 32 bits
  auto *in = reinterpret_cast<const uint8_t *>(packed.data());
  auto *out = reinterpret_cast<uint8_t *>(expanded.data());
  uint64_t left = packed.size(), room = expanded.size();
  int code = Z_OK;
  while (code == Z_OK) {
    const auto given = static_cast<uInt>(std::min(left, kStep));
    const auto space = static_cast<uInt>(std::min(room, kStep));
    stream.next_in = const_cast<uint8_t *>(in);
    stream.avail_in = given;
    stream.next_out = out;
    stream.avail_out = space;
    code = inflate(&stream, Z_NO_FLUSH);
    in += given - stream.avail_in;
    left -= given - stream.avail_in;
    out += space - stream.avail_out;
    room -= space - stream.avail_out;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || room != 0)
    return bad("a member does not expand to the size it states");
  return Status::ok();
}

uint32_t crcOf(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

} // namespace

Result<std::vector<ZipMember>> listZip(std::string_view archive) {
  CUPOLA_ASSIGN(Directory directory, findDirectory(archive));
  std::vector<ZipMember> members;
  Cursor entry(archive, directory.offset);
  for (uint64_t i = 0; i < directory.entries; ++i) {
    ZipMember &member = members.emplace_back();
    const bool signatureFits = entry.get<uint32_t>() == kDirectorySignature;
    entry.skip(6);
    member.method = entry.get<uint16_t>();
    entry.skip(4);
    member.crc = entry.get<uint32_t>();
    member.bytes = entry.get<uint32_t>();
    member.expandedBytes = entry.get<uint32_t>();
    const uint16_t nameBytes = entry.get<uint16_t>();
    const uint16_t extraBytes = entry.get<uint16_t>();
    const uint16_t commentBytes = entry.get<uint16_t>();
    entry.skip(8);
    member.headerOffset = entry.get<uint32_t>();
    member.name = std::string(entry.take(nameBytes));
    readZip64(entry.take(extraBytes), member);
    entry.skip(commentBytes);
    if (!signatureFits || entry.failed())
      return bad("its zip directory is damaged");
  }
  return members;
}

Result<std::string> extract(std::string_view archive, const ZipMember &member) {
  CUPOLA_ASSIGN(std::string_view packed, storedBytes(archive, member));
  std::string expanded;
  if (member.method == 0 && member.bytes == member.expandedBytes) {
    expanded = std::string(packed);
  } else if (member.method == 8) {
    // Deflate cannot shrink below 1/1032: a larger claim is not worth the memory.
    if (member.expandedBytes / 1032 > member.bytes)
      return bad("a member claims to expand more than deflate can");
    expanded.resize(member.expandedBytes);
    CUPOLA_TRY(inflateAll(packed, expanded));
  } else {
    return bad("a member is compressed by method " + std::to_string(member.method) + ", only 0 and 8 are read");
  }
  if (crcOf(expanded) != member.crc)
    return bad("the CRC of a member differs");
  return expanded;
}

} // namespace cupola::npz
