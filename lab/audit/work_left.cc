// Work that a leader was to begin, and did not by its journal, although it went on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

constexpr Duration kSendsWithin = Duration::seconds(15);
// A life that writes nothing for so long may have stood still.
constexpr Duration kLongestPause = Duration::seconds(5);

class SendsOfLife {
 public:
  SendsOfLife(const LifeHistory& life, const std::set<reference::EventId>& sent,
              const Definitions& definitions)
      : sent_(sent), definitions_(definitions) {
    std::map<std::size_t, const JournalCall*> answers;  // by line
    for (const JournalCall& call : life.calls)
      if (call.answered != nullptr) answers[call.answered_line] = &call;
    MonoTime last = MonoTime::min();
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const LifeLine& line = life.lines[i];
      const MonoTime now = line.mono();
      if (now - last > kLongestPause) begin_anew(now);
      last = now;
      if (const auto call = answers.find(i); call != answers.end()) take_answer(*call->second, now);
      if (const auto* item = line.as<WorkItem>()) acts(item->event, true, now);
      if (const auto* done = line.as<WorkDone>()) acts(done->event, false, now);
      if (line.note<StepsDown>() != nullptr) waiting_.clear();
      for (auto& [destination, since] : waiting_)
        if (now - since >= kSendsWithin && running_[destination].empty()) silent_.insert(destination);
    }
  }
  // Destinations to which nothing was sent, although it was to be.
  const std::set<std::string>& silent() const { return silent_; }

 private:
  void take_answer(const JournalCall& call, MonoTime now) {
    const auto* refused = call.answered->reply_as<reference::CommitRefused>();
    if (refused != nullptr && refused->held) waiting_.clear();
    for (const JournalRow& each : rows_of(call)) {
      const reference::Change* version = definitions_.find(each.row.schedule, each.row.version);
      if (!each.covered || each.row.what != reference::Disposition::fired || version == nullptr) continue;
      const Delivery& delivery = version->definition.delivery;
      if (delivery.kind == Delivery::Kind::push && !sent_.contains({each.row.schedule, each.row.slot, 0}))
        waiting_.try_emplace(delivery.destination, now);
    }
  }
  // Of an event whose destination is not known, it may be any.
  void acts(const reference::EventId& event, bool begins, MonoTime now) {
    const reference::Change* version = definitions_.at(event);
    if (version == nullptr) return begin_anew(now);
    const std::string& destination = version->definition.delivery.destination;
    if (begins)
      running_[destination].insert(event);
    else
      running_[destination].erase(event);
    if (const auto waits = waiting_.find(destination); waits != waiting_.end()) waits->second = now;
  }
  void begin_anew(MonoTime now) {
    for (auto& [destination, since] : waiting_) since = now;
  }

  const std::set<reference::EventId>& sent_;
  const Definitions& definitions_;
  std::map<std::string, MonoTime> waiting_;  // since when it waits, and nothing is sent
  std::map<std::string, std::set<reference::EventId>> running_;
  std::set<std::string> silent_;
};

// What comes back as failed begins again when its wait is over, or is given up, while its destination has places. The
// leader's own work is one more destination, and begins again likewise when it was refused.
class RetriesOfLife {
 public:
  RetriesOfLife(const LifeHistory& life, const Definitions& definitions) : definitions_(definitions) {
    const auto places = [&](const char* setting) { return life.setting(setting).value_or(0); };
    const std::int64_t own_places = places("scheduling.max_running");
    const std::int64_t others_places = places("scheduling.destination_running");
    if (const auto wait = life.setting("scheduling.work_retry")) own_wait_ = Duration::nanos(*wait);
    MonoTime last = MonoTime::min();
    for (const LifeLine& line : life.lines) {
      const MonoTime now = line.mono();
      if (now - last > kLongestPause || line.note<ClockAlarm>() != nullptr)
        for (auto& [destination, queue] : queues_) queue.put_off(now);
      last = now;
      if (ends_turn(line))
        for (auto& [destination, queue] : queues_) queue.due.clear();
      if (const auto* asked = line.as<journal::Asked>())
        sim::for_each_taken(asked->submission.request,
                            [&](const reference::EventId& event) { taken(event); });
      if (const auto* item = line.as<WorkItem>()) begins(*item);
      if (const auto* done = line.as<WorkDone>()) ends(*done, now);
      for (auto& [destination, queue] : queues_) {
        const std::int64_t room = destination.empty() ? own_places : others_places;
        if (static_cast<std::int64_t>(queue.running.size()) >= room) queue.put_off(now);
        for (const auto& [event, due] : queue.due)
          if (now - due >= kBeginsWithin) left_.insert(event);
      }
    }
  }
  const std::set<reference::EventId>& left() const { return left_; }

 private:
  static constexpr Duration kBeginsWithin = Duration::seconds(5);
  static constexpr Duration kLongestOwnWait = Duration::seconds(60);  // whatever the settings

  struct Queue {
    std::map<reference::EventId, MonoTime> due;
    std::set<reference::EventId> running;
    void put_off(MonoTime now) {
      for (auto& [event, since] : due) since = std::max(since, now);
    }
  };

  // What a hold keeps from beginning is not told by all lines.
  static bool ends_turn(const LifeLine& line) {
    const auto* asked = line.as<journal::Asked>();
    return line.note<StepsDown>() != nullptr || line.as<StopAsked>() != nullptr ||
           (asked != nullptr &&
            sim::reference_request<reference::SetHold>(asked->submission.request) != nullptr);
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
  // Of an event of which little is known, the destination that is: it may have a place there.
  Queue& queue_of(const reference::EventId& event) {
    const reference::Change* version = definitions_.at(event);
    return queues_[version != nullptr ? version->definition.delivery.destination : std::string()];
  }
  void taken(const reference::EventId& event) {
    for (auto& [destination, queue] : queues_) queue.due.erase(event);
  }
  void begins(const WorkItem& item) {
    taken(item.event);
    queue_of(item.event).running.insert(item.event);
  }
  void ends(const WorkDone& done, MonoTime now) {
    queue_of(done.event).running.erase(done.event);
    const std::optional<Delivery> delivery = delivery_of(done.event);
    const bool failed = done.result == WorkResult::failed;
    const bool refused = done.result == WorkResult::fenced || done.result == WorkResult::running;
    if (!delivery || delivery->kind == Delivery::Kind::pull) return;
    if (!failed && !(refused && delivery->kind == Delivery::Kind::work)) return;
    const Duration wait = back_off_after(*delivery, ++failures_[done.event]);
    queue_of(done.event).due[done.event] = now + std::max(wait, std::min(done.retry_after, kLongestAsked));
  }

  const Definitions& definitions_;
  Duration own_wait_ = kLongestOwnWait;
  std::map<std::string, Queue> queues_;  // by destination; that of own work has no name
  std::map<reference::EventId, std::uint32_t> failures_;
  std::set<reference::EventId> left_;
};

}  // namespace

void find_work_left(const Evidence& evidence) {
  const Definitions& definitions = evidence.definitions_;
  std::set<reference::EventId> sent;
  for (const auto& [who, life] : evidence.history_.lives)
    for (const JournalWork& work : life.works) sent.insert(work.item->event);
  for (const auto& [who, life] : evidence.history_.lives) {
    const SendsOfLife sends(life, sent, definitions);
    for (const std::string& destination : sends.silent())
      evidence.findings_.lacks(
          fmt::format("{} committed events for {}, went on for {}, and sent nothing there: lines are missing",
                      evidence.names_.who(who), destination, describe(kSendsWithin)));
    const RetriesOfLife retries(life, definitions);
    if (!retries.left().empty())
      evidence.findings_.lacks(
          fmt::format("{} did not begin {} again, which had failed, and went on: lines are missing",
                      evidence.names_.who(who), evidence.names_.event(*retries.left().begin())));
  }
}

}  // namespace tenure::lab
