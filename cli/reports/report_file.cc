#include "cli/reports/report_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "format/print/print.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

void say_unwritable(const std::string& path, int error, Streams& streams) {
  print_error(streams, fmt::format("cannot write {}: {}", path, lab::system_reason(error)));
}

}  // namespace

ReportFile::ReportFile(std::string path, const ReportKind& kind, Streams& streams)
    : path_(std::move(path)), streams_(streams) {
  if (!may_write(path_, kind, streams_)) return;
  file_.emplace(path_, kind.begins.empty() ? lab::OutputFile::Mode::append : lab::OutputFile::Mode::replace);
  if (!file_->good()) say_unwritable(path_, file_->error(), streams_);
}

bool ReportFile::write(std::string_view text) {
  if (!good()) return false;
  if (file_->write(text)) return true;
  say_unwritable(path_, file_->error(), streams_);
  return false;
}

bool write_file(const std::string& path, std::string_view text, Streams& streams) {
  const lab::FileWritten written = lab::write_file(path, text);
  if (!written.good) say_unwritable(path, written.error, streams);
  return written.good;
}

bool can_write_into(const std::string& folder, Streams& streams) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    print_error(streams, fmt::format("cannot write into {}: it is a file, and not a folder", folder));
    return false;
  }
  const std::string path = (fs::path(folder) / "failure.toml").string();
  const lab::OutputFile file(path, lab::OutputFile::Mode::replace);
  if (!file.good()) say_unwritable(path, file.error(), streams);
  return file.good();
}

bool may_write(const std::string& path, const ReportKind& kind, Streams& streams) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return true;
  if (kind.begins.empty()) {
    const char* const of_ci = std::getenv("GITHUB_STEP_SUMMARY");
    if (path.ends_with(".md") || (of_ci != nullptr && lab::is_same_file(path, of_ci))) return true;
  } else {
    std::ifstream file(path, std::ios::binary);
    std::string begin(kind.begins.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin == kind.begins) return true;
  }
  print_error(streams,
              fmt::format("{} exists and is not {}: name another file with {}", path, kind.what, kind.flag));
  return false;
}

void say_unwritten(const lab::SavedRegression& saved, Streams& streams) {
  if (!saved.written) say_unwritable(saved.path, saved.write_error, streams);
}

void say_what_is_wrong(const lab::SavedRegression& saved, Streams& streams) {
  if (!saved.reproducible)
    print_error(streams,
                fmt::format("{} does not give the run that failed. This is a bug of tenure: please report "
                            "it, with the file and the command",
                            saved.path));
  if (saved.written) return;
  clear_progress(streams);
  streams.err << fmt::format("what {} was to hold:\n\n{}\n", saved.path, format::print_scenario(saved.file));
}

void say_does_not_fail_again(std::uint64_t seed, Streams& streams) {
  print_error(streams, fmt::format("seed {} does not fail again alone. This is a bug of tenure: please "
                                   "report it, with the file and the command",
                                   seed));
}

}  // namespace tenure::cli
