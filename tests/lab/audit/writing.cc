#include "tests/lab/audit/writing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tenure::lab {
namespace {

constexpr Duration kLease = Duration::seconds(1);

journal::Answered executed(RequestId id, Part part, reference::Reply reply, bool changed,
                           std::int64_t store_at, std::uint64_t position) {
  return {.id = id,
          .store = {},
          .part = part,
          .outcome = RequestOutcome::applied,
          .message = {},
          .store_time = store_time(store_at),
          .position = position,
          .changed = changed,
          .reply = std::move(reply)};
}

}  // namespace

MonoTime Process::mono(std::int64_t at) const {
  return MonoTime::from_ns(at * 1'000'000 / denominator_ * numerator_);
}

void Process::runs_at(std::int64_t numerator, std::int64_t denominator) {
  numerator_ = numerator;
  denominator_ = denominator;
}

void Process::write(std::int64_t at, journal::JournalEvent event) {
  const std::string line =
      journal::encode({.now = {journal::BootTime::from_ns((at + ahead_) * 1'000'000), mono(at)},
                       .who = who_,
                       .event = std::move(event),
                       .seq = ++lines_,
                       .prev = prev_,
                       .version = journal::kVersion});
  prev_ = journal::chain_hash(line);
  text_ += line + "\n";
}

void Process::starts(std::int64_t at, const std::string& boot,
                     std::map<std::string, std::int64_t> scheduling) {
  std::map<std::string, std::int64_t> settings = {{"election.lease_duration", kLease.ns()},
                                                  {"election.guard", 0},
                                                  {"election.max_clock_drift_ppm", 0},
                                                  {"scheduling.batch", 1'000}};
  for (const auto& [name, value] : scheduling) settings["scheduling." + name] = value;
  write(at, journal::LifeBegan{boot, std::move(settings)});
}

std::uint32_t Process::asks(std::int64_t at, reference::Request request, bool as_leader) {
  as_leader = as_leader || std::holds_alternative<reference::CommitFires>(request) ||
              std::holds_alternative<reference::GiveUpEvents>(request);
  const Part part = as_leader ? Part::scheduler : Part::elector;
  write(at, journal::Asked{{who_, ++requests_}, {{}, part, std::move(request), MonoTime::max(), as_leader}});
  return requests_;
}

void Process::hears(std::int64_t at, std::uint32_t request, reference::Reply reply, std::int64_t store_at,
                    std::uint64_t position) {
  const bool changed = !std::holds_alternative<reference::Refused>(reply);
  write(at, executed({who_, request}, Part::elector, std::move(reply), changed, store_at, position));
}

void Process::reads(std::int64_t at, reference::Request request, reference::Reply reply,
                    std::uint64_t position) {
  const RequestId id{who_, ++requests_};
  write(at - 10, journal::Asked{id, {{}, Part::scheduler, std::move(request), MonoTime::max(), false}});
  write(at + 10, executed(id, Part::scheduler, std::move(reply), false, at, position));
}
void Process::reads_changes(std::int64_t at, std::vector<reference::Change> changes, std::uint64_t position) {
  reads(at, reference::ChangesSince{}, reference::Changes{std::move(changes), 1, false, std::nullopt},
        position);
}

void Process::never_hears(std::int64_t at, std::uint32_t request, RequestOutcome outcome) {
  journal::Answered answer;
  answer.id = {who_, request};
  answer.outcome = outcome;
  answer.message = "no answer";
  write(at, std::move(answer));
}

void Process::sees(std::int64_t at, std::uint64_t epoch) {
  if (epoch == 0 || !told_.insert(epoch).second) return;
  const auto request =
      asks(at, reference::Acquire{resource_, who_, 0, 10'000 * who_.node.value + epoch, kLease});
  hears(at, request, reference::Refused{reference::Denial::stale_view, {}, epoch, {}}, at,
        static_cast<std::uint64_t>(at));
}
void Process::acquires(std::int64_t at, const Token& token) {
  sees(at - 10, token.epoch - 1);
  told_.insert(token.epoch);
  const auto request =
      asks(at - 10, reference::Acquire{resource_, who_, token.epoch - 1, token.nonce, kLease});
  hears(at + 10, request, reference::Granted{token, kLease}, at, static_cast<std::uint64_t>(at));
}
void Process::renews(std::int64_t at, const Token& token) {
  const auto request = asks(at - 10, reference::Renew{resource_, who_, token, kLease});
  hears(at + 10, request, reference::Granted{token, kLease}, at, static_cast<std::uint64_t>(at));
}
void Process::releases(std::int64_t at, const Token& token) {
  const auto request = asks(at - 10, reference::Release{resource_, who_, token});
  hears(at + 10, request, reference::Released{}, at, static_cast<std::uint64_t>(at));
}
void Process::commits(std::int64_t at, const Token& token, std::vector<reference::LedgerRow> rows) {
  const std::vector<reference::RowResult> covered(rows.size(), reference::RowResult::covered);
  const auto request = asks(at - 10, reference::CommitFires{resource_, who_, token, std::move(rows)}, true);
  hears(at + 10, request, reference::Committed{covered}, at, static_cast<std::uint64_t>(at));
}
void Process::believes(std::int64_t at, const Token& token, std::int64_t until) {
  write(at, Note{Believes{resource_, token, mono(until)}});
}
void Process::leads(std::int64_t at, const Token& token) {
  acquires(at, token);
  believes(at + 10, token, at + 990);
}
void Process::begins(std::int64_t at, const reference::EventId& event, const Token& token) {
  write(at, WorkItem{resource_, event, token, event.slot != StoreTime{}});
}
void Process::ends(std::int64_t at, const reference::EventId& event, WorkResult result) {
  write(at, WorkDone{event, result});
}

reference::LedgerRow fired(std::int64_t ms, std::uint32_t version) {
  return {.schedule = {7},
          .version = version,
          .from = store_time(ms),
          .to = store_time(ms + 250),
          .slot = store_time(ms),
          .due = store_time(ms)};
}

std::string rechained(const std::string& text) {
  std::string all;
  std::string prev(journal::kFirstPrev);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const std::string key = "\"prev\":\"";
    const std::size_t place = line.find(key);
    if (place != std::string::npos) line.replace(place + key.size(), prev.size(), prev);
    prev = journal::chain_hash(line);
    all += line;
    if (end < text.size()) all += '\n';
    at = end + 1;
  }
  return all;
}

namespace {

void count_changes(std::vector<NodeJournal>& journals) {
  const auto for_each = [&](auto&& see) {
    for (NodeJournal& journal : journals)
      for (PlacedLine& placed : journal.lines) {
        auto* answered = std::get_if<journal::Answered>(&placed.line.event);
        if (answered != nullptr && answered->outcome == RequestOutcome::applied)
          see(answered->position, answered->changed);
        auto* change = std::get_if<journal::ClientChange>(&placed.line.event);
        if (change != nullptr && change->done) see(change->done->position, true);
      }
  };
  std::set<std::uint64_t> changes;
  for_each([&](std::uint64_t position, bool changed) {
    if (changed) changes.insert(position);
  });
  for_each([&](std::uint64_t& position, bool) {
    position = static_cast<std::uint64_t>(std::distance(changes.begin(), changes.upper_bound(position)));
  });
}

}  // namespace

std::variant<Audit, BadJournal> audit_texts(const std::vector<std::string>& texts, bool counted,
                                            bool start_missing) {
  std::vector<NodeJournal> journals;
  for (const std::string& text : texts) {
    auto journal = read_journal("journal." + std::to_string(journals.size() + 1), text);
    if (auto* bad = std::get_if<BadJournal>(&journal)) return std::move(*bad);
    journals.push_back(std::get<NodeJournal>(std::move(journal)));
  }
  if (!counted) count_changes(journals);
  return audit(std::move(journals), start_missing, true);
}

Audit audit_of(const std::vector<const Process*>& processes) {
  std::vector<std::string> texts;
  for (const Process* process : processes) texts.push_back(process->text());
  auto audited = audit_texts(texts);
  if (const auto* bad = std::get_if<BadJournal>(&audited)) {
    ADD_FAILURE() << bad->message;
    return {};
  }
  return std::get<Audit>(std::move(audited));
}

const sim::CheckResult* find_check(const Audit& audit, std::string_view name) {
  const auto it = std::find_if(audit.checks.begin(), audit.checks.end(),
                               [&](const sim::CheckResult& check) { return check.name == name; });
  return it != audit.checks.end() ? &*it : nullptr;
}

std::vector<std::string> failing(const Audit& audit) {
  std::vector<std::string> names;
  for (const sim::CheckResult& check : audit.checks)
    if (check.violation_count > 0) names.push_back(check.name);
  return names;
}

}  // namespace tenure::lab
