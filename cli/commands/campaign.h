// Runs shared out over many machines: each makes a part and saves what it says (lab/session/part_file.h), and
// `tenure merge` reports on all of them.
//
// Thread rule: main thread; parts start others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "format/plans/plans.h"
#include "lab/session/part_file.h"
#include "lab/session/shard.h"

namespace tenure::cli {

// "3/16", or "auto": what the array job, the indexed job or the matrix says that this process is a task of. Throws
// UsageError.
lab::Shard read_shard(const std::string& text);

// What all parts of a command have in common; `of` says what its runs depend on.
lab::Campaign campaign_of(std::string command, const std::vector<std::string>& paths,
                          const std::vector<format::Override>& sets, const SeedRange& seeds,
                          const std::vector<format::ScenarioFile>& files);
std::vector<format::Override> sets_of(const lab::Campaign& campaign);
SeedRange seeds_of(const lab::Campaign& campaign);

// The file of a part, while it is made.
class PartSaver {
 public:
  PartSaver(const std::string& folder, lab::PartFile part, Streams& streams);

  // Goes on with the file if it is there. `take`: what it holds; false: it is damaged. False, and an error, if it is of
  // another campaign, or none.
  bool go_on(const std::function<bool(const std::vector<std::string>&)>& take);
  std::uint64_t done() const { return part_.done; }
  // One more is done. True: it is time to save.
  bool advance();
  // Says why if it could not be written, once.
  void save(std::vector<std::string> states);
  // What is kept: "part 3 of 16: 10 of 625 runs, 1 not a pass; kept in …".
  void say(const char* unit, std::uint64_t failed, const char* how, bool interrupted);
  bool good() const { return good_; }

 private:
  using Clock = std::chrono::steady_clock;

  lab::PartFile part_;
  std::string path_;
  Streams& streams_;
  bool good_ = true;
  Clock::time_point saved_ = {};  // the first is saved at once: a folder that cannot take it is known early
};

// How a part of a tuning or a comparison ended: these share their saved runs while they go on, and the command without
// --shard reports. `missing`: runs of other parts that did not come.
ExitCode say_shared(const lab::Shard& shard, const std::string& save, std::uint64_t missing,
                    Streams& streams);

// The parts of one campaign, by their places.
using Parts = std::map<std::uint64_t, lab::PartFile>;

// A part of `tenure run`, or all of it: goes on where its file ends. What runs say is no matter of the exit code, but
// of the merge.
ExitCode run_part(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files,
                  Streams& streams);
ExitCode merge_runs(const MergeOptions& options, const Parts& parts,
                    const std::vector<format::ScenarioFile>& files, Streams& streams);

// The same of `tenure hunt`. Cases are hunted in blocks, each by itself, so that parts know nothing of each other and
// the findings do not depend on how many there are. A block that was not finished is made again.
ExitCode hunt_part(const HuntOptions& options, const std::vector<format::ScenarioFile>& files,
                   Streams& streams);
ExitCode merge_hunts(const MergeOptions& options, const Parts& parts,
                     const std::vector<format::ScenarioFile>& files, Streams& streams);

}  // namespace tenure::cli
