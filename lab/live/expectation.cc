#include "lab/live/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "lab/live/life_events.h"
#include "sim/runner/judge.h"

namespace tenure::lab {
namespace {

bool lists(const std::optional<std::vector<std::string>>& names, std::string_view name) {
  return names && std::find(names->begin(), names->end(), name) != names->end();
}

constexpr std::string_view kStaleWrites = "stale-write-rejected";
constexpr std::string_view kGivenUp = "given-up";  // no name of an event, but counted with them

// Events that only a simulator sees.
constexpr std::string_view kUnseen[] = {
    "false-failover", "work-overlap",      "lease-rebased",  "segment-drained",    "commit-lost",
    "grant-lost",     "execution-refused", "late-execution", "execution-released", "return-lost"};

void count_answer(const journal::Answered& answered, std::map<std::string, std::uint64_t>& happened) {
  if (const auto* refused = answered.reply_as<reference::CommitRefused>(); refused != nullptr)
    ++happened["stale-write-rejected"];
  if (answered.reply_as<reference::Released>() != nullptr && answered.changed) ++happened["graceful-release"];
  if (answered.reply_as<reference::HoldSet>() != nullptr && answered.changed) ++happened["hold-set"];
}

void count_work(const WorkDone& done, std::map<std::string, std::uint64_t>& happened) {
  switch (done.result) {
    case WorkResult::fenced: ++happened["work-fenced"]; break;
    case WorkResult::duplicate:
    case WorkResult::running: ++happened["duplicate-refused"]; break;
    case WorkResult::stopped: ++happened["work-stopped"]; break;
    case WorkResult::done:
    case WorkResult::failed: break;
  }
}

// Commits and renewals whose senders no longer waited when the store answered, if it did.
std::uint64_t given_up_in(const std::vector<NodeJournal>& journals) {
  std::set<RequestId> open;
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      if (const auto* asked = std::get_if<journal::Asked>(&placed.line.event))
        if (const auto* request = std::get_if<reference::Request>(&asked->submission.request))
          if (std::holds_alternative<reference::CommitFires>(*request) ||
              std::holds_alternative<reference::Renew>(*request))
            open.insert(asked->id);
      if (const auto* answered = std::get_if<journal::Answered>(&placed.line.event))
        if (answered->outcome != RequestOutcome::unknown) open.erase(answered->id);
    }
  return open.size();
}

sim::CheckResult eventually(std::string name, bool holds, std::string detail) {
  sim::CheckResult check;
  check.name = std::move(name);
  check.kind = sim::CheckResult::Kind::eventually;
  check.opportunities = 1;
  if (!holds) {
    check.verdict = sim::Verdict::fail;
    check.violation_count = 1;
    check.detail = std::move(detail);
  }
  return check;
}

}  // namespace

std::map<std::string, std::uint64_t> happened_in(const std::vector<NodeJournal>& journals) {
  std::map<std::string, std::uint64_t> happened;
  std::map<Incarnation, LifeEvents> lives;
  std::set<std::uint64_t> epochs;
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      const journal::JournalEvent& event = placed.line.event;
      if (const auto* answered = std::get_if<journal::Answered>(&event)) {
        count_answer(*answered, happened);
        if (const auto* granted = answered->reply_as<reference::Granted>())
          epochs.insert(granted->token.epoch);
      }
      if (const auto* done = std::get_if<WorkDone>(&event)) count_work(*done, happened);
      if (std::holds_alternative<WorkItem>(event)) ++happened["fire"];
      if (const auto* note = std::get_if<Note>(&event))
        if (std::holds_alternative<ClockAlarm>(*note)) ++happened["clock-alarm"];
      if (const auto* asked = std::get_if<journal::Asked>(&event))
        if (const auto* request = std::get_if<reference::Request>(&asked->submission.request))
          if (const auto* commit = std::get_if<reference::CommitFires>(request))
            for (const auto& row : commit->rows)
              if (row.what != reference::Disposition::fired) ++happened["skipped-slot"];
    }
  happened[std::string(kGivenUp)] = given_up_in(journals);
  if (epochs.size() > 1) happened["failover"] = epochs.size() - 1;
  return happened;
}

LiveVerdict judge_live(const Audit& audit, std::map<std::string, std::uint64_t> happened,
                       const sim::Scenario& scenario, const LiveFacts& facts) {
  const sim::Expectation& expect = scenario.expect;
  LiveVerdict live;
  for (const sim::CheckResult& found : audit.checks) {
    sim::CheckResult check = found;
    const bool listed = lists(expect.always, check.name) || expect.fails == check.name;
    if (listed) check.demanded = true;
    if (!listed && check.opportunities == 0) check.demanded = false;
    if (check.name == "no-duplicate-fire" && facts.fires_doubled > 0) {
      check.verdict = sim::Verdict::fail;
      check.violation_count += facts.fires_doubled;
      check.detail = fmt::format("the outside world began events twice, {} times", facts.fires_doubled);
      // At least once is what is promised.
      check.demanded = lists(expect.always, check.name) || expect.fails == check.name;
    }
    if (check.name == "one-believer" && check.violation_count > 0)
      happened["believer-overlap"] = check.violation_count;
    live.checks.push_back(std::move(check));
  }
  for (const Silence& silence : audit.not_judged)
    if (lists(expect.always, silence.checker) || expect.fails == silence.checker)
      live.not_judged.push_back(fmt::format("{}: {}", silence.checker, silence.why));
  happened["stale-write-rejected"] += facts.stale_writes_refused;
  happened["edit-applied"] = facts.edits_applied;
  happened["fault-skipped"] = static_cast<std::uint64_t>(
      std::count_if(facts.faults.begin(), facts.faults.end(),
                    [](const sim::FaultRun& run) { return !run.skipped.empty(); }));
  if (!facts.interrupted && (!expect.eventually || lists(expect.eventually, "leader-elected")))
    live.checks.push_back(
        eventually("leader-elected", facts.led_at_end, "nobody led at the end of the tail"));
  if (lists(expect.eventually, "caught-up"))
    live.not_judged.emplace_back("caught-up: no-lost-fire judges what was due before the end");
  for (const std::string& name : expect.sometimes) {
    if (std::find(std::begin(kUnseen), std::end(kUnseen), name) != std::end(kUnseen))
      live.not_judged.push_back(name + ": journals do not tell of it");
    else
      live.checks.push_back(sim::judge_sometimes(name, happened[name]));
    const std::uint64_t unheard = happened[std::string(kGivenUp)];
    if (name == kStaleWrites && happened[name] == 0 && unheard > 0)
      live.checks.back().detail = fmt::format(
          "not seen; commits and renewals whose senders had given them up before an answer came: {}. The "
          "store may have "
          "refused them, and told nobody",
          unheard);
  }
  for (const sim::Threshold& threshold : scenario.thresholds)
    live.not_judged.push_back(
        fmt::format("{} {}: thresholds are for simulated clusters", threshold.metric, threshold.text));
  sim::FaultTally faults;
  faults.add(facts.faults);
  for (sim::CheckResult& check : faults.judge(scenario)) live.checks.push_back(std::move(check));
  live.verdict = sim::verdict_of(live.checks, expect);
  const bool doubtful = !audit.lacking.empty() || facts.interrupted || !facts.unasked_ends.empty() ||
                        !facts.lacking.empty() ||
                        (audit.verdict == sim::Verdict::inconclusive && !expect.fails);
  if (live.verdict == sim::Verdict::pass && doubtful) live.verdict = sim::Verdict::inconclusive;
  return live;
}

}  // namespace tenure::lab
