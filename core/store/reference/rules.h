// The rules of the reference store (reference_store.h says them): what becomes of a request that writes, over the rows
// of its resource (tables.h), wherever a store keeps these.
//
// One overload of apply() for each request: leases in rules.cc, edits by number in edits.cc and by name in by_name.cc,
// fires and holds in commit.cc, what becomes of events in deliver.cc, and executions in claims.cc. Reads are each
// store's own, and so is Prune, but for what it deletes.
//
// Thread rule: as Tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/store/reference/tables.h"
#include "core/store/store_machine.h"

namespace tenure::reference {

// What a request is executed with, beside the rows.
struct Context {
  StoreTime now;
  std::uint32_t branch = 0;  // the store's own
  std::vector<Notification>& notifications;
};

class ReferenceRules {
 public:
  ReferenceRules(const Tables& tables, Context& context)
      : tables_(tables), now_(context.now), branch_(context.branch), notifications_(context.notifications) {}

  Reply apply(const Acquire& asked);
  Reply apply(const Renew& asked);
  Reply apply(const Release& asked);

  Reply apply(const PutSchedule& asked);
  Reply apply(const DeleteSchedule& asked);
  Reply apply(const TriggerSchedule& asked);
  Reply apply(const BackfillSchedule& asked);

  Reply apply(const PutNamed& asked);
  Reply apply(const DeleteNamed& asked);
  Reply apply(const PauseNamed& asked);

  Reply apply(const CommitFires& asked);
  Reply apply(const SetHold& asked);
  Reply apply(const ClearHold& asked);

  Reply apply(const AckEvents& asked);
  Reply apply(const GiveUpEvents& asked);
  Reply apply(const Redrive& asked);
  Reply apply(const DiscardDead& asked);
  Reply apply(const ClaimExecutions& asked);
  Reply apply(const ExtendExecutions& asked);
  Reply apply(const EndExecutions& asked);
  Reply apply(const ReleaseExecutions& asked);
  Reply apply(const RegisterNode& asked);

  // Schedules that have no slot left, by retention.
  void delete_finished(ResourceId resource, const std::vector<ScheduleId>& schedules);

 private:
  // The caller's part.
  static void check(const auto& asked) {
    const std::string problem = problem_of(asked);
    CHECK(problem.empty(), problem);
  }
  bool held() const { return tables_.hold.has_value(); }
  std::optional<Denial> denial(const auto& asked) const {
    return tables_.lease.denial(asked.holder, asked.token, branch_, now_);
  }
  static Edited edited(const Schedule& schedule) {
    return {schedule.version, schedule.change_seq, schedule.since};
  }
  // Why an edit that expects `version` is refused; nullopt when it may go ahead.
  static std::optional<EditRefused> refusal(const Schedule& schedule, std::uint32_t expected_version);
  static NamedRefused named_refusal(EditDenial why, const Schedule* in_force);
  static NamedEdited named_edited(const Schedule& schedule) {
    return {{schedule.id, schedule.version}, schedule.change_seq, schedule.since};
  }

  // The next version of a schedule, or the first, and the end of one. An edit leaves the save to the caller.
  void edit(ResourceId resource, Schedule& schedule, const Definition& definition, LogNote note);
  void remove(ResourceId resource, Schedule& schedule, LogNote note);
  // Closes the segment in force, in its table and in the feed.
  SegmentRows::Cut close(const Schedule& schedule, const Definition* definition);
  // A manual run of a schedule that is there, or what became of it when it was asked for before.
  Reply begin_run(ResourceId resource, const Schedule& schedule, const ManualRun& asked,
                  const std::vector<StoreTime>& slots);

  // What becomes of a fired row that was covered.
  RowResult fire(const LedgerRow& row, const std::optional<DeliveryRules>& rules);
  // An event, to where those of its version are delivered from. `rules`: nullopt: it is the leader's own work. False:
  // it is there already.
  bool add_event(const EventId& id, std::uint32_t version, const std::optional<DeliveryRules>& rules);
  bool add_waiting(WaitingRow row);

  // The rules of waiting.h.
  void replace(ScheduleId schedule);
  // The event waits no more. If it was tried, that is remembered; a dead one is kept.
  void finish(WaitingRow& row, Standing how);
  ExecutionState extend(const ExecutionToken& token, Duration duration);
  ExecutionState end(const ExecutionEnd& end);
  ExecutionState release(const ExecutionToken& token);
  // What is known of an attempt that is not the last one of an event that is here.
  ExecutionState remembered(const ExecutionToken& token, bool is_here);

  const Tables tables_;
  const StoreTime now_;
  const std::uint32_t branch_;
  std::vector<Notification>& notifications_;
};

}  // namespace tenure::reference
