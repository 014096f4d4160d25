#===- tools/dev/static.cmake - The libraries that a wheel cannot expect on a machine, as archives ---===#
# SPDX-License-Identifier: Apache-2.0
#
# With CUPOLA_STATIC nothing is needed at run time but the C and the C++ library: LLVM, MLIR, lld, Protobuf, libcrypto, zlib and zstd
# are linked as archives, and what nobody calls is left out. A library's exports are those of its exports.map either way.

set(OPENSSL_USE_STATIC_LIBS ON)
set(ZLIB_USE_STATIC_LIBS ON)
add_link_options(-Wl,--gc-sections -Wl,--exclude-libs,ALL)

# cupola_static_protobuf(): the imported protobuf::libprotobuf becomes an archive of our own. Debian's is compiled for executables:
# its thread-local variables have no place in a shared library.
function(cupola_static_protobuf)
  include(FetchContent)
  FetchContent_Declare(protobuf_sources URL ${CUPOLA_DEPS_DIR}/download/grpcio-tools-1.53.2.tar.gz
    URL_HASH SHA256=1b10f95d1f4af2b9d63c9beccf386b3a5e1a92f14b3f64a9a8385b6ba091e0dc
    SOURCE_SUBDIR none DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  FetchContent_MakeAvailable(protobuf_sources)
  set(root ${protobuf_sources_SOURCE_DIR}/third_party/protobuf/src)
  if(NOT EXISTS ${root}/google/protobuf/arena.cc)
    message(FATAL_ERROR "${root} has no sources of Protobuf: run tools/dev/setup")
  endif()
  file(GLOB sources ${root}/google/protobuf/*.cc ${root}/google/protobuf/io/*.cc ${root}/google/protobuf/stubs/*.cc)
  list(FILTER sources EXCLUDE REGEX "test|mock")
  add_library(cupola_protobuf STATIC ${sources})
  target_include_directories(cupola_protobuf SYSTEM PRIVATE ${root})
  target_compile_definitions(cupola_protobuf PRIVATE HAVE_PTHREAD)
  target_compile_options(cupola_protobuf PRIVATE -w)
  set(archive ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libcupola_protobuf.a)
  set_target_properties(protobuf::libprotobuf PROPERTIES IMPORTED_LOCATION ${archive} IMPORTED_LOCATION_RELEASE ${archive})
  add_dependencies(protobuf::libprotobuf cupola_protobuf)
endfunction()

# cupola_static_llvm(target): links `target` with every archive of LLVM, MLIR and lld, of which the linker takes what is used. lld
# registers all targets that LLVM was built for and has a hook for Polly in link-time optimisation; we need neither, so that all
# but X86's registrations are empty functions here, found before LLVM's, and three quarters of the code stay out.
function(cupola_static_llvm target)
  set(code "#include <stdlib.h>\n\n/* getPollyPluginInfo() */\nvoid _Z18getPollyPluginInfov(void) { abort(); }\n")
  foreach(other ${LLVM_TARGETS_TO_BUILD})
    if(NOT other STREQUAL "X86")
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND code "void LLVMInitialize${other}${part}(void) {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/otherTargets.c CONTENT "${code}")
  add_library(cupola_other_targets STATIC ${CMAKE_BINARY_DIR}/otherTargets.c)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a ${LLVM_LIBRARY_DIR}/liblld*.a)
  list(FILTER archives EXCLUDE REGEX "Test|libLLVMPolly|lld(COFF|MachO|MinGW|Wasm)")
  find_library(CUPOLA_ZSTD_ARCHIVE libzstd.a REQUIRED)
  target_link_libraries(${target} INTERFACE cupola_other_targets ${archives} ${CUPOLA_ZSTD_ARCHIVE} ZLIB::ZLIB)
endfunction()

# cupola_install_licences(folder component [EXCLUDE_FROM_ALL]): of what is linked statically, as its sources and packages state them.
function(cupola_install_licences folder component)
  foreach(library libcli11-dev libprotobuf-dev libssl-dev libzstd-dev llvm-22-dev nlohmann-json3-dev zlib1g-dev)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${folder} RENAME ${library}.txt COMPONENT ${component} ${ARGN})
  endforeach()
  install(FILES ${onnx_SOURCE_DIR}/LICENSE DESTINATION ${folder} RENAME onnx.txt COMPONENT ${component} ${ARGN})
endfunction()
