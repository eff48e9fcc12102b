// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/table_style.hpp"

namespace gttf {

std::vector<std::size_t> shown_columns(const Table& table,
                                       const TableStyle& style) {
  std::vector<std::size_t> indices;
  if (style.columns.empty()) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) indices.push_back(i);
  }
  for (const std::string& name : style.columns)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == name) indices.push_back(i);
  return indices;
}

}  // namespace gttf
