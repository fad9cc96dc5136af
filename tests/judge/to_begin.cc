#include "tests/judge/to_begin.h"

#include <algorithm>

#include "tests/judge/tokens.h"
#include "tests/judge/work.h"

namespace tenure::judging {

ToBegin::ToBegin(const Case& run) {
  const Parameters& scheduling = run.scenario.scheduling;
  const int drift = scheduling.find("max_clock_drift_ppm");
  const std::int64_t slow = 1'000'000 - (drift >= 0 ? scheduling.number("max_clock_drift_ppm") : 0);
  attempts_ = static_cast<std::size_t>(scheduling.number("work_attempts"));
  again_within_ = Duration::seconds(60) * 1'000'000 / slow;
}

void ToBegin::see(const Kept& kept) {
  if (const auto* failed_over = std::get_if<sim::StoreFailedOver>(&kept.fact)) {
    branch_ = failed_over->branch;
    for (auto& [who, instance] : instances_) {
      instance.in_vain.clear();
      instance.waiting.clear();
      instance.longest_is_known = false;
    }
  } else if (const auto* work = std::get_if<KeptWorkAsked>(&kept.fact)) {
    asked(changed(work->who), work->item.event);
  } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
    if (landed->landing == sim::DeliveryOutcome::begun) return;
    Instance& instance = changed(landed->who);
    instance.running.erase(landed->item.event);
    if (landed->landing == sim::DeliveryOutcome::duplicate)
      over(instance, landed->item.event);
    else
      in_vain(instance, landed->item, kept.at);
  } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
    Instance& instance = changed(ended->who);
    instance.running.erase(ended->item.event);
    if (ended->ending != sim::Ending::failed)
      over(instance, ended->item.event);
    else if (!is_given_up(instance, ended->item))
      in_vain(instance, ended->item, kept.at);
  } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
    for (const reference::EventId& event : taken_by(submitted->submission.request))
      over(changed(submitted->who), event);
  } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
    if (as_reference<reference::CommitRefused>(applied->reply) != nullptr) return;
    for (const reference::EventId& event : taken_by(applied->request))
      changed(applied->who).delivered.erase(event);
  }
}

// It fails once more.
bool ToBegin::is_given_up(Instance& instance, const WorkItem& item) const {
  std::vector<std::optional<Token>>& tokens = instance.failed_under[item.event];
  if (!tokens.empty() && tokens.back() != item.token) tokens.clear();
  tokens.push_back(item.token);
  return tokens.size() >= attempts_;
}

void ToBegin::asked(Instance& instance, const reference::EventId& event) {
  instance.running.insert(event);
  instance.in_hand.insert(event);
  instance.in_vain.erase(event);
  instance.waiting.erase(event);
}

void ToBegin::in_vain(Instance& instance, const WorkItem& item, sim::TrueTime at) {
  if (item.token && item.token->branch < branch_) return;
  instance.in_vain[item.event] = at;
  instance.waiting[item.event].since = at + again_within_;
}

void ToBegin::over(Instance& instance, const reference::EventId& event) {
  if (instance.in_hand.erase(event) == 0) return;
  instance.delivered.insert(event);
  instance.failed_under.erase(event);
  instance.in_vain.erase(event);
  instance.waiting.erase(event);
}

void ToBegin::begins_to_lead(Incarnation who) {
  Instance& instance = changed(who);
  instance.in_hand = instance.running;
  instance.waiting.clear();
}

void ToBegin::shown(Incarnation who, std::uint64_t after, const reference::Outbox& page, sim::TrueTime at) {
  Instance& instance = changed(who);
  const bool is_last = !page.more || page.events.empty();
  std::map<std::uint64_t, reference::EventId> there;
  for (const reference::OutboxEvent& event : page.events) there[event.seq] = event.id;
  // What had its number on this page, and is not there any more.
  for (auto it = instance.waiting.begin(); it != instance.waiting.end();) {
    const std::uint64_t number = it->second.number;
    const bool on_page = number > after && (is_last || number <= page.events.back().seq);
    const auto now = there.find(number);
    const bool gone = on_page && (now == there.end() || now->second != it->first);
    it = gone ? instance.waiting.erase(it) : std::next(it);
  }
  const auto is_there = [&](const reference::EventId& event) {
    return std::any_of(there.begin(), there.end(), [&](const auto& one) { return one.second == event; });
  };
  if (after == 0 && !page.more)
    std::erase_if(instance.delivered, [&](const reference::EventId& event) { return !is_there(event); });
  for (const auto& [number, event] : there) {
    if (instance.in_hand.count(event) > 0 || instance.delivered.count(event) > 0) continue;
    const auto back = instance.in_vain.find(event);
    const sim::TrueTime since =
        back != instance.in_vain.end() ? std::max(at, back->second + again_within_) : at;
    instance.waiting.try_emplace(event, Waiting{since, number});
  }
}

ToBegin::Instance& ToBegin::changed(Incarnation who) {
  Instance& instance = instances_[who];
  instance.longest_is_known = false;
  return instance;
}

std::optional<sim::TrueTime> ToBegin::since(Incarnation who) {
  const auto found = instances_.find(who);
  if (found == instances_.end()) return std::nullopt;
  Instance& instance = found->second;
  if (!instance.longest_is_known) {
    instance.longest_is_known = true;
    instance.longest.reset();
    for (const auto& [event, one] : instance.waiting)
      instance.longest = std::min(instance.longest.value_or(one.since), one.since);
  }
  return instance.longest;
}

std::size_t ToBegin::count(Incarnation who) const {
  const auto instance = instances_.find(who);
  return instance != instances_.end() ? instance->second.waiting.size() : 0;
}

}  // namespace tenure::judging
