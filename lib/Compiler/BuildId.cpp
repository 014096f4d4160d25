//===- lib/Compiler/BuildId.cpp - which compiler this is ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/BuildId.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace cupola::compiler {

namespace {

struct Search {
  uintptr_t address; ///< of a byte of the module
  std::string id;
};

bool holds(const dl_phdr_info &module, uintptr_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = module.dlpi_phdr[i];
    const uintptr_t begin = module.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz)
      return true;
  }
  return false;
}

/// The build id among the notes of a segment; they are padded to 4 bytes.
std::string idIn(const char *notes, size_t size) {
  const auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    const size_t name = at + sizeof(note), content = name + padded(note.n_namesz);
    if (content + note.n_descsz > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
      return {notes + content, note.n_descsz};
    at = content + padded(note.n_descsz);
  }
  return {};
}

int visit(dl_phdr_info *module, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!holds(*module, search.address))
    return 0;
  for (int i = 0; i < module->dlpi_phnum && search.id.empty(); ++i)
    if (const ElfW(Phdr) &part = module->dlpi_phdr[i]; part.p_type == PT_NOTE)
      search.id = idIn(reinterpret_cast<const char *>(module->dlpi_addr + part.p_vaddr), part.p_memsz);
  return 1;
}

std::string findBuildId() {
  Search search{reinterpret_cast<uintptr_t>(&visit), {}};
  dl_iterate_phdr(visit, &search);
  return search.id;
}

} // namespace

const std::string &buildId() {
  static const std::string id = findBuildId();
  return id;
}

} // namespace cupola::compiler
