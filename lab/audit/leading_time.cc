#include "lab/audit/leading_time.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tenure::lab {
namespace {

// An instant counts, too.
StoreTime after_all(StoreTime from, StoreTime to) { return std::max(to, from + Duration::nanos(1)); }

// What calls say of the hold, in the order of the store's clock.
struct HoldSign {
  enum class What : std::uint8_t { set, stood, free };
  StoreTime at;
  What what;
};

void take_hold_signs(const JournalCall& call, std::vector<HoldSign>& signs) {
  using What = HoldSign::What;
  const bool sets = call.request<reference::SetHold>() != nullptr;
  const bool clears = call.request<reference::ClearHold>() != nullptr;
  if ((sets || clears) && call.in_doubt()) signs.push_back({call.not_before, What::stood});
  if (!call.applied()) return;
  const auto* refused = call.reply<reference::CommitRefused>();
  if (refused != nullptr && refused->held) signs.push_back({call.at(), What::stood});
  if (call.reply<reference::Committed>() != nullptr) signs.push_back({call.at(), What::free});
  if (call.reply<reference::HoldSet>() == nullptr) return;
  if (sets) signs.push_back({call.at(), What::set});
  if (!clears) return;
  signs.push_back({call.at(), What::stood});
  signs.push_back({call.at(), What::free});
}

// The line at which each piece of work was over for good: it was done, or given up and acknowledged.
std::map<reference::EventId, std::size_t> ends_of_work(const LifeHistory& life) {
  std::map<reference::EventId, std::size_t> lines;
  for (const JournalWork& work : life.works)
    if (work.done != nullptr &&
        (work.done->result == WorkResult::done || work.done->result == WorkResult::duplicate)) {
      std::size_t& line = lines.try_emplace(work.item->event, work.done_line).first->second;
      line = std::min(line, work.done_line);
    }
  for (const JournalCall& call : life.calls) {
    sim::for_each_taken(call.asked->submission.request,
                        [&](const reference::EventId& event) { lines.try_emplace(event, call.line); });
  }
  return lines;
}

}  // namespace

LeadingTime::LeadingTime(const JournalHistory& history, ResourceId resource, const LeaseFacts& lease,
                         std::uint32_t branch)
    : history_(history), resource_(resource) {
  find_holds();
  for (const LeaseFacts::Term& term : lease.terms) {
    if (term.token.branch != branch) continue;
    if (!times_.contains(term.who)) {
      find_line_times(term.who);
      find_busy(term.who, busy_.try_emplace(term.who, held_).first->second);
    }
    LeadingTerm leading{term.who, term.from, term.from, {}};
    for (const JournalCall& call : history.lives.at(term.who).calls) {
      const auto* granted = call.reply<reference::Granted>();
      const auto* commit = call.request<reference::CommitFires>();
      const bool committed = commit != nullptr && call.reply<reference::Committed>() != nullptr;
      if ((granted != nullptr && granted->token == term.token) || (committed && commit->token == term.token))
        leading.to = std::max(leading.to, call.at());
    }
    last_ = std::max(last_, leading.to);
    count(leading, busy_.at(term.who));
    terms_.push_back(std::move(leading));
  }
}

void LeadingTime::find_line_times(Incarnation who) {
  const LifeHistory& life = history_.lives.at(who);
  LineTimes& times = times_[who];
  times.before.assign(life.lines.size(), StoreTime::min());
  times.after.assign(life.lines.size(), StoreTime::max());
  for (const JournalCall& call : life.calls) {
    if (!call.applied()) continue;
    if (call.answered_line + 1 < life.lines.size())
      times.before[call.answered_line + 1] = std::max(times.before[call.answered_line + 1], call.at());
    if (call.line > 0) times.after[call.line - 1] = std::min(times.after[call.line - 1], call.at());
  }
  for (std::size_t i = 1; i < life.lines.size(); ++i)
    times.before[i] = std::max(times.before[i], times.before[i - 1]);
  for (std::size_t i = life.lines.size(); i-- > 1;)
    times.after[i - 1] = std::min(times.after[i - 1], times.after[i]);
}

// Between two moments at which none stood, one may have stood all the time, but for the time before it was set.
void LeadingTime::find_holds() {
  std::vector<HoldSign> signs;
  history_.for_each_call(resource_, [&](const JournalCall& call) { take_hold_signs(call, signs); });
  std::stable_sort(signs.begin(), signs.end(),
                   [](const HoldSign& a, const HoldSign& b) { return a.at < b.at; });
  StoreTime free_since = StoreTime::min();
  std::optional<StoreTime> held_since;
  for (const HoldSign& sign : signs) {
    if (sign.what != HoldSign::What::free) {
      if (!held_since) held_since = sign.what == HoldSign::What::set ? sign.at : free_since;
      continue;
    }
    if (held_since) held_.add({*held_since, after_all(*held_since, sign.at)});
    held_since.reset();
    free_since = sign.at;
  }
  if (held_since) held_.add({*held_since, StoreTime::max()});
}

// What has heard that it is to stop is busy while its work runs, unless it goes on committing: then it does not stop.
void LeadingTime::find_busy(Incarnation who, sim::RangeSet& times) const {
  const LifeHistory& life = history_.lives.at(who);
  const LineTimes& lines = times_.at(who);
  const auto most = life.setting("scheduling.max_running");
  std::size_t commits_until = 0;
  for (const JournalCall& call : life.calls)
    if (call.request<reference::CommitFires>() != nullptr) commits_until = call.line;
  std::set<reference::EventId> running;
  std::optional<StoreTime> since;
  bool is_to_stop = false;
  for (std::size_t i = 0; i < life.lines.size(); ++i) {
    is_to_stop = is_to_stop || life.lines[i].as<StopAsked>() != nullptr;
    if (const auto* item = life.lines[i].as<WorkItem>()) running.insert(item->event);
    if (const auto* done = life.lines[i].as<WorkDone>()) running.erase(done->event);
    const bool stops = is_to_stop && i >= commits_until && !running.empty();
    const bool all = !most || static_cast<std::int64_t>(running.size()) >= *most || stops;
    if (all && !since) since = lines.before[i];
    if (all || !since) continue;
    times.add({*since, after_all(*since, lines.after[i])});
    since.reset();
  }
  if (since) times.add({*since, StoreTime::max()});
}

void LeadingTime::count(LeadingTerm& term, const sim::RangeSet& but) const {
  const auto touches = [&](StoreTime from, StoreTime to) {
    const sim::StoreRange both = but.first_overlap({from, after_all(from, to)});
    return both.from < both.to;
  };
  std::vector<const JournalCall*> calls;
  for (const JournalCall& call : history_.lives.at(term.who).calls)
    if (call.applied() && call.resource() == resource_ && call.at() >= term.from && call.at() <= term.to)
      calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(),
                   [](const JournalCall* a, const JournalCall* b) { return a->heard < b->heard; });
  term.counted.clear();
  Duration time;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i > 0 && !touches(std::min(calls[i - 1]->at(), calls[i]->at()), calls[i]->at()))
      time = time + std::min(calls[i]->heard - calls[i - 1]->heard, kLongestSilence);
    term.counted.push_back({calls[i]->at(), time});
  }
}

std::vector<LeadingTerm> LeadingTime::without_work_of(ScheduleId schedule, StoreTime end) const {
  std::map<Incarnation, sim::RangeSet> but = busy_;
  for (const auto& [who, times] : times_) {
    const LifeHistory& life = history_.lives.at(who);
    const auto ends = ends_of_work(life);
    for (const JournalWork& work : life.works) {
      if (work.item->event.schedule != schedule || work.item->event.slot >= end) continue;
      const auto over = ends.find(work.item->event);
      const StoreTime since = times.before[work.line];
      but[who].add(
          {since, over != ends.end() ? after_all(since, times.after[over->second]) : StoreTime::max()});
    }
  }
  std::vector<LeadingTerm> terms = terms_;
  for (LeadingTerm& term : terms) count(term, but.at(term.who));
  return terms;
}

}  // namespace tenure::lab
