// items-placed: at the end of the tail each item is run by a worker that is there.
//
// Reads: reports as they are submitted, pauses, deaths, the heal.
// Not applicable: schedulers that place nothing.
// One opportunity: an item, at the end of a run that was healed.
#include <fmt/format.h>

#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/placement_tracker.h"

namespace tenure::sim {
namespace {

class ItemsPlaced final : public CheckerOf<ItemsPlaced> {
 public:
  explicit ItemsPlaced(const CheckerSetup& setup)
      : CheckerOf(setup), items_(setup.scenario.scheduling.number("items")) {}

  std::uint32_t wants() const override { return PlacementTracker::kReads | CheckerOf::wants(); }
  void before(TrueTime now, const Record& record) { tracker_.see(now, record); }
  void on(TrueTime, const Healed&) { healed_ = true; }

  void finish(TrueTime now) override {
    if (!healed_) return;
    for (std::int64_t item = 1; item <= items_; ++item) {
      examined();
      if (!tracker_.runners(item).empty()) continue;
      Violation violation{
          now, fmt::format("nobody runs item {} at the end, {}", item, time_text(now)), {}, {}};
      violation.lasted = true;
      violate(std::move(violation));
    }
  }

 private:
  std::int64_t items_;
  PlacementTracker tracker_;
  bool healed_ = false;
};

}  // namespace

TENURE_MADE_UNLESS(places_nothing, items_placed, ItemsPlaced)

}  // namespace tenure::sim
