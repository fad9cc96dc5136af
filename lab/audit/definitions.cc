#include "lab/audit/definitions.h"

#include <algorithm>
#include <set>

namespace tenure::lab {
namespace {

// Calls see(call, changes) for each answer of the change feed.
template <class See>
void for_each_told(const JournalHistory& history, See&& see) {
  history.for_each_call([&](const JournalCall& call) {
    if (const auto* changes = call.reply<reference::Changes>()) see(call, *changes);
  });
}

bool told_alike(const reference::Change& a, const reference::Change& b) {
  return a.segment.begin == b.segment.begin && a.definition == b.definition;
}

// nullopt: some life does not say.
std::optional<std::int64_t> greatest(const JournalHistory& history, const char* setting) {
  std::optional<std::int64_t> most;
  for (const auto& [who, life] : history.lives) {
    if (life.began() == nullptr) continue;
    const auto told = life.setting(setting);
    if (!told) return std::nullopt;
    most = std::max(most.value_or(*told), *told);
  }
  return most;
}

bool has_gap(const std::vector<reference::Change>& versions) {
  for (std::size_t i = 1; i < versions.size(); ++i)
    if (versions[i].segment.version != versions[i - 1].segment.version + 1) return true;
  return false;
}

}  // namespace

const reference::Change* Definitions::find(ScheduleId schedule, std::uint32_t version) const {
  const auto known = versions.find(schedule);
  if (known == versions.end()) return nullptr;
  const auto it =
      std::find_if(known->second.begin(), known->second.end(),
                   [&](const reference::Change& change) { return change.segment.version == version; });
  return it != known->second.end() ? &*it : nullptr;
}

bool Definitions::known_at(ScheduleId schedule, StoreTime slot) const {
  const auto known = versions.find(schedule);
  return known != versions.end() && slot >= known->second.front().segment.begin;
}

const reference::Change* Definitions::at(const reference::EventId& event) const {
  const auto known = versions.find(event.schedule);
  if (known == versions.end()) return nullptr;
  const auto after =
      std::find_if(known->second.begin(), known->second.end(),
                   [&](const reference::Change& one) { return one.segment.begin > event.slot; });
  return after != known->second.begin() ? &*std::prev(after) : nullptr;
}

bool Definitions::others_deliver(const reference::EventId& event) const {
  const reference::Change* version = at(event);
  return version != nullptr && version->definition.delivery.kind != Delivery::Kind::work;
}

void Definitions::tell(sim::Checker& checker) const {
  std::uint32_t told = 0;
  const Incarnation client{sim::kClientNode, 1};
  const auto tell_one = [&](const reference::Change& change, StoreTime at, reference::Request asked) {
    const Request request{std::move(asked)};
    const Reply reply{reference::Reply{reference::Edited{change.segment.version, change.seq, at}}};
    checker.see(sim::TrueTime{}, sim::Applied{{}, 0, at, client, {client, ++told}, request, reply});
  };
  for (const auto& [schedule, all] : versions) {
    std::vector<const reference::Change*> in_order;
    for (const reference::Change& change : all) in_order.push_back(&change);
    if (const auto gone = deletes.find(schedule); gone != deletes.end())
      for (const reference::Change& change : gone->second) in_order.push_back(&change);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const reference::Change* a, const reference::Change* b) { return a->seq < b->seq; });
    for (const reference::Change* change : in_order) {
      const std::uint32_t version = change->segment.version;
      if (change->deleted)
        tell_one(*change, change->segment.begin, reference::DeleteSchedule{{}, schedule, version});
      else
        tell_one(*change, change->segment.begin,
                 reference::PutSchedule{{}, schedule, version - 1, change->definition});
    }
  }
}

Definitions definitions_of(const JournalHistory& history) {
  Definitions found;
  std::set<std::uint32_t> branches;
  history.for_each_call([&](const JournalCall& call) {
    if (const auto* granted = call.reply<reference::Granted>()) branches.insert(granted->token.branch);
  });
  found.max_running = greatest(history, "scheduling.max_running");
  if (const auto stall = greatest(history, "scheduling.stall_timeout"); stall && *stall > 0)
    found.stall_timeout = Duration::nanos(*stall);
  if (const auto age = greatest(history, "scheduling.destination_age"))
    found.destination_age = Duration::nanos(*age);
  if (!branches.empty()) found.branch = *branches.rbegin();
  found.failed_over = branches.size() > 1;

  std::map<ScheduleId, std::map<std::uint32_t, reference::Change>> all;
  std::map<ScheduleId, std::map<std::uint64_t, reference::Change>> gone;
  for_each_told(history, [&](const JournalCall& call, const reference::Changes& told) {
    found.unclear.insert(call.answered->unread.begin(), call.answered->unread.end());
    if (found.failed_over && told.branch != found.branch) return;
    for (const reference::Change& change : told.changes) {
      const ScheduleId schedule = change.segment.schedule;
      if (found.resources.try_emplace(schedule, call.resource()).first->second != call.resource())
        found.unclear.insert(schedule);
      if (change.deleted) {
        gone[schedule].try_emplace(change.seq, change);
        continue;
      }
      const auto [known, fresh] = all[schedule].try_emplace(change.segment.version, change);
      if (fresh || told_alike(known->second, change)) continue;
      found.unclear.insert(schedule);
      found.contradicted.insert(schedule);
    }
  });
  for (const auto& [schedule, versions] : all) {
    std::vector<reference::Change> in_order;
    for (const auto& [version, change] : versions) in_order.push_back(change);
    if (has_gap(in_order)) found.unclear.insert(schedule);
    if (found.unclear.contains(schedule)) continue;
    found.versions[schedule] = std::move(in_order);
    for (const auto& [seq, change] : gone[schedule]) found.deletes[schedule].push_back(change);
  }
  return found;
}

std::map<ResourceId, std::vector<StoreTime>> edits_of(const JournalHistory& history) {
  std::map<ResourceId, std::map<std::uint64_t, StoreTime>> by_seq;
  for_each_told(history, [&](const JournalCall& call, const reference::Changes& told) {
    for (const reference::Change& change : told.changes)
      by_seq[call.resource()].try_emplace(change.seq, change.segment.begin);
  });
  for (const auto& [who, life] : history.lives)
    for (const JournalClientChange& one : life.client_changes)
      if (one.change->done && one.change->done->change_seq)
        by_seq[one.change->resource].erase(*one.change->done->change_seq);
  std::map<ResourceId, std::vector<StoreTime>> edits;
  for (const auto& [resource, all] : by_seq)
    for (const auto& [seq, at] : all) edits[resource].push_back(at);
  return edits;
}

}  // namespace tenure::lab
