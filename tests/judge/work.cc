#include "tests/judge/work.h"

#include <algorithm>
#include <set>

#include "tests/judge/tokens.h"

namespace tenure::judging {

std::map<reference::EventId, sim::TrueTime> begun_work(const History& history) {
  std::map<reference::EventId, sim::TrueTime> begun;
  for (const Kept& kept : history.facts) {
    const auto* landed = std::get_if<KeptLanding>(&kept.fact);
    if (landed != nullptr && landed->landing == sim::DeliveryOutcome::begun)
      begun.try_emplace(landed->item.event, kept.at);
  }
  return begun;
}

std::vector<reference::EventId> taken_by(const Request& request) {
  std::vector<reference::EventId> taken;
  if (const auto* ack = as_reference<reference::AckEvents>(request)) taken = ack->events;
  if (const auto* given_up = as_reference<reference::GiveUpEvents>(request))
    for (const reference::DeadEvent& dead : given_up->events) taken.push_back(dead.id);
  return taken;
}

std::vector<InHand> work_in_hand(const History& history) {
  std::vector<InHand> all;
  std::map<std::pair<Incarnation, reference::EventId>, std::size_t> open;
  const auto close = [&](std::size_t which, const Kept& kept) {
    all[which].to = kept.at;
    all[which].to_store = kept.store_now;
  };
  for (const Kept& kept : history.facts) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      if (!open.try_emplace({asked->who, asked->item.event}, all.size()).second) continue;
      all.push_back({asked->item.event, asked->who, kept.at});
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      for (const reference::EventId& event : taken_by(submitted->submission.request)) {
        const auto found = open.find({submitted->who, event});
        if (found == open.end()) continue;
        close(found->second, kept);
        open.erase(found);
      }
    } else if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact)) {
      for (auto it = open.begin(); it != open.end();) {
        if (it->first.first != died->who) {
          ++it;
          continue;
        }
        close(it->second, kept);
        it = open.erase(it);
      }
    }
  }
  return all;
}

bool waits_for_work(const std::vector<InHand>& in_hand, const Version& version, sim::TrueTime end) {
  return version.definition.overlap == Overlap::queue_one &&
         std::any_of(in_hand.begin(), in_hand.end(), [&](const InHand& work) {
           return work.event.schedule == version.schedule && work.to >= end;
         });
}

}  // namespace tenure::judging
