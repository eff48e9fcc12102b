# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ source that holds the given text files as arrays, declared
# in HEADER and NAMESPACE:
#   cmake -DOUTPUT=assets.cpp -DFILES="figure.css;report.js"
#     -DHEADER=gttf/output/page_assets.hpp -DNAMESPACE=gttf::assets -P assets.cmake
set(text "// SPDX-License-Identifier: Apache-2.0\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\n")
set(views "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND text "constexpr char ${name}_bytes[] = {${bytes}'\\0'};\n")
  string(APPEND views "const std::string_view ${name}(${name}_bytes, ${length});\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}  // namespace\n\n${views}\n}  // namespace ${NAMESPACE}\n")
