// Saves the runs of a tuning, a comparison or a hunt on disk as they come, so that they need not be done again.
//
// A run is identified by the name of its group, which stands for all that it depends on besides the file's fingerprint,
// and its seed.
//
// Thread rule: touches files. find() may be called from several threads while nothing is put; all else belongs to one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/compare/cell.h"
#include "lab/hunt/hunt.h"
#include "lab/session/run_log.h"
#include "lab/session/version.h"
#include "lab/tune/outcome.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// All that runs of a scenario depend on besides the program and their seeds: what it says, and what the designs and
// data that it names say.
std::string identity_of(const sim::Scenario& scenario);

// A case of a hunt, with all of its result that the hunt uses (lab/hunt/hunt.h).
struct HuntedCase {
  std::uint64_t seed = 0;
  CaseResult result;
};

// `Numbers`: what is kept of a run.
template <class Numbers>
class SavedRuns {
 public:
  // Reads and writes nothing.
  SavedRuns() = default;

  using Problem = RunLog::Problem;

  // Starts a file that has no runs yet, or with `resume` continues the one that is there. `fingerprint`: everything
  // that the runs depend on, besides group and seed; without one, the running program.
  std::optional<Problem> open(const std::string& path, const std::string& fingerprint, bool resume);
  std::optional<Problem> open(const std::string& path, bool resume) {
    return open(path, std::string(program()), resume);
  }

  // nullptr when the run was not done.
  const Numbers* find(const std::string& group, std::uint64_t seed) const {
    const auto found = runs_.find({group, seed});
    return found == runs_.end() ? nullptr : &found->second;
  }
  void put(const std::string& group, const Numbers& run);
  // Hands what was written to the system.
  void flush() { log_.flush(); }
  // False: something could not be written.
  bool good() const { return log_.good(); }

  const std::string& path() const { return log_.path(); }
  std::uint64_t found() const { return runs_.size(); }

 private:
  static const std::string_view kKind;  // of the file

  RunLog log_{kKind};
  std::map<std::pair<std::string, std::uint64_t>, Numbers> runs_;
};

template <>
const std::string_view SavedRuns<RunNumbers>::kKind;
template <>
const std::string_view SavedRuns<CaseNumbers>::kKind;

template <>
const std::string_view SavedRuns<HuntedCase>::kKind;

using TuneSave = SavedRuns<RunNumbers>;
using CompareSave = SavedRuns<CaseNumbers>;
using HuntSave = SavedRuns<HuntedCase>;

}  // namespace tenure::lab
