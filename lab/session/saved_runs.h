// Saves the runs of a tuning, a comparison or a hunt on disk as they come, so that they need not be done again.
//
// Several parts of one search can share the work (shard.h): each writes a file of its own beside the others', makes the
// runs that are its own, and reads those of the others as they come. A part that gets no more from them ends, and goes
// on when it is started again.
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
#include <vector>

#include "lab/compare/cell.h"
#include "lab/hunt/hunt.h"
#include "lab/session/run_log.h"
#include "lab/session/shard.h"
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

  // The same as one of several parts, in a file beside `path`, which it continues. Whoever opens `path` to continue it
  // reads the files of all parts.
  std::optional<Problem> open_part(const std::string& path, const std::string& fingerprint,
                                   const Shard& shard);
  std::optional<Problem> open_part(const std::string& path, const Shard& shard) {
    return open_part(path, std::string(program()), shard);
  }
  const std::optional<Shard>& shard() const { return shard_; }
  // Whether this part is to make the run.
  bool is_mine(const std::string& group, std::uint64_t seed) const;
  // Reads what other parts have written since. True: there was something.
  bool refresh();

  // nullptr when the run was not done.
  const Numbers* find(const std::string& group, std::uint64_t seed) const {
    const auto found = runs_.find({group, seed});
    return found == runs_.end() ? nullptr : &found->second;
  }
  void put(const std::string& group, const Numbers& run);
  // find() finds it from now on.
  void know(const std::string& group, const Numbers& run) { runs_.insert_or_assign({group, run.seed}, run); }
  // Hands what was written to the system.
  void flush() { log_.flush(); }
  // False: something could not be written.
  bool good() const { return log_.good(); }

  const std::string& path() const { return log_.path(); }
  std::uint64_t found() const { return runs_.size(); }

 private:
  static const std::string_view kKind;  // of the file

  // A file that others write, and how much of it was read.
  struct Sibling {
    std::string path;
    std::uint64_t read = 0;
  };
  // False: it is none, or was cut off.
  bool take_line(std::string_view text);
  bool read_more(Sibling& sibling);

  RunLog log_{kKind};
  std::map<std::pair<std::string, std::uint64_t>, Numbers> runs_;
  std::string path_;  // of all parts together
  std::string fingerprint_;
  std::optional<Shard> shard_;
  std::map<std::string, Sibling> siblings_;
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
