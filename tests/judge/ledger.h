// What happened to a run's schedules in its store: edits, ledger rows, manual runs.
//
// It also has what a failover took back later. So each question names a fact, and is answered as of that fact.
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/judge/invariants.h"

namespace tenure::judging {

// What a failover of the store takes back (docs/adr/0009-what-a-failover-takes-back.md):
// what a store applied between these two facts never happened, from the second one on.
struct Lost {
  std::size_t stalled = 0;
  std::size_t failed_over = 0;
  std::uint32_t branch = 0;  // of what is applied afterwards
};

// A version of a schedule: it owns the slots in [begin, end).
struct Version {
  ScheduleId schedule;
  std::uint32_t number = 0;
  Definition definition;
  StoreTime begin;
  StoreTime end = StoreTime::max();
  bool deleted = false;  // it was the last one, and the schedule is gone
  std::size_t deleted_at = 0;
};

// Whether the leader's own process does the work of its events; else they go to a destination, or are claimed.
inline bool has_own_work(const Version& version) {
  return version.definition.delivery.kind == Delivery::Kind::work;
}

// A row that a commit covered.
struct LedgerRow {
  std::size_t place = 0;  // of the commit
  sim::TrueTime at;
  StoreTime store_now;
  Incarnation who;
  reference::LedgerRow row;
};

// What a client asked to be run by hand, and was promised.
struct ManualRun {
  std::size_t place = 0;
  reference::EventId event;
  bool trigger = false;  // else a slot of a backfill
};

// An edit, or a run by hand, of a schedule that was deleted, which the store accepted all the same.
struct LateEdit {
  sim::TrueTime at;
  Incarnation who;
};

class ScheduleHistory {
 public:
  explicit ScheduleHistory(const History& history);

  // The versions of a schedule, in order, as they stand at the fact `place`.
  std::vector<Version> versions(ScheduleId schedule, std::size_t place) const;
  // The version that a row names; nullopt when there is none at that fact.
  std::optional<Version> version_of(const LedgerRow& row) const;
  std::vector<ScheduleId> ids() const;
  const std::vector<LedgerRow>& rows() const { return rows_; }
  const std::vector<ManualRun>& manual_runs() const { return manual_; }
  const std::vector<LateEdit>& edits_after_deletes() const { return late_; }
  // Whether what happened at `place` had happened at the fact `from`, and still holds there.
  bool holds(std::size_t place, std::size_t from) const;
  // How far work that is done under `token` at `place` looks: to the end of the branch that the token is of.
  std::size_t horizon_of(const std::optional<Token>& token, std::size_t place) const;

 private:
  struct Edit {
    std::size_t place = 0;
    ScheduleId schedule;
    bool removal = false;
    std::uint32_t version = 0;  // 0: the store has no versions
    StoreTime since;
    Definition definition;
  };
  // A hold was cleared: versions that begin in the store's future now begin at once, or after what was covered.
  struct Clear {
    std::size_t place = 0;
    StoreTime store_now;
  };
  void see(std::size_t place, const KeptApplied& applied, sim::TrueTime at);
  void draw_back(ScheduleId schedule, const Clear& clear, std::size_t place, std::vector<Version>& all) const;
  bool is_deleted(ScheduleId schedule, std::size_t place) const;
  void see_edited(std::size_t place, const KeptApplied& applied, const reference::Edited& edited,
                  sim::TrueTime at);
  void see_named(std::size_t place, const KeptApplied& applied, const reference::NamedEdited& edited);

  std::vector<Lost> lost_;
  std::map<ScheduleId, std::vector<Edit>> edits_;
  std::vector<Clear> clears_;
  std::vector<LedgerRow> rows_;
  std::vector<ManualRun> manual_;
  std::vector<LateEdit> late_;
};

// The end of what a row covers: a single fire ends with its slot, whatever the store has made of it. A row to the end
// of time says that nothing is left from where it begins.
StoreTime covered_until(const LedgerRow& row);
// The slots of a row: a single fire has its own slot, any other row has all slots of the version in [from, to). Of a
// row to the end of time the first one is enough: there should be none.
std::vector<StoreTime> slots_of(const LedgerRow& row, const Version& version);

// Whether the row gives up slots of a definition that its writer could not read when it decided. It then says neither
// how many they are nor when they were due (docs/adr/0017-a-definition-that-cannot-be-read.md).
bool is_of_unread(const History& history, const LedgerRow& row);
// When a commit was decided on: the fact at which its leader submitted it; the commit itself if nobody knows.
std::size_t decided_at(const History& history, std::size_t commit);

}  // namespace tenure::judging
