#include "cli/report_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tenure::cli {
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

}  // namespace

ReportFile::ReportFile(std::string path, Mode mode, Streams& streams)
    : path_(std::move(path)), streams_(streams) {
  std::error_code error;
  if (fs::is_directory(path_, error)) {
    good_ = fail(EISDIR);
    return;
  }
  const bool in_place = mode == Mode::append || is_device(path_);
  if (!in_place) beside_ = target_of(path_) + ".new";
  errno = 0;
  // What is written in place may be more than ours.
  file_.open(in_place ? path_ : beside_, std::ios::binary | (in_place ? std::ios::app : std::ios::out));
  if (!file_) {
    beside_.clear();
    good_ = fail(errno);
  }
}

ReportFile::~ReportFile() {
  if (beside_.empty()) return;
  file_.close();
  std::error_code error;
  fs::remove(beside_, error);
}

bool ReportFile::write(std::string_view text) {
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

bool ReportFile::fail(int error_number) {
  print_error(streams_, fmt::format("cannot write {}: {}", path_, system_reason(error_number)));
  return false;
}

bool write_file(const std::string& path, std::string_view text, Streams& streams) {
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, error);
  return ReportFile(path, ReportFile::Mode::replace, streams).write(text);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace tenure::cli
