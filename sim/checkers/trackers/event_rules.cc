#include "sim/checkers/trackers/event_rules.h"

#include <algorithm>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void EventRules::see(const Record& record) {
  came_.clear();
  died_.clear();
  known_.see(record);
  if (const auto* applied = std::get_if<Applied>(&record)) take(*applied);
}

const EventRules::Rules* EventRules::of(ScheduleId schedule, std::uint32_t version) const {
  const std::span<const Version> all = versions(schedule);
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [version](const Version& each) { return each.number == version; });
  return found != all.rend() ? found->rules : nullptr;
}

bool EventRules::is_for(const reference::DeliveredEvent& had) const {
  const Rules* rules = find(had.id);
  if (rules == nullptr) return had.kind == Delivery::Kind::work;
  if (rules->delivery.kind != had.kind) return false;
  return had.kind == Delivery::Kind::pull || rules->delivery.destination == had.to;
}

std::uint32_t EventRules::least_attempts(const reference::EventId& event) const {
  const auto several = attempts_.find(event);
  if (several != attempts_.end()) return several->second;
  const Rules* rules = find(event);
  return rules != nullptr ? rules->delivery.attempts : UINT32_MAX;
}

void EventRules::take(const Applied& applied) {
  for_each_covered(applied, [&](const reference::LedgerRow& row) {
    if (row.what == reference::Disposition::fired) comes({row.schedule, row.slot, 0}, row.version);
  });
  give_up(applied);
  if (const auto* named = reference_reply<reference::NamedEdited>(applied.reply)) {
    const auto* asked = reference_request<reference::PutNamed>(applied.request);
    if (asked != nullptr) put(named->edition.schedule, named->edition.version, asked->definition);
  }
  const auto* edited = reference_reply<reference::Edited>(applied.reply);
  if (edited == nullptr) return;
  if (const auto* asked = reference_request<reference::PutSchedule>(applied.request)) {
    put(asked->schedule, edited->version, asked->definition);
  } else if (const auto* trigger = reference_request<reference::TriggerSchedule>(applied.request)) {
    if (known_->runs.insert({trigger->schedule, trigger->run}).second)
      comes({trigger->schedule, trigger->at, trigger->run}, in_force(trigger->schedule));
  } else if (const auto* backfill = reference_request<reference::BackfillSchedule>(applied.request)) {
    if (known_->runs.insert({backfill->schedule, backfill->run}).second)
      for (const StoreTime slot : backfill->slots)
        comes({backfill->schedule, slot, backfill->run}, in_force(backfill->schedule));
  }
}

void EventRules::give_up(const Applied& applied) {
  const auto* asked = reference_request<reference::GiveUpEvents>(applied.request);
  if (asked == nullptr || reference_reply<reference::GivenUp>(applied.reply) == nullptr) return;
  for (const reference::DeadEvent& dead : asked->events) {
    const std::pair name{asked->token.branch, dead.seq};
    const auto [known, is_new] = given_up_.try_emplace(dead.id, name);
    if (!is_new && dead.seq != 0 && known->second == name) continue;
    known->second = name;
    died_.push_back(dead.id);
  }
}

// One that is put again, with the same answer, is the same.
void EventRules::put(ScheduleId schedule, std::uint32_t version, const Definition& definition) {
  auto& all = known_->versions;
  if (all.size() <= schedule.value) all.resize(schedule.value + 1);
  std::vector<Version>& versions = all[schedule.value];
  const auto place = std::find_if(versions.begin(), versions.end(),
                                  [version](const Version& each) { return each.number >= version; });
  if (place != versions.end() && place->number == version) return;
  const bool is_work = definition.delivery.kind == Delivery::Kind::work;
  versions.insert(
      place,
      {version, is_work ? nullptr : &rules_.emplace_back(Rules{definition.overlap, definition.delivery})});
}

void EventRules::comes(const reference::EventId& event, std::uint32_t version) {
  came_.push_back({event, version});
  const Rules* rules = of(event.schedule, version);
  if (const Rules* before = find(event); before != nullptr && rules != nullptr && !(*before == *rules))
    attempts_[event] = std::min(least_attempts(event), rules->delivery.attempts);
  if (rules != nullptr)
    events_.add(event) = {rules, version};
  else
    events_.erase(event);
}

std::uint32_t EventRules::in_force(ScheduleId schedule) const {
  const std::span<const Version> all = versions(schedule);
  return all.empty() ? 0 : all.back().number;
}

}  // namespace tenure::sim
