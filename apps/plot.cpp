// SPDX-License-Identifier: Apache-2.0
// plot: writes one figure of a report for papers and slides.
#include <algorithm>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "report_request.hpp"
#include "rsvg.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

std::string list_of(const std::vector<const Figure*>& figures) {
  std::size_t width = 0;
  for (const Figure* figure : figures)
    width = std::max(width, figure->id.size());
  std::string text;
  for (const Figure* figure : figures) {
    text += figure->id + std::string(width + 2 - figure->id.size(), ' ') +
            plain_text(figure->title);
    if (!figure->subtitle.empty()) text += ", " + plain_text(figure->subtitle);
    text += '\n';
  }
  return text;
}

const Figure& find_figure(const std::vector<const Figure*>& figures,
                          const std::string& name) {
  std::vector<std::string> names;
  for (const Figure* figure : figures) {
    if (figure->id == name) return *figure;
    names.push_back(figure->id);
  }
  std::string text = "--figure: this study has no " + in_quotes(name);
  if (const auto near = nearest(name, names))
    text += "; did you mean " + in_quotes(*near) + "?";
  else
    text += "; it has " + joined(names);
  throw UsageError(text);
}

const Figure& chosen(const std::vector<const Figure*>& figures,
                     const std::string& name) {
  if (!name.empty()) return find_figure(figures, name);
  for (const std::string_view id : {"sigma-p", "sigma-pt", "sigma-x"})
    for (const Figure* figure : figures)
      if (figure->id == id) return *figure;
  return find_figure(figures, "sigma-pt");
}

int run_plot(const Call& call) {
  const Options& options = call.options;
  if (!options.list && options.file.empty())
    throw UsageError("no output: give -o FILE, or --list to list the figures");
  const ImageFormat format =
      options.list ? ImageFormat::svg : image_format_of("-o", options.file);
  const ReportRequest request(options);
  const Page page = request.make_page();
  const std::vector<const Figure*> figures = figures_of(page);
  AtomicFile file(options.list ? "-" : options.file);
  if (options.list)
    file.stream() << list_of(figures);
  else
    file.stream() << convert_svg(
        figure_file(chosen(figures, options.figure), request.provenance(call)),
        format, options.zoom);
  file.commit();
  return good;
}

}  // namespace

const Verb plot_verb{
    "plot",
    of::plot,
    "Write one figure of a report as SVG, PDF or PNG",
    "Figures have white paper, plain colours and their legend; PDF and PNG "
    "need the\n"
    "program rsvg-convert (Debian: librsvg2-bin).",
    "plot configs/cld.yaml --list\n"
    "plot detectors/cld.yaml --pt 0.1GeV:100GeV:40 --eta 0 -o pt.svg\n"
    "plot configs/cld.yaml --figure share-d0 -o d0.pdf",
    run_plot};

}  // namespace gttf::app
