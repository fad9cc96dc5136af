// Files that are written whole: beside their place, under a name that nobody else has, and then moved into it. So there
// is never half a file, and two programs that write the same one do not mix.
//
// Thread rule: touches files; one file belongs to one thread.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace tenure::lab {

class OutputFile {
 public:
  enum class Mode {
    replace,  // what was there before stays until the new one is complete
    append,
  };
  OutputFile(std::string path, Mode mode);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // leaves nothing behind of what was not written

  // It is open.
  bool good() const { return good_; }
  // The system's error number of what went wrong last; 0: unknown, or nothing did.
  int error() const { return error_; }
  // Once, with all of it. False: it could not be written, or is not open.
  bool write(std::string_view text);

 private:
  bool fail(int error_number);

  const std::string path_;
  std::string beside_;  // empty: written in place
  std::ofstream file_;
  bool good_ = true;
  int error_ = 0;
};

struct FileWritten {
  bool good = true;
  int error = 0;  // as of an OutputFile
};
// Replaces what is there; makes the folder it is in, if need be.
FileWritten write_file(const std::string& path, std::string_view text);

// Under whatever names: a link to a file is that file.
bool is_same_file(const std::string& a, const std::string& b);

// What the system says of the error number, or "unknown reason" when there is none.
std::string system_reason(int error_number);

}  // namespace tenure::lab
