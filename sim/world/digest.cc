#include "sim/world/digest.h"

#include <type_traits>

#include "core/base/hash.h"

namespace tenure::sim {
namespace {

// One overload of fold a type; a variant folds its index and then its alternative.
void fold(Hasher& h, const auto& value) requires(requires { h.add(value); }) { h.add(value); }
template <class... T>
void fold(Hasher& h, const std::variant<T...>& value);
template <class T>
void fold(Hasher& h, const std::vector<T>& values);
template <class T>
void fold(Hasher& h, const std::optional<T>& value);

void fold(Hasher& h, const Definition& d) { add(h, d); }
void fold(Hasher& h, const house::EventId& e) { h.add(e.schedule).add(e.slot).add(e.run); }
void fold(Hasher& h, const house::Segment& s) {
  h.add(s.schedule).add(s.version).add(s.begin).add(s.end).add(s.cursor);
}
void fold(Hasher& h, const house::Hold& hold) { h.add(hold.since).add(hold.jump); }
void fold(Hasher& h, const house::Covering& c) {
  h.add(c.schedule).add(c.version).add(c.from).add(c.to).add(c.slot).add(c.what);
  if (c.due != c.slot) h.add(c.due);
  if (c.slots != 1) h.add(c.slots);
}
void fold(Hasher& h, const house::OutboxEvent& e) {
  h.add(e.seq);
  fold(h, e.id);
}
void fold(Hasher& h, const house::Change& c) {
  h.add(c.seq).add(c.deleted);
  if (c.unreadable) h.add(c.unreadable);
  fold(h, c.segment);
  fold(h, c.definition);
}

void fold(Hasher& h, const house::Acquire& r) {
  h.add(r.resource).add(r.holder).add(r.epoch_seen).add(r.nonce).add(r.duration);
}
void fold(Hasher& h, const house::Renew& r) { h.add(r.resource).add(r.holder).add(r.token).add(r.duration); }
void fold(Hasher& h, const house::Release& r) { h.add(r.resource).add(r.holder).add(r.token); }
void fold(Hasher& h, const house::PutSchedule& r) {
  h.add(r.resource).add(r.schedule).add(r.expected_version);
  fold(h, r.definition);
}
void fold(Hasher& h, const house::DeleteSchedule& r) {
  h.add(r.resource).add(r.schedule).add(r.expected_version);
}
void fold(Hasher& h, const house::TriggerSchedule& r) {
  h.add(r.resource).add(r.schedule).add(r.run).add(r.at);
}
void fold(Hasher& h, const house::BackfillSchedule& r) {
  h.add(r.resource).add(r.schedule).add(r.run).add(r.slots.size());
  for (const StoreTime slot : r.slots) h.add(slot);
}
void fold(Hasher& h, const house::ReadDue& r) {
  h.add(r.resource).add(r.horizon).add(r.limit);
  fold(h, r.after);
}
void fold(Hasher& h, const house::CommitFires& r) {
  h.add(r.resource).add(r.holder).add(r.token);
  fold(h, r.rows);
}
void fold(Hasher& h, const house::ReadOutbox& r) { h.add(r.resource).add(r.limit).add(r.after); }
void fold(Hasher& h, const house::AckEvents& r) {
  h.add(r.resource);
  fold(h, r.events);
}
void fold(Hasher& h, const house::ChangesSince& r) { h.add(r.resource).add(r.seq).add(r.limit); }
void fold(Hasher& h, const house::SetHold& r) { h.add(r.resource).add(r.holder).add(r.token).add(r.jump); }
void fold(Hasher& h, const house::ClearHold& r) { h.add(r.resource).add(r.holder).add(r.token); }
void fold(Hasher& h, const house::Prune& r) { h.add(r.resource).add(r.before); }

void fold(Hasher& h, const house::Granted& r) { h.add(r.token).add(r.duration); }
void fold(Hasher& h, const house::Refused& r) { h.add(r.why).add(r.holder).add(r.epoch).add(r.remaining); }
void fold(Hasher&, const house::Released&) {}
void fold(Hasher& h, const house::Edited& r) { h.add(r.version).add(r.change_seq); }
void fold(Hasher& h, const house::EditRefused& r) { h.add(r.why).add(r.version); }
void fold(Hasher& h, const house::Due& r) {
  fold(h, r.segments);
  h.add(r.more).add(r.change_seq);
  fold(h, r.hold);
}
void fold(Hasher& h, const house::Committed& r) { fold(h, r.rows); }
void fold(Hasher& h, const house::CommitRefused& r) { h.add(r.why).add(r.held); }
void fold(Hasher& h, const house::Outbox& r) {
  fold(h, r.events);
  h.add(r.more);
}
void fold(Hasher&, const house::Acknowledged&) {}
void fold(Hasher& h, const house::Changes& r) {
  fold(h, r.changes);
  h.add(r.seq).add(r.more);
  fold(h, r.hold);
}
void fold(Hasher& h, const house::HoldSet& r) { fold(h, r.hold); }
void fold(Hasher& h, const house::Pruned& r) { h.add(r.rows); }

void fold(Hasher& h, const lease_table::TryLock& r) { h.add(r.resource).add(r.holder).add(r.duration); }
void fold(Hasher& h, const lease_table::Beat& r) {
  h.add(r.resource).add(r.holder).add(r.heartbeat).add(r.stale_before);
}
void fold(Hasher& h, const lease_table::Locked& r) { h.add(r.expires_at); }
void fold(Hasher&, const lease_table::NoRow&) {}

void fold(Hasher& h, const record::LeaseRecord& r) {
  h.add(r.holder).add(r.duration).add(r.transitions).add(r.acquired).add(r.renewed);
}
void fold(Hasher& h, const record::Get& r) { h.add(r.resource); }
void fold(Hasher& h, const record::Put& r) {
  h.add(r.resource).add(r.version);
  fold(h, r.record);
}
void fold(Hasher& h, const record::Found& r) {
  h.add(r.version);
  fold(h, r.record);
}
void fold(Hasher&, const record::NotFound&) {}
void fold(Hasher& h, const record::Stored& r) { h.add(r.version); }
void fold(Hasher&, const record::Conflict&) {}

void fold(Hasher& h, const schedule_table::Row& r) {
  h.add(r.schedule).add(r.next_run);
  fold(h, r.definition);
}
void fold(Hasher& h, const schedule_table::ReadRuns& r) { h.add(r.resource).add(r.limit); }
void fold(Hasher& h, const schedule_table::Runs& r) { fold(h, r.rows); }
void fold(Hasher& h, const schedule_table::SetNextRun& r) {
  h.add(r.resource).add(r.schedule).add(r.next_run);
}
void fold(Hasher& h, const schedule_table::PutRow& r) {
  h.add(r.resource).add(r.schedule);
  fold(h, r.definition);
}
void fold(Hasher& h, const schedule_table::DeleteRow& r) { h.add(r.resource).add(r.schedule); }
void fold(Hasher& h, const schedule_table::Written& r) { h.add(r.found); }

void fold(Hasher&, const Open&) {}
void fold(Hasher& h, const Believes& n) {
  h.add(n.resource).add(n.token);
  fold(h, n.until);
}
void fold(Hasher& h, const StepsDown& n) { h.add(n.resource).add(n.why); }
void fold(Hasher& h, const LeadershipChecked& n) { h.add(n.resource); }
void fold(Hasher& h, const ClockAlarm& n) { h.add(n.jump); }
void fold(Hasher& h, const Remark& n) { h.add(n.text).add(n.value); }
void fold(Hasher&, const Stopped&) {}

void fold(Hasher& h, const WorkItem& item) {
  h.add(item.resource).add(item.token).add(item.once);
  fold(h, item.event);
}

void fold(Hasher& h, const NodeStarted& r) { h.add(r.who); }
void fold(Hasher& h, const NodeDied& r) { h.add(r.who).add(r.how); }
void fold(Hasher& h, const NodePaused& r) { h.add(r.who); }
void fold(Hasher& h, const NodeResumed& r) { h.add(r.who); }
void fold(Hasher& h, const ClockChanged& r) { h.add(r.node); }
void fold(Hasher& h, const Noted& r) {
  h.add(r.who);
  fold(h, r.note);
}
void fold(Hasher& h, const Submitted& r) {
  h.add(r.id).add(r.submission.store).add(r.submission.part).add(r.submission.deadline);
  h.add(r.submission.as_leader);
  fold(h, r.submission.request);
}
void fold(Hasher& h, const WorkAsked& r) {
  h.add(r.who);
  fold(h, r.item);
}
void fold(Hasher& h, const Applied& r) {
  h.add(r.store).add(r.branch).add(r.store_now).add(r.id);
  fold(h, r.request);
  fold(h, r.reply);
}
void fold(Hasher& h, const StoreClockStepped& r) { h.add(r.store).add(r.by); }
void fold(Hasher& h, const StoreReplicaStalled& r) { h.add(r.store); }
void fold(Hasher& h, const StoreFailedOver& r) { h.add(r.store).add(r.branch); }
void fold(Hasher& h, const DefinitionRead& r) { h.add(r.node).add(r.schedule).add(r.readable); }
// What else the item says was in the WorkAsked.
void fold(Hasher& h, const WorkLanded& r) {
  h.add(r.who).add(r.landing).add(r.store_now);
  fold(h, r.item.event);
}
void fold(Hasher& h, const WorkEnded& r) {
  h.add(r.who).add(r.ending);
  fold(h, r.item.event);
}
// Faults are named by their literal effect, which other records show. Their ids and texts are left out, so that a
// drawn plan and its literal print have one trace hash.
void fold(Hasher&, const FaultBegan&) {}
void fold(Hasher&, const FaultEnded&) {}
void fold(Hasher&, const FaultSkipped&) {}
void fold(Hasher&, const Healed&) {}

template <class... T>
void fold(Hasher& h, const std::variant<T...>& value) {
  h.add(value.index());
  std::visit([&](const auto& alternative) { fold(h, alternative); }, value);
}
template <class T>
void fold(Hasher& h, const std::vector<T>& values) {
  h.add(values.size());
  for (const T& value : values) fold(h, value);
}
template <class T>
void fold(Hasher& h, const std::optional<T>& value) {
  h.add(value.has_value());
  if (value) fold(h, *value);
}

template <class T>
std::uint64_t digest_of(const T& value) {
  Hasher h;
  fold(h, value);
  return h.value();
}

}  // namespace

std::uint64_t digest(const Record& record) { return digest_of(record); }
std::uint64_t digest(const Request& request) { return digest_of(request); }
std::uint64_t digest(const Reply& reply) { return digest_of(reply); }
std::uint64_t digest(const Message& message) {
  Hasher h;
  h.add(message.kind);
  fold(h, message.words);
  return h.value();
}

}  // namespace tenure::sim
