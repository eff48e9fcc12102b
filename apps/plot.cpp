// SPDX-License-Identifier: Apache-2.0
// plot: one figure of a report as a file for papers and slides.
#include <algorithm>
#include <filesystem>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/plot/figure_svg.hpp"
#include "report_options.hpp"
#include "rsvg.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

ImageFormat format_of(const std::string& file) {
  if (is_special_file(file)) return ImageFormat::svg;
  const std::string ending =
      lower_case(std::filesystem::path(file).extension().string());
  if (ending == ".svg") return ImageFormat::svg;
  if (ending == ".pdf") return ImageFormat::pdf;
  if (ending == ".png") return ImageFormat::png;
  throw UsageError("-o " + in_quotes(file) +
                   ": a figure is .svg, .pdf or .png");
}

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

class PlotVerb : public Verb {
 public:
  PlotVerb() : Verb("plot", "One figure of a report as SVG, PDF or PNG") {
    constexpr auto group = "Output";
    request_.declare(command());
    command()
        .add_option("--figure", figure_,
                    "Name of the figure, as --list tells (default: sigma-pt, "
                    "sigma-p along a beam)")
        ->type_name("NAME")
        ->group("Report");
    command()
        .add_flag("--list", list_, "Tell the figures of this study and stop")
        ->group("Report");
    command()
        .add_option("-o,--output", file_,
                    "Write to FILE (.svg .pdf .png); - is standard output, svg")
        ->type_name("FILE")
        ->group(group);
    command()
        .add_option("--zoom", zoom_, "Pixels of png per px (default: 2)")
        ->type_name("NUMBER")
        ->check(CLI::Range(0.1, 20.0).description(""))
        ->group(group);
    command()
        .add_flag("--no-provenance", no_provenance_,
                  "Leave out version, command line and hashes of inputs (svg)")
        ->group(group);
    command()
        .add_flag("--quiet", quiet_, "Say nothing but errors (no warnings)")
        ->group(group);
    command().footer(
        "\nFigures have white paper, plain colours and their legend; PDF and "
        "PNG need the\nprogram rsvg-convert (Debian: librsvg2-bin).\n"
        "\nExamples:\n"
        "  gttf-design plot configs/cld.yaml --list\n"
        "  gttf-design plot configs/cld.yaml --figure sigma-pt -o pt.svg\n"
        "  gttf-design plot configs/cld.yaml --figure share-d0 -o d0.pdf");
  }

  int run(const Call& call) override {
    if (!list_ && file_.empty())
      throw UsageError("where to? give -o FILE, or --list for the figures");
    const ImageFormat format = list_ ? ImageFormat::svg : format_of(file_);
    request_.read(quiet_);
    const Page page = request_.make_page();
    const std::vector<const Figure*> figures = figures_of(page);
    AtomicFile file(list_ ? "-" : file_);
    file.stream() << (list_ ? list_of(figures)
                            : convert_svg(figure_file(chosen(figures),
                                                      request_.provenance(
                                                          call.arguments,
                                                          !no_provenance_)),
                                          format, zoom_));
    file.commit();
    return good;
  }

 private:
  const Figure& chosen(const std::vector<const Figure*>& figures) const {
    if (!figure_.empty()) return find_figure(figures, figure_);
    for (const Figure* figure : figures)
      if (figure->id == "sigma-p") return *figure;
    return find_figure(figures, "sigma-pt");
  }

  ReportRequest request_;
  std::string figure_, file_;
  bool list_ = false, no_provenance_ = false, quiet_ = false;
  double zoom_ = 2;
};

}  // namespace

std::unique_ptr<Verb> make_plot_verb() { return std::make_unique<PlotVerb>(); }

}  // namespace gttf::app
