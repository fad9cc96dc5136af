#include "adapters/runtime/journal_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
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

// The journals that this process writes now.
class PathClaim {
 public:
  explicit PathClaim(const std::string& path) : path_(as_one_spelling(path)) {
    const std::lock_guard lock(mutex());
    const bool alone = paths().insert(path_).second;
    CHECK(alone,
          fmt::format(
              "{}: another JournalFiles of this process writes this journal: give each a path of its own, "
              "or destroy the first one before you make the next",
              path));
  }
  ~PathClaim() {
    const std::lock_guard lock(mutex());
    paths().erase(path_);
  }
  PathClaim(const PathClaim&) = delete;
  PathClaim& operator=(const PathClaim&) = delete;

 private:
  // Relative or not, with dots, through links: all are one. The file itself need not be there yet.
  static fs::path as_one_spelling(const fs::path& path) {
    std::error_code none;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, none), none);
    return none ? path : whole;
  }
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::set<fs::path>& paths() {
    static std::set<fs::path> paths;
    return paths;
  }

  fs::path path_;
};

}  // namespace

JournalFiles::JournalFiles(JournalFilesOptions options) : options_(std::move(options)) {
  CHECK(!options_.path.empty() && options_.bytes_max > 0);
  claim_ = std::make_shared<PathClaim>(options_.path);
  for (const std::uint32_t number : numbers_beside(options_.path)) last_ = std::max(last_, number);
  std::error_code none;
  const auto size = fs::file_size(options_.path, none);
  if (!none && size > 0) put_aside();
  begin();
}

std::function<void(std::string_view line)> JournalFiles::sink() {
  CHECK(!std::exchange(taken_, true),
        fmt::format("{}: another Runtime of this process writes this journal: make a JournalFiles for each, "
                    "each with its own path",
                    options_.path));
  return [this](std::string_view line) { take(line); };
}

void JournalFiles::take(std::string_view line) {
  if (bytes_ > 0 && bytes_ + line.size() + 1 > options_.bytes_max) {
    file_.reset();
    put_aside();
  }
  if (!file_) begin();
  if (!file_) return;
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fputc('\n', file_.get()) != EOF && std::fflush(file_.get()) == 0;
  bytes_ += line.size() + 1;
  if (!written) return say("cannot be written", errno);
  said_ = false;
}

// Where that fails, the file goes on: one that is too large loses nothing.
void JournalFiles::put_aside() {
  std::error_code error;
  fs::rename(options_.path, aside(options_.path, last_ + 1), error);
  if (error) return say("cannot be put aside", error.value());
  ++last_;
  bytes_ = 0;
  forget_old();
}

void JournalFiles::begin() {
  file_.reset(std::fopen(options_.path.c_str(), "ab"));
  if (!file_) return say("cannot be opened", errno);
  std::error_code none;
  const auto size = fs::file_size(options_.path, none);
  bytes_ = none ? 0 : size;
}

void JournalFiles::forget_old() const {
  if (options_.keep == 0) return;
  std::error_code none;
  for (const std::uint32_t number : numbers_beside(options_.path))
    if (number + options_.keep <= last_) fs::remove(aside(options_.path, number), none);
}

void JournalFiles::say(std::string_view what, int error) {
  if (std::exchange(said_, true)) return;
  const std::string words = fmt::format("{}: the journal {}: {}; lines are lost until it works again",
                                        options_.path, what, std::strerror(error));
  if (options_.trouble)
    options_.trouble(words);
  else
    fmt::print(stderr, "tenure: {}\n", words);
}

}  // namespace tenure
