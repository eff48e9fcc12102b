// SPDX-License-Identifier: Apache-2.0
// plot: figures of a report as a file for papers and slides.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/plot/figure_change.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "report_request.hpp"
#include "rsvg.hpp"
#include "terminal.hpp"
#include "usage.hpp"
#include "verb.hpp"
#include "watch.hpp"

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

// Of several detectors the comparison.
const Figure& usual_figure(const std::vector<const Figure*>& figures) {
  for (const std::string_view id :
       {"compare-pt", "compare-p", "compare-x", "compare-u", "sigma-u",
        "sigma-pt", "sigma-p", "sigma-x"})
    for (const Figure* figure : figures)
      if (figure->id == id) return *figure;
  return find_figure(figures, "sigma-pt");
}

std::vector<Figure> chosen(const std::vector<const Figure*>& figures,
                           const std::string& names) {
  if (names.empty()) return {usual_figure(figures)};
  std::vector<Figure> list;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t end = std::min(names.find(',', from), names.size());
    const std::string name(
        trimmed(std::string_view(names).substr(from, end - from)));
    from = end + 1;
    const Figure& figure = find_figure(figures, name);
    if (std::ranges::count(list, figure.id, &Figure::id) > 0)
      throw UsageError("--figure: " + in_quotes(name) + " is given twice");
    list.push_back(figure);
  }
  return list;
}

// A length of --size in px of 1/96 inch.
double pixels_of(std::string_view text, const std::string& size) {
  if (text.ends_with("px")) text.remove_suffix(2);
  const Parsed<double> plain = parse_quantity(text, Dimension::number);
  double px = plain ? plain.value : 0;
  if (!plain) {
    const Parsed<double> length = parse_quantity(text, Dimension::length);
    if (!length)
      throw UsageError("--size " + in_quotes(size) +
                       ": write for example 800x500 or 12cmx8cm");
    constexpr double inch = 25.4 * unit::mm;
    px = length.value / inch * 96;
  }
  constexpr double least = 100, most = 20000;
  if (!(px >= least && px <= most))
    throw UsageError("--size " + in_quotes(size) +
                     ": each side must be between 100 and 20000 px");
  return px;
}

// The size of text and lines, relative to a page, and the width of a figure
// without a given size.
struct Look {
  double scale = 1;
  double width = 0;  ///< px of the layout; 0: unchanged
};

Look look_of(const std::string& style) {
  constexpr double inch = 25.4;
  // letters of 12 px of 360 are 8 pt in a column of 86 mm; 16 px are the border
  if (style == "paper") return {86 / inch * 96 / 360, 344};
  if (style == "talk") return {1.6, 480};
  return {};
}

void change(const Options& options, const Look& look, Figure& figure) {
  FigureChange wanted;
  if (look.width > 0) {
    wanted.width = look.width;
    wanted.height = figure.height > 0
                        ? std::round(figure.height * look.width / figure.width)
                        : 0;
    // wide charts of bars need their words
    if (std::holds_alternative<BarChart>(figure.content) ||
        std::holds_alternative<MatrixChart>(figure.content))
      wanted.width = wanted.height = 0;
    // letters have become larger: more height for the same labels
    constexpr double squarer = 1.12;
    wanted.height = std::round(wanted.height * squarer);
  }
  if (!options.size.empty()) {
    const std::size_t cross = options.size.find_first_of("xX*");
    if (cross == options.size.npos)
      throw UsageError("--size " + in_quotes(options.size) +
                       ": write for example 800x500 or 12cmx8cm");
    const std::string_view text = options.size;
    wanted.width = pixels_of(text.substr(0, cross), options.size) / look.scale;
    wanted.height =
        pixels_of(text.substr(cross + 1), options.size) / look.scale;
  }
  if (!options.log_axes.empty()) {
    const auto scale_of = [&](char axis) {
      return options.log_axes != "none" &&
                     options.log_axes.find(axis) != options.log_axes.npos
                 ? AxisScale::logarithmic
                 : AxisScale::linear;
    };
    wanted.x_scale = scale_of('x');
    wanted.y_scale = scale_of('y');
  }
  const auto* plot = std::get_if<Plot>(&figure.content);
  const auto ends = [&](const std::string& text, const char* option,
                        const FigureAxis& axis) -> std::optional<AxisEnds> {
    if (text.empty()) return std::nullopt;
    try {
      return parse_ends(text, axis);
    } catch (const FigureError& error) {
      throw UsageError(std::string(option) + " " + error.what());
    }
  };
  if (plot != nullptr) {
    wanted.x = ends(options.x_range, "--xlim", plot->x);
    wanted.y = ends(options.y_range, "--ylim", plot->panels.front().y);
  } else if (!options.x_range.empty() || !options.y_range.empty()) {
    throw UsageError("--figure " + figure.id + " has no axes for " +
                     (options.x_range.empty() ? "--ylim" : "--xlim"));
  }
  try {
    apply(wanted, figure);
  } catch (const FigureError& error) {
    throw UsageError(error.what());
  }
}

PictureStyle picture_style(const Options& options, const Look& look,
                           std::size_t figures) {
  PictureStyle style;
  style.title = literal_text(options.picture_title);
  style.scale = look.scale;
  const auto chosen_columns = static_cast<std::size_t>(
      std::ceil(std::sqrt(static_cast<double>(figures))));
  style.columns = options.grid > 0 ? static_cast<std::size_t>(options.grid)
                                   : chosen_columns;
  return style;
}

int write_plot(const Call& call) {
  const Options& options = call.options;
  const bool drawn =
      !options.list && options.file == "-" && ::isatty(STDOUT_FILENO) != 0;
  const ImageFormat format = options.list || drawn
                                 ? ImageFormat::svg
                                 : image_format_of("-o", options.file);
  const ReportRequest request(options);
  const Page page = request.make_page();
  const std::vector<const Figure*> all = figures_of(page);
  if (options.list || drawn) {
    std::vector<Figure> figures;
    if (drawn) figures = chosen(all, options.figure);
    for (Figure& figure : figures) change(options, {}, figure);
    AtomicFile out("-");
    if (options.list) out.stream() << list_of(all);
    for (const Figure& figure : figures)
      out.stream() << drawn_on_terminal(figure);
    out.commit();
    return good;
  }
  std::vector<Figure> figures = chosen(all, options.figure);
  const Look look = look_of(options.style);
  for (Figure& figure : figures) change(options, look, figure);
  AtomicFile file(options.file);
  file.stream() << convert_svg(
      figure_file(figures, request.provenance(call),
                  picture_style(options, look, figures.size())),
      format, options.zoom);
  file.commit();
  return good;
}

int run_plot(const Call& call) {
  const Options& options = call.options;
  if (!options.list && options.file.empty())
    throw UsageError(
        "no output: give -o FILE, -o - to draw on the terminal, or --list to "
        "list the figures");
  if (!options.watch) return write_plot(call);
  if (options.list) throw UsageError("--watch cannot be used with --list");
  return watch(call, write_plot);
}

}  // namespace

const Verb plot_verb{
    "plot",
    of::plot,
    "Write figures of a report as SVG, PDF or PNG, or draw them on the "
    "terminal",
    "Figures have white paper, plain colours, their legend and a line with "
    "detector,\n"
    "track and model; PDF and PNG need the program rsvg-convert (Debian: "
    "librsvg2-bin).",
    "plot configs/cld.yaml --list\n"
    "plot detectors/cld.yaml --pt 0.1GeV:100GeV:40 --eta 0 -o pt.svg\n"
    "plot detectors/cld.yaml --pt 10GeV --eta 0:2.4:13 --figure eta-d0 -o -\n"
    "plot configs/cld.yaml --figure share-d0 --style talk -o d0.pdf\n"
    "plot configs/cld.yaml --figure sigma-pt,sigma-d0,eta-pt,eta-d0 --title "
    "CLD "
    "-o grid.svg",
    run_plot};

}  // namespace gttf::app
