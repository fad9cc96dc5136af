// Work that a leader was to begin, and did not by its journal, although it went on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

constexpr Duration kSendsWithin = Duration::seconds(15);
constexpr Duration kBeginsWithin = Duration::seconds(5);
constexpr Duration kLongestOwnWait = Duration::seconds(60);  // whatever the settings
// A life that writes nothing for so long may have stood still.
constexpr Duration kLongestPause = Duration::seconds(5);

// What waits for one destination, and is to be begun as soon as that has room. The leader's own work is one more
// destination, without a name.
//   1. What comes back as failed begins again when its wait is over, or is given up. The leader's own work does so
//      likewise when it was refused.
//   2. Where events were committed that nobody sends, something is sent there.
struct WaitingWork {
  std::map<reference::EventId, MonoTime> due;  // again
  std::set<reference::EventId> running;
  std::optional<MonoTime> unsent;  // since when such events wait, and nothing is sent

  void put_off(MonoTime now) {
    for (auto& [event, since] : due) since = std::max(since, now);
  }
  void acts(MonoTime now) {
    if (unsent) unsent = now;
  }
};

class WorkOfLife {
 public:
  WorkOfLife(const LifeHistory& life, const std::set<reference::EventId>& sent,
             const Definitions& definitions)
      : sent_(sent), definitions_(definitions) {
    const auto places = [&](const char* setting) { return life.setting(setting).value_or(0); };
    const std::int64_t own_places = places("scheduling.max_running");
    const std::int64_t others_places = places("scheduling.destination_running");
    if (const auto wait = life.setting("scheduling.work_retry")) own_wait_ = Duration::nanos(*wait);
    MonoTime last = MonoTime::min();
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const LifeLine& line = life.lines[i];
      const MonoTime now = line.mono();
      const bool stood_still = now - last > kLongestPause || line.note<ClockAlarm>() != nullptr;
      last = now;
      if (ends_turn(life, i))
        for (auto& [destination, work] : waiting_) work = {{}, std::move(work.running), {}};
      if (const JournalCall* call = life.answered_at(i)) take_answer(*call, now);
      if (const auto* asked = line.as<journal::Asked>())
        sim::for_each_taken(asked->submission.request,
                            [&](const reference::EventId& event) { taken(event); });
      if (const auto* item = line.as<WorkItem>()) begins(*item, now);
      if (const auto* done = line.as<WorkDone>()) ends(*done, now);
      for (auto& [destination, work] : waiting_) {
        const std::int64_t room = destination.empty() ? own_places : others_places;
        if (stood_still || static_cast<std::int64_t>(work.running.size()) >= room) work.put_off(now);
        if (stood_still) work.acts(now);
        for (const auto& [event, due] : work.due)
          if (now - due >= kBeginsWithin) left_.insert(event);
        if (work.unsent && now - *work.unsent >= kSendsWithin && work.running.empty())
          silent_.insert(destination);
      }
    }
  }
  // Destinations to which nothing was sent, although it was to be.
  const std::set<std::string>& silent() const { return silent_; }
  // What was to begin again.
  const std::set<reference::EventId>& left() const { return left_; }

 private:
  // What a hold keeps from beginning is not told by all lines.
  static bool ends_turn(const LifeHistory& life, std::size_t i) {
    const LifeLine& line = life.lines[i];
    const JournalCall* asked = life.asked_at(i);
    const JournalCall* answered = life.answered_at(i);
    const auto* refused = answered != nullptr ? answered->reply<reference::CommitRefused>() : nullptr;
    return line.note<StepsDown>() != nullptr || line.as<StopAsked>() != nullptr ||
           (asked != nullptr && asked->request<reference::SetHold>() != nullptr) ||
           (refused != nullptr && refused->held);
  }
  void take_answer(const JournalCall& call, MonoTime now) {
    for (const JournalRow& each : rows_of(call)) {
      const reference::Change* version = definitions_.find(each.row.schedule, each.row.version);
      if (!each.covered || each.row.what != reference::Disposition::fired || version == nullptr) continue;
      const Delivery& delivery = version->definition.delivery;
      const bool is_unsent = !sent_.contains({each.row.schedule, each.row.slot, 0});
      if (std::optional<MonoTime>& since = waiting_[delivery.destination].unsent;
          delivery.kind == Delivery::Kind::push && is_unsent && !since)
        since = now;
    }
  }
  // How what was fired is delivered; nullopt: that is not known, or a later fire may replace it.
  std::optional<Delivery> delivery_of(const reference::EventId& event) const {
    if (event.run != 0 || !definitions_.known_at(event.schedule, event.slot)) return std::nullopt;
    if (!definitions_.others_deliver(event))
      return Delivery{.back_off = own_wait_, .longest_back_off = std::max(own_wait_, kLongestOwnWait)};
    const reference::Change* version = definitions_.at(event);
    if (version == nullptr || version->definition.overlap == Overlap::replace) return std::nullopt;
    return version->definition.delivery;
  }
  // Of an event of which little is known, the one without a name: it may have a place there. And it may have been sent
  // anywhere.
  WaitingWork& acts_at(const reference::EventId& event, MonoTime now) {
    const reference::Change* version = definitions_.at(event);
    if (version == nullptr)
      for (auto& [destination, work] : waiting_) work.acts(now);
    WaitingWork& there =
        waiting_[version != nullptr ? version->definition.delivery.destination : std::string()];
    there.acts(now);
    return there;
  }
  void taken(const reference::EventId& event) {
    for (auto& [destination, work] : waiting_) work.due.erase(event);
  }
  void begins(const WorkItem& item, MonoTime now) {
    taken(item.event);
    acts_at(item.event, now).running.insert(item.event);
  }
  void ends(const WorkDone& done, MonoTime now) {
    WaitingWork& there = acts_at(done.event, now);
    there.running.erase(done.event);
    const std::optional<Delivery> delivery = delivery_of(done.event);
    const bool failed = done.result == WorkResult::failed;
    const bool refused = done.result == WorkResult::fenced || done.result == WorkResult::running;
    if (!delivery || delivery->kind == Delivery::Kind::pull) return;
    if (!failed && !(refused && delivery->kind == Delivery::Kind::work)) return;
    const Duration wait = back_off_after(*delivery, ++failures_[done.event]);
    there.due[done.event] = now + std::max(wait, std::min(done.retry_after, kLongestAsked));
  }

  const std::set<reference::EventId>& sent_;
  const Definitions& definitions_;
  Duration own_wait_ = kLongestOwnWait;
  std::map<std::string, WaitingWork> waiting_;  // by destination
  std::map<reference::EventId, std::uint32_t> failures_;
  std::set<std::string> silent_;
  std::set<reference::EventId> left_;
};

}  // namespace

void find_work_left(const Evidence& evidence) {
  const Definitions& definitions = evidence.definitions_;
  std::set<reference::EventId> sent;
  for (const auto& [who, life] : evidence.history_.lives)
    for (const JournalWork& work : life.works) sent.insert(work.item->event);
  for (const auto& [who, life] : evidence.history_.lives) {
    const WorkOfLife work(life, sent, definitions);
    for (const std::string& destination : work.silent())
      evidence.findings_.lacks(
          fmt::format("{} committed events for {}, went on for {}, and sent nothing there: lines are missing",
                      evidence.names_.who(who), destination, describe(kSendsWithin)));
    if (!work.left().empty())
      evidence.findings_.lacks(
          fmt::format("{} did not begin {} again, which had failed, and went on: lines are missing",
                      evidence.names_.who(who), evidence.names_.event(*work.left().begin())));
  }
}

}  // namespace tenure::lab
