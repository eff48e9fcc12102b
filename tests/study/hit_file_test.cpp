// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/hit_file.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "support/folder.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr const char* description = R"(gttf-detector: 1
name: small
field: { solenoid: 1 T }
layers:
  - { name: pipe, cylinder: { radius: 10 mm, half_length: 1 m }, material: 1 % }
  - { name: A, cylinder: { radius: 20 mm, half_length: 1 m }, material: 0, measures: { rphi: 5 um, z: 7 um } }
  - { name: B, cylinder: { radius: 30 mm, half_length: 1 m }, material: 0, measures: { rphi: 5 um } }
  - { name: C, cylinder: { radius: 40 mm, half_length: 1 m }, material: 0, measures: { rphi: 5 um, z: 7 um } }
)";

struct Files {
  Folder folder;
  Detector detector =
      read_detector(folder.write("small.yaml", description)).detector;

  std::string write(const std::string& text) const {
    return folder.write("h.csv", text);
  }
  std::vector<HitBlock> read(const std::string& text,
                             const HitFileOptions& options = {}) const {
    HitFile file(write(text), detector, options);
    std::vector<HitBlock> all;
    for (auto wave = file.next(); !wave.empty(); wave = file.next())
      for (HitBlock& block : wave) all.push_back(std::move(block));
    return all;
  }
  /// The messages about the file, which is called h.csv.
  std::string fault(const std::string& text) const {
    const std::string name = folder / "h.csv";
    std::string what = reported([&] { read(text); });
    for (auto i = what.find(name); i != what.npos; i = what.find(name))
      what.replace(i, name.size(), "h.csv");
    return what;
  }
};

const std::string header = "track,layer,x_mm,y_mm,z_mm\n";

}  // namespace

TEST_CASE("hit file: hits with layers, units and errors") {
  const Files files;
  const auto blocks = files.read(
      "event_id,track_id,layer,x [cm],y_m,z (um),sigma_u_um,sigma_v_mm\n"
      "7,a,A,2,0.001,500,10,\n"
      "7,a,,3,0,0,,\n"
      "7,b,pipe,1,0,0,,0.2\n");
  REQUIRE(blocks.size() == 2);  // the last track waits for the end
  REQUIRE(blocks[0].tracks.size() == 1);
  const FileTrack& a = blocks[0].tracks[0];
  CHECK(a.event == "7");
  CHECK(a.id == "a");
  CHECK(a.line == 2);
  const auto hits = blocks[0].hits_of(a);
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].layer == 1);
  CHECK(hits[0].position == Vector3(20, 1, 0.5));
  CHECK(hits[0].sigma[0] == 0.01);
  CHECK(std::isnan(hits[0].sigma[1]));
  CHECK(hits[1].layer == MeasuredHit::nearest);
  CHECK(hits[1].line == 3);
  const auto last = blocks[1].hits_of(blocks[1].tracks[0]);
  CHECK(last[0].layer == 0);
  CHECK(last[0].sigma[1] == 0.2);
}

TEST_CASE("hit file: plain lines are read as those that are taken apart") {
  const Files files;
  const std::vector<std::string> lines{
      "1,A,1.5,-2.25,3",
      "1,B,-0.0,1e1,2.5E-1",
      "1,C,1.23456789012345678,0.1,-7.000000000000000000001",
      "12,A,1,2,3",  // begins like the track before
      "12,,1,2,3",
      "12, A ,1 , 2,\t3",
      "12,C,+1,.5,5.",
      "  2,A,1,2,3",
      "",
      "# 3,A,1,2,3",
      "\"#1\",A,1,2,3",
      "#1,A,1,2,3",  // a comment, not the track before
      "\"a \"\"b\"\"\",A,1,2,3",
      "a b,A,1,2,3",
      "\"1\",A,1,2,3",
      "4,A,nan,inf,3"};
  // a quote anywhere: not a plain line
  const auto text = [&](const char* note, const char* end, bool last) {
    std::string all = "track,layer,x_mm,y_mm,z_mm,note" + std::string(end);
    for (const std::string& line : lines)
      all += line + (line.empty() ? "" : note) + end;
    if (!last) all.resize(all.size() - std::string(end).size());
    return all;
  };
  HitFileOptions options;
  options.order = TrackOrder::any;
  const auto expected = files.read(text(",\"x\"", "\n", true), options);
  REQUIRE(expected.size() == 1);
  REQUIRE(expected[0].tracks.size() == 7);
  for (const char* note : {",x", ",", ",#", ", "})
    for (const char* end : {"\n", "\r\n"})
      for (const bool last : {true, false}) {
        const auto blocks = files.read(text(note, end, last), options);
        REQUIRE(blocks.size() == 1);
        const HitBlock &a = expected[0], &b = blocks[0];
        REQUIRE(b.tracks.size() == a.tracks.size());
        REQUIRE(b.hits.size() == a.hits.size());
        for (std::size_t i = 0; i < a.tracks.size(); ++i) {
          CHECK(b.tracks[i].id == a.tracks[i].id);
          CHECK(b.tracks[i].line == a.tracks[i].line);
          CHECK(b.tracks[i].count == a.tracks[i].count);
        }
        for (std::size_t i = 0; i < a.hits.size(); ++i) {
          CAPTURE(a.hits[i].line);
          CHECK(b.hits[i].line == a.hits[i].line);
          CHECK(b.hits[i].layer == a.hits[i].layer);
          for (int k = 0; k < 3; ++k)
            CHECK(std::bit_cast<std::uint64_t>(b.hits[i].position[k]) ==
                  std::bit_cast<std::uint64_t>(a.hits[i].position[k]));
        }
      }
}

TEST_CASE("hit file: a header line that is wrong is explained") {
  const Files files;
  CHECK(
      files.fault("track,x,y_mm,z_furlong\n1,1,1,1\n") ==
      "h.csv:1:7: error: missing unit of \"x\"\n"
      "    1 | track,x,y_mm,z_furlong\n"
      "      |       ^ write for example \"x_mm\"\n"
      "h.csv:1:14: error: unknown unit \"furlong\" in \"z_furlong\": expected "
      "a length\n"
      "    1 | track,x,y_mm,z_furlong\n"
      "      |              ^~~~~~~~~ write for example \"z_mm\"; lengths are "
      "in nm, um, mm, cm, m\n");
  CHECK(
      files.fault("x_mm,y_mm\n1,1\n") ==
      "h.csv:1:10: error: no column \"track\"\n"
      "    1 | x_mm,y_mm\n"
      "      |          ^ write for example \"track,layer,x_mm,y_mm,z_mm\"\n"
      "h.csv:1:10: error: no column \"z_mm\"\n"
      "    1 | x_mm,y_mm\n"
      "      |          ^ write for example \"track,layer,x_mm,y_mm,z_mm\"\n");
  CHECK(contains(files.fault("track,layr,x_mm,y_mm,z_mm\n"),
                 "unknown column \"layr\"\n"));
  CHECK(contains(files.fault("track,layr,x_mm,y_mm,z_mm\n"),
                 "did you mean \"layer\"?"));
  CHECK(contains(files.fault("track,x_mm,y_mm,z_mm,sigma_u\n"),
                 "missing unit of \"sigma_u\"\n"));
  CHECK(contains(files.fault("track,x_GeV,y_mm,z_mm\n"),
                 "unknown unit \"GeV\" in \"x_GeV\": expected a length\n"));
  CHECK(contains(files.fault("track,x_mm,x_cm,y_mm,z_mm\n"),
                 "a second column for \"x\"\n"));
}

TEST_CASE("hit file: unused columns are reported and ignored") {
  const Files files;
  HitFile file(files.write("track,x_mm,y_mm,z_mm,x_over_x0,energy\n"
                           "1,20,0,0,5,6\n"),
               files.detector, {});
  CHECK(contains(test::text_of(file.messages()),
                 "warning: not used: x_over_x0, energy\n"));
}

TEST_CASE("hit file: every bad line has its location and a correction") {
  const Files files;
  const auto check = [&](const std::string& line, const std::string& expected) {
    CHECK(files.fault(header + "# note\n" + line + "\n") ==
          "h.csv:3:" + expected);
  };
  check("1,A,20,0",
        "9: error: 4 cells, the header line has 5\n"
        "    3 | 1,A,20,0\n"
        "      |         ^\n");
  check("1,A,20,5,0,0",
        "12: error: 6 cells, the header line has 5\n"
        "    3 | 1,A,20,5,0,0\n"
        "      |            ^ a decimal comma? write a point\n");
  check(",A,20,0,0",
        "1: error: the track has no name or number\n"
        "    3 | ,A,20,0,0\n"
        "      | ^\n");
  check("1,A,2o,0,0",
        "5: error: not a number: \"2o\"\n"
        "    3 | 1,A,2o,0,0\n"
        "      |     ^~\n");
  check("1,A,20 mm,0,0",
        "5: error: not a number: \"20 mm\"\n"
        "    3 | 1,A,20 mm,0,0\n"
        "      |     ^~~~~ units belong in the header line only\n");
  check("1,A,20,,0",
        "8: error: an empty cell, expected a number\n"
        "    3 | 1,A,20,,0\n"
        "      |        ^\n");
  check("1,a,20,0,0",
        "3: error: the detector has no layer \"a\"\n"
        "    3 | 1,a,20,0,0\n"
        "      |   ^ did you mean \"A\"?\n");
  check("1,pipe,10,0,0",
        "3: error: the layer \"pipe\" measures nothing\n"
        "    3 | 1,pipe,10,0,0\n"
        "      |   ^~~~ add \"measures\" to it in the detector file, or give "
        "sigma_u and sigma_v here\n");
  check("1,\"A,20,0,0",
        "3: error: the quote is not closed in this line\n"
        "    3 | 1,\"A,20,0,0\n"
        "      |   ^\n");
  CHECK(contains(files.fault("track;x_mm;y_mm;z_mm\n1;2,5;0;0\n"),
                 "h.csv:2:3: error: a decimal comma: \"2,5\"\n"
                 "    2 | 1;2,5;0;0\n"
                 "      |   ^~~ write \"2.5\"\n"));
}

TEST_CASE("hit file: errors of hits must be positive and of a coordinate") {
  const Files files;
  const std::string head = "track,layer,x_mm,y_mm,z_mm,sigma_u_um,sigma_v_um\n";
  CHECK(contains(files.fault(head + "1,A,20,0,0,0,5\n"),
                 "h.csv:2:12: error: an error must be positive, got \"0\"\n"));
  CHECK(contains(files.fault(head + "1,A,20,0,0,nan,5\n"),
                 "an error must be positive, got \"nan\"\n"));
  CHECK(contains(
      files.fault(head + "1,B,30,0,0,5,5\n"),
      "h.csv:2:14: error: the layer \"B\" measures no coordinate along v\n"));
}

TEST_CASE("hit file: bad lines are skipped and counted if requested") {
  const Files files;
  HitFileOptions options;
  options.bad_rows = BadRows::skip;
  HitFile file(files.write(header + "1,A,20,0,0\n1,A,x,0,0\n1,B,30,0,0\n"),
               files.detector, options);
  const auto blocks = file.next();
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].tracks[0].count == 2);
  CHECK(file.bad_rows() == 1);
  CHECK(contains(test::text_of(file.messages()), ":3:5: warning: not a"));
}

TEST_CASE("hit file: only the first bad lines are shown, all are counted") {
  const Files files;
  std::string text = header;
  for (int i = 0; i < 50; ++i) text += "1,A,x,0,0\n";
  CHECK(contains(files.fault(text), "error: 30 more bad lines near these\n"));
  HitFileOptions options;
  options.bad_rows = BadRows::skip;
  HitFile file(files.write(text), files.detector, options);
  CHECK(file.next().empty());
  CHECK(file.bad_rows() == 50);
  CHECK(file.messages().items().size() == HitFile::max_errors);
}

TEST_CASE("hit file: a track that reappears is an error, or is collected") {
  const Files files;
  const std::string text =
      header + "1,A,20,0,0\n2,A,20,0,0\n1,B,30,0,0\n1,B,30,0,1\n";
  CHECK(contains(files.fault(text),
                 "h.csv:4:1: error: the hits of track \"1\" are not "
                 "contiguous: earlier lines also contain it; sort the file by "
                 "track, or add --unsorted\n"));
  HitFileOptions options;
  options.bad_rows = BadRows::skip;
  HitFile skipping(files.write(text), files.detector, options);
  std::size_t tracks = 0;
  for (auto wave = skipping.next(); !wave.empty(); wave = skipping.next())
    for (const HitBlock& block : wave) tracks += block.tracks.size();
  CHECK(tracks == 2);
  CHECK(skipping.bad_rows() == 2);
  options = {};
  options.order = TrackOrder::any;
  const auto blocks = files.read(text, options);
  REQUIRE(blocks.size() == 1);
  REQUIRE(blocks[0].tracks.size() == 2);
  CHECK(blocks[0].tracks[0].id == "1");
  CHECK(blocks[0].tracks[0].count == 3);
  CHECK(blocks[0].hits_of(blocks[0].tracks[0])[2].position.z() == 1);
}

TEST_CASE("hit file: tracks that blocks cut are whole, for any threads") {
  const Files files;
  std::string text = header;
  constexpr int n = 12000;  // 1.5 MB: about 6 blocks
  for (int i = 0; i < n; ++i)
    for (int k = 0; k <= i % 11; ++k)
      text += std::to_string(i) + ",A,20.000," + std::to_string(k) + ",0\n";
  for (const unsigned threads : {1u, 3u}) {
    HitFileOptions options;
    options.threads = threads;
    int next = 0;
    bool good = true;
    std::vector<std::size_t> sizes;
    for (const HitBlock& block : files.read(text, options)) {
      sizes.push_back(block.tracks.size());
      for (const FileTrack& track : block.tracks) {
        good = good && track.id == std::to_string(next) &&
               track.count == static_cast<std::size_t>(next % 11 + 1);
        const auto hits = block.hits_of(track);
        for (std::size_t k = 0; k < hits.size(); ++k)
          good = good && hits[k].position.y() == static_cast<double>(k);
        ++next;
      }
    }
    CHECK(good);
    CHECK(next == n);
    CHECK(sizes.size() > 3);
  }
}

TEST_CASE("hit file: a track of very many hits is cut, its hits counted") {
  const Files files;
  std::string text = header + "0,A,20,0,0\n";
  for (int k = 0; k < 30000; ++k) text += "1,A,20.000,0,0\n";
  text += "2,A,20,0,0\n";
  std::vector<FileTrack> tracks;
  for (const HitBlock& block : files.read(text))
    for (const FileTrack& track : block.tracks) tracks.push_back(track);
  REQUIRE(tracks.size() == 3);
  CHECK(tracks[1].count == HitFile::max_hits);
  CHECK(tracks[1].count + tracks[1].left_out == 30000);
  CHECK(tracks[2].id == "2");
}

TEST_CASE("hit file: errors that depend on the track are given with the hits") {
  Files files;
  std::string text = description;
  const std::string from = "rphi: 5 um, z: 7 um } }\n  - { name: B";
  text.replace(text.find(from), from.size(),
               "rphi: 5 um (+) 3 um * abs(tan(alpha)), z: 7 um } }\n  - { "
               "name: B");
  files.detector =
      read_detector(files.folder.write("small.yaml", text)).detector;
  const std::string said = files.fault(header + "1,A,20,0,0\n1,B,30,0,0\n");
  CHECK(said.find("h.csv:2:3: error: ") != said.npos);
  CHECK(said.find("\"A\" depends on the track") != said.npos);
  CHECK(said.find("\"B\"") == said.npos);
  // with their own errors they are as good as any
  CHECK_FALSE(files
                  .read("track,layer,x_mm,y_mm,z_mm,sigma_u_um\n"
                        "1,A,20,0,0,6\n1,B,30,0,0,\n1,C,40,0,0,\n"
                        "2,A,20,0,0,6\n")
                  .empty());
}

}  // namespace gttf::test::GTTF_TEST_FILE
