#include "adapters/runtime/journal_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace tenure {
namespace {

namespace fs = std::filesystem;

std::string aside(const std::string& path, std::uint32_t number) {
  return fmt::format("{}.{:06}", path, number);
}

// The number of a file that was put aside from `path`; nothing for any other.
std::optional<std::uint32_t> number_of(const fs::path& file, const fs::path& path) {
  const std::string name = file.filename().string();
  const std::string head = path.filename().string() + ".";
  if (name.size() < head.size() + 6 || name.compare(0, head.size(), head) != 0) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + head.size(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

std::vector<std::uint32_t> numbers_beside(const fs::path& path) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const auto number = number_of(it->path(), path)) numbers.push_back(*number);
  return numbers;
}

}  // namespace

JournalFiles::JournalFiles(JournalFilesOptions options) : options_(std::move(options)) {
  CHECK(!options_.path.empty() && options_.bytes_max > 0);
  const Begun begun = begin();
  CHECK(begun != Begun::taken,
        fmt::format(
            "{}: another JournalFiles, of this process or another, writes this journal: give each a path of "
            "its own, or end the first one before you begin the next",
            options_.path));
  if (bytes_ > 0) put_aside();
}

JournalFiles::~JournalFiles() { close(); }

std::function<void(std::string_view line)> JournalFiles::sink() {
  CHECK(!std::exchange(taken_, true),
        fmt::format("{}: another Runtime of this process writes this journal: make a JournalFiles for each, "
                    "each with its own path",
                    options_.path));
  return [this](std::string_view line) { take(line); };
}

void JournalFiles::take(std::string_view line) {
  if (file_ >= 0 && !is_at_its_place()) {
    tell("was moved or deleted while it was written: it goes on in a new file");
    close();
  }
  // What follows a gap begins a file, so that it can be judged without what is before the gap.
  if (bytes_ > 0 && (lost_ > 0 || bytes_ + line.size() + 1 > options_.bytes_max)) put_aside();
  if (file_ < 0 && begin() == Begun::taken) say("is written by another process", 0);
  if (file_ < 0 || !append(std::string(line) + "\n")) {
    ++lost_;
    return;
  }
  if (lost_ > 0)
    tell(fmt::format(
        "is written again: {} lines before this one are missing; `tenure audit --start-missing` judges "
        "what follows them, from this file on",
        lost_));
  lost_ = 0;
  said_ = false;
}

// All of it or, as far as the file can be cut, nothing: half a line would spoil the next one, too.
bool JournalFiles::append(std::string_view line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t more = ::write(file_, line.data() + written, line.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      say("cannot be written", errno);
      struct stat found {};
      if (written > 0 && fstat(file_, &found) == 0 && S_ISREG(found.st_mode))
        if (ftruncate(file_, found.st_size - static_cast<off_t>(written)) != 0) bytes_ += written;
      return false;
    }
    written += static_cast<std::size_t>(more);
  }
  bytes_ += written;
  return true;
}

// Where that fails, the file goes on: one that is too large loses nothing.
void JournalFiles::put_aside() {
  std::uint32_t last = 0;
  for (const std::uint32_t number : numbers_beside(options_.path)) last = std::max(last, number);
  std::error_code error;
  fs::rename(options_.path, aside(options_.path, last + 1), error);
  if (error) {
    if (!std::exchange(stuck_, true))
      tell(fmt::format("cannot be put aside: {}; it grows until it can be", std::strerror(error.value())));
    return;
  }
  if (std::exchange(stuck_, false)) tell("is put aside again");
  const int full = std::exchange(file_, -1);  // with its lock, until there is the next one
  bytes_ = 0;
  if (begin() == Begun::taken) say("is written by another process", 0);
  ::close(full);
  forget_old(last + 1);
}

// Whoever has the file at the path, and the lock on it, writes the journal, and nobody else renames that file.
JournalFiles::Begun JournalFiles::begin() {
  for (;;) {
    file_ = ::open(options_.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
      say("cannot be opened", errno);
      return Begun::no;
    }
    struct stat found {};
    if (fstat(file_, &found) != 0 || !S_ISREG(found.st_mode))
      return Begun::yes;  // a pipe, /dev/null: not ours to keep
    if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close();
      return Begun::taken;
    }
    if (is_at_its_place()) {
      bytes_ = static_cast<std::uint64_t>(found.st_size);
      return Begun::yes;
    }
    close();  // the one before has just put it aside
  }
}

bool JournalFiles::is_at_its_place() const {
  struct stat open {};
  struct stat there {};
  return fstat(file_, &open) == 0 && stat(options_.path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

void JournalFiles::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  bytes_ = 0;
}

void JournalFiles::forget_old(std::uint32_t last) const {
  if (options_.keep == 0) return;
  std::error_code none;
  for (const std::uint32_t number : numbers_beside(options_.path))
    if (number + options_.keep <= last) fs::remove(aside(options_.path, number), none);
}

void JournalFiles::say(std::string_view what, int error) {
  if (std::exchange(said_, true)) return;
  tell(fmt::format("{}{}; lines are lost until it works again", what,
                   error == 0 ? "" : fmt::format(": {}", std::strerror(error))));
}

void JournalFiles::tell(std::string_view what) const {
  const std::string words = fmt::format("{}: the journal {}", options_.path, what);
  if (options_.trouble)
    options_.trouble(words);
  else
    fmt::print(stderr, "tenure: {}\n", words);
}

}  // namespace tenure
