#include "lab/audit/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// Journals of one life are parts of one text: in the order of the machine's clock.
std::vector<const NodeJournal*> in_time(const std::vector<NodeJournal>& journals) {
  std::vector<const NodeJournal*> sorted;
  for (const NodeJournal& journal : journals)
    if (!journal.lines.empty()) sorted.push_back(&journal);
  std::stable_sort(sorted.begin(), sorted.end(), [](const NodeJournal* a, const NodeJournal* b) {
    return a->lines.front().line.now.at < b->lines.front().line.now.at;
  });
  return sorted;
}

// What a life had heard of the store's clock, at each answer that told a later time than all before.
class HeardTimes {
 public:
  void hear(MonoTime when, StoreTime time) {
    if (time > latest()) heard_.emplace_back(when, time);
  }
  StoreTime latest() const { return heard_.empty() ? StoreTime::min() : heard_.back().second; }
  // By then, by the node's own clock.
  StoreTime latest_by(MonoTime when) const {
    const auto after = std::partition_point(heard_.begin(), heard_.end(),
                                            [&](const auto& one) { return one.first <= when; });
    return after != heard_.begin() ? std::prev(after)->second : StoreTime::min();
  }

 private:
  std::vector<std::pair<MonoTime, StoreTime>> heard_;
};

// Of a node that has clients, the journal goes on.
bool is_stopped(const journal::JournalEvent& event) {
  const auto* note = std::get_if<Note>(&event);
  return note != nullptr && std::holds_alternative<Stopped>(*note);
}

}  // namespace

void LifeHistory::end_node(TrueTime at, bool in_good_order) {
  if (node_ended) return;
  node_ended = true;
  stopped = in_good_order;
  ended_at = at;
}

bool LifeHistory::begins() const {
  if (lines.empty()) return false;
  const journal::Line& first = *lines.front().line;
  return std::holds_alternative<journal::LifeBegan>(first.event) && first.seq > 0;
}

bool begins_late(const journal::Line& line) {
  return std::holds_alternative<journal::LifeBegan>(line.event) && line.version >= 4 && line.seq == 0;
}

std::vector<JournalRow> rows_of(const JournalCall& call) {
  using reference::RowResult;
  std::vector<JournalRow> rows;
  const auto* commit = reference_request<reference::CommitFires>(call.asked->submission.request);
  if (commit == nullptr) return rows;
  const auto* committed = call.applied() ? call.answered->reply_as<reference::Committed>() : nullptr;
  for (std::size_t i = 0; i < commit->rows.size(); ++i) {
    const bool told = committed != nullptr && i < committed->rows.size();
    if (call.in_doubt() || (told && committed->rows[i] == RowResult::covered))
      rows.push_back({commit->rows[i], told});
    else if (told && committed->rows[i] == RowResult::overlapped)
      rows.push_back({reference::as_overlapped(commit->rows[i]), true});
  }
  return rows;
}

ResourceId JournalHistory::resource_of_call(const JournalCall& call) {
  return resource_of(call.asked->submission.request);
}

std::set<ResourceId> JournalHistory::resources() const {
  std::set<ResourceId> all;
  for (const auto& [who, life] : lives)
    for (const JournalCall& call : life.calls) all.insert(resource_of_call(call));
  return all;
}

JournalHistory history_of(const std::vector<NodeJournal>& journals) {
  JournalHistory history;
  std::optional<journal::BootTime> zero;
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines)
      if (!zero || placed.line.now.at < *zero) zero = placed.line.now.at;
  std::map<RequestId, std::size_t> place;  // in its life's calls
  std::map<Incarnation, HeardTimes> heard;
  for (const NodeJournal* journal : in_time(journals))
    for (const PlacedLine& placed : journal->lines) {
      const journal::Line& line = placed.line;
      const TrueTime at = TrueTime{} + (line.now.at - *zero);
      LifeHistory& life = history.lives[line.who];
      HeardTimes& times = heard[line.who];
      if (const auto* asked = std::get_if<journal::Asked>(&line.event)) {
        place[asked->id] = life.calls.size();
        life.calls.push_back({asked, nullptr, at, {}, life.lines.size(), 0, times.latest()});
      } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
        const auto known = place.find(answered->id);
        if (known != place.end()) {
          JournalCall& call = life.calls[known->second];
          call.answered = answered;
          call.heard = at;
          call.answered_line = life.lines.size();
        }
        if (answered->outcome == RequestOutcome::applied) times.hear(line.now.mono, answered->store_time);
      } else if (const auto* change = std::get_if<journal::ClientChange>(&line.event)) {
        life.client_changes.push_back({line.who, change, at, times.latest_by(change->asked)});
      } else if (const auto* ended = std::get_if<journal::LifeEnded>(&line.event)) {
        life.end_node(at, ended->stopped);
      } else if (is_stopped(line.event)) {
        life.end_node(at, true);
      }
      life.lines.push_back({at, &line});
    }
  return history;
}

std::string resource_text(ResourceId resource) { return fmt::format("resource {}", resource.value); }

}  // namespace tenure::sim
