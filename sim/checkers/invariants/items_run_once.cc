// items-run-once: no two workers run one item at once.
//
// Work, not assignment: a worker that runs on after its item was moved is what users are hurt by. As workers declare it
// (placement_tracker.h); who stands still runs nothing. What lasts no time is no overlap.
// Reads: reports as they are submitted, pauses, deaths.
// Not applicable: schedulers that place nothing.
// One opportunity: a worker that begins to run an item.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/placement_tracker.h"

namespace tenure::sim {
namespace {

class ItemsRunOnce final : public CheckerOf<ItemsRunOnce> {
 public:
  using CheckerOf::CheckerOf;

  std::uint32_t wants() const override { return PlacementTracker::kReads; }
  void before(TrueTime now, const Record& record) {
    confirm(now);
    tracker_.see(now, record);
    for (const std::int64_t item : tracker_.begun()) {
      examined();
      if (tracker_.runners(item).size() > 1) fresh_.push_back({item, now});
    }
  }

  void finish(TrueTime now) override { confirm(now); }

 private:
  struct Fresh {
    std::int64_t item = 0;
    TrueTime since;
  };

  // What began before now and is still so has overlapped.
  void confirm(TrueTime now) {
    if (fresh_.empty() || fresh_.front().since >= now) return;
    for (const Fresh& each : fresh_) {
      std::vector<PlacementTracker::Run> runners = tracker_.runners(each.item);
      if (runners.size() < 2) continue;
      std::sort(runners.begin(), runners.end(),
                [](const auto& one, const auto& other) { return one.since < other.since; });
      const PlacementTracker::Run& later = runners.back();
      const PlacementTracker::Run& earlier = runners[runners.size() - 2];
      violate(
          each.since, {later.who, earlier.who}, {},
          fmt::format("{} began to run item {} at {}, while {} did, since {}", names_.who(later.who),
                      each.item, time_text(each.since), names_.who(earlier.who), time_text(earlier.since)));
    }
    fresh_.clear();
  }

  PlacementTracker tracker_;
  std::vector<Fresh> fresh_;  // run by two, for no time yet
};

}  // namespace

TENURE_MADE_UNLESS(places_nothing, items_run_once, ItemsRunOnce)

}  // namespace tenure::sim
