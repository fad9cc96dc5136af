#include "lab/audit/definitions.h"

#include <algorithm>
#include <set>

namespace tenure::sim {
namespace {

template <class See>
void for_each_answer(const std::vector<Journal>& journals, See&& see) {
  for (const Journal& journal : journals)
    for (const PlacedLine& placed : journal.lines)
      if (const auto* answered = std::get_if<journal::Answered>(&placed.line.event)) see(*answered);
}

bool has_gap(const std::vector<house::Change>& versions) {
  for (std::size_t i = 1; i < versions.size(); ++i)
    if (versions[i].segment.version != versions[i - 1].segment.version + 1) return true;
  return false;
}

}  // namespace

const house::Change* Definitions::find(ScheduleId schedule, std::uint32_t version) const {
  const auto known = versions.find(schedule);
  if (known == versions.end()) return nullptr;
  const auto it = std::find_if(known->second.begin(), known->second.end(), [&](const house::Change& change) {
    return change.segment.version == version;
  });
  return it != known->second.end() ? &*it : nullptr;
}

bool Definitions::known_at(ScheduleId schedule, StoreTime slot) const {
  const auto known = versions.find(schedule);
  return known != versions.end() && slot >= known->second.front().segment.begin;
}

void Definitions::tell(Checker& checker) const {
  std::uint32_t told = 0;
  for (const auto& [schedule, all] : versions)
    for (const house::Change& change : all) {
      const house::Segment& segment = change.segment;
      const Incarnation client{kClientNode, 1};
      const Request request{
          house::Request{house::PutSchedule{{}, schedule, segment.version - 1, change.definition}}};
      const Reply reply{house::Reply{house::Edited{segment.version, change.seq, segment.begin}}};
      checker.see(TrueTime{}, Applied{{}, 0, segment.begin, client, {client, ++told}, request, reply});
    }
}

Definitions definitions_of(const std::vector<Journal>& journals) {
  Definitions found;
  std::set<std::uint32_t> branches;
  bool told_by_all = true;
  for (const Journal& journal : journals) {
    if (!journal.lines.empty() && journal.version < 4) return {};
    for (const PlacedLine& placed : journal.lines)
      if (const auto* began = std::get_if<journal::LifeBegan>(&placed.line.event)) {
        const auto limit = began->settings.find("scheduling.max_running");
        if (limit == began->settings.end())
          told_by_all = false;
        else
          found.max_running = std::max(found.max_running.value_or(0), limit->second);
      }
  }
  if (!told_by_all) found.max_running.reset();
  std::map<ScheduleId, std::map<std::uint32_t, house::Change>> all;
  std::set<ScheduleId> unread;
  for_each_answer(journals, [&](const journal::Answered& answered) {
    unread.insert(answered.unread.begin(), answered.unread.end());
    if (const auto* granted = std::get_if<house::Granted>(&answered.reply))
      branches.insert(granted->token.branch);
    if (const auto* changes = std::get_if<house::Changes>(&answered.reply))
      for (const house::Change& change : changes->changes)
        if (!change.deleted) all[change.segment.schedule].try_emplace(change.segment.version, change);
  });
  if (branches.size() > 1) return found;
  for (const auto& [schedule, versions] : all) {
    std::vector<house::Change> in_order;
    for (const auto& [version, change] : versions) in_order.push_back(change);
    if (!unread.contains(schedule) && !has_gap(in_order)) found.versions[schedule] = std::move(in_order);
  }
  return found;
}

std::map<ResourceId, std::vector<StoreTime>> edits_of(const std::vector<Journal>& journals) {
  std::map<RequestId, ResourceId> asked;
  for (const Journal& journal : journals)
    for (const PlacedLine& placed : journal.lines)
      if (const auto* one = std::get_if<journal::Asked>(&placed.line.event))
        if (const auto* request = std::get_if<house::Request>(&one->submission.request))
          if (const auto* changes = std::get_if<house::ChangesSince>(request))
            asked[one->id] = changes->resource;
  std::map<ResourceId, std::map<std::uint64_t, StoreTime>> by_seq;
  for_each_answer(journals, [&](const journal::Answered& answered) {
    const auto call = asked.find(answered.id);
    const auto* changes = std::get_if<house::Changes>(&answered.reply);
    if (call == asked.end() || changes == nullptr) return;
    for (const house::Change& change : changes->changes)
      by_seq[call->second].try_emplace(change.seq, change.segment.begin);
  });
  std::map<ResourceId, std::vector<StoreTime>> edits;
  for (const auto& [resource, all] : by_seq)
    for (const auto& [seq, at] : all) edits[resource].push_back(at);
  return edits;
}

}  // namespace tenure::sim
