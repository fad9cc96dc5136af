#include "lab/audit/leading_time.h"

#include <algorithm>
#include <optional>
#include <set>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// The same spans, in order and apart from each other.
std::vector<StoreSpan> merged(std::vector<StoreSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const StoreSpan& a, const StoreSpan& b) { return a.from < b.from; });
  std::vector<StoreSpan> apart;
  for (const StoreSpan& span : spans) {
    if (!apart.empty() && span.from <= apart.back().to)
      apart.back().to = std::max(apart.back().to, span.to);
    else
      apart.push_back(span);
  }
  return apart;
}
// REQUIRES: merged.
bool touches(const std::vector<StoreSpan>& spans, StoreTime from, StoreTime to) {
  const auto next = std::partition_point(spans.begin(), spans.end(),
                                         [&](const StoreSpan& span) { return span.to <= from; });
  return next != spans.end() && next->from < to;
}

// What calls say of the hold, in the order of the store's clock.
struct HoldSign {
  enum class What : std::uint8_t { set, stood, free };
  StoreTime at;
  What what;
};

void take_hold_signs(const JournalCall& call, std::vector<HoldSign>& signs) {
  using What = HoldSign::What;
  const Request& request = call.asked->submission.request;
  const bool sets = reference_request<reference::SetHold>(request) != nullptr;
  const bool clears = reference_request<reference::ClearHold>(request) != nullptr;
  if ((sets || clears) && call.in_doubt()) signs.push_back({call.not_before, What::stood});
  if (!call.applied()) return;
  const auto* refused = call.answered->reply_as<reference::CommitRefused>();
  if (refused != nullptr && refused->held) signs.push_back({call.at(), What::stood});
  if (call.answered->reply_as<reference::Committed>() != nullptr) signs.push_back({call.at(), What::free});
  if (call.answered->reply_as<reference::HoldSet>() == nullptr) return;
  if (sets) signs.push_back({call.at(), What::set});
  if (!clears) return;
  signs.push_back({call.at(), What::stood});
  signs.push_back({call.at(), What::free});
}

// The line that tells of the last commit that it sent; 0 if there is none.
std::size_t last_commit(const LifeHistory& life) {
  for (std::size_t i = life.lines.size(); i-- > 0;) {
    const auto* asked = std::get_if<journal::Asked>(&life.lines[i].line->event);
    if (asked != nullptr && reference_request<reference::CommitFires>(asked->submission.request) != nullptr)
      return i;
  }
  return 0;
}

// nullopt: the life does not say.
std::optional<std::size_t> max_running_of(const LifeHistory& life) {
  for (const LifeLine& line : life.lines) {
    const auto* began = std::get_if<journal::LifeBegan>(&line.line->event);
    if (began == nullptr) continue;
    const auto setting = began->settings.find("scheduling.max_running");
    if (setting != began->settings.end()) return static_cast<std::size_t>(setting->second);
  }
  return std::nullopt;
}

// The line at which each piece of work was over for good: it was done, or given up and acknowledged.
std::map<reference::EventId, std::size_t> ends_of_work(const LifeHistory& life) {
  std::map<reference::EventId, std::size_t> lines;
  for (std::size_t i = 0; i < life.lines.size(); ++i) {
    const auto* done = std::get_if<WorkDone>(&life.lines[i].line->event);
    if (done != nullptr && (done->result == WorkResult::done || done->result == WorkResult::duplicate))
      lines.try_emplace(done->event, i);
  }
  for (const JournalCall& call : life.calls) {
    for_each_taken(call.asked->submission.request,
                   [&](const reference::EventId& event) { lines.try_emplace(event, call.line); });
  }
  return lines;
}

}  // namespace

LeadingTime::LeadingTime(const JournalHistory& history, ResourceId resource, const LeaseFacts& lease,
                         std::uint32_t branch)
    : history_(history), resource_(resource), held_(holds()) {
  for (const LeaseFacts::Term& term : lease.terms) {
    if (term.token.branch != branch) continue;
    if (!times_.contains(term.who)) {
      find_line_times(term.who);
      busy_[term.who] = busy(term.who);
    }
    LeadingTerm leading{term.who, term.from, term.from, {}};
    for (const JournalCall& call : history.lives.at(term.who).calls) {
      const auto* granted = call.applied() ? call.answered->reply_as<reference::Granted>() : nullptr;
      if (granted != nullptr && granted->token == term.token) leading.to = std::max(leading.to, call.at());
    }
    last_ = std::max(last_, leading.to);
    count(leading, {});
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
std::vector<StoreSpan> LeadingTime::holds() const {
  std::vector<HoldSign> signs;
  history_.for_each_call(resource_, [&](const JournalCall& call) { take_hold_signs(call, signs); });
  std::stable_sort(signs.begin(), signs.end(),
                   [](const HoldSign& a, const HoldSign& b) { return a.at < b.at; });
  std::vector<StoreSpan> spans;
  StoreTime free_since = StoreTime::min();
  std::optional<StoreTime> held_since;
  for (const HoldSign& sign : signs) {
    if (sign.what != HoldSign::What::free) {
      if (!held_since) held_since = sign.what == HoldSign::What::set ? sign.at : free_since;
      continue;
    }
    if (held_since) spans.push_back({*held_since, sign.at});
    held_since.reset();
    free_since = sign.at;
  }
  if (held_since) spans.push_back({*held_since, StoreTime::max()});
  return spans;
}

// What has heard that it is to stop is busy while its work runs, unless it goes on committing: then it does not stop.
std::vector<StoreSpan> LeadingTime::busy(Incarnation who) const {
  const LifeHistory& life = history_.lives.at(who);
  const LineTimes& times = times_.at(who);
  const std::optional<std::size_t> most = max_running_of(life);
  const std::size_t commits_until = last_commit(life);
  std::vector<StoreSpan> spans;
  std::set<reference::EventId> running;
  std::optional<StoreTime> since;
  bool is_to_stop = false;
  for (std::size_t i = 0; i < life.lines.size(); ++i) {
    const journal::JournalEvent& event = life.lines[i].line->event;
    is_to_stop = is_to_stop || std::holds_alternative<StopAsked>(event);
    if (const auto* item = std::get_if<WorkItem>(&event)) running.insert(item->event);
    if (const auto* done = std::get_if<WorkDone>(&event)) running.erase(done->event);
    const bool stops = is_to_stop && i >= commits_until && !running.empty();
    const bool all = !most || running.size() >= *most || stops;
    if (all && !since) since = times.before[i];
    if (all || !since) continue;
    spans.push_back({*since, times.after[i]});
    since.reset();
  }
  if (since) spans.push_back({*since, StoreTime::max()});
  return spans;
}

void LeadingTime::count(LeadingTerm& term, const std::vector<StoreSpan>& more) const {
  std::vector<StoreSpan> spans = busy_.at(term.who);
  spans.insert(spans.end(), held_.begin(), held_.end());
  spans.insert(spans.end(), more.begin(), more.end());
  spans = merged(std::move(spans));
  std::vector<const JournalCall*> calls;
  for (const JournalCall& call : history_.lives.at(term.who).calls)
    if (call.applied() && JournalHistory::resource_of_call(call) == resource_ && call.at() >= term.from &&
        call.at() <= term.to)
      calls.push_back(&call);
  std::stable_sort(calls.begin(), calls.end(),
                   [](const JournalCall* a, const JournalCall* b) { return a->heard < b->heard; });
  term.counted.clear();
  Duration time;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i > 0 && !touches(spans, std::min(calls[i - 1]->at(), calls[i]->at()), calls[i]->at()))
      time = time + std::min(calls[i]->heard - calls[i - 1]->heard, kLongestSilence);
    term.counted.push_back({calls[i]->at(), time});
  }
}

std::vector<LeadingTerm> LeadingTime::without_work_of(ScheduleId schedule, StoreTime end) const {
  std::map<Incarnation, std::vector<StoreSpan>> in_hand;
  for (const auto& [who, times] : times_) {
    const LifeHistory& life = history_.lives.at(who);
    const auto ends = ends_of_work(life);
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const auto* item = std::get_if<WorkItem>(&life.lines[i].line->event);
      if (item == nullptr || item->event.schedule != schedule || item->event.slot >= end) continue;
      const auto over = ends.find(item->event);
      in_hand[who].push_back(
          {times.before[i], over != ends.end() ? times.after[over->second] : StoreTime::max()});
    }
  }
  std::vector<LeadingTerm> terms = terms_;
  for (LeadingTerm& term : terms) count(term, in_hand[term.who]);
  return terms;
}

}  // namespace tenure::sim
