// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <filesystem>
#include <utility>

#include "gttf/config/source.hpp"
#include "gttf/output/json.hpp"

namespace gttf::app {

Checkpoint::Checkpoint(std::string path, double seconds,
                       std::optional<Provenance> provenance)
    : path_(std::move(path)),
      provenance_(std::move(provenance)),
      interval_(seconds) {
  // for the whole run: it is read and written again and again
  if (!path_.empty()) claim_ = claim_output(path_, "--checkpoint");
}

std::optional<Document> Checkpoint::stored() const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  return read_json(read_file(path_, "checkpoint", claim_.get()), path_);
}

void Checkpoint::offer(const std::function<Document()>& document, bool now) {
  if (path_.empty()) return;
  const auto begin = Clock::now();
  const bool due = begin - last_ >= interval_ && begin - last_ >= 20 * cost_;
  if (!due && !now) return;
  TableStyle style;
  style.provenance = provenance_;
  AtomicFile file(path_, claim_);
  write_json(file.stream(), document(), style);
  file.commit();
  last_ = Clock::now();
  cost_ = last_ - begin;
}

}  // namespace gttf::app
