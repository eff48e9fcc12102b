// SPDX-License-Identifier: Apache-2.0
#include "explorer/explorer_page.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "explorer/explorer_assets.hpp"
#include "gttf/output/html.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf::app {
namespace {

void replace(std::string& text, std::string_view mark, std::string_view by) {
  if (const std::size_t at = text.find(mark); at != text.npos)
    text.replace(at, mark.size(), by);
}

/// Version and command shown in the footer of the page.
Document provenance_document(const std::optional<Provenance>& provenance) {
  Document::List facts;
  const auto add = [&facts](std::string_view name, std::string_view text) {
    facts.push_back(Document::List{Document(name), Document(text)});
  };
  if (provenance) {
    add("Program", provenance->program + " " + provenance->version);
    add("Command", provenance->command_line);
    for (const InputFile& input : provenance->inputs)
      add("Input",
          input.file + (input.hash().empty() ? std::string()
                                             : " · sha256 " + input.hash()));
    for (const std::string& model : provenance->models) add("Model", model);
  }
  return facts;
}

}  // namespace

bool has_explorer_module() { return !explorer_assets::module_b64.empty(); }

void write_explorer(std::ostream& out, const Document& exploration,
                    const std::optional<Provenance>& provenance) {
  namespace assets = explorer_assets;
  const std::string script =
      std::string(assets::engine_js) + std::string(assets::explorer_js);
  const std::string dark = dark_variables();
  std::string page(assets::explorer_html);
  replace(page, "@script-hash@", script_hash(script));
  replace(page, "@title@", escaped(text_of(exploration, "name")));
  replace(page, "@variables@",
          ":root{" + light_variables() +
              "}\n@media screen and (prefers-color-scheme:dark){:root:not("
              "[data-theme=light]){" +
              dark + "}}\n@media screen{[data-theme=dark]{" + dark + "}}\n");
  replace(page, "@style@", assets::explorer_css);
  Document data = exploration;
  data.set("provenance", provenance_document(provenance));
  // from here on, no text of the user may be searched for a mark
  const std::string_view marks[] = {"@data@", "@module@", "@script@"};
  const std::string parts[] = {script_json(data),
                               std::string(assets::module_b64), script};
  std::string_view rest = page;
  for (std::size_t i = 0; i < std::size(marks); ++i) {
    const std::size_t at = rest.find(marks[i]);
    out << rest.substr(0, at) << parts[i];
    rest.remove_prefix(at + marks[i].size());
  }
  out << rest;
}

}  // namespace gttf::app
