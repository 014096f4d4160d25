#===- tools/dev/embed.cmake - Writes text files as a table of C++ string constants ---===#
# SPDX-License-Identifier: Apache-2.0
# Run by cupola_embed (root CMakeLists.txt) with NAME, NAMESPACE, OUT, HEADER and FILES.

string(SUBSTRING ${NAME} 0 1 first)
string(SUBSTRING ${NAME} 1 -1 rest)
string(TOUPPER ${first} first)
set(type "${first}${rest}File")
list(LENGTH FILES count)
string(MAKE_C_IDENTIFIER ${HEADER} guard)
string(TOUPPER "CUPOLA_${guard}" guard)

file(WRITE ${OUT}.h "#ifndef ${guard}\n#define ${guard}\n#include <string_view>\nnamespace ${NAMESPACE} {\n"
  "struct ${type} { std::string_view name, text; };\nextern const ${type} ${NAME}[${count}];\n}\n#endif\n")

set(rows)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "  {\"${name}\", R\"cupola_embed(${text})cupola_embed\"},\n")
endforeach()
file(WRITE ${OUT}.cpp "#include \"${HEADER}\"\nnamespace ${NAMESPACE} {\nconst ${type} ${NAME}[${count}] = {\n${rows}};\n}\n")
