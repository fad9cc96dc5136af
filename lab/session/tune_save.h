// Saves the runs of a tuning on disk as they come, so that they need not be done again.
//
// One JSON object on each line. The first line says what was run. A run is identified by the name of its group and its
// seed. A last line that was cut off is ignored.
//
// Thread rule: touches files. find() may be called from several threads while nothing is put; all else belongs to one.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lab/tune/outcome.h"

namespace tenure::lab {

class TuneSave {
 public:
  // Reads and writes nothing.
  TuneSave() = default;

  // Why a file was not opened.
  struct Problem {
    enum class Kind : std::uint8_t {
      of_another,  // it has results of another scenario, other overrides, or another version
      foreign,     // it holds no results
      unwritable,
    };
    Kind kind = Kind::unwritable;
    bool resuming = false;  // the file was to be continued
    int error = 0;          // unwritable: the system's error number, or 0
  };

  // Starts a file, or with `resume` continues the one that is there. `fingerprint`: everything that the runs depend on,
  // besides group and seed.
  std::optional<Problem> open(const std::string& path, const std::string& fingerprint, bool resume);

  // nullptr when the run was not done.
  const sim::RunNumbers* find(const std::string& group, std::uint64_t seed) const;
  void put(const std::string& group, const sim::RunNumbers& run);
  // Hands what was written to the system.
  void flush() { file_.flush(); }
  // False: something could not be written.
  bool good() const { return file_.good(); }

  const std::string& path() const { return path_; }
  std::uint64_t found() const { return runs_.size(); }

 private:
  std::optional<Problem> read(const std::string& fingerprint);

  std::string path_;
  std::ofstream file_;
  std::map<std::pair<std::string, std::uint64_t>, sim::RunNumbers> runs_;
};

}  // namespace tenure::lab
