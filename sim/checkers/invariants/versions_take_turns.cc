// versions-take-turns: no commit holds rows of two versions of one schedule.
//
// A commit that was given up as unknown may be executed after all, and then the next one fails row by row: those of one
// version, but not those of the other, so that what was due first fires last.
// Reads: the commits that are submitted, whatever becomes of them.
// Not applicable: no fires, or a scheduler without a ledger.
// One opportunity: a commit.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class VersionsTakeTurns final : public CheckerOf<VersionsTakeTurns> {
 public:
  using CheckerOf::CheckerOf;

  void on(TrueTime now, const Submitted& submitted) {
    const auto* commit = reference_request<reference::CommitFires>(submitted.submission.request);
    if (commit == nullptr) return;
    examined();
    spoken_for_.clear();
    for (const reference::LedgerRow& row : commit->rows) spoken_for_.emplace_back(row.schedule, row.version);
    std::sort(spoken_for_.begin(), spoken_for_.end());
    spoken_for_.erase(std::unique(spoken_for_.begin(), spoken_for_.end()), spoken_for_.end());
    const auto twice =
        std::adjacent_find(spoken_for_.begin(), spoken_for_.end(),
                           [](const Version& a, const Version& b) { return a.first == b.first; });
    if (twice == spoken_for_.end()) return;
    violate(
        now, {submitted.who}, {twice->first},
        fmt::format("{} commits rows of versions {} and {} of {} together, at {}", names_.who(submitted.who),
                    twice->second, (twice + 1)->second, names_.schedule(twice->first), time_text(now)));
  }

 private:
  using Version = std::pair<ScheduleId, std::uint32_t>;

  std::vector<Version> spoken_for_;  // by the commit that is looked at
};

}  // namespace

TENURE_MADE_UNLESS(lacks_ledger, versions_take_turns, VersionsTakeTurns)

}  // namespace tenure::sim
