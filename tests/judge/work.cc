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
  if (const auto* ack = as_house<reference::AckEvents>(request)) taken = ack->events;
  if (const auto* given_up = as_house<reference::GiveUpEvents>(request))
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

namespace {

// Who acted or believed last under the newest token.
std::optional<Incarnation> last_leader(const History& history) {
  std::optional<Incarnation> leader;
  std::optional<Token> newest;
  for (const Kept& kept : history.facts) {
    const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact);
    const auto* noted = std::get_if<KeptNote>(&kept.fact);
    const auto* believes = noted != nullptr ? std::get_if<Believes>(&noted->note) : nullptr;
    if (asked == nullptr && believes == nullptr) continue;
    const std::optional<Token> shown = asked != nullptr ? asked->item.token : believes->token;
    if (shown && newest && shown->older_than(*newest)) continue;
    if (shown) newest = shown;
    leader = asked != nullptr ? asked->who : noted->who;
  }
  return leader;
}

}  // namespace

bool waits_for_workers(const Case& run, Duration while_before) {
  const Parameters& scheduling = run.scenario.scheduling;
  if (scheduling.find("max_running") < 0) return false;
  const std::int64_t most = scheduling.number("max_running");
  const std::optional<Incarnation> leader = last_leader(run.history);
  if (!leader) return false;
  std::set<reference::EventId> at_work;
  sim::TrueTime all_busy_until = sim::TrueTime::min();
  for (const Kept& kept : run.history.facts) {
    const bool busy = static_cast<std::int64_t>(at_work.size()) >= most;
    if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact); asked != nullptr && asked->who == *leader)
      at_work.insert(asked->item.event);
    if (const auto* landed = std::get_if<KeptLanding>(&kept.fact);
        landed != nullptr && landed->who == *leader && landed->landing != sim::DeliveryOutcome::begun)
      at_work.erase(landed->item.event);
    if (const auto* ended = std::get_if<KeptEnding>(&kept.fact); ended != nullptr && ended->who == *leader)
      at_work.erase(ended->item.event);
    if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact); died != nullptr && died->who == *leader)
      return false;
    if (busy) all_busy_until = kept.at;
  }
  if (static_cast<std::int64_t>(at_work.size()) >= most) return true;
  return all_busy_until >= run.history.end - while_before;
}

}  // namespace tenure::judging
