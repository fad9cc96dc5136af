// A checker: checks one invariant on the history of a run while it happens.
//
// Checkers see only records, never a node's insides. They see true time, which no node knows. Each counts the
// opportunities that it examined: without an opportunity, a checker has not passed but is inconclusive.
//
// Thread rule: one checker belongs to one run.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/damage.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

// Nothing after `at` contributed to a violation. Its cause may have come at any time before: `since` says when the
// wrong began, if that was earlier (a slot that is lost at `at` had been due since then).
struct Violation {
  TrueTime at;                   // when it became a violation
  std::string message;           // one line, names who and when
  std::vector<Incarnation> who;  // whom the story should follow
  std::vector<ScheduleId> schedules;
  std::optional<TrueTime> since = {};  // nullopt: `at`
  std::optional<TrueTime> last = {};   // if it reports several at once: when the last one happened
  bool lasted = false;                 // the wrong lasted from `since` to `at`
};

// Orders by time; equal times as they were seen.
struct Earlier {
  bool operator()(const Violation& one, const Violation& other) const { return one.at < other.at; }
};
using Violations = std::multiset<Violation, Earlier>;

class Checker : public Observer {
 public:
  // The run is over; what was still owed is judged here.
  virtual void finish(TrueTime now) { static_cast<void>(now); }

  std::uint64_t opportunities() const { return opportunities_; }
  std::uint64_t violation_count() const { return violation_count_; }
  // The first kKept violations: each is judged alone. These are far more than a report shows, because what excuses the
  // first ones need not excuse a later one.
  const Violations& violations() const { return violations_; }
  // What the checker should have judged but could not, in words that follow "not judged: ". Without a violation, a
  // checker that leaves something out is inconclusive.
  const std::vector<std::string>& not_judged() const { return not_judged_; }

 protected:
  static constexpr std::size_t kKept = 100'000;
  void examined(std::uint64_t n = 1) { opportunities_ += n; }
  void violate(Violation violation) {
    ++violation_count_;
    if (violations_.size() >= kKept && violation.at >= violations_.rbegin()->at) return;
    violations_.insert(std::move(violation));
    if (violations_.size() > kKept) violations_.erase(std::prev(violations_.end()));
  }
  void violate(TrueTime at, std::vector<Incarnation> who, std::vector<ScheduleId> schedules,
               std::string message) {
    violate({at, std::move(message), std::move(who), std::move(schedules)});
  }
  // Call at most a few times in a run.
  void leave_unjudged(std::string what) { not_judged_.push_back(std::move(what)); }

 private:
  std::uint64_t opportunities_ = 0;
  std::uint64_t violation_count_ = 0;
  Violations violations_;
  std::vector<std::string> not_judged_;
};

class RunHistory;  // sim/checkers/trackers/run_history.h

struct CheckerSetup {
  const Scenario& scenario;
  const View& view;
  // Of this run, shown each record before the checkers; null: each checker has its own of what it is shown (an audit),
  // and none is made that asks about work.
  const RunHistory* history = nullptr;
  NodeNames nodes = NodeNames::from_one;  // how violations name them
  bool from_start = true;                 // false: what happened before the first record is not told
  // How long after the heal a cluster may take to recover (sim/faults/recovery.h). Not known: longer than any tail.
  Duration recovery = Duration::hours(1'000'000);
};

struct CheckerKind {
  enum class When : std::uint8_t { always, eventually };
  std::string_view name;
  std::string_view summary;
  When when = When::always;
  Damage damage = Damage::other;  // of a violation
  // nullptr when it applies; else why not ("the protocol has no tokens"), for the scenario error.
  const char* (*not_applicable)(const Scenario&);
  std::unique_ptr<Checker> (*make)(const CheckerSetup&);
};

std::span<const CheckerKind> checker_kinds();
const CheckerKind* find_checker_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure::sim
