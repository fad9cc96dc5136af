#include "lab/audit/definitions.h"

#include <algorithm>
#include <set>

namespace tenure::sim {
namespace {

template <class See>
void for_each_answer(const std::vector<NodeJournal>& journals, See&& see) {
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines)
      if (const auto* answered = std::get_if<journal::Answered>(&placed.line.event)) see(*answered);
}

// nullopt: some life does not say.
std::optional<std::int64_t> greatest(const std::vector<const journal::LifeBegan*>& lives,
                                     std::string_view setting) {
  std::optional<std::int64_t> most;
  for (const journal::LifeBegan* life : lives) {
    const auto told = life->settings.find(std::string(setting));
    if (told == life->settings.end()) return std::nullopt;
    most = std::max(most.value_or(told->second), told->second);
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

void Definitions::tell(Checker& checker) const {
  std::uint32_t told = 0;
  const Incarnation client{kClientNode, 1};
  const auto tell_one = [&](const reference::Change& change, StoreTime at, reference::Request asked) {
    const Request request{std::move(asked)};
    const Reply reply{reference::Reply{reference::Edited{change.segment.version, change.seq, at}}};
    checker.see(TrueTime{}, Applied{{}, 0, at, client, {client, ++told}, request, reply});
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

Definitions definitions_of(const std::vector<NodeJournal>& journals) {
  Definitions found;
  std::set<std::uint32_t> branches;
  std::vector<const journal::LifeBegan*> lives;
  for (const NodeJournal& journal : journals) {
    if (!journal.lines.empty() && journal.version < 4) return {};
    for (const PlacedLine& placed : journal.lines)
      if (const auto* began = std::get_if<journal::LifeBegan>(&placed.line.event)) lives.push_back(began);
  }
  found.max_running = greatest(lives, "scheduling.max_running");
  if (const auto stall = greatest(lives, "scheduling.stall_timeout"); stall && *stall > 0)
    found.stall_timeout = Duration::nanos(*stall);
  std::map<ScheduleId, std::map<std::uint32_t, reference::Change>> all;
  std::map<ScheduleId, std::map<std::uint64_t, reference::Change>> gone;
  std::set<ScheduleId> unread;
  for_each_answer(journals, [&](const journal::Answered& answered) {
    unread.insert(answered.unread.begin(), answered.unread.end());
    if (const auto* granted = std::get_if<reference::Granted>(&answered.reply))
      branches.insert(granted->token.branch);
    const auto* changes = std::get_if<reference::Changes>(&answered.reply);
    if (changes == nullptr) return;
    for (const reference::Change& change : changes->changes) {
      if (change.deleted)
        gone[change.segment.schedule].try_emplace(change.seq, change);
      else
        all[change.segment.schedule].try_emplace(change.segment.version, change);
    }
  });
  if (branches.size() > 1) return found;
  for (const auto& [schedule, versions] : all) {
    std::vector<reference::Change> in_order;
    for (const auto& [version, change] : versions) in_order.push_back(change);
    if (unread.contains(schedule) || has_gap(in_order)) continue;
    found.versions[schedule] = std::move(in_order);
    for (const auto& [seq, change] : gone[schedule]) found.deletes[schedule].push_back(change);
  }
  return found;
}

std::map<ResourceId, std::vector<StoreTime>> edits_of(const std::vector<NodeJournal>& journals) {
  std::map<RequestId, ResourceId> asked;
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines)
      if (const auto* one = std::get_if<journal::Asked>(&placed.line.event))
        if (const auto* request = std::get_if<reference::Request>(&one->submission.request))
          if (const auto* changes = std::get_if<reference::ChangesSince>(request))
            asked[one->id] = changes->resource;
  std::map<ResourceId, std::map<std::uint64_t, StoreTime>> by_seq;
  for_each_answer(journals, [&](const journal::Answered& answered) {
    const auto call = asked.find(answered.id);
    const auto* changes = std::get_if<reference::Changes>(&answered.reply);
    if (call == asked.end() || changes == nullptr) return;
    for (const reference::Change& change : changes->changes)
      by_seq[call->second].try_emplace(change.seq, change.segment.begin);
  });
  std::map<ResourceId, std::vector<StoreTime>> edits;
  for (const auto& [resource, all] : by_seq)
    for (const auto& [seq, at] : all) edits[resource].push_back(at);
  return edits;
}

}  // namespace tenure::sim
