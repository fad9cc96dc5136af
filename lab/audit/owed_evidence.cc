#include "lab/audit/owed_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kNoLostFire = "no-lost-fire";
constexpr Duration kGrace = Duration::seconds(10);

using VersionOf = std::pair<ScheduleId, std::uint32_t>;
struct Reach {
  StoreTime from;
  StoreTime to;
};

bool shows_a_hold(const JournalCall& call) {
  if (reference_request<reference::SetHold>(call.asked->submission.request) != nullptr) return true;
  if (!call.applied()) return false;
  const auto* refused = std::get_if<reference::CommitRefused>(&call.answered->reply);
  return refused != nullptr && refused->held;
}

bool was_busy(const LifeHistory& life, std::int64_t max_running) {
  std::set<reference::EventId> running;
  for (const LifeLine& line : life.lines) {
    if (const auto* item = std::get_if<WorkItem>(&line.line->event)) running.insert(item->event);
    if (const auto* done = std::get_if<WorkDone>(&line.line->event)) running.erase(done->event);
    if (static_cast<std::int64_t>(running.size()) >= max_running) return true;
  }
  return false;
}

class OwedStory {
 public:
  OwedStory(const JournalHistory& history, ResourceId resource, const Definitions& definitions,
            const LeaseFacts& lease, const Names& names, AuditFindings& findings)
      : history_(history),
        definitions_(definitions),
        lease_(lease),
        names_(names),
        findings_(findings),
        patience_(*definitions.stall_timeout + kGrace) {
    history.for_each_call(resource, [&](const JournalCall& call) { take_in(call); });
    for (auto& [version, rows] : rows_)
      std::sort(rows.begin(), rows.end(), [](const Reach& a, const Reach& b) { return a.from < b.from; });
  }

  void compare() {
    if (!lease_.complete) return;  // a grant that is not known of: that is lacking already
    for (const auto& [schedule, versions] : definitions_.versions) {
      if (definitions_.deletes.contains(schedule)) continue;
      for (std::size_t i = 0; i < versions.size(); ++i) {
        const StoreTime end = i + 1 < versions.size() ? versions[i + 1].segment.begin : StoreTime::max();
        if (versions[i].definition.overlap != Overlap::queue_one) judge(versions[i], end);
      }
    }
    if (open_ > 0)
      findings_.lacks(fmt::format(
          "{} of slots that were due {} in no commit here: the end of a journal that has no end "
          "is missing, or they were lost",
          open_ == 1 ? "a stretch" : fmt::format("{} stretches", open_), open_ == 1 ? "is" : "are"));
  }

 private:
  void take_in(const JournalCall& call) {
    const auto* commit = reference_request<reference::CommitFires>(call.asked->submission.request);
    if (commit == nullptr) return;
    const auto* done = call.applied() ? std::get_if<reference::Committed>(&call.answered->reply) : nullptr;
    for (std::size_t i = 0; i < commit->rows.size(); ++i) {
      const reference::LedgerRow& row = commit->rows[i];
      const bool covered =
          done != nullptr && i < done->rows.size() && done->rows[i] == reference::RowResult::covered;
      if (!covered && !call.in_doubt()) continue;
      rows_[{row.schedule, row.version}].push_back({row.from, row.to});
      if (covered) passed_.emplace_back(call.at(), row.due);
    }
  }

  // Whether a leader had the time to commit what was due then, and went past it.
  bool had_its_chance(StoreTime due) const {
    return std::any_of(lease_.terms.begin(), lease_.terms.end(), [&](const LeaseFacts::Term& term) {
      const StoreTime last = last_sign_of(term);
      const StoreTime since = std::max(due, term.from);
      if (last < since + patience_) return false;
      bool quiet = true;
      for (const auto& [at, passed] : passed_) {
        if (at < term.from || at > last) continue;
        if (passed > due && at >= since + patience_) return true;
        quiet = quiet && at < last - patience_;
      }
      return quiet;
    });
  }
  // The last grant of the term.
  StoreTime last_sign_of(const LeaseFacts::Term& term) const {
    StoreTime last = term.from;
    for (const JournalCall& call : history_.lives.at(term.who).calls) {
      const auto* granted = call.applied() ? std::get_if<reference::Granted>(&call.answered->reply) : nullptr;
      if (granted != nullptr && granted->token == term.token) last = std::max(last, call.at());
    }
    return last;
  }
  // A life that led then and has no end may have committed it, and its journal lost that.
  bool an_open_life_may_have(StoreTime due) const {
    return std::any_of(lease_.terms.begin(), lease_.terms.end(), [&](const LeaseFacts::Term& term) {
      return !history_.lives.at(term.who).ended && due < term.end;
    });
  }

  void judge(const reference::Change& version, StoreTime end) {
    const reference::Segment& segment = version.segment;
    findings_.examined(kNoLostFire);
    StoreTime cursor = segment.begin;
    for (const Reach& row : rows_[{segment.schedule, segment.version}]) {
      if (row.from > cursor && !judge_gap(version, cursor, std::min(row.from, end))) return;
      cursor = std::max(cursor, row.to);
    }
    if (cursor < end) judge_gap(version, cursor, end);
  }
  // False: one was found.
  bool judge_gap(const reference::Change& version, StoreTime from, StoreTime to) {
    const Definition& definition = version.definition;
    const ScheduleId schedule = version.segment.schedule;
    const std::optional<StoreTime> slot = slot_at_or_after(definition, from);
    if (!slot || *slot >= to) return true;
    const StoreTime due = due_time(definition, schedule, *slot);
    if (!had_its_chance(due)) return true;
    if (an_open_life_may_have(due)) {
      ++open_;
      return false;
    }
    findings_.violate(kNoLostFire, TrueTime{},
                      fmt::format("{} was due, and is in no commit, although its leader went on",
                                  names_.slot(schedule, *slot)));
    return false;
  }

  const JournalHistory& history_;
  const Definitions& definitions_;
  const LeaseFacts& lease_;
  const Names& names_;
  AuditFindings& findings_;
  Duration patience_;
  std::map<VersionOf, std::vector<Reach>> rows_;         // commits in doubt among them
  std::vector<std::pair<StoreTime, StoreTime>> passed_;  // when rows were committed, and when they were due
  std::uint64_t open_ = 0;
};

}  // namespace

const char* cannot_tell_what_is_owed(const JournalHistory& history, const Definitions& definitions) {
  if (definitions.versions.empty() || !definitions.stall_timeout || !definitions.max_running)
    return "no journal tells the definitions of schedules and the scheduler's settings, as those of version "
           "4 do";
  if (history.resources().size() > 1) return "these journals are of several resources";
  std::set<std::uint32_t> branches;
  for (const auto& [who, life] : history.lives) {
    for (const JournalCall& call : life.calls) {
      if (shows_a_hold(call)) return "a hold stood, and fires waited for it";
      const auto* granted = call.applied() ? std::get_if<reference::Granted>(&call.answered->reply) : nullptr;
      if (granted != nullptr) branches.insert(granted->token.branch);
    }
    if (was_busy(life, *definitions.max_running)) return "all workers were busy, and fires waited for them";
  }
  return branches.size() > 1 ? "the store failed over, and may have lost commits" : nullptr;
}

void compare_owed(const JournalHistory& history, const Definitions& definitions,
                  const std::map<ResourceId, LeaseFacts>& leases, const Names& names,
                  AuditFindings& findings) {
  for (const auto& [resource, lease] : leases)
    OwedStory(history, resource, definitions, lease, names, findings).compare();
}

}  // namespace tenure::sim
