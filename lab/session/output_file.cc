#include "lab/session/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tenure::lab {
namespace {

namespace fs = std::filesystem;

// Where the file is that `path` leads to: a link stays a link.
std::string target_of(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

// A terminal, a pipe, /dev/null, /dev/stdout wherever it leads: something to write to, and nothing to replace.
bool is_device(const std::string& path) {
  if (path.starts_with("/dev/")) return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Makes a file that was not there before, and says its name; none, and errno, when that cannot be.
std::string make_beside(const std::string& target) {
  for (int attempt = 0; attempt < 1'000; ++attempt) {
    std::string path = fmt::format("{}.{}-{}.new", target, getpid(), attempt);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) break;
  }
  return {};
}

}  // namespace

OutputFile::OutputFile(std::string path, Mode mode) : path_(std::move(path)) {
  std::error_code error;
  if (fs::is_directory(path_, error)) {
    good_ = fail(EISDIR);
    return;
  }
  const bool in_place = mode == Mode::append || is_device(path_);
  errno = 0;
  if (!in_place) beside_ = make_beside(target_of(path_));
  // What is written in place may be more than ours.
  if (in_place || !beside_.empty())
    file_.open(in_place ? path_ : beside_, std::ios::binary | (in_place ? std::ios::app : std::ios::out));
  good_ = file_.is_open() || fail(errno);
}

OutputFile::~OutputFile() {
  if (beside_.empty()) return;
  file_.close();
  std::error_code error;
  fs::remove(beside_, error);
}

bool OutputFile::write(std::string_view text) {
  if (!good_) return false;
  errno = 0;
  file_ << text;
  file_.close();
  if (!file_) return fail(errno);
  if (beside_.empty()) return true;
  std::error_code error;
  fs::rename(beside_, target_of(path_), error);
  if (error) return fail(error.value());
  beside_.clear();
  return true;
}

bool OutputFile::fail(int error_number) {
  error_ = error_number;
  return false;
}

FileWritten write_file(const std::string& path, std::string_view text) {
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, error);
  OutputFile file(path, OutputFile::Mode::replace);
  const bool good = file.write(text);
  return {good, file.error()};
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

std::string system_reason(int error_number) {
  return error_number == 0 ? "unknown reason" : std::strerror(error_number);
}

}  // namespace tenure::lab
