#include "sim/protocols/in_memory/in_memory.h"

#include <algorithm>
#include <utility>

#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr TimerId kInMemoryTick{Part::scheduler, 0};
constexpr std::uint32_t kRunsInOneRequest = 1000;

constexpr ParameterSpec kInMemoryParameters[] = {
    {"tick_period", ParameterSpec::Type::duration, nanos::kSecond, nanos::kMillisecond,
     3'600 * nanos::kSecond, "how often an instance looks for what is due, and at the feed of changes"},
    {"request_timeout", ParameterSpec::Type::duration, 3 * nanos::kSecond, nanos::kMillisecond,
     3'600 * nanos::kSecond, "how long to wait for an answer from the store"},
};

StoreTime wall_as_slots(const Env& env) { return StoreTime::from_ns(env.clock.wall().ns()); }

}  // namespace

void InMemory::step(const Input& input, const Leadership& leadership, Env& env) {
  if (std::holds_alternative<Started>(input)) {
    if (std::exchange(started_, true)) return;
    env.clock.set_timer(kInMemoryTick, env.clock.mono() + settings_.tick_period);
    ask(env);
  } else if (!started_) {
    return;
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    if (timer->timer == kInMemoryTick) tick(leadership, env);
  } else if (const auto* reply = std::get_if<StoreReplied>(&input)) {
    if (reply->part == Part::scheduler && reply->store == store_) on_reply(*reply, env);
  } else if (std::holds_alternative<WorkDone>(input)) {
    if (running_ > 0) --running_;
  } else if (std::holds_alternative<StopAsked>(input)) {
    stopping_ = true;
    env.clock.cancel_timer(kInMemoryTick);
  }
}

void InMemory::tick(const Leadership& leadership, Env& env) {
  if (stopping_) return;
  env.clock.set_timer(kInMemoryTick, env.clock.mono() + settings_.tick_period);
  ask(env);
  const bool leads = leadership.leads(env.clock.mono());
  if (leads) env.journal.note(LeadershipChecked{resource_});
  const StoreTime now = wall_as_slots(env);
  while (!by_next_.empty() && by_next_.begin()->first <= now) {
    const ScheduleId id = by_next_.begin()->second;
    Entry& entry = entries_.at(id);
    const StoreTime slot = entry.next;
    // Leading or not, the slot is past. Those between it and now are, too.
    schedule_next(id, entry, now + Duration::micros(1));
    if (!leads || entry.definition.paused) continue;
    ++running_;
    env.work.execute({resource_, {id, slot, 0}, leadership.token, false});
  }
}

void InMemory::ask(Env& env) {
  if (asked_ || stopping_) return;
  reference::Request request = reference::ChangesSince{resource_, seq_, kRunsInOneRequest};
  if (phase_ == Phase::opening) request = reference::ReadDue{resource_, StoreTime::min(), 1, {}};
  const MonoTime deadline = env.clock.mono() + settings_.request_timeout;
  asked_ = env.store.submit({store_, Part::scheduler, Request{std::move(request)}, deadline, false});
}

void InMemory::on_reply(const StoreReplied& reply, Env& env) {
  if (asked_ != reply.id) return;
  asked_.reset();
  const auto* family =
      reply.outcome == RequestOutcome::applied ? std::get_if<reference::Reply>(&reply.reply) : nullptr;
  const auto* changes = family ? std::get_if<reference::Changes>(family) : nullptr;
  const auto* due = family ? std::get_if<reference::Due>(family) : nullptr;
  if (phase_ == Phase::opening && due) {
    seq_ = due->change_seq;
    phase_ = Phase::watching;
  } else if (phase_ != Phase::opening && changes) {
    for (const reference::Change& change : changes->changes) take(change, wall_as_slots(env));
    seq_ = changes->seq;
    if (changes->more) return ask(env);
    if (phase_ == Phase::watching) return;
    phase_ = Phase::opening;
    ask(env);
  } else if (phase_ == Phase::watching) {
    phase_ = Phase::opening;  // a watch that breaks is opened again, at the present
  }
}

void InMemory::take(const reference::Change& change, StoreTime now) {
  const ScheduleId id = change.segment.schedule;
  forget(id);
  if (change.deleted || change.unreadable) return;
  Entry& entry = entries_[id];
  entry.definition = change.definition;
  // An interval counts from when it was seen, whatever start its owner gave it.
  if (auto* interval = std::get_if<Interval>(&entry.definition.recurrence))
    interval->start = now + interval->period;
  schedule_next(id, entry, now);
}

void InMemory::schedule_next(ScheduleId id, Entry& entry, StoreTime from) {
  by_next_.erase({entry.next, id});
  entry.next = slot_at_or_after(entry.definition, from).value_or(StoreTime::max());
  if (entry.next != StoreTime::max()) by_next_.insert({entry.next, id});
}

void InMemory::forget(ScheduleId id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  by_next_.erase({found->second.next, id});
  entries_.erase(found);
}

void InMemory::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(started_).add(stopping_).add(phase_).add(seq_).add(canon.name(asked_ ? asked_->counter : 0));
  hasher.add(entries_.size());
  for (const auto& [id, entry] : entries_) {
    hasher.add(id).add(entry.next);
    add(hasher, entry.definition);
  }
  hasher.add(running_);
}

namespace {

const std::vector<Claim>& in_memory_claims() {
  using enum Assumption;
  // With all of these there is one leader at each tick; nothing writes down what it did, so little else is claimed.
  const std::vector<Assumption> fair_weather = {
      rate_bound, rates_equal,  wall_in_step,   no_store_step,    no_lost_commits, no_mono_freeze,
      no_pause,   prompt_store, prompt_at_rest, reliable_network, steady_leader,   no_crash};
  const std::vector<std::string_view> election = {"one-believer"};
  static const std::vector<Claim> kClaims = {
      {"no-duplicate-fire", fair_weather, Claim::Aftermath::for_good, election},
      {"acts-within-belief", fair_weather, Claim::Aftermath::for_good, election},
  };
  return kClaims;
}

}  // namespace

constinit const SchedulerKind kInMemory = {
    .name = "in-memory",
    .summary = "every instance holds all schedules; the leader at the tick fires what is due",
    .store = &kReferenceStore,
    .progress_bound = ticking_progress_bound,
    .one_slot_each = "tick_period",
    .parameters = listed_parameters<kInMemoryParameters>,
    .claims = in_memory_claims,
    .make = make_scheduler<InMemory>};

}  // namespace tenure
