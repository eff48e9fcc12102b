// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/core/rich_text.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/text.hpp"

namespace gttf {
namespace {

constexpr std::size_t dots_across = 2, dots_up = 4;

// The ANSI code of a colour; 0: the colour of the text.
int ansi_colour(Paint paint) {
  constexpr std::array hues{34, 33, 36, 35};  // blue, yellow, cyan, magenta
  constexpr std::array ramp{94, 34, 36, 32, 33, 31};
  const auto index = static_cast<std::size_t>(std::max(0, paint.index));
  switch (paint.tone) {
    case Tone::series:
    case Tone::group:
    case Tone::pale_group:
    case Tone::edge:
      return hues[index % hues.size()];
    case Tone::ordered:
      return ramp[index % ramp.size()];
    default:
      return 0;
  }
}

std::string coloured(const std::string& text, int colour, bool wanted) {
  if (!wanted || colour == 0 || text.empty()) return text;
  return fmt::format("\033[{}m{}\033[0m", colour, text);
}

std::string shortened_to(const std::string& text, std::size_t width) {
  if (text_width(text) <= width) return text;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (text_width(out) + 1 >= width) break;
    out += text.substr(i, c.bytes);
    i += c.bytes;
  }
  return out + "~";
}

// In lines of at most `width`, broken between the facts that " · " separates.
std::string lines_of_facts(const std::string& text, std::size_t width,
                           std::string_view separator) {
  std::string out, line;
  for (std::size_t i = 0; i <= text.size();) {
    const std::size_t end = std::min(text.find(separator, i), text.size());
    const std::string fact = text.substr(i, end - i);
    i = end + separator.size();
    if (line.empty()) {
      line = fact;
    } else if (text_width(line) + text_width(separator) + text_width(fact) <=
               width) {
      line.append(separator).append(fact);
    } else {
      out += shortened_to(line, width) + '\n';
      line = fact;
    }
  }
  return out + shortened_to(line, width) + '\n';
}

// ASCII marks if the terminal does not support others.
std::string shown_text(const RichText& text, bool utf8) {
  const std::string plain = visible(plain_text(text));
  if (utf8) return plain;
  std::string out;
  for (std::size_t i = 0; i < plain.size();) {
    const detail::Character c = detail::character_at(plain, i);
    const std::string bytes = plain.substr(i, c.bytes);
    i += c.bytes;
    struct Spelling {
      std::string_view sign, ascii;
    };
    constexpr std::array<Spelling, 14> spellings{{{"σ", "sigma"},
                                                  {"θ", "theta"},
                                                  {"η", "eta"},
                                                  {"φ", "phi"},
                                                  {"μ", "mu"},
                                                  {"κ", "kappa"},
                                                  {"ξ", "xi"},
                                                  {"χ", "chi"},
                                                  {"µ", "u"},
                                                  {"°", " deg"},
                                                  {"−", "-"},
                                                  {"–", "-"},
                                                  {"·", "-"},
                                                  {"×", "x"}}};
    const auto known = std::ranges::find(spellings, bytes, &Spelling::sign);
    out += c.code < 128               ? bytes
           : known != spellings.end() ? std::string(known->ascii)
                                      : "?";
  }
  return out;
}

class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows) {}

  double dots_x() const { return static_cast<double>(columns_ * dots_across); }
  double dots_y() const { return static_cast<double>(rows_ * dots_up); }

  /// A dot, y downwards.
  void dot(double x, double y, int colour) {
    if (!(x >= 0 && y >= 0 && x < dots_x() && y < dots_y())) return;
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
    // the numbers of the dots in a character of braille
    constexpr std::array<std::array<std::uint8_t, dots_across>, dots_up> bits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    Cell& own = cells_[j / dots_up * columns_ + i / dots_across];
    own.dots |= bits[j % dots_up][i % dots_across];
    own.colour = colour;
  }

  /// A line in dots; every `gap`-th stretch of it is left out (0: none).
  void line(double x0, double y0, double x1, double y1, int colour, int gap,
            double& way) {
    const double length = std::max(std::abs(x1 - x0), std::abs(y1 - y0));
    const double end = dots_x() + dots_y();
    if (!(length >= 0) || length > 100 * end) return;
    const auto steps = static_cast<std::size_t>(std::ceil(length));
    for (std::size_t k = 0; k <= steps; ++k) {
      const double f =
          steps == 0 ? 0 : static_cast<double>(k) / static_cast<double>(steps);
      constexpr double stretch = 3;
      const auto piece = static_cast<long>((way + f * length) / stretch);
      if (gap == 0 || piece % gap != gap - 1)
        dot(x0 + f * (x1 - x0), y0 + f * (y1 - y0), colour);
    }
    way += length;
  }

  std::string row(std::size_t j, const TerminalStyle& style) const {
    std::string out;
    for (std::size_t i = 0; i < columns_; ++i) {
      const Cell& own = cells_[j * columns_ + i];
      std::string sign = " ";
      if (own.dots != 0 && style.utf8) {
        // U+2800 and the dots
        sign = {'\xe2', static_cast<char>(0xa0 + (own.dots >> 6)),
                static_cast<char>(0x80 + (own.dots & 0x3f))};
      } else if (own.dots != 0) {
        sign = "*";
      }
      out += coloured(sign, own.colour, style.colour && own.dots != 0);
    }
    return out;
  }

 private:
  struct Cell {
    std::uint8_t dots = 0;
    int colour = 0;
  };
  std::size_t columns_, rows_;
  std::vector<Cell> cells_;
};

// Number of stretches of a line per gap.
int gap_of(Dash dash) {
  switch (dash) {
    case Dash::solid:
      return 0;
    case Dash::dotted:
      return 2;
    case Dash::dashed:
      return 3;
    case Dash::dash_dotted:
      return 4;
    case Dash::dash_dot_dotted:
      return 5;
    case Dash::long_dashed:
      return 6;
  }
  return 0;
}

// A label of an axis and its line or column.
struct PlacedLabel {
  std::string text;
  std::size_t at = 0;
};

// Pixels per line or column of characters, in the units of figures.
constexpr double line_pixels = 17, column_pixels = 8;

std::vector<PlacedLabel> labels_of(const FigureAxis& axis, std::size_t cells,
                                   double pixels, double distance, bool utf8) {
  std::vector<PlacedLabel> labels;
  const double length = static_cast<double>(cells) * pixels;
  const AxisMap map(axis, 0, static_cast<double>(cells));
  for (const AxisTick& tick : axis_ticks(axis, length, distance)) {
    if (tick.label.empty()) continue;
    const double at =
        std::clamp(map(tick.at), 0.0, static_cast<double>(cells) - 0.5);
    std::string text = shown_text(tick.label, utf8);
    // powers, which have no raised digits here
    if (tick.label.find("^{") != RichText::npos)
      text = fmt::format("{:g}", tick.at);
    labels.push_back({std::move(text), static_cast<std::size_t>(at)});
  }
  return labels;
}

// A line of the legend.
struct Named {
  std::string words;
  int colour = 0;
};

struct Ending {
  std::string text;
  int colour = 0;
  std::size_t row = 0;
  double dots = 0;  ///< from above: the order within a row
};

// The text right of the frame: the letters of curves, near their ends.
std::vector<Ending> spread(std::vector<Ending> endings, std::size_t rows) {
  std::ranges::stable_sort(endings, {}, &Ending::dots);
  for (std::size_t i = 1; i < endings.size(); ++i)
    endings[i].row = std::max(endings[i].row, endings[i - 1].row + 1);
  // back into the frame from below
  for (std::size_t i = endings.size(); i-- > 0;) {
    const std::size_t below = endings.size() - 1 - i;
    const std::size_t last = rows > below ? rows - 1 - below : 0;
    endings[i].row = std::min(endings[i].row, last);
  }
  return endings;
}

class PlotText {
 public:
  PlotText(const Plot& plot, const TerminalStyle& style)
      : plot_(plot), style_(style) {
    double shares = 0;
    for (const Panel& panel : plot.panels) shares += panel.share;
    for (const Panel& panel : plot.panels) {
      constexpr double least = 4;
      rows_.push_back(static_cast<std::size_t>(
          std::max(least, std::round(static_cast<double>(style.height) *
                                     panel.share / shares))));
      for (const PlacedLabel& label : y_labels(panel, rows_.back()))
        left_ = std::max(left_, text_width(label.text));
    }
    constexpr std::size_t frame = 2, letter = 2, least = 10;
    columns_ = style.width > left_ + frame + letter + least
                   ? style.width - left_ - frame - letter
                   : least;
    for (const Panel& panel : plot.panels)
      for (const Band& band : panel.bands)
        if (!band.behind && !band.label.empty()) name(name_of(band));
  }

  std::string text() const {
    std::string out;
    for (std::size_t k = 0; k < plot_.panels.size(); ++k) {
      out += shortened_to(shown_text(plot_.panels[k].y.title, style_.utf8),
                          style_.width) +
             '\n';
      out += panel_text(plot_.panels[k], rows_[k]);
    }
    return out + x_text();
  }

  /// The letter of the curves with this id; empty: none.
  std::string letter(const std::string& id) const {
    const auto n = std::ranges::find(letters_, id) - letters_.begin();
    if (n == static_cast<std::ptrdiff_t>(letters_.size()) || n >= 26) return "";
    return std::string(1, static_cast<char>('A' + n));
  }
  void name(const std::string& id) { letters_.push_back(id); }

  /// Names of areas and of the shades of a map, with their marks.
  std::vector<Named> names() const {
    std::vector<Named> list;
    for (const Panel& panel : plot_.panels) {
      for (const Band& band : panel.bands)
        if (const std::string mark = letter(name_of(band)); !mark.empty())
          list.push_back({mark + ' ' + shown_text(band.label, style_.utf8),
                          ansi_colour(band.paint)});
      if (!panel.map) continue;
      list.push_back({shown_text(panel.map->title, style_.utf8) + ':', 0});
      for (std::size_t k = 0; k < shades.size(); ++k)
        list.push_back(
            {fmt::format("{} {:.2g} to {:.2g}", shade(k), edge(*panel.map, k),
                         edge(*panel.map, k + 1)),
             0});
    }
    return list;
  }

 private:
  std::vector<PlacedLabel> y_labels(const Panel& panel,
                                    std::size_t rows) const {
    return labels_of(panel.y, rows, line_pixels, label_distance_up,
                     style_.utf8);
  }

  const char* sign(const char* utf8, const char* ascii) const {
    return style_.utf8 ? utf8 : ascii;
  }

  std::string panel_text(const Panel& panel, std::size_t rows) const {
    Canvas canvas(columns_, rows);
    std::vector<Ending> endings;
    const AxisMap x(plot_.x, 0, canvas.dots_x() - 1);
    const AxisMap y(panel.y, canvas.dots_y() - 1, 0);
    const auto row_of = [rows](double dots) {
      return static_cast<std::size_t>(
          std::clamp(dots / static_cast<double>(dots_up), 0.0,
                     static_cast<double>(rows - 1)));
    };
    for (const Band& band : panel.bands) {
      if (band.behind) continue;
      draw(band.x, band.upper, band.paint, 0, x, y, canvas);
      const std::string own = letter(name_of(band));
      if (own.empty() || band.x.empty()) continue;
      const double middle = (y(band.lower.back()) + y(band.upper.back())) / 2;
      if (std::isfinite(middle))
        endings.push_back(
            {own, ansi_colour(band.paint), row_of(middle), middle});
    }
    for (const Curve& curve : panel.curves) {
      constexpr double hairline = 0.9;
      if (curve.hidden || curve.width < hairline) continue;
      const auto end =
          draw(curve.x, curve.y, curve.paint, gap_of(curve.dash), x, y, canvas);
      const std::string own = letter(curve.id);
      if (!end || own.empty() || curve.column == no_column) continue;
      endings.push_back({own, ansi_colour(curve.paint), row_of(*end), *end});
    }
    for (const Marks& marks : panel.marks)
      for (std::size_t i = 0; i < marks.x.size(); ++i)
        for (const double dx : {-1.0, 0.0, 1.0})
          canvas.dot(x(marks.x[i]) + dx, y(marks.y[i]),
                     ansi_colour(marks.paint));
    endings = spread(std::move(endings), rows);

    const std::vector<PlacedLabel> labels = y_labels(panel, rows);
    std::string out;
    for (std::size_t j = 0; j < rows; ++j) {
      std::string label;
      for (const PlacedLabel& l : labels)
        if (rows - 1 - l.at == j) label = l.text;
      out += aligned(label, left_, false) + ' ' +
             (label.empty() ? sign("│", "|") : sign("┤", "+")) +
             (panel.map ? map_row(*panel.map, x, y, j) : canvas.row(j, style_));
      std::string end;
      for (const Ending& e : endings)
        if (e.row == j) end += ' ' + coloured(e.text, e.colour, style_.colour);
      out += end + '\n';
    }
    std::string rule;
    for (std::size_t i = 0; i < columns_; ++i) rule += sign("─", "-");
    return out + std::string(left_ + 1, ' ') + sign("└", "+") + rule + '\n';
  }

  // @return  where the line ends, in dots from above
  static std::optional<double> draw(const Reals& xs, const Reals& ys,
                                    Paint paint, int gap, const AxisMap& x,
                                    const AxisMap& y, Canvas& canvas) {
    double way = 0;
    std::optional<double> end;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double px = x(xs[i]), py = y(ys[i]);
      if (!std::isfinite(px) || !std::isfinite(py)) continue;
      end = py;
      const bool joined =
          i > 0 && std::isfinite(x(xs[i - 1])) && std::isfinite(y(ys[i - 1]));
      if (joined)
        canvas.line(x(xs[i - 1]), y(ys[i - 1]), px, py, ansi_colour(paint), gap,
                    way);
      else
        canvas.dot(px, py, ansi_colour(paint));
    }
    return end;
  }

  /// Bands have no separate ids: those of a subsystem share one.
  static std::string name_of(const Band& band) {
    return "band " + plain_text(band.label);
  }

  // Shades from light to dark for growing values.
  struct Shade {
    const char *utf8, *ascii;
  };
  static constexpr std::array<Shade, 5> shades{
      {{"·", "."}, {"░", ":"}, {"▒", "+"}, {"▓", "*"}, {"█", "#"}}};
  std::string shade(std::size_t k) const {
    return style_.utf8 ? shades[k].utf8 : shades[k].ascii;
  }
  /// The value at which shade `k` begins.
  static double edge(const HeatMap& map, std::size_t k) {
    const double f = static_cast<double>(k) / shades.size();
    return map.scale == AxisScale::logarithmic
               ? map.lower * std::pow(map.upper / map.lower, f)
               : map.lower + f * (map.upper - map.lower);
  }

  std::string map_row(const HeatMap& map, const AxisMap& x, const AxisMap& y,
                      std::size_t j) const {
    const std::size_t n = map.x.size() - 1;
    const auto cell_at = [](const Reals& edges, const AxisMap& axis,
                            double at) {
      for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const auto [a, b] = std::minmax({axis(edges[i]), axis(edges[i + 1])});
        if (at >= a && at <= b) return i;
      }
      return edges.size() - 2;
    };
    const double row = (static_cast<double>(j) + 0.5) * dots_up;
    const std::size_t line = cell_at(map.y, y, row);
    std::string out;
    for (std::size_t i = 0; i < columns_; ++i) {
      const double column = (static_cast<double>(i) + 0.5) * dots_across;
      const double value = map.values[line * n + cell_at(map.x, x, column)];
      if (std::isnan(value)) {
        out += ' ';
        continue;
      }
      std::size_t k = 0;
      while (k + 1 < shades.size() && value >= edge(map, k + 1)) ++k;
      out += shade(k);
    }
    return out;
  }

  std::string x_text() const {
    std::string line(left_ + 2, ' ');
    const std::size_t frame = line.size();
    for (const PlacedLabel& label :
         labels_of(plot_.x, columns_, column_pixels, label_distance_across,
                   style_.utf8)) {
      const std::size_t half = text_width(label.text) / 2;
      const std::size_t at =
          frame + label.at > half ? frame + label.at - half : 0;
      const std::size_t now = text_width(line);
      if (at < now + (now > frame ? 1 : 0)) continue;
      if (at + text_width(label.text) > style_.width) break;
      line += std::string(at - now, ' ') + label.text;
    }
    const std::string title = shown_text(plot_.x.title, style_.utf8);
    return line + '\n' +
           aligned(shortened_to(title, style_.width),
                   std::min(style_.width, frame + columns_), false) +
           '\n';
  }

  const Plot& plot_;
  const TerminalStyle& style_;
  std::vector<std::size_t> rows_;
  std::size_t left_ = 0, columns_ = 10;
  std::vector<std::string> letters_;
};

std::string bars_text(const BarChart& chart, const TerminalStyle& style) {
  std::string out;
  std::size_t names = 0;
  for (const ChartRow& row : chart.rows)
    if (!row.cells.empty())
      names = std::max(names, text_width(shown_text(row.cells[0], style.utf8)));
  names = std::min(names, style.width / 3);
  for (std::size_t k = 0; k < chart.panels.size(); ++k) {
    const ChartPanel& panel = chart.panels[k];
    out +=
        shortened_to(shown_text(panel.title, style.utf8), style.width) + '\n';
    constexpr std::size_t number = 9;
    const std::size_t room = style.width > names + number + 12
                                 ? style.width - names - number - 2
                                 : 10;
    const double from = panel.diverging ? 0 : panel.lower;
    for (const ChartRow& row : chart.rows) {
      double value = 0;
      if (panel.diverging && !row.bars[k].empty())
        value = row.bars[k].back().value;
      else
        for (const ChartBar& bar : row.bars[k]) value += bar.value;
      const double share =
          std::clamp((std::abs(value) - from) / (panel.upper - from), 0.0, 1.0);
      const auto eighths = static_cast<std::size_t>(
          std::round(share * static_cast<double>(room) * 8));
      static constexpr std::array parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
      std::string bar;
      for (std::size_t i = 0; i < eighths / 8; ++i)
        bar += style.utf8 ? "█" : "#";
      if (style.utf8) bar += parts[eighths % 8];
      const std::string name =
          row.cells.empty() ? "" : shown_text(row.cells[0], style.utf8);
      out += aligned(shortened_to(name, names), names, true) + ' ' +
             aligned(row.bars[k].empty() ? "-" : fmt::format("{:.3g}", value),
                     number, false) +
             ' ' + coloured(bar, ansi_colour(row.swatch), style.colour) + '\n';
    }
  }
  return out;
}

std::string matrices_text(const MatrixChart& chart,
                          const TerminalStyle& style) {
  std::string out;
  constexpr std::size_t room = 7;
  for (const MatrixChart::Matrix& matrix : chart.matrices) {
    out +=
        shortened_to(shown_text(matrix.title, style.utf8), style.width) + '\n';
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
      std::string line =
          aligned(shown_text(chart.names[i], style.utf8), room, true);
      for (std::size_t j = 0; j <= i; ++j)
        line +=
            aligned(shown_text(fixed_number(matrix.rows[i][j], 2), style.utf8),
                    room, false);
      out += shortened_to(line, style.width) + '\n';
    }
  }
  return out;
}

}  // namespace

std::string terminal_plot(const Figure& figure, const TerminalStyle& style) {
  std::string title = shown_text(figure.title, style.utf8);
  if (!figure.subtitle.empty())
    title += ", " + shown_text(figure.subtitle, style.utf8);
  std::string out = shortened_to(title, style.width) + '\n';
  std::string legend;
  if (const auto* plot = std::get_if<Plot>(&figure.content)) {
    PlotText text(*plot, style);
    for (const LegendEntry& entry : figure.legend)
      if (entry.ids.size() == 1 && entry.key == LegendEntry::Key::line)
        text.name(entry.ids.front());
    out += text.text();
    std::vector<Named> names = text.names();
    for (const LegendEntry& entry : figure.legend)
      if (entry.ids.size() == 1 && entry.on &&
          entry.key == LegendEntry::Key::line)
        names.push_back({text.letter(entry.ids.front()) + ' ' +
                             shown_text(entry.text, style.utf8),
                         ansi_colour(entry.paint)});
    std::size_t width = 0;
    for (const Named& named : names) {
      const std::size_t more = text_width(named.words);
      if (width > 0 && width + 3 + more > style.width) {
        legend += '\n';
        width = 0;
      }
      legend += (width > 0 ? "   " : "") +
                coloured(shortened_to(named.words, style.width), named.colour,
                         style.colour);
      width += (width > 0 ? 3 : 0) + more;
    }
  } else if (const auto* bars = std::get_if<BarChart>(&figure.content)) {
    out += bars_text(*bars, style);
  } else {
    out += matrices_text(std::get<MatrixChart>(figure.content), style);
  }
  if (!legend.empty()) out += legend + '\n';
  if (figure.conditions.empty()) return out;
  return out + lines_of_facts(shown_text(figure.conditions, style.utf8),
                              style.width, style.utf8 ? " · " : " - ");
}

}  // namespace gttf
