// Files that reports and failures are written to.
//
// A report is opened before anything runs, so that an hour's hunt is not lost to a folder that is not there, and
// written when all is over (lab/session/output_file.h).
//
// Thread rule: touches files; main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/reports/report.h"
#include "cli/terminal/terminal.h"
#include "lab/session/output_file.h"
#include "lab/session/regression_writer.h"

namespace tenure::cli {

// A kind of report: how its files begin. A file that begins otherwise is somebody's, and stays.
struct ReportKind {
  std::string_view flag;  // of the command line, which names the file
  std::string_view what;  // "a page of tenure"
  std::string_view begins;
};
inline constexpr ReportKind kPageFile = {
    "--report", "a page of tenure",
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "
    "content=\"tenure\">"};
inline constexpr ReportKind kPictureFile = {"--svg", "a picture of tenure",
                                            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tenure\""};
inline constexpr ReportKind kPlotFile = {"--plot", "a plot of tenure", kPictureFile.begins};
inline constexpr ReportKind kJunitFile = {
    "--junit", "a JUnit report of tenure",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tenure\""};
inline constexpr ReportKind kPerfettoFile = {"--perfetto", "a trace of tenure for Perfetto",
                                             "{\"otherData\":{\"tool\":\"tenure\"}"};
inline constexpr ReportKind kTraceFile = {"--trace", "a trace of tenure", "{\"format\":"};
// Appended to, whatever it has: $GITHUB_STEP_SUMMARY, or a file in Markdown.
inline constexpr ReportKind kSummaryFile = {"--summary", "a summary in Markdown", {}};

class ReportFile {
 public:
  // Opens it, if it is not there or of this kind; errors are told by good(), and said on `streams`.
  ReportFile(std::string path, const ReportKind& kind, Streams& streams);

  bool good() const { return file_ && file_->good(); }
  // Once, with all of it. False, and an error on `streams`, when it could not be written.
  bool write(std::string_view text);

 private:
  const std::string path_;
  Streams& streams_;
  std::optional<lab::OutputFile> file_;
};

// A report that is written to a file when all is over.
class FileReporter : public Reporter {
 public:
  FileReporter(const std::string& path, const ReportKind& kind, Streams& streams)
      : file_(path, kind, streams) {}
  bool good() const { return file_.good(); }
  ExitCode end(const Totals& totals) final {
    const std::string all = text(totals);
    return all.empty() || file_.write(all) ? ExitCode::pass : ExitCode::io_error;
  }

 private:
  // Empty: there is nothing to write.
  virtual std::string text(const Totals& totals) = 0;

  ReportFile file_;
};

// Whether files can be written into a folder, which is made if need be; else an error on `streams`.
bool can_write_into(const std::string& folder, Streams& streams);

// Makes the folder it is in, if need be.
bool write_file(const std::string& path, std::string_view text, Streams& streams);

// Whether a file of this kind may be written to `path`; else an error on `streams`.
bool may_write(const std::string& path, const ReportKind& kind, Streams& streams);

// That a failure could not be written down, if so.
void say_unwritten(const lab::SavedRegression& saved, Streams& streams);
// In the end: that it does not reproduce; and what could not be written goes to stderr, because it would be lost.
void say_what_is_wrong(const lab::SavedRegression& saved, Streams& streams);
// That a failed run does not fail again alone.
void say_does_not_fail_again(std::uint64_t seed, Streams& streams);

}  // namespace tenure::cli
