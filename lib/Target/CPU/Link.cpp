//===- lib/Target/CPU/Link.cpp - objects to a shared object, by lld in memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// lld reads and writes files by name: the objects are anonymous files, and the image
// comes back through a pipe, which lld writes without a temporary file beside it.

#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Target/CPU/Lowering.h"

#include "lld/Common/Driver.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace cupola::cpu {
namespace {

using format::Descriptor;

Status systemError(const char *call) { return Status::environment(std::string(call) + ": " + std::strerror(errno)); }

/// A file that lld opens by name.
Result<Descriptor> anonymousFile(llvm::StringRef bytes) {
  Descriptor file(::memfd_create("object", MFD_CLOEXEC));
  if (!file)
    return systemError("memfd_create");
  if (!format::writeAll(file.get(), bytes))
    return systemError("write of an object file");
  return file;
}

/// Runs lld with these arguments and an output of ours.
Result<std::string> runLinker(std::vector<std::string> arguments) {
  static std::mutex mutex; // lld has state of its own
  std::lock_guard<std::mutex> lock(mutex);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return systemError("pipe");
  Descriptor reading(ends[0]), writing(ends[1]);
  std::string image;
  std::thread reader([&] {
    char bytes[1 << 16];
    for (ssize_t count; (count = ::read(reading.get(), bytes, sizeof bytes)) != 0;)
      if (count > 0)
        image.append(bytes, count);
      else if (errno != EINTR)
        break;
  });
  arguments.push_back("-o");
  arguments.push_back(writing.path());
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  writing.close();
  reader.join();
  if (result.retCode != 0)
    return Status::environment("linking the CPU kernels failed: " + messages);
  return image;
}

const std::vector<std::string> kOptions = {
    "ld.lld",           "-shared",       "--strip-all", "--build-id=none", "--threads=1",
    "--hash-style=gnu", "--gc-sections", "-z",          "noexecstack",     "--no-mmap-output-file"};

/// The functions that the objects call from outside.
std::set<std::string> undefinedSymbols(llvm::ArrayRef<std::string> objects) {
  std::set<std::string> names;
  for (const std::string &bytes : objects) {
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object"));
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
      llvm::Expected<uint32_t> flags = symbol.getFlags();
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
        names.insert(name->str());
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
    }
  }
  return names;
}

/// A library that says which functions libm.so.6 has, to link against: the C library
/// of the machine this runs on has no part in the image.
Result<std::string> mathStub(const std::set<std::string> &functions, const CpuArchitecture &isa) {
  llvm::LLVMContext context;
  llvm::Module module("stub", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  for (const std::string &name : functions) {
    auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    auto *body = llvm::BasicBlock::Create(context, "", function);
    llvm::ReturnInst::Create(context, body);
  }
  CUPOLA_ASSIGN(std::string object, compile(module, isa));
  CUPOLA_ASSIGN(Descriptor file, anonymousFile(object));
  std::vector<std::string> arguments = kOptions;
  arguments.insert(arguments.end(), {"-soname", "libm.so.6", file.path()});
  return runLinker(std::move(arguments));
}

} // namespace

Result<std::string> linkImage(llvm::ArrayRef<std::string> objects, const CpuArchitecture &isa) {
  std::vector<Descriptor> files;
  std::vector<std::string> arguments = kOptions;
  auto add = [&](const std::string &bytes) -> Status {
    CUPOLA_ASSIGN(Descriptor file, anonymousFile(bytes));
    arguments.push_back(file.path());
    files.push_back(std::move(file));
    return Status::ok();
  };
  for (const std::string &object : objects)
    CUPOLA_TRY(add(object));
  if (std::set<std::string> functions = undefinedSymbols(objects); !functions.empty()) {
    CUPOLA_ASSIGN(std::string stub, mathStub(functions, isa));
    CUPOLA_TRY(add(stub));
  }
  arguments.push_back("--no-undefined");
  return runLinker(std::move(arguments));
}

} // namespace cupola::cpu
