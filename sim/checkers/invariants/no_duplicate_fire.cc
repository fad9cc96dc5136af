// no-duplicate-fire: no event's work begins twice, and no slot is covered by two rows of the ledger.
//
// Work that failed may begin once more, for each time that it failed.
// An event is a slot of a schedule, or a manual run, or one slot of a backfill. Each destination is a place of its own,
// and so is the leader's process: what has begun at one of them, no other one can refuse.
// Reads: work that begins; ledger rows written; the edits, for the versions' slots.
// Not applicable: no fires.
// One opportunity: a beginning, or a row, compared with all before it.
//
// A failover takes rows back, and what is covered again on the surviving branch is covered once there. No beginning is
// taken back: what is fired again has the same event id, by which the outside world can refuse it.
//
// What has begun and what is covered is kept as ranges of consecutive slots, so that memory follows the number of gaps,
// edits and manual runs, not of fires; nothing is forgotten. Who began what is remembered for the last kRecent fires,
// for the message.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/range_set.h"
#include "sim/checkers/trackers/store_history.h"

namespace tenure::sim {
namespace {

class NoDuplicateFire final : public CheckerOf<NoDuplicateFire> {
 public:
  using CheckerOf::CheckerOf;

  std::uint32_t wants() const override { return StoreHistory<Known>::kReads | CheckerOf::wants(); }
  void before(TrueTime, const Record& record) { history_.see(record); }
  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing == DeliveryOutcome::begun) begun(now, {landed.who, landed.item});
  }
  void on(TrueTime now, const DeliveryArrived& sent) {
    if (sent.landing == DeliveryOutcome::begun) begun(now, {sent.who, sent.item});
  }
  void on(TrueTime, const WorkEnded& ended) {
    if (ended.ending == Ending::failed) failed_.insert({ended.item.event, {}});
  }
  void on(TrueTime, const DeliveryEnded& ended) {
    if (ended.ending == Ending::failed) failed_.insert({ended.item.event, ended.item.destination});
  }
  void on(TrueTime now, const Applied& applied) {
    if (run_.edit().what == ScheduleTracker::Edit::deleted) cover_all(run_.edit().schedule);
    for (const auto& [row, version, covered_until] : run_.rows()) {
      examined();
      if (version != nullptr) covered(now, applied.who, row, *version);
    }
  }

 private:
  static constexpr std::size_t kRecent = 8192;

  struct Known {
    std::vector<RangeSet> coverage;  // by version
  };
  struct Recent {
    reference::EventId event;
    const std::string* destination = nullptr;  // a key of begun_
    Incarnation who;
    TrueTime at;
  };

  struct Beginning {
    Incarnation who;
    const WorkItem& item;
  };

  void begun(TrueTime now, const Beginning& landed) {
    examined();
    const reference::EventId& event = landed.item.event;
    auto& [destination, here] = *begun_.try_emplace(landed.item.destination).first;
    const bool again = !failed_.empty() && failed_.erase({event, destination}) > 0;
    if (!here.add(event, run_.store().known_under(landed.item.token).tracker) && !again) {
      violate(executed_twice(now, landed));
    }
    if (recent_.size() < kRecent) recent_.emplace_back();
    recent_[next_recent_] = {event, &destination, landed.who, now};
    next_recent_ = (next_recent_ + 1) % kRecent;
  }

  Violation executed_twice(TrueTime now, const Beginning& landed) const {
    const Recent* first = nullptr;
    for (const Recent& recent : recent_) {
      if (recent.event != landed.item.event || *recent.destination != landed.item.destination) continue;
      if (first == nullptr || recent.at > first->at) first = &recent;
    }
    const std::string event = names_.event(landed.item.event);
    if (first == nullptr) {
      return {now,
              fmt::format("{} was executed twice: long before, and by {} at {}", event,
                          names_.who(landed.who), time_text(now)),
              {landed.who},
              {landed.item.event.schedule}};
    }
    return {now,
            fmt::format("{} was executed twice: {} at {}, {} at {}", event, names_.who(first->who),
                        time_text(first->at), names_.who(landed.who), time_text(now)),
            {landed.who, first->who},
            {landed.item.event.schedule}};
  }

  void covered(TrueTime now, Incarnation who, const reference::LedgerRow& row,
               const ScheduleVersion& version) {
    StoreRange range{row.from, row.to};
    for (;;) {
      const StoreRange again = coverage_of(version).first_overlap(range);
      if (again.from >= again.to) break;
      const auto slot = version.slots.at_or_after(again.from);
      if (slot && *slot < again.to) {
        violate(now, {who}, {row.schedule},
                fmt::format("{} is covered twice in the ledger: again by {} at {}",
                            names_.slot(row.schedule, *slot), names_.who(who), time_text(now)));
        break;
      }
      range.from = again.to;
    }
    coverage_of(version).add({row.from, row.to});
  }

  // The store has recorded what was still due as deleted.
  void cover_all(ScheduleId schedule) {
    for (const ScheduleVersion& version : run_.schedules().versions(schedule)) {
      coverage_of(version).add({version.begin, version.end});
    }
  }

  RangeSet& coverage_of(const ScheduleVersion& version) {
    std::vector<RangeSet>& coverage = history_->coverage;
    if (coverage.size() <= version.index) coverage.resize(version.index + 1);
    return coverage[version.index];
  }

  StoreHistory<Known> history_;
  std::map<std::string, EventSet> begun_;                        // by destination
  std::set<std::pair<reference::EventId, std::string>> failed_;  // and has not begun again there
  std::vector<Recent> recent_;                                   // a ring
  std::size_t next_recent_ = 0;
};

}  // namespace

TENURE_MADE_UNLESS(lacks_fires, no_duplicate_fire, NoDuplicateFire)

}  // namespace tenure::sim
