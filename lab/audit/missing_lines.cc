#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/journal/kinds.h"
#include "core/model/describe.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

// The driver answers each request by its deadline. What a machine that stood still does at once, it may not have done
// when its process was killed.
constexpr Duration kCatchesUp = Duration::millis(100);

bool is_overdue(const LifeHistory& life, const JournalCall& call) {
  const auto timeout =
      life.setting(call.asked->submission.part == Part::elector ? "election.request_timeout"
                                                                : "scheduling.request_timeout");
  if (call.answered != nullptr || !timeout) return false;
  const MonoTime deadline = life.lines[call.line].mono() + Duration::nanos(*timeout);
  std::optional<MonoTime> after;
  for (const LifeLine& line : life.lines) {
    if (life.node_ended && line.at > life.ended_at) return false;  // only its clients go on
    if (line.mono() < deadline) continue;
    if (!after) after = line.mono();
    if (line.mono() - *after >= kCatchesUp) return true;
  }
  return false;
}

// A leader that stops waits for the answer to its release, which it asks for in the step in which it steps down.
bool did_not_wait(const LifeHistory& life, const JournalCall& call) {
  return call.answered == nullptr && life.stopped && call.line > 0 &&
         call.request<reference::Release>() != nullptr &&
         life.lines[call.line - 1].note<StepsDown>() != nullptr;
}

// Of each purpose, a scheduler has one request under way; after a step-down, it begins anew with those of a leader, and
// where a store has failed over, with its reading of the feed. It does not stop while one is under way that leadership
// must cover.
enum class Purpose : std::uint8_t { leading, taking, reading };
std::optional<Purpose> purpose_of(const journal::Asked& asked) {
  const Request& request = asked.submission.request;
  if (asked.submission.part != Part::scheduler) return std::nullopt;
  if (sim::takes_events(request)) return Purpose::taking;
  return sim::reference_request<reference::ChangesSince>(request) != nullptr ? Purpose::reading
                                                                             : Purpose::leading;
}
std::size_t passed_over(const LifeHistory& life) {
  std::size_t count = 0;
  std::map<Purpose, const journal::Asked*> under_way;
  std::optional<std::pair<std::uint32_t, std::uint64_t>>
      feed;  // its branch, and the last change that was read
  for (const LifeLine& line : life.lines) {
    if (const auto* answered = line.as<journal::Answered>()) {
      std::erase_if(under_way, [&](const auto& one) { return one.second->id == answered->id; });
      if (const auto* changes = answered->reply_as<reference::Changes>())
        feed = {changes->branch, changes->seq};
      const auto* due = answered->reply_as<reference::Due>();
      if (due != nullptr && feed && (due->branch != feed->first || due->change_seq < feed->second))
        under_way.erase(Purpose::reading);
    }
    const auto leading = under_way.find(Purpose::leading);
    if (leading != under_way.end()) {
      if (line.note<Stopped>() != nullptr && leading->second->submission.as_leader) ++count;
      if (line.note<StepsDown>() != nullptr) under_way.erase(leading);
    }
    const auto* asked = line.as<journal::Asked>();
    const auto purpose = asked != nullptr ? purpose_of(*asked) : std::nullopt;
    if (purpose && !under_way.insert_or_assign(*purpose, asked).second) ++count;
  }
  return count;
}

// The driver numbers the requests of a life.
std::size_t requests_left_out(const LifeHistory& life) {
  std::size_t count = 0;
  std::uint32_t before = 0;
  for (const JournalCall& call : life.calls) {
    const std::uint32_t next = call.asked->id.counter;
    if (before > 0 || life.begins()) count += next > before ? next - before - 1 : 1;
    before = next;
  }
  return count;
}

// Under one token, what runs is not begun again.
std::size_t begun_while_running(const LifeHistory& life) {
  std::size_t count = 0;
  std::map<reference::EventId, const WorkItem*> running;
  for (const JournalWork& work : life.works) {
    if (is_of_a_term(*work.item)) continue;
    const auto known = running.find(work.item->event);
    if (known != running.end() && known->second->token == work.item->token) ++count;
    if (work.begun_again)
      running[work.item->event] = work.item;
    else
      running.erase(work.item->event);
  }
  return count;
}

// A life begins with the settings of what it runs.
bool hides_settings(const LifeHistory& life) {
  if (!life.begins()) return false;
  std::vector<const char*> needed;
  for (const JournalCall& call : life.calls) {
    if (call.request<reference::Acquire>() != nullptr)
      needed.insert(needed.end(),
                    {"election.lease_duration", "election.guard", "election.max_clock_drift_ppm"});
    if (call.request<reference::ChangesSince>() != nullptr)
      needed.insert(needed.end(), {"scheduling.max_running", "scheduling.batch"});
  }
  return std::any_of(needed.begin(), needed.end(), [&](const char* name) { return !life.setting(name); });
}

// A leader goes on to the next schedule while its commit is not full, and that has at most two rows (take_due).
bool exceeds_its_batch(const LifeHistory& life) {
  const auto batch = life.setting("scheduling.batch");
  return batch && std::any_of(life.calls.begin(), life.calls.end(), [&](const JournalCall& call) {
           const auto* commit = call.request<reference::CommitFires>();
           return commit != nullptr && static_cast<std::int64_t>(commit->rows.size()) > *batch + 1;
         });
}

// What the lines of one life show of others of its lines.
void compare_lines(const std::string& who, const LifeHistory& life, AuditFindings& findings) {
  if (life.began() == nullptr)
    findings.lacks(fmt::format("{}'s journal does not say that it began: lines are missing", who));
  if (hides_settings(life))
    findings.lacks(fmt::format("{} does not say which settings it has: what they bound is not judged", who));
  if (exceeds_its_batch(life))
    findings.lacks(fmt::format(
        "{} commits more rows at once than its settings say (scheduling.batch): one of them is not true",
        who));
  const auto overdue = std::count_if(life.calls.begin(), life.calls.end(), [&](const JournalCall& call) {
    return is_overdue(life, call) || did_not_wait(life, call);
  });
  if (const std::size_t n = std::max(static_cast<std::size_t>(overdue), passed_over(life)); n > 0)
    findings.lacks(fmt::format("{} of {} {} no answer, and it went on: lines are missing",
                               counted(n, "a request", "requests"), who, n == 1 ? "has" : "have"));
  if (const std::size_t n = requests_left_out(life); n > 0)
    findings.lacks(fmt::format("{} of {} {} not there, by the numbers of the others: lines are missing",
                               counted(n, "a request", "requests"), who, n == 1 ? "is" : "are"));
  if (const std::size_t n = begun_while_running(life); n > 0)
    findings.lacks(
        fmt::format("{} began {} of its work again, and does not say how it had ended: lines are missing",
                    who, counted(n, "a piece", "pieces")));
  if (!life.stopped) return;
  const bool says_so = std::any_of(life.lines.begin(), life.lines.end(),
                                   [](const LifeLine& line) { return line.note<Stopped>() != nullptr; });
  if (!says_so)
    findings.lacks(
        fmt::format("{} was stopped, and does not say that it had stopped: lines are missing", who));
  const auto open = std::count_if(life.works.begin(), life.works.end(), [](const JournalWork& work) {
    return work.done == nullptr && !work.begun_again;
  });
  if (open > 0)
    findings.lacks(fmt::format("{} stopped, and {} of its work did not end: lines are missing", who,
                               counted(static_cast<std::size_t>(open), "a piece", "pieces")));
}

// A life that writes the settings of its scheduler (version 4) writes what the change feed told it, too.
void find_untold_versions(const JournalHistory& history, const sim::Names& names, AuditFindings& findings) {
  std::map<ScheduleId, Incarnation> untold;
  for (const auto& [who, life] : history.lives) {
    if (!life.begins() || !life.setting("scheduling.max_running")) continue;
    std::map<std::pair<ScheduleId, std::uint32_t>, std::size_t> told;  // by which line of its journal
    for (const JournalCall& call : life.calls)
      if (const auto* changes = call.reply<reference::Changes>())
        for (const reference::Change& change : changes->changes) {
          std::size_t& line =
              told.try_emplace({change.segment.schedule, change.segment.version}, call.answered_line)
                  .first->second;
          line = std::min(line, call.answered_line);
        }
    for (const JournalCall& call : life.calls)
      if (const auto* commit = call.request<reference::CommitFires>())
        for (const reference::LedgerRow& row : commit->rows) {
          const auto known = told.find({row.schedule, row.version});
          if (known == told.end() || known->second >= call.line) untold.try_emplace(row.schedule, who);
        }
  }
  if (untold.empty()) return;
  const auto& [schedule, who] = *untold.begin();
  findings.lacks(fmt::format(
      "{} of which commits name versions that no answer told who commits them, the first {} of "
      "{}: lines are missing",
      counted(untold.size(), "a schedule", "schedules"), names.schedule(schedule), names.who(who)));
}

// ---- the change feed ----

// Changes that a life's answers pass over, and requests that go on elsewhere than where it was: it begins with the
// first change, perhaps once more.
std::size_t changes_passed_over(const LifeHistory& life, bool may_be_pruned) {
  std::size_t count = 0;
  std::map<ResourceId, std::uint64_t> known;  // the last change that it was told
  for (const JournalCall& call : life.calls) {
    const auto* asked = call.request<reference::ChangesSince>();
    if (asked == nullptr) continue;
    std::uint64_t& last = known[call.resource()];
    if (asked->seq != 0 && asked->seq != last) ++count;
    const auto* told = call.reply<reference::Changes>();
    if (told == nullptr) continue;
    std::uint64_t before = asked->seq;
    for (const reference::Change& change : told->changes) {
      if (change.seq != before + 1 && !may_be_pruned && call.answered->unread.empty()) ++count;
      last = before = change.seq;
    }
  }
  return count;
}

void find_changes_passed_over(const JournalHistory& history, const sim::Names& names,
                              AuditFindings& findings) {
  bool prunes = false;
  bool tells_all = false;  // from the store's first change on
  history.for_each_call([&](const JournalCall& call) {
    prunes = prunes || call.request<reference::Prune>() != nullptr;
    tells_all = tells_all || (call.applied() && call.answered->position <= 1);
  });
  const bool may_be_pruned = prunes || !tells_all;
  for (const auto& [who, life] : history.lives)
    if (const std::size_t n = life.begins() ? changes_passed_over(life, may_be_pruned) : 0; n > 0)
      findings.lacks(fmt::format("{} changes that clients made: {} was not told of them by the change feed",
                                 n, names.who(who)));
}

// Edits of clients have their numbers in the order in which the store made them.
void find_misnumbered_edits(const JournalHistory& history, AuditFindings& findings) {
  std::map<ResourceId, std::map<std::uint64_t, std::uint64_t>> numbers;  // by position
  for (const auto& [who, life] : history.lives)
    for (const JournalClientChange& one : life.client_changes)
      if (const auto& done = one.change->done; done && done->change_seq)
        numbers[one.change->resource].emplace(done->position, *done->change_seq);
  for (const auto& [resource, of_position] : numbers) {
    const auto wrong = std::adjacent_find(of_position.begin(), of_position.end(),
                                          [](const auto& a, const auto& b) { return a.second >= b.second; });
    if (wrong == of_position.end()) continue;
    findings.lacks(
        fmt::format("clients made change {} of {} at position {}, and change {} at the later position {}: "
                    "one of them is not true",
                    wrong->second, resource_text(resource), wrong->first, std::next(wrong)->second,
                    std::next(wrong)->first));
  }
}

// ---- what was sent ----

// Fires that were refused as done before, though by these journals nobody began them.
void find_what_began_nowhere(const JournalHistory& history, AuditFindings& findings) {
  std::set<reference::EventId> begun;
  std::set<reference::EventId> refused;
  for (const auto& [who, life] : history.lives)
    for (const JournalWork& work : life.works) {
      if (is_of_a_term(*work.item) || work.begun_again) continue;
      const reference::EventId& event = work.item->event;
      if (work.done == nullptr)
        begun.insert(event);
      else if (work.done->result == WorkResult::duplicate)
        refused.insert(event);
      else if (work.done->result != WorkResult::fenced && work.done->result != WorkResult::running)
        begun.insert(event);
    }
  const auto nowhere = std::count_if(refused.begin(), refused.end(),
                                     [&](const reference::EventId& event) { return !begun.contains(event); });
  if (nowhere > 0)
    findings.lacks(
        fmt::format("{} pieces of work were refused as done before, and began in no journal here: a "
                    "journal is missing, or nobody did them",
                    nowhere));
}

// Whether somebody may have had a later token by then than this work shows.
bool is_followed(const JournalHistory& history, const WorkItem& item, sim::TrueTime by) {
  bool followed = false;
  history.for_each_call(item.resource, [&](const JournalCall& call) {
    const auto* granted = call.reply<reference::Granted>();
    const bool may_be = call.in_doubt() && call.request<reference::Acquire>() != nullptr;
    followed = followed || (call.sent <= by &&
                            (may_be || (granted != nullptr && item.token->older_than(granted->token))));
  });
  return followed;
}

// The leader's own work that was refused as stale while nobody had a later token. (A destination may refuse what it
// likes.)
void find_what_was_not_stale(const Evidence& evidence) {
  std::size_t count = 0;
  for (const auto& [who, life] : evidence.history_.lives)
    for (const JournalWork& work : life.works) {
      const bool stale = work.done != nullptr && work.done->result == WorkResult::fenced && work.item->token;
      if (!stale || evidence.definitions_.others_deliver(work.item->event)) continue;
      if (!is_followed(evidence.history_, *work.item, life.lines[work.done_line].at)) ++count;
    }
  if (count > 0)
    evidence.findings_.lacks(fmt::format(
        "{} refused as stale, and nobody here was granted a later token: a journal is missing, or it was not",
        count == 1 ? "a piece of work was" : fmt::format("{} pieces of work were", count)));
}

}  // namespace

void find_missing_lines(const Evidence& evidence) {
  const auto& [history, definitions, clock_went_back, names, findings, leases] = evidence;
  bool all = true;
  for (const auto& [who, life] : history.lives) all = all && life.begins();
  if (!history.has_client_change("ack-events")) {
    if (all) find_what_began_nowhere(history, findings);
    find_work_left(evidence);
  }
  find_what_was_not_stale(evidence);
  find_untold_versions(history, names, findings);
  if (!definitions.failed_over) {
    find_changes_passed_over(history, names, findings);
    find_misnumbered_edits(history, findings);
  }
  for (const auto& [who, life] : history.lives) compare_lines(names.who(who), life, findings);
}

}  // namespace tenure::lab
