// Saves the runs of a comparison on disk as they come, so that they need not be done again.
//
// A run is identified by its scenario and its seed: a cell is named by everything that its runs depend on
// (name_of_cell). So designs and situations can be added, and what was run already is not run again.
//
// Thread rule: find() may be called from several threads; all else belongs to one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lab/compare/cell.h"
#include "lab/session/run_log.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// Of its text and its designs' files.
std::string name_of_cell(const sim::Scenario& scenario);

class CompareSave {
 public:
  // Reads and writes nothing.
  CompareSave() = default;

  // Starts a file that has no runs yet, or with `resume` continues the one that is there.
  std::optional<RunLog::Problem> open(const std::string& path, bool resume);

  // nullptr when the run was not done before the file was opened.
  const sim::CaseNumbers* find(const std::string& cell, std::uint64_t seed) const;
  void put(const std::string& cell, const sim::CaseNumbers& run);
  void flush() { log_.flush(); }
  bool good() const { return log_.good(); }
  const std::string& path() const { return log_.path(); }
  std::uint64_t found() const { return runs_.size(); }

 private:
  RunLog log_{"compare"};
  std::map<std::pair<std::string, std::uint64_t>, sim::CaseNumbers> runs_;
};

}  // namespace tenure::lab
