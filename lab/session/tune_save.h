// The runs of a tuning on disk, as they come: so that what was done is not lost, and need not be done again.
//
// One JSON object a line. The first says what the runs are of; a run is known by the name of its group and its seed.
// A last line that was cut off is left out.
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
  // Nothing is read and nothing written.
  TuneSave() = default;

  // Why a file was not opened.
  struct Problem {
    enum class Kind : std::uint8_t {
      of_another,  // it holds results of another scenario, other overrides, or another version
      foreign,     // it holds no results
      unwritable,
    };
    Kind kind = Kind::unwritable;
    bool resuming = false;  // it was to be gone on with
    int error = 0;          // unwritable: the system's number, 0 if it has none
  };

  // Starts a file, or with `resume` goes on with the one that is there. `fingerprint` says what the runs depend on,
  // besides their group and their seed.
  std::optional<Problem> open(const std::string& path, const std::string& fingerprint, bool resume);

  // nullptr when the run was not done.
  const sim::RunNumbers* find(const std::string& group, std::uint64_t seed) const;
  void put(const std::string& group, const sim::RunNumbers& run);
  // What was written is on its way to the disk.
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
