// Files that reports and failures are written to.
//
// A report is opened before anything runs, so that an hour's hunt is not lost to a folder that is not there, and
// written when all is over: beside its place, under a name that nobody else has, and then moved into it. So there is
// never half a file, and two programs that write the same one do not mix.
//
// Thread rule: touches files; main thread.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "cli/terminal/terminal.h"

namespace tenure::cli {

class ReportFile {
 public:
  enum class Mode {
    replace,  // what was there before stays until the new one is complete
    append,
  };
  // Opens it; errors are told by good(), and said on `streams`.
  ReportFile(std::string path, Mode mode, Streams& streams);
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  ~ReportFile();  // leaves nothing behind of what was not written

  bool good() const { return good_; }
  // Once, with all of it. False, and an error on `streams`, when it could not be written.
  bool write(std::string_view text);

 private:
  bool fail(int error_number);

  const std::string path_;
  std::string beside_;  // empty: written in place
  Streams& streams_;
  std::ofstream file_;
  bool good_ = true;
};

// Whether files can be written into a folder, which is made if need be; else an error on `streams`.
bool can_write_into(const std::string& folder, Streams& streams);

// Makes the folder it is in, if need be.
bool write_file(const std::string& path, std::string_view text, Streams& streams);

// Whether what is at `path` may go: there is nothing, or what was written there before by the same command, as its
// first line tells. Else an error on `streams`: it is not `what`, which `flag` would put in its place.
bool may_replace(const std::string& path, std::string_view first_line, std::string_view what,
                 std::string_view flag, Streams& streams);

// Under whatever names: a link to a file is that file.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace tenure::cli
