// Files that reports and failures are written to.
//
// A report is opened before anything runs, so that an hour's hunt is not lost to a folder that is not there, and
// written when all is over (lab/session/output_file.h).
//
// Thread rule: touches files; main thread.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"
#include "lab/session/output_file.h"
#include "lab/session/regression_writer.h"

namespace tenure::cli {

class ReportFile {
 public:
  using Mode = lab::OutputFile::Mode;
  // Opens it; errors are told by good(), and said on `streams`.
  ReportFile(std::string path, Mode mode, Streams& streams);

  bool good() const { return file_.good(); }
  // Once, with all of it. False, and an error on `streams`, when it could not be written.
  bool write(std::string_view text);

 private:
  const std::string path_;
  Streams& streams_;
  lab::OutputFile file_;
};

// Whether files can be written into a folder, which is made if need be; else an error on `streams`.
bool can_write_into(const std::string& folder, Streams& streams);

// Makes the folder it is in, if need be.
bool write_file(const std::string& path, std::string_view text, Streams& streams);

// Whether what is at `path` may go: there is nothing, or what was written there before by the same command, as its
// first line tells. Else an error on `streams`: it is not `what`, which `flag` would put in its place.
bool may_replace(const std::string& path, std::string_view first_line, std::string_view what,
                 std::string_view flag, Streams& streams);

// That a failure could not be written down, if so.
void say_unwritten(const lab::SavedRegression& saved, Streams& streams);
// In the end: that it does not reproduce; and what could not be written goes to stderr, because it would be lost.
void say_what_is_wrong(const lab::SavedRegression& saved, Streams& streams);
// That a failed run does not fail again alone.
void say_does_not_fail_again(std::uint64_t seed, Streams& streams);

}  // namespace tenure::cli
