// leader-elected: at the end of the tail somebody leads: a running node that believes to. In the tail somebody has done
// so for kLeast in all, or for half of a shorter tail: an instant is no leadership. And for half of what is left of the
// tail when a cluster has recovered.
//
// Where leadership is passed on it is briefly nobody's. So at the very end a gap is let be that is shorter than
// kOnItsWay, and no longer than the leadership before it.
// Reads: notes, pauses, deaths, clock changes, the heal. Applies always.
// One opportunity: the end of a run that was healed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"

namespace tenure::sim {
namespace {

class LeaderElected final : public CheckerOf<LeaderElected> {
 public:
  explicit LeaderElected(const CheckerSetup& setup) : CheckerOf(setup), recovery_(setup.recovery) {}

  void on(const LeadershipChange& change) {
    pass(change.at);
    leaders_ += change.gained ? 1 : -1;
    if (!change.gained) last_ = change;
  }
  void on(TrueTime now, const Healed&) { healed_ = now; }

  void finish(TrueTime now) override {
    show_changes();
    if (!healed_) return;
    examined();
    pass(now);
    const Duration tail = now - *healed_;
    const bool has_led =
        led_ >= std::min(kLeast, tail / 2) && led_late_ >= (tail - std::min(tail, recovery_)) / 2;
    if (run_.leadership().leaders() > 0 && has_led) return;
    if (has_led && last_.who.number != 0 && now - last_.at <= std::min(kOnItsWay, last_.at - last_.since))
      return;
    Violation violation{now, "nobody ever led", {}, {}, last_.at};
    violation.lasted = true;
    if (last_.who.number != 0) {
      violation.message = run_.leadership().leaders() > 0
                              ? fmt::format("in the tail somebody has led for {} only", describe(led_))
                              : fmt::format("no leader at the end: the last was {}, until {}",
                                            who_text(last_.who), time_text(last_.at));
      violation.who = {last_.who};
    }
    violate(std::move(violation));
  }

 private:
  static constexpr Duration kOnItsWay = Duration::seconds(1);
  static constexpr Duration kLeast = Duration::seconds(1);

  void pass(TrueTime now) {
    if (healed_ && leaders_ > 0) {
      led_ += std::max(now - std::max(seen_to_, *healed_), Duration{});
      led_late_ += std::max(now - std::max(seen_to_, *healed_ + recovery_), Duration{});
    }
    seen_to_ = std::max(seen_to_, now);
  }

  LeadershipChange last_;  // the last loss
  std::optional<TrueTime> healed_;
  std::int64_t leaders_ = 0;
  TrueTime seen_to_;
  Duration led_;       // since the heal
  Duration led_late_;  // since the recovery from it
  Duration recovery_;
};

}  // namespace

const char* leader_elected::not_applicable(const Scenario&) { return nullptr; }

TENURE_MADE_AS(leader_elected, LeaderElected)

}  // namespace tenure::sim
