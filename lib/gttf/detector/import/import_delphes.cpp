// SPDX-License-Identifier: Apache-2.0
// Reads the settings of Delphes' module TrackCovariance from a card.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gttf/config/text.hpp"
#include "gttf/detector/import/delphes_rows.hpp"
#include "gttf/detector/import/tcl_words.hpp"

namespace gttf::detail {
namespace {

constexpr std::string_view block_name = "DetectorGeometry";

/// What the card says of the tracker.
class Card {
 public:
  explicit Card(const ForeignFile& file) : file_(file) {}

  void read() {
    for (const TclCommand& command :
         tcl_commands(file_, {file_.source.text(), 0})) {
      const std::string_view verb = command[0].text;
      if (verb == "set") {
        read_set(command, true);
      } else if (verb == "module" && command.size() == 4) {
        read_module(command);
      } else if (verb == "source") {
        file_.warning(command[0], "the sourced file is not read",
                      "import that file if the geometry is in it");
      }
    }
    if (others_ > 0)
      file_.warning(first_other_,
                    fmt::format("only the module TrackCovariance is read: this "
                                "one{} no counterpart",
                                others_ == 1 ? std::string(" has")
                                             : fmt::format(" and {} more have",
                                                           others_ - 1)));
  }

  const std::optional<TclWord>& geometry() const { return geometry_; }
  std::optional<double> tesla() const { return tesla_; }

 private:
  void read_module(const TclCommand& command) {
    if (command[1].text != "TrackCovariance") {
      if (others_++ == 0) first_other_ = command[0];
      return;
    }
    for (const TclCommand& inner : tcl_commands(file_, command[3]))
      if (inner[0].text == "set") read_set(inner, false);
  }

  void read_set(const TclCommand& command, bool is_variable) {
    if (command.size() < 3) return;  // asks for a value in Tcl
    const TclWord& name = command[1];
    if (name.text == block_name) {
      read_geometry(command[2]);
    } else if (name.text == "Bz") {
      read_field(command);
    } else if (is_variable) {
      variables_[std::string(name.text)] = command[2];
    } else if (name.text != "InputArray" && name.text != "OutputArray") {
      file_.warning(name, fmt::format("{} has no counterpart", name.text));
    }
  }

  void read_geometry(const TclWord& block) {
    if (geometry_)
      file_.warning(block,
                    fmt::format("this is the second geometry of the card: only "
                                "the first one, in line {}, is read",
                                file_.place(*geometry_).line));
    else
      geometry_ = block;
  }

  void read_field(const TclCommand& command) {
    if (tesla_) return;
    const TclWord& word = command[2];
    ForeignWord value = word;
    const std::vector<ForeignWord> words = words_of(word);
    if (words.size() == 1) value = words[0];  // { 2.0 }
    if (word.kind != TclWord::Kind::braced && value.text.starts_with('$')) {
      std::string_view name = value.text.substr(1);
      if (name.size() > 2 && name.front() == '{' && name.back() == '}')
        name = name.substr(1, name.size() - 2);
      const auto it = variables_.find(name);
      if (it == variables_.end()) {
        file_.error(value,
                    fmt::format("the variable {} is not set above", name),
                    "write the number here, as in: set Bz 2.0");
        return;
      }
      value = it->second;
    }
    if (value.text.starts_with('['))
      file_.error(value, "a command as the value of Bz cannot be evaluated",
                  "write the number here, as in: set Bz 2.0");
    else
      tesla_ = file_.number(value, "field");
  }

  const ForeignFile& file_;
  std::map<std::string, TclWord, std::less<>> variables_;
  std::optional<TclWord> geometry_;
  std::optional<double> tesla_;
  ForeignWord first_other_;
  std::size_t others_ = 0;
};

}  // namespace

ForeignDetector read_delphes(const ForeignFile& file) {
  ForeignDetector result;
  const std::string& text = file.source.text();
  if (text.find(block_name) == text.npos && text.find("module") == text.npos) {
    read_delphes_rows(file, {text, 0}, result.description);
    return result;
  }
  Card card(file);
  card.read();
  result.tesla = card.tesla();
  if (card.geometry())
    read_delphes_rows(file, *card.geometry(), result.description);
  else if (!file.diagnostics.has_errors())
    file.error({text, 0},
               "the card has no \"set DetectorGeometry {\" at its top or in a "
               "module TrackCovariance",
               "import a card whose tracker is described layer by layer");
  return result;
}

}  // namespace gttf::detail
