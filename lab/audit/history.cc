#include "lab/audit/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/journal/kinds.h"

namespace tenure::lab {
namespace {

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

// Reads one life line by line.
class LifeReader {
 public:
  // What makes no sense there; nullptr: nothing.
  const char* read(LifeLine line) {
    const std::size_t place = life.lines.size();
    life.lines.push_back(line);
    if (const auto* asked = line.as<journal::Asked>()) {
      if (!calls_.try_emplace(asked->id, life.calls.size()).second)
        return "this request was submitted before";
      if (asked->submission.store != StoreId{0})
        return "this asks another store than 0: all leases and rows that an audit compares are in one store";
      life.lines.back().call = life.calls.size();
      life.calls.push_back({asked, nullptr, line.at, {}, place, 0, times_.latest()});
    } else if (const auto* answered = line.as<journal::Answered>()) {
      return answer(line, *answered);
    } else if (const auto* item = line.as<WorkItem>()) {
      const auto [work, fresh] = running_.try_emplace(item->event, life.works.size());
      if (!fresh) life.works[work->second].begun_again = true;
      work->second = life.works.size();
      life.works.push_back({item, nullptr, place, 0});
    } else if (const auto* done = line.as<WorkDone>()) {
      const auto work = running_.find(done->event);
      if (work == running_.end()) return "this work never began: journals are read from their beginning";
      life.works[work->second].done = done;
      life.works[work->second].done_line = place;
      running_.erase(work);
    } else if (const auto* change = line.as<journal::ClientChange>()) {
      life.client_changes.push_back({line.line->who, change, line.at, times_.latest_by(change->asked)});
    } else if (const auto* ended = line.as<journal::LifeEnded>()) {
      life.end_node(line.at, ended->stopped);
    } else if (line.note<Stopped>() != nullptr) {  // of a node that has clients, the journal goes on
      life.end_node(line.at, true);
    }
    return nullptr;
  }

  LifeHistory life;

 private:
  const char* answer(const LifeLine& line, const journal::Answered& answered) {
    const auto known = calls_.find(answered.id);
    if (known == calls_.end())
      return "this answers a request that was never submitted: journals are read from their beginning";
    life.lines.back().call = known->second;
    JournalCall& call = life.calls[known->second];
    if (call.answered != nullptr) return "this request was answered before";
    if (answered.store != call.asked->submission.store)
      return "this is the answer of another store than the one that was asked";
    const auto* commit = call.request<reference::CommitFires>();
    const auto* committed = answered.reply_as<reference::Committed>();
    if (commit != nullptr && committed != nullptr && commit->rows.size() != committed->rows.size())
      return "this answers for other rows than were asked for";
    call.answered = &answered;
    call.heard = line.at;
    call.answered_line = life.lines.size() - 1;
    if (call.applied()) times_.hear(line.mono(), answered.store_time);
    return nullptr;
  }

  std::map<RequestId, std::size_t> calls_;             // places in life.calls
  std::map<reference::EventId, std::size_t> running_;  // likewise in life.works
  HeardTimes times_;
};

// After which epoch the store refuses the request; nullopt: it takes it under any.
std::optional<std::uint64_t> last_epoch_of(const Request& request) {
  if (const auto* acquire = sim::reference_request<reference::Acquire>(request)) return acquire->epoch_seen;
  const auto token = sim::token_shown(request);
  return token ? std::optional(token->epoch) : std::nullopt;
}

void bound_calls_in_doubt(JournalHistory& history) {
  std::map<ResourceId, std::vector<const JournalCall*>> grants;
  history.for_each_call([&](const JournalCall& call) {
    if (call.reply<reference::Granted>() != nullptr) grants[call.resource()].push_back(&call);
  });
  for (auto& [who, life] : history.lives)
    for (JournalCall& call : life.calls) {
      const auto epoch = call.in_doubt() ? last_epoch_of(call.asked->submission.request) : std::nullopt;
      if (!epoch) continue;
      for (const JournalCall* grant : grants[call.resource()])
        if (grant->reply<reference::Granted>()->token.epoch > *epoch)
          call.not_after = std::min(call.not_after, grant->at());
    }
}

}  // namespace

bool is_about_the_lease(const Request& request) {
  return sim::reference_request<reference::Acquire>(request) != nullptr ||
         sim::reference_request<reference::Renew>(request) != nullptr ||
         sim::reference_request<reference::Release>(request) != nullptr;
}

void LifeHistory::end_node(sim::TrueTime at, bool in_good_order) {
  if (node_ended) return;
  node_ended = true;
  stopped = in_good_order;
  ended_at = at;
}

std::optional<std::int64_t> LifeHistory::setting(const std::string& name) const {
  if (began() == nullptr) return std::nullopt;
  const auto known = began()->settings.find(name);
  return known != began()->settings.end() ? std::optional(known->second) : std::nullopt;
}

bool begins_late(const journal::Line& line) {
  return std::holds_alternative<journal::LifeBegan>(line.event) && line.seq == 0;
}

std::vector<JournalRow> rows_of(const JournalCall& call) {
  using reference::RowResult;
  std::vector<JournalRow> rows;
  const auto* commit = call.request<reference::CommitFires>();
  if (commit == nullptr) return rows;
  const auto* committed = call.reply<reference::Committed>();
  for (std::size_t i = 0; i < commit->rows.size(); ++i) {
    const bool told = committed != nullptr && i < committed->rows.size();
    if (call.in_doubt() || (told && committed->rows[i] == RowResult::covered))
      rows.push_back({commit->rows[i], told});
    else if (told && committed->rows[i] == RowResult::overlapped)
      rows.push_back({reference::as_overlapped(commit->rows[i]), true});
  }
  return rows;
}

std::set<ResourceId> JournalHistory::resources() const {
  std::set<ResourceId> all;
  for_each_call([&](const JournalCall& call) { all.insert(call.resource()); });
  return all;
}

bool JournalHistory::has_client_change(std::string_view kind) const {
  return std::any_of(lives.begin(), lives.end(), [&](const auto& known) {
    const std::vector<JournalClientChange>& changes = known.second.client_changes;
    return std::any_of(changes.begin(), changes.end(), [&](const JournalClientChange& one) {
      return journal::kRequestKinds.at(one.change->kind) == kind;
    });
  });
}

bool JournalHistory::tells_of_clients() const {
  return std::all_of(lives.begin(), lives.end(), [](const auto& life) {
    const std::vector<LifeLine>& lines = life.second.lines;
    return std::all_of(lines.begin(), lines.end(),
                       [](const LifeLine& one) { return one.line->version >= journal::kClientsSince; });
  });
}

std::variant<JournalHistory, BadJournal> history_of(const std::vector<NodeJournal>& journals) {
  std::map<Incarnation, LifeReader> lives;
  const journal::BootTime zero = first_time(journals);
  for (const NodeJournal* journal : in_time(journals))
    for (const PlacedLine& placed : journal->lines) {
      const sim::TrueTime at = sim::TrueTime{} + (placed.line.now.at - zero);
      const char* wrong = lives[placed.line.who].read({at, &placed.line, journal, placed.number});
      if (wrong != nullptr)
        return BadJournal{fmt::format("{}: {}", place_text(*journal, placed.number), wrong)};
    }
  JournalHistory history;
  for (auto& [who, reader] : lives) history.lives.emplace(who, std::move(reader.life));
  bound_calls_in_doubt(history);
  return history;
}

std::string resource_text(ResourceId resource) { return fmt::format("resource {}", resource.value); }

}  // namespace tenure::lab
