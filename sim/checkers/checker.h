// A checker: one invariant, held against the history of a run while it happens.
//
// Checkers see records only, never a node's insides, and true time, which no node has. Each counts the
// opportunities that it examined: a checker that never looked has not passed, it is inconclusive.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

// What happens after `at` had no part in a violation. What caused it may have happened at any time before: `since` says
// when the wrong began, if that was earlier (a slot that is lost at `at` had been due since then).
struct Violation {
  TrueTime at;                   // when it became one
  std::string message;           // one line, names who and when
  std::vector<Incarnation> who;  // whom the story should follow
  std::vector<ScheduleId> schedules;
  std::optional<TrueTime> since = {};  // nullopt: `at`
  std::optional<TrueTime> last = {};   // of several that it tells of at once: when the last became one
  bool lasted = false;                 // it has been wrong all the time from `since` to `at`
};

// By time, equal ones as they were seen.
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
  // The first kKept of them: each is judged by itself. Far more than a report shows, since what excuses the first ones
  // need not excuse a later one.
  const Violations& violations() const { return violations_; }
  // What the checker should have judged and could not, in words that follow "not judged: ". Without a violation, a
  // checker that leaves something out is inconclusive.
  const std::vector<std::string>& not_judged() const { return not_judged_; }

 protected:
  static constexpr std::size_t kKept = 100'000;
  void examined(std::uint64_t n = 1) { opportunities_ += n; }
  void violate(Violation violation) {
    ++violation_count_;
    if (is_kept(violation.at)) keep(std::move(violation));
  }
  // The same, for where violations can be many: `describe` is asked only for those that may be kept.
  template <class Describe>
    requires std::is_invocable_r_v<Violation, Describe>
  void violate(Describe&& describe) {
    ++violation_count_;
    if (violations_.size() < kKept) keep(describe());
  }
  // Likewise, of one that became one at `at`, which may be earlier than others that are known.
  template <class Describe>
    requires std::is_invocable_r_v<Violation, Describe>
  void violate(TrueTime at, Describe&& describe) {
    ++violation_count_;
    if (is_kept(at)) keep(describe());
  }
  // Call at most a few times in a run.
  void leave_unjudged(std::string what) { not_judged_.push_back(std::move(what)); }

 private:
  bool is_kept(TrueTime at) const { return violations_.size() < kKept || at < violations_.rbegin()->at; }
  void keep(Violation violation) {
    violations_.insert(std::move(violation));
    if (violations_.size() > kKept) violations_.erase(std::prev(violations_.end()));
  }

  std::uint64_t opportunities_ = 0;
  std::uint64_t violation_count_ = 0;
  Violations violations_;
  std::vector<std::string> not_judged_;
};

struct CheckerSetup {
  const Scenario& scenario;
  const View& view;
  NodeNames nodes = NodeNames::from_one;  // how violations name them
};

struct CheckerKind {
  enum class When : std::uint8_t { always, eventually };
  std::string_view name;
  std::string_view summary;
  When when = When::always;
  // nullptr when it applies; else why not ("the protocol has no tokens"), for the scenario error.
  const char* (*not_applicable)(const Scenario&);
  std::unique_ptr<Checker> (*make)(const CheckerSetup&);
};

std::span<const CheckerKind> checker_kinds();
const CheckerKind* find_checker_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure::sim
