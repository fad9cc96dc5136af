#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"
#include "lab/audit/leading_time.h"
#include "sim/checkers/oracle/row_rules.h"

namespace tenure::lab {
namespace {

constexpr Duration kGrace = Duration::seconds(10);  // nobody who goes on takes longer without a reason

using VersionOf = std::pair<ScheduleId, std::uint32_t>;
class OwedStory : Evidence {
 public:
  OwedStory(const Evidence& evidence, ResourceId resource)
      : Evidence(evidence),
        resource_(resource),
        lease_(leases_.at(resource)),
        time_(history_, resource, lease_, definitions_.branch) {
    history_.for_each_call(resource, [&](const JournalCall& call) { take_in(call); });
  }

  void compare() {
    for (const auto& [schedule, versions] : definitions_.versions) {
      if (definitions_.resources.at(schedule) != resource_) continue;
      for (std::size_t i = 0; i < versions.size(); ++i)
        judge(versions[i], i + 1 < versions.size() ? versions[i + 1].segment.begin : StoreTime::max());
    }
    if (passed_over_ > 0)
      findings_.lacks(
          fmt::format("{} of slots that were due {} in no commit here, and a leader went on for {}: lines "
                      "are missing, or "
                      "they were lost",
                      counted(passed_over_, "a stretch", "stretches"), passed_over_ == 1 ? "is" : "are",
                      describe(kGrace)));
    if (open_ > 0)
      findings_.lacks(
          fmt::format("{} of slots that were due {} in no commit here: the end of a journal that has no end "
                      "is missing, or they were lost",
                      counted(open_, "a stretch", "stretches"), open_ == 1 ? "is" : "are"));
  }

  // What was due and was not judged.
  void say_the_rest(std::vector<std::string>& left_out) const {
    if (nobody_free_ > 0)
      left_out.push_back(fmt::format(
          "{} of due slots that no leader was free to commit for {}: nobody led, a hold stood, work was in "
          "the way, or the journals end",
          counted(nobody_free_, "1 stretch", "stretches"), describe(kGrace)));
    if (before_failover_ > 0)
      left_out.push_back(
          fmt::format("{}, up to the first commit after the store had failed over",
                      counted(before_failover_, "1 version of a schedule", "versions of schedules")));
    if (!strangers_.empty())
      left_out.push_back(fmt::format("{} that commits name and whose definition is not known",
                                     counted(strangers_.size(), "1 schedule", "schedules")));
  }

 private:
  void take_in(const JournalCall& call) {
    const auto* commit = call.request<reference::CommitFires>();
    if (commit == nullptr || commit->token.branch != definitions_.branch) return;
    for (const auto& [row, covered] : rows_of(call)) {
      if (definitions_.find(row.schedule, row.version) == nullptr) strangers_.insert(row.schedule);
      covered_[{row.schedule, row.version}].add(reach_of(row));
      if (covered) passed_[call.who()].emplace_back(call.at(), row.due);
    }
  }

  // A fired row accounts for its own slot, and for those that it coalesces.
  sim::StoreRange reach_of(const reference::LedgerRow& row) {
    const reference::Change* known = definitions_.find(row.schedule, row.version);
    if (row.what != reference::Disposition::fired || row.slots != 1 || known == nullptr)
      return {row.from, row.to};
    const auto [version, fresh] = fired_of_.try_emplace({row.schedule, row.version});
    if (fresh) version->second.slots = sim::Slots(known->definition);
    return sim::reach_of_fired(row, version->second);
  }

  // Whether a leader had the time to commit what was due then, and went past it.
  bool had_its_chance(StoreTime due, Duration patience, const std::vector<LeadingTerm>& terms) const {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const LeadingTerm& term) { return went_past(due, patience, term); });
  }
  bool went_past(StoreTime due, Duration patience, const LeadingTerm& term) const {
    const auto first = std::find_if(term.counted.begin(), term.counted.end(),
                                    [&](const CountedTo& one) { return one.at >= due; });
    if (first == term.counted.end()) return false;
    const Duration end = term.counted.back().time;
    const Duration late = first->time + patience;
    if (end < late) return false;
    const auto commits = passed_.find(term.who);
    if (commits == passed_.end()) return true;
    bool quiet = true;
    for (const auto& [at, passed] : commits->second) {
      if (at < term.from || at > term.to) continue;
      const Duration then = time_at(at, term);
      if (passed > due && then >= late) return true;
      quiet = quiet && then < end - patience;
    }
    return quiet;
  }
  static Duration time_at(StoreTime at, const LeadingTerm& term) {
    const auto then = std::find_if(term.counted.begin(), term.counted.end(),
                                   [&](const CountedTo& one) { return one.at == at; });
    return then != term.counted.end() ? then->time : Duration{};
  }

  // Until when a life that has no end may have committed what was due then, and its journal lost that.
  std::optional<StoreTime> open_until(StoreTime due) const {
    std::optional<StoreTime> until;
    for (const LeaseFacts::Term& term : lease_.terms)
      if (!history_.lives.at(term.who).node_ended && due < term.end)
        until = std::max(until.value_or(term.end), term.end);
    return until;
  }

  void judge(const reference::Change& version, StoreTime end) {
    const reference::Segment& segment = version.segment;
    const sim::RangeSet& covered = covered_[{segment.schedule, segment.version}];
    const StoreTime deleted = deleted_at(segment);
    sim::StoreRange rest{segment.begin, std::min(end, deleted)};
    if (definitions_.failed_over) {
      ++before_failover_;
      if (covered.size() == 0) return deleted == StoreTime::max() ? say_if_untouched(version, end) : void();
      rest.from = std::max(rest.from, covered.first_overlap({StoreTime::min(), StoreTime::max()}).from);
    }
    findings_.examined(kNoLostFire);
    const bool queues = version.definition.overlap == Overlap::queue_one;
    std::vector<LeadingTerm> terms = queues ? time_.without_work_of(segment.schedule, end) : time_.terms();
    for (LeadingTerm& term : terms)  // nobody owes what the store has closed
      std::erase_if(term.counted, [&](const CountedTo& one) { return one.at > deleted; });
    while (rest.from < rest.to) {
      const sim::StoreRange gap = covered.first_gap(rest);
      if (gap.from < gap.to && !judge_gap(version, gap.from, gap.to, terms)) return;
      rest.from = gap.to;
    }
  }
  StoreTime deleted_at(const reference::Segment& segment) const {
    StoreTime first = StoreTime::max();
    if (const auto deletes = definitions_.deletes.find(segment.schedule);
        deletes != definitions_.deletes.end())
      for (const reference::Change& change : deletes->second)
        if (change.segment.begin >= segment.begin) first = std::min(first, change.segment.begin);
    return first;
  }
  // What the branches before had committed of it is not known: if something was due under the newest branch, either
  // they had, or it is lost.
  void say_if_untouched(const reference::Change& version, StoreTime end) {
    const auto first =
        std::find_if(lease_.terms.begin(), lease_.terms.end(),
                     [&](const LeaseFacts::Term& term) { return term.token.branch == definitions_.branch; });
    if (first == lease_.terms.end()) return;
    const ScheduleId schedule = version.segment.schedule;
    const std::optional<StoreTime> slot =
        slot_at_or_after(version.definition, std::max(version.segment.begin, first->from));
    if (!slot || *slot >= end) return;
    if (!had_its_chance(due_time(version.definition, schedule, *slot), kGrace, time_.terms())) return;
    findings_.lacks(fmt::format(
        "{} was due, and nothing of that version is in a commit since the store failed over: it was "
        "committed before, or is lost",
        names_.slot(schedule, *slot)));
  }
  // False: one was found.
  bool judge_gap(const reference::Change& version, StoreTime from, StoreTime to,
                 const std::vector<LeadingTerm>& terms) {
    const Definition& definition = version.definition;
    const ScheduleId schedule = version.segment.schedule;
    const std::optional<StoreTime> slot = slot_at_or_after(definition, from);
    if (!slot || *slot >= to) return true;
    const StoreTime due = due_time(definition, schedule, *slot);
    if (due > time_.last()) return true;
    if (!had_its_chance(due, kGrace, terms)) {
      ++nobody_free_;
      return true;
    }
    if (const std::optional<StoreTime> until = open_until(due)) {
      ++open_;
      // What was due later was theirs no more.
      if (*until < to) judge_gap(version, *until, to, terms);
      return false;
    }
    // The settings are the judged party's own word: they may excuse a leader, but not make the stretch complete.
    const auto stall = definitions_.stall_timeout;
    if (!stall || !had_its_chance(due, *stall + kGrace, terms)) {
      ++passed_over_;
      return true;
    }
    findings_.violate(kNoLostFire, sim::TrueTime{},
                      fmt::format("{} was due, and is in no commit, although its leader went on",
                                  names_.slot(schedule, *slot)));
    return false;
  }

  ResourceId resource_;
  const LeaseFacts& lease_;
  LeadingTime time_;
  std::map<VersionOf, sim::RangeSet> covered_;  // commits in doubt among them
  std::map<VersionOf, sim::ScheduleVersion> fired_of_;
  // Of each life, when rows were committed, and when they were due.
  std::map<Incarnation, std::vector<std::pair<StoreTime, StoreTime>>> passed_;
  std::set<ScheduleId> strangers_;
  std::size_t passed_over_ = 0;
  std::size_t open_ = 0;
  std::size_t nobody_free_ = 0;
  std::size_t before_failover_ = 0;
};

}  // namespace

const char* cannot_tell_what_is_owed(const Definitions& definitions) {
  if (!definitions.max_running)
    return "no journal tells the definitions of schedules and the scheduler's settings, as those of version "
           "4 do";
  return definitions.versions.empty() ? "no journal tells the whole history of a schedule" : nullptr;
}

std::vector<std::string> compare_owed(const Evidence& evidence) {
  std::vector<std::string> left_out = {"manual runs, which clients ask for"};
  const std::vector<ResourceId>& went_back = evidence.clock_went_back_;
  if (const std::size_t unclear = evidence.definitions_.unclear.size(); unclear > 0)
    left_out.push_back(fmt::format("{} whose versions are not all told, or cannot be read",
                                   counted(unclear, "1 schedule", "schedules")));
  for (const auto& [resource, lease] : evidence.leases_) {
    if (std::find(went_back.begin(), went_back.end(), resource) != went_back.end()) {
      left_out.push_back(fmt::format("{}: the store's clock went back", resource_text(resource)));
    } else if (!lease.complete) {  // that is lacking already
      left_out.push_back(fmt::format("{}: not every leader's journal is here", resource_text(resource)));
    } else {
      OwedStory story(evidence, resource);
      story.compare();
      story.say_the_rest(left_out);
    }
  }
  return left_out;
}

}  // namespace tenure::lab
