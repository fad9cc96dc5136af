#include "cli/reports/report_file.h"

#include <fmt/format.h>

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

ReportFile::ReportFile(std::string path, Mode mode, Streams& streams)
    : path_(path), streams_(streams), file_(std::move(path), mode) {
  if (!file_.good()) say_unwritable(path_, file_.error(), streams_);
}

bool ReportFile::write(std::string_view text) {
  if (!good()) return false;
  if (file_.write(text)) return true;
  say_unwritable(path_, file_.error(), streams_);
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
  return ReportFile((fs::path(folder) / "failure.toml").string(), ReportFile::Mode::replace, streams).good();
}

bool may_replace(const std::string& path, std::string_view first_line, std::string_view what,
                 std::string_view flag, Streams& streams) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return true;
  std::ifstream file(path, std::ios::binary);
  std::string begin(first_line.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (file.gcount() == 0 || begin == first_line) return true;
  print_error(streams,
              fmt::format("{} is there, and is not {}: name another file with {}", path, what, flag));
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
  streams.err << fmt::format("what {} was to hold:\n\n{}\n", saved.path, sim::print_scenario(saved.file));
}

void say_does_not_fail_again(std::uint64_t seed, Streams& streams) {
  print_error(streams, fmt::format("seed {} does not fail again by itself. This is a bug of tenure: please "
                                   "report it, with the file and the command",
                                   seed));
}

}  // namespace tenure::cli
