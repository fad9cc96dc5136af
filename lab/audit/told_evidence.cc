#include "lab/audit/told_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// By which line of the life's journal a version had been told.
using ToldVersions = std::map<std::pair<ScheduleId, std::uint32_t>, std::size_t>;

ToldVersions told_to(const LifeHistory& life) {
  ToldVersions told;
  for (const JournalCall& call : life.calls) {
    if (!call.applied()) continue;
    const auto* changes = call.answered->reply_as<reference::Changes>();
    if (changes == nullptr) continue;
    for (const reference::Change& change : changes->changes) {
      const std::pair version{change.segment.schedule, change.segment.version};
      const auto known = told.try_emplace(version, call.answered_line).first;
      known->second = std::min(known->second, call.answered_line);
    }
  }
  return told;
}

// nullopt: it does not say.
std::optional<std::int64_t> setting_of(const LifeHistory& life, const char* name) {
  const auto* began = std::get_if<journal::LifeBegan>(&life.lines.front().line->event);
  if (began == nullptr) return std::nullopt;
  const auto setting = began->settings.find(name);
  return setting != began->settings.end() ? std::optional(setting->second) : std::nullopt;
}

// A life that writes the settings of its scheduler (version 4) writes what the change feed told it, too.
bool says_all(const LifeHistory& life) {
  return life.begins() && setting_of(life, "scheduling.max_running").has_value();
}

std::optional<Duration> request_timeout(const LifeHistory& life, Part part) {
  const auto setting =
      setting_of(life, part == Part::elector ? "election.request_timeout" : "scheduling.request_timeout");
  return setting ? std::optional(Duration::nanos(*setting)) : std::nullopt;
}

// The driver answers each request by its deadline. What a machine that stood still does at once, it may not have done
// when its process was killed.
constexpr Duration kCatchesUp = Duration::millis(100);

bool is_overdue(const LifeHistory& life, const JournalCall& call) {
  const auto timeout = request_timeout(life, call.asked->submission.part);
  if (call.answered != nullptr || !timeout) return false;
  const MonoTime deadline = life.lines[call.line].line->now.mono + *timeout;
  std::optional<MonoTime> after;
  for (const LifeLine& line : life.lines) {
    if (life.node_ended && line.at > life.ended_at) return false;  // only its clients go on
    const MonoTime now = line.line->now.mono;
    if (now < deadline) continue;
    if (!after) after = now;
    if (now - *after >= kCatchesUp) return true;
  }
  return false;
}

// A leader that stops waits for the answer to its release, which it asks for in the step in which it steps down.
bool did_not_wait(const LifeHistory& life, const JournalCall& call) {
  if (call.answered != nullptr || !life.stopped || call.line == 0) return false;
  if (reference_request<reference::Release>(call.asked->submission.request) == nullptr) return false;
  const auto* note = std::get_if<Note>(&life.lines[call.line - 1].line->event);
  return note != nullptr && std::holds_alternative<StepsDown>(*note);
}

// Of each purpose, a scheduler has one request under way; after a step-down, it begins anew with those of a leader. It
// does not stop while one is under way that leadership must cover.
enum class Purpose : std::uint8_t { leading, taking, reading };
std::optional<Purpose> purpose_of(const journal::Asked& asked) {
  const Request& request = asked.submission.request;
  if (asked.submission.part != Part::scheduler) return std::nullopt;
  if (takes_events(request)) return Purpose::taking;
  return reference_request<reference::ChangesSince>(request) != nullptr ? Purpose::reading : Purpose::leading;
}
std::size_t passed_over(const LifeHistory& life) {
  std::size_t count = 0;
  std::map<Purpose, RequestId> under_way;
  std::set<RequestId> acts;
  for (const LifeLine& line : life.lines) {
    const journal::JournalEvent& event = line.line->event;
    if (const auto* answered = std::get_if<journal::Answered>(&event))
      std::erase_if(under_way, [&](const auto& one) { return one.second == answered->id; });
    const auto* note = std::get_if<Note>(&event);
    if (note != nullptr && std::holds_alternative<StepsDown>(*note)) under_way.erase(Purpose::leading);
    if (note != nullptr && std::holds_alternative<Stopped>(*note) &&
        acts.contains(under_way[Purpose::leading]))
      ++count;
    const auto* asked = std::get_if<journal::Asked>(&event);
    if (asked != nullptr && asked->submission.as_leader) acts.insert(asked->id);
    const auto purpose = asked != nullptr ? purpose_of(*asked) : std::nullopt;
    if (purpose && !under_way.insert_or_assign(*purpose, asked->id).second) ++count;
  }
  return count;
}

// Nobody stops before its work is over.
std::size_t unfinished_work(const LifeHistory& life) {
  std::set<reference::EventId> running;
  for (const LifeLine& line : life.lines) {
    if (const auto* item = std::get_if<WorkItem>(&line.line->event)) running.insert(item->event);
    if (const auto* done = std::get_if<WorkDone>(&line.line->event)) running.erase(done->event);
  }
  return running.size();
}

bool says_that_it_stopped(const LifeHistory& life) {
  return std::any_of(life.lines.begin(), life.lines.end(), [](const LifeLine& line) {
    const auto* note = std::get_if<Note>(&line.line->event);
    return note != nullptr && std::holds_alternative<Stopped>(*note);
  });
}

// The driver numbers the requests of a life.
std::size_t requests_left_out(const LifeHistory& life) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < life.calls.size(); ++i) {
    const std::uint32_t before = life.calls[i - 1].asked->id.counter;
    const std::uint32_t next = life.calls[i].asked->id.counter;
    count += next > before ? next - before - 1 : 1;
  }
  if (!life.calls.empty() && life.begins()) count += life.calls.front().asked->id.counter - 1;
  return count;
}

// Under one token, what runs is not begun again.
std::size_t begun_while_running(const LifeHistory& life) {
  std::size_t count = 0;
  std::map<reference::EventId, std::optional<Token>> running;
  for (const LifeLine& line : life.lines) {
    if (const auto* done = std::get_if<WorkDone>(&line.line->event)) running.erase(done->event);
    const auto* item = std::get_if<WorkItem>(&line.line->event);
    if (item == nullptr || is_of_a_term(*item)) continue;
    const auto known = running.find(item->event);
    if (known != running.end() && known->second == item->token) ++count;
    running[item->event] = item->token;
  }
  return count;
}

// Since version 4 a life begins with the settings of what it runs.
bool hides_settings(const LifeHistory& life) {
  if (!life.begins() || life.lines.front().line->version < 4) return false;
  std::vector<const char*> needed;
  for (const JournalCall& call : life.calls) {
    const Request& request = call.asked->submission.request;
    if (reference_request<reference::Acquire>(request) != nullptr)
      needed.insert(needed.end(),
                    {"election.lease_duration", "election.guard", "election.max_clock_drift_ppm"});
    if (reference_request<reference::ChangesSince>(request) != nullptr)
      needed.push_back("scheduling.max_running");
  }
  return std::any_of(needed.begin(), needed.end(),
                     [&](const char* name) { return !setting_of(life, name).has_value(); });
}

// A leader goes on to the next schedule while its commit is not full, and that has at most two rows (take_due).
bool exceeds_its_batch(const LifeHistory& life) {
  const auto batch = setting_of(life, "scheduling.batch");
  return batch && std::any_of(life.calls.begin(), life.calls.end(), [&](const JournalCall& call) {
           const auto* commit = reference_request<reference::CommitFires>(call.asked->submission.request);
           return commit != nullptr && static_cast<std::int64_t>(commit->rows.size()) > *batch + 1;
         });
}

// What the lines of one life show of others of its lines.
void find_missing_lines(const std::string& who, const LifeHistory& life, AuditFindings& findings) {
  if (!std::holds_alternative<journal::LifeBegan>(life.lines.front().line->event))
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
  const std::size_t unanswered = std::max(static_cast<std::size_t>(overdue), passed_over(life));
  if (unanswered > 0)
    findings.lacks(fmt::format("{} of {} {} no answer, and it went on: lines are missing",
                               unanswered == 1 ? "a request" : fmt::format("{} requests", unanswered), who,
                               unanswered == 1 ? "has" : "have"));
  if (const std::size_t left_out = requests_left_out(life); left_out > 0)
    findings.lacks(fmt::format("{} of {} {} not there, by the numbers of the others: lines are missing",
                               left_out == 1 ? "a request" : fmt::format("{} requests", left_out), who,
                               left_out == 1 ? "is" : "are"));
  if (const std::size_t again = begun_while_running(life); again > 0)
    findings.lacks(
        fmt::format("{} began {} of its work again, and does not say how it had ended: lines are missing",
                    who, again == 1 ? "a piece" : fmt::format("{} pieces", again)));
  if (!life.stopped) return;
  if (!says_that_it_stopped(life))
    findings.lacks(
        fmt::format("{} was stopped, and does not say that it had stopped: lines are missing", who));
  if (const std::size_t open = unfinished_work(life); open > 0)
    findings.lacks(fmt::format("{} stopped, and {} of its work did not end: lines are missing", who,
                               open == 1 ? "a piece" : fmt::format("{} pieces", open)));
}

void find_untold_versions(const JournalHistory& history, const Names& names, AuditFindings& findings) {
  std::map<ScheduleId, Incarnation> untold;
  for (const auto& [who, life] : history.lives) {
    if (!says_all(life)) continue;
    const ToldVersions told = told_to(life);
    for (const JournalCall& call : life.calls) {
      const auto* commit = reference_request<reference::CommitFires>(call.asked->submission.request);
      if (commit == nullptr) continue;
      for (const reference::LedgerRow& row : commit->rows) {
        const auto known = told.find({row.schedule, row.version});
        if (known == told.end() || known->second >= call.line) untold.try_emplace(row.schedule, who);
      }
    }
  }
  if (untold.empty()) return;
  const auto& [schedule, who] = *untold.begin();
  findings.lacks(
      fmt::format("{} of which commits name versions that no answer told who commits them, the first {} of "
                  "{}: lines are missing",
                  untold.size() == 1 ? "a schedule" : fmt::format("{} schedules", untold.size()),
                  names.schedule(schedule), names.who(who)));
}

}  // namespace

void compare_told(const JournalHistory& history, const Names& names, AuditFindings& findings) {
  find_untold_versions(history, names, findings);
  for (const auto& [who, life] : history.lives)
    if (!life.lines.empty()) find_missing_lines(names.who(who), life, findings);
}

}  // namespace tenure::sim
