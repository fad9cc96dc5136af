// The runs of a tuning on disk, as they come: so that what was done is not lost, and need not be done again.
//
// One JSON object a line. The first says what the runs are of; a run is known by the name of its group and its seed.
// A last line that was cut off is left out.
//
// Thread rule: touches files; main thread.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "cli/terminal/terminal.h"
#include "lab/tune/outcome.h"

namespace tenure::cli {

class TuneSave {
 public:
  // Nothing is read and nothing written.
  TuneSave() = default;

  // Starts a file, or with `resume` goes on with the one that is there. `fingerprint` says what the runs depend on,
  // besides their group and their seed. False, with an error on stderr: it cannot be written, or is a file of
  // something else.
  bool open(const std::string& path, const std::string& fingerprint, bool resume, Streams& streams);

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
  bool read(const std::string& fingerprint, Streams& streams);

  std::string path_;
  std::ofstream file_;
  std::map<std::pair<std::string, std::uint64_t>, sim::RunNumbers> runs_;
};

}  // namespace tenure::cli
