//===- lib/Runtime/Npz/Npz.cpp - numpy's .npz files ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Npz/Npz.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Npz/Zip.h"

#include <deque>

namespace cupola::npz {

namespace {
constexpr std::string_view kSuffix = ".npy";

/// Member names are the file's: they go into messages without control bytes.
std::string printable(std::string name) {
  for (char &c : name)
    if (c < ' ' || c == 0x7f)
      c = '?';
  return "member '" + name + "'";
}

Result<Array> parseMember(std::string_view archive, const ZipMember &member) {
  CUPOLA_ASSIGN(std::string npy, extract(archive, member));
  CUPOLA_ASSIGN(Array array, parseNpy(npy));
  array.name = member.name;
  const size_t stem = member.name.size() - std::min(member.name.size(), kSuffix.size());
  if (member.name.compare(stem, std::string::npos, kSuffix) == 0)
    array.name.resize(stem);
  return array;
}
} // namespace

Result<std::vector<Array>> parse(std::string_view archive, uint64_t limit) {
  CUPOLA_ASSIGN(std::vector<ZipMember> members, listZip(archive));
  uint64_t left = limit;
  std::vector<Array> arrays;
  for (const ZipMember &member : members) {
    if (member.expandedBytes > left)
      return Status::limit("its values take more than " + std::to_string(limit) + " bytes");
    left -= member.expandedBytes;
    CUPOLA_ASSIGN(Array array, parseMember(archive, member).within(printable(member.name)));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Result<std::vector<Array>> read(const std::string &path, uint64_t limit) {
  CUPOLA_ASSIGN(std::string archive, format::readFile(path, limit));
  return parse(archive, limit).within(path);
}

Result<std::string> serialize(const std::vector<Array> &arrays) {
  ZipWriter zip;
  std::deque<std::string> packed; // until the archive is finished
  for (const Array &array : arrays) {
    const std::string name = array.name + std::string(kSuffix);
    if (name.size() > 0xffff)
      return Status::usage("a tensor's name has " + std::to_string(array.name.size()) +
                           " bytes, a zip member's at most 65535");
    const std::string header = npyHeader(array);
    std::string_view values{reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size()};
    if (array.dtype == format::DType::String) {
      const char kind = stringKind(array);
      values = packed.emplace_back(packStrings(array, kind, stringWidth(array, kind)));
    }
    zip.add(name, {header, values});
  }
  return zip.finish();
}

Status write(const std::string &path, const std::vector<Array> &arrays) {
  CUPOLA_ASSIGN(std::string archive, serialize(arrays));
  return format::writeFile(path, archive);
}

} // namespace cupola::npz
