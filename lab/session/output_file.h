// Files that are written whole: first beside their place, under a unique name, and then moved into place. So there is
// never half a file, and two programs that write the same file do not mix their text.
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
    replace,  // the old file stays until the new one is complete
    append,
  };
  OutputFile(std::string path, Mode mode);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // removes what was not completed

  // The file is open.
  bool good() const { return good_; }
  // The system's error number of the last failure; 0: unknown, or no failure.
  int error() const { return error_; }
  // Call once, with the whole text. False: it could not be written, or the file is not open.
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
  int error = 0;  // as OutputFile::error()
};
// Replaces the file; makes its folder if needed.
FileWritten write_file(const std::string& path, std::string_view text);

// Whether two paths name the same file; a link to a file is that file.
bool is_same_file(const std::string& a, const std::string& b);

// The system's text for the error number, or "unknown reason" for 0.
std::string system_reason(int error_number);

}  // namespace tenure::lab
