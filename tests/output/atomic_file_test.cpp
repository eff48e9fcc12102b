// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/atomic_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

void put(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.stream() << text;
  file.commit();
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  stat(path.c_str(), &info);
  return info.st_mode & 0777;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

// Runs `work` in a child, kills the child once `work` has returned, and returns
// the signal that ended it.
int killed_after(int signal, const std::function<void()>& work) {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(signal, SIG_DFL);
    gttf::tidy_up_on_signals();
    work();
    [[maybe_unused]] const auto n = write(ready[1], "x", 1);
    for (;;) pause();
  }
  close(ready[1]);
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

}  // namespace

TEST_CASE("atomic file: appears with commit and not before") {
  const Folder folder;
  AtomicFile file(folder / "out.csv");
  file.stream() << "text";
  file.stream().flush();
  CHECK_FALSE(std::filesystem::exists(folder / "out.csv"));
  file.commit();
  CHECK(folder.read("out.csv") == "text");
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic file: abandoned, the old file stays as it was") {
  const Folder folder;
  const std::string path = folder.write("out.csv", "old");
  {
    AtomicFile file(path);
    file.stream() << "new";
  }
  CHECK(folder.read("out.csv") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic file: permissions of the old file are kept") {
  const Folder folder;
  const std::string path = folder.write("out.csv", "old");
  chmod(path.c_str(), 0640);
  put(path, "new");
  CHECK(mode_of(path) == 0640);
  CHECK(folder.read("out.csv") == "new");
}

TEST_CASE("atomic file: a new file has the permissions of the user's mask") {
  const Folder folder;
  const mode_t before = umask(027);
  put(folder / "out.csv", "x");
  umask(before);
  CHECK(mode_of(folder / "out.csv") == 0640);
}

TEST_CASE("atomic file: symbolic links stay links") {
  const Folder folder;
  folder.write("real.csv", "old");
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("../real.csv", folder / "sub/link.csv");
  put(folder / "sub/link.csv", "new");
  CHECK(std::filesystem::is_symlink(folder / "sub/link.csv"));
  CHECK(folder.read("real.csv") == "new");

  std::filesystem::create_symlink("later.csv", folder / "dangling.csv");
  put(folder / "dangling.csv", "born");
  CHECK(folder.read("later.csv") == "born");

  std::filesystem::create_symlink("loop", folder / "loop");
  CHECK_THROWS_AS(AtomicFile(folder / "loop"), OutputError);
}

TEST_CASE("atomic file: a path that cannot be written fails when opened") {
  const Folder folder;
  CHECK(message_of([&] { AtomicFile(folder.path()); }) ==
        "cannot write \"" + folder.path() + "\": is a directory");
  CHECK(message_of([&] { AtomicFile(folder / "no/out.csv"); }) ==
        "cannot write \"" + (folder / "no/out.csv") +
            "\": there is no folder \"" + (folder / "no") + "\"");
  folder.write("file", "");
  CHECK(message_of([&] { AtomicFile(folder / "file/out.csv"); }) ==
        "cannot write \"" + (folder / "file/out.csv") + "\": not a directory");
  CHECK(message_of([&] { AtomicFile(""); }) ==
        "cannot write \"\": no file name");
  CHECK(message_of([&] { AtomicFile("/dev/fd/987"); }) ==
        "cannot write \"/dev/fd/987\": bad file descriptor");
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic file: write protection holds") {
  const Folder folder;
  const std::string path = folder.write("out.csv", "old");
  std::filesystem::create_directory(folder / "closed");
  chmod(path.c_str(), 0444);
  chmod((folder / "closed").c_str(), 0555);
  chmod(folder.path().c_str(), 0777);
  // In a child that is not root, for whom nothing is protected.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(1);
    const std::string inside = folder / "closed/new.csv";
    const bool file = message_of([&] { AtomicFile{path}; }) ==
                      "cannot write \"" + path + "\": permission denied";
    const bool closed = message_of([&] { AtomicFile{inside}; }) ==
                        "cannot write \"" + inside + "\": permission denied";
    _exit(file && closed ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("atomic file: devices and pipes are written directly") {
  put("/dev/null", "x");
  CHECK(std::filesystem::is_character_file("/dev/null"));

  int ends[2];
  REQUIRE(pipe(ends) == 0);
  put("/dev/fd/" + std::to_string(ends[1]), "through a pipe");
  char text[32] = {};
  CHECK(read(ends[0], text, sizeof text) == 14);
  CHECK(std::string(text) == "through a pipe");
  close(ends[0]);
  std::signal(SIGPIPE, SIG_IGN);
  CHECK_THROWS_AS(put("/dev/fd/" + std::to_string(ends[1]), "x"),
                  gttf::ReaderGone);
  close(ends[1]);
}

TEST_CASE("atomic file: an open file is continued, not started again") {
  const Folder folder;
  const std::string path = folder.write("log", "before ");
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND);
  put("/dev/fd/" + std::to_string(descriptor), "after");
  close(descriptor);
  CHECK(folder.read("log") == "before after");
}

TEST_CASE("atomic file: a full disk is an error and leaves the old file") {
  if (!std::filesystem::exists("/dev/full")) return;
  CHECK(message_of([] { put("/dev/full", "x"); }) ==
        "cannot write \"/dev/full\": no space left on device");
}

TEST_CASE(
    "atomic file: signals that end the program remove what is half done") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Folder folder;
    const std::string path = folder.write("out.csv", "old");
    CHECK(killed_after(signal, [&] {
            auto* first = new AtomicFile(path);  // no destructor runs
            auto* second = new AtomicFile(folder / "new.csv");
            first->stream() << std::string(200000, 'x');
            second->stream() << std::string(200000, 'x');
          }) == signal);
    CHECK(folder.read("out.csv") == "old");
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("atomic file: a killed program leaves the old file intact") {
  const Folder folder;
  const std::string path = folder.write("out.csv", "old");
  CHECK(killed_after(SIGKILL, [&] {
          auto* file = new AtomicFile(path);
          file->stream() << std::string(200000, 'x');
        }) == SIGKILL);
  CHECK(folder.read("out.csv") == "old");
}

TEST_CASE("atomic file: a signal after commit removes nothing") {
  const Folder folder;
  CHECK(killed_after(SIGTERM, [&] { put(folder / "out.csv", "done"); }) ==
        SIGTERM);
  CHECK(folder.read("out.csv") == "done");
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic file: an ignored signal stays ignored") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    gttf::tidy_up_on_signals();
    raise(SIGHUP);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

TEST_CASE("atomic file: special files are distinguished from ordinary ones") {
  const Folder folder;
  CHECK(gttf::is_special_file("-"));
  CHECK(gttf::is_special_file("/dev/stdout"));
  CHECK(gttf::is_special_file("/dev/null"));
  CHECK_FALSE(gttf::is_special_file(folder / "none.csv"));
  CHECK_FALSE(gttf::is_special_file(folder.path()));
  CHECK_FALSE(gttf::is_special_file(folder.write("a.csv", "")));
}

TEST_CASE("atomic file: large ones contain all data, in pieces of any size") {
  const Folder folder;
  constexpr std::size_t bytes = gttf::FileStream::cached_bytes + (7u << 20);
  std::string text;
  while (text.size() < bytes) text += std::to_string(text.size()) + '\n';
  // pieces from a letter to more than the stream's buffer
  for (const std::size_t flush_at : {std::size_t{0}, bytes / 2, bytes - 1000}) {
    CAPTURE(flush_at);
    AtomicFile file(folder / "out.csv");
    bool flushed = false;
    std::size_t piece = 1;
    for (std::size_t at = 0; at < text.size(); piece = piece * 3 % 4000037) {
      const std::size_t n = std::min(piece, text.size() - at);
      file.stream().write(text.data() + at, static_cast<std::streamsize>(n));
      at += n;
      CHECK(file.stream().tellp() == static_cast<std::streamoff>(at));
      if (!flushed && flush_at > 0 && at >= flush_at) {
        file.stream().flush();
        flushed = true;
      }
    }
    file.commit();
    CHECK((folder.read("out.csv") == text));
  }
}

TEST_CASE("atomic file: data can be replaced before commit") {
  const Folder folder;
  const std::size_t sizes[] = {100, gttf::FileStream::cached_bytes + 5000000};
  for (const std::size_t size : sizes) {
    std::string text(size, 'a');
    AtomicFile file(folder / "out.csv");
    file.stream() << text;
    file.stream().seekp(10);
    file.stream() << "new";
    file.stream().seekp(0, std::ios::end);
    file.stream() << "end";
    file.commit();
    text.replace(10, 3, "new");
    CHECK((folder.read("out.csv") == text + "end"));
  }
}

TEST_CASE("atomic file: a pipe has no positions to return to") {
  AtomicFile null("/dev/null");
  null.stream() << "text";
  CHECK(null.stream().tellp() == std::streampos(-1));
}

}  // namespace gttf::test::GTTF_TEST_FILE
