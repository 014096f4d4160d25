#===- CupolaConfig.cmake - find_package(Cupola [COMPONENTS runtime compiler]): Cupola::runtime, Cupola::compiler ---===#
# SPDX-License-Identifier: Apache-2.0
#
# Without components: what is installed. The compiler brings the runtime.

foreach(component runtime compiler)
  include(${CMAKE_CURRENT_LIST_DIR}/Cupola-${component}.cmake OPTIONAL RESULT_VARIABLE Cupola_${component}_FOUND)
endforeach()
foreach(component IN LISTS Cupola_FIND_COMPONENTS)
  if(Cupola_FIND_REQUIRED_${component} AND NOT Cupola_${component}_FOUND)
    set(Cupola_FOUND FALSE)
    set(Cupola_NOT_FOUND_MESSAGE "this installation of Cupola has no component '${component}'")
  endif()
endforeach()
