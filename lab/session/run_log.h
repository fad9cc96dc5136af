// Runs on disk as they come, so that they need not be done again: one JSON object on each line.
//
// The first line says what was run. A last line that was cut off is ignored.
//
// Thread rule: touches files; belongs to one thread.
#pragma once

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::lab {

class RunLog {
 public:
  // `kind`: what the runs are of, "tune": a key of the first line.
  explicit RunLog(std::string_view kind) : kind_(kind) {}

  // Why a file was not opened.
  struct Problem {
    enum class Kind : std::uint8_t {
      has_runs,    // they would be lost: they are to be gone on with, or the file is to be another
      of_another,  // it has results of another scenario, other overrides, or another program
      foreign,     // it holds no results
      unwritable,
    };
    Kind kind = Kind::unwritable;
    bool resuming = false;  // the file was to be continued
    int error = 0;          // unwritable: the system's error number, or 0
  };

  // Starts a file that has no runs yet, or with `resume` continues the one that is there; then `see` is called with
  // each run's line, which may have been cut off. `fingerprint`: everything that the runs depend on, besides what their
  // lines say.
  std::optional<Problem> open(const std::string& path, const std::string& fingerprint, bool resume,
                              const std::function<void(std::string_view line)>& see);
  bool is_open() const { return file_.is_open(); }
  // A line, without its end. REQUIRES: is_open().
  void put(std::string_view line) { file_ << line << "\n"; }
  // Hands what was written to the system.
  void flush() { file_.flush(); }
  // False: something could not be written.
  bool good() const { return file_.good(); }
  const std::string& path() const { return path_; }

 private:
  std::optional<std::string> owner_of(std::istream& file) const;
  std::optional<Problem> why_not_anew(const std::string& fingerprint) const;
  std::optional<Problem> read(const std::string& fingerprint,
                              const std::function<void(std::string_view line)>& see) const;

  std::string_view kind_;
  std::string path_;
  std::ofstream file_;
};

}  // namespace tenure::lab
