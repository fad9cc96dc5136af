// Saves the runs of a tuning on disk as they come, so that they need not be done again.
//
// A run is identified by the name of its group and its seed.
//
// Thread rule: touches files. find() may be called from several threads while nothing is put; all else belongs to one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lab/session/run_log.h"
#include "lab/tune/outcome.h"

namespace tenure::lab {

class TuneSave {
 public:
  // Reads and writes nothing.
  TuneSave() = default;

  using Problem = RunLog::Problem;

  // Starts a file that has no runs yet, or with `resume` continues the one that is there. `fingerprint`: everything
  // that the runs depend on, besides group and seed.
  std::optional<Problem> open(const std::string& path, const std::string& fingerprint, bool resume);

  // nullptr when the run was not done.
  const sim::RunNumbers* find(const std::string& group, std::uint64_t seed) const;
  void put(const std::string& group, const sim::RunNumbers& run);
  // Hands what was written to the system.
  void flush() { log_.flush(); }
  // False: something could not be written.
  bool good() const { return log_.good(); }

  const std::string& path() const { return log_.path(); }
  std::uint64_t found() const { return runs_.size(); }

 private:
  RunLog log_{"tune"};
  std::map<std::pair<std::string, std::uint64_t>, sim::RunNumbers> runs_;
};

}  // namespace tenure::lab
