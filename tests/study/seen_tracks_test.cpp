// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/hit_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {

using detail::SeenTracks;

namespace {

FileTrack track(const std::string& id, const std::string& event = "") {
  FileTrack t;
  t.id = id;
  t.event = event;
  return t;
}

/// A letter for each track: n, it is new, or k, it was there before.
std::string answers(SeenTracks& seen, const std::vector<std::string>& ids) {
  std::vector<FileTrack> tracks;
  for (const std::string& id : ids) tracks.push_back(track(id));
  std::string text;
  for (const char is_new : seen.insert(tracks)) text += is_new != 0 ? 'n' : 'k';
  return text;
}

}  // namespace

TEST_CASE("seen tracks: numbers upwards, with gaps, and again") {
  SeenTracks seen;
  CHECK(answers(seen, {"0", "1", "2", "1", "7", "8", "0", "3", "4"}) ==
        "nnnknnknn");
  CHECK(answers(seen, {"5", "6", "7", "8", "9"}) == "nnkkn");
}

TEST_CASE("seen tracks: names, and numbers that are written like names") {
  SeenTracks seen;
  CHECK(answers(seen, {"1", "01", "a", "2", "1", "01", "a", "2", "3", "3"}) ==
        "nnnnkkkknk");
  CHECK(answers(seen, {"-1", "1.0", "", "1234567890123456789012", "-1", "1.0",
                       "", "1234567890123456789012"}) == "nnnnkkkk");
}

TEST_CASE("seen tracks: numbers in any order") {
  SeenTracks seen;
  std::vector<std::string> down, all;
  for (int i = 100; i > 0; --i) down.push_back(std::to_string(i));
  CHECK(answers(seen, down) == std::string(100, 'n'));
  for (int i = 1; i <= 101; ++i) all.push_back(std::to_string(i));
  CHECK(answers(seen, all) == std::string(100, 'k') + 'n');
}

TEST_CASE("seen tracks: the same number in other events") {
  SeenTracks seen;
  std::vector<FileTrack> tracks;
  for (const char* event : {"1", "2", "1"})
    for (const char* id : {"1", "2"}) tracks.push_back(track(id, event));
  tracks.push_back(track("1"));
  CHECK(seen.insert(tracks) == std::vector<char>{1, 1, 1, 1, 0, 0, 1});
}

TEST_CASE("seen tracks: the last half million of any names, all of a count") {
  constexpr int n = 600000;
  const auto insert = [](SeenTracks& seen, const std::string& name, int i) {
    const FileTrack one = track(name + std::to_string(i));
    return seen.insert({&one, 1}).front() != 0;
  };
  SeenTracks names, numbers;
  bool all_new = true;
  for (int i = 0; i < n; ++i)
    all_new = insert(names, "t", i) && insert(numbers, "", i) && all_new;
  CHECK(all_new);
  for (int i = n - 500000; i < n; i += 997) CHECK_FALSE(insert(names, "t", i));
  for (int i = 0; i < n; i += 997) CHECK_FALSE(insert(numbers, "", i));
}

}  // namespace gttf::test::GTTF_TEST_FILE
