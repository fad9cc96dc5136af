#include "lab/audit/manual_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "sim/checkers/names.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kRunsWereAskedFor = "runs-were-asked-for";
constexpr Duration kBeginsWithin = Duration::seconds(2);

using Run = journal::ClientChange::Run;

// When the store was asked for a run, by its positions: after `after`, and up to `upto`.
struct AskedBetween {
  std::uint64_t after = 0;
  std::uint64_t upto = UINT64_MAX;
  sim::TrueTime begun = sim::TrueTime::max();
};

// Reads one life from its beginning on.
class FoundRuns {
 public:
  FoundRuns(const LifeHistory& life, ResourceId resource, const Definitions& definitions)
      : resource_(resource), definitions_(definitions), knows_all_(life.begins()) {
    const auto places = [&](const char* name) { return life.setting(name).value_or(0); };
    places_ = std::min(places("scheduling.max_running"), places("scheduling.destination_running"));
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const LifeLine& line = life.lines[i];
      now_ = line.mono();
      if (may_begin_nothing(line)) forget_reads();
      if (const JournalCall* call = life.answered_at(i);
          call && call->applied() && call->resource() == resource)
        take_answer(*call);
      if (const auto* item = line.as<WorkItem>()) begins(*item, line.at);
      if (const auto* done = line.as<WorkDone>(); done != nullptr && done->result != WorkResult::failed)
        open_.erase(done->event);
      if (const auto* asked = line.as<journal::Asked>())
        sim::for_each_taken(asked->submission.request,
                            [&](const reference::EventId& event) { open_.erase(event); });
      if (static_cast<std::int64_t>(open_.size()) >= places_) forget_reads();
    }
  }
  const std::map<Run, AskedBetween>& found() const { return found_; }

 private:
  struct Read {
    MonoTime heard;
    std::uint64_t position = 0;
    Delivery::Kind what = Delivery::Kind::work;
  };

  // What a hold keeps from beginning is not told by all lines.
  static bool may_begin_nothing(const LifeLine& line) {
    const auto* asked = line.as<journal::Asked>();
    return line.note<StepsDown>() != nullptr || line.note<ClockAlarm>() != nullptr ||
           line.as<StopAsked>() != nullptr ||
           (asked != nullptr &&
            sim::reference_request<reference::SetHold>(asked->submission.request) != nullptr);
  }
  void forget_reads() {
    reads_.clear();
    looked_through_.clear();
  }
  void take_answer(const JournalCall& call) {
    const auto* refused = call.reply<reference::CommitRefused>();
    if (refused != nullptr && refused->held) forget_reads();
    const bool own = call.reply<reference::Outbox>() != nullptr;
    if (!own && call.reply<reference::WaitingEvents>() == nullptr) return;
    upto_ = std::max(upto_, call.answered->position);
    reads_.push_back({now_, call.answered->position, own ? Delivery::Kind::work : Delivery::Kind::push});
  }
  void begins(const WorkItem& item, sim::TrueTime at) {
    const Run run{item.event.schedule, item.event.run};
    if (item.once && item.resource == resource_ && run.number != 0 && !open_.contains(item.event) &&
        !found_.contains(run)) {
      AskedBetween& asked = found_[run];
      asked.begun = at;
      if (knows_all_) asked.upto = upto_;
      for (; !reads_.empty() && now_ - reads_.front().heard >= kBeginsWithin; reads_.pop_front())
        looked_through_[reads_.front().what] = reads_.front().position;
      for (const auto& [what, position] : looked_through_)
        if (is_shown_by(what, run.schedule)) asked.after = position;
    }
    open_.insert(item.event);
  }
  // The leader's own work and what it sends are read apart. What waits for earlier events is not begun.
  bool is_shown_by(Delivery::Kind what, ScheduleId schedule) const {
    const auto versions = definitions_.versions.find(schedule);
    return versions != definitions_.versions.end() &&
           std::all_of(versions->second.begin(), versions->second.end(), [&](const auto& version) {
             const Delivery& delivery = version.definition.delivery;
             return delivery.kind == what && !delivery.strict_order;
           });
  }

  ResourceId resource_;
  const Definitions& definitions_;
  bool knows_all_;
  std::int64_t places_ = 0;
  MonoTime now_;
  std::uint64_t upto_ = 0;  // of what it has read
  // Since it has had places: the last reads, and how far those before them came.
  std::deque<Read> reads_;
  std::map<Delivery::Kind, std::uint64_t> looked_through_;
  std::set<reference::EventId> open_;  // begun, and not over
  std::map<Run, AskedBetween> found_;
};

// Positions that no line tells, and that are not taken yet.
class FreePositions {
 public:
  explicit FreePositions(const std::vector<std::uint64_t>& told) {
    std::uint64_t next = 1;
    for (const std::uint64_t position : told) {
      if (position > next) free_[next] = position - 1;
      next = std::max(next, position + 1);
    }
    free_[next] = UINT64_MAX;
  }
  // Takes the first one in (after, upto]. False: there is none.
  bool take(const AskedBetween& asked) {
    for (const auto& [from, to] : free_) {
      const std::uint64_t one = std::max(from, asked.after + 1);
      if (one > to) continue;
      if (one > asked.upto) return false;
      const auto [first, last] = std::pair(from, to);
      free_.erase(first);
      if (first < one) free_[first] = one - 1;
      if (one < last) free_[one + 1] = last;
      return true;
    }
    return false;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // from the first to the last, both included
};

// A run is asked for once: whoever repeats the request changes nothing, until the run is pruned.
void find_runs_asked_for_twice(const Evidence& evidence, ResourceId resource) {
  std::set<std::uint64_t> pruned;
  evidence.history_.for_each_call(resource, [&](const JournalCall& call) {
    if (call.request<reference::Prune>() != nullptr && call.applied()) pruned.insert(call.answered->position);
  });
  std::map<std::uint64_t, const JournalClientChange*> in_order;
  evidence.history_.for_each_client_change(resource, [&](const JournalClientChange& one) {
    if (one.change->run && one.change->done) in_order.emplace(one.change->done->position, &one);
  });
  std::map<Run, std::uint64_t> asked;
  for (const auto& [position, one] : in_order) {
    const auto [first, fresh] = asked.try_emplace(*one->change->run, position);
    const auto prune = pruned.upper_bound(first->second);
    if (fresh || (prune != pruned.end() && *prune < position)) continue;
    evidence.findings_.violate(
        kRunsWereAskedFor, one->told,
        fmt::format("run {} of {} was made at position {}, and again at position {}",
                    one->change->run->number, evidence.names_.schedule(one->change->run->schedule),
                    first->second, position));
  }
}

}  // namespace

std::set<Run> manual_runs_begun(const JournalHistory& history, ResourceId resource) {
  std::set<Run> runs;
  for (const auto& [who, life] : history.lives)
    for (const JournalWork& work : life.works)
      if (work.item->once && work.item->resource == resource && work.item->event.run != 0)
        runs.insert({work.item->event.schedule, work.item->event.run});
  return runs;
}

void judge_manual_runs(const Evidence& evidence, ResourceId resource, const std::set<Run>& untold,
                       const std::vector<std::uint64_t>& told) {
  AuditFindings& findings = evidence.findings_;
  if (const std::size_t begun = manual_runs_begun(evidence.history_, resource).size(); begun > 0)
    findings.examined(kRunsWereAskedFor, begun);
  find_runs_asked_for_twice(evidence, resource);
  std::map<Run, AskedBetween> runs;  // as the life that began it first shows
  for (const auto& [who, life] : evidence.history_.lives) {
    const FoundRuns found(life, resource, evidence.definitions_);
    for (const auto& [run, asked] : found.found()) {
      if (!untold.contains(run)) continue;
      const auto [known, fresh] = runs.try_emplace(run, asked);
      if (!fresh && asked.begun < known->second.begun) known->second = asked;
    }
  }
  // What had begun before these journals may be begun again at any time.
  const bool from_the_first = !told.empty() && told.front() == 1;
  std::vector<AskedBetween> in_order;
  for (auto& [run, asked] : runs) {
    if (!from_the_first) asked.after = 0;
    in_order.push_back(asked);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const AskedBetween& a, const AskedBetween& b) { return a.upto < b.upto; });
  FreePositions free(told);
  std::size_t unasked = 0;
  sim::TrueTime first = sim::TrueTime::max();
  for (const AskedBetween& asked : in_order) {
    if (free.take(asked)) continue;
    ++unasked;
    first = std::min(first, asked.begun);
  }
  if (unasked > 0)
    findings.violate(
        kRunsWereAskedFor, first,
        fmt::format("{} of {} began, the first at {}, and no change of the store is left by which "
                    "somebody could have asked for {}",
                    counted(unasked, "a manual run", "manual runs"), resource_text(resource),
                    sim::time_text(first), unasked == 1 ? "it" : "them"));
}

}  // namespace tenure::lab
