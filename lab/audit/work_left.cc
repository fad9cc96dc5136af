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

// What comes back as failed, as stale or as running elsewhere begins again when its wait is over, or is given up. Of a
// leader's own work: it has workers for it as long as they are not all busy.
class RetriesOfLife {
 public:
  RetriesOfLife(const LifeHistory& life, const Definitions& definitions) : definitions_(definitions) {
    const auto wait = life.setting("scheduling.work_retry");
    const auto running = life.setting("scheduling.max_running");
    if (!wait || !running) return;
    MonoTime last = MonoTime::min();
    for (const LifeLine& line : life.lines) {
      const MonoTime now = line.mono();
      if (now - last > kLongestPause || line.note<ClockAlarm>() != nullptr) put_off(now);
      last = now;
      if (ends_turn(line)) due_.clear();
      if (const auto* asked = line.as<journal::Asked>())
        sim::for_each_taken(asked->submission.request,
                            [&](const reference::EventId& event) { due_.erase(event); });
      if (const auto* item = line.as<WorkItem>()) begins(*item);
      if (const auto* done = line.as<WorkDone>()) ends(*done, now, Duration::nanos(*wait));
      if (static_cast<std::int64_t>(running_.size()) >= *running) put_off(now);
      for (const auto& [event, due] : due_)
        if (now - due >= kBeginsWithin) left_.insert(event);
    }
  }
  const std::set<reference::EventId>& left() const { return left_; }

 private:
  static constexpr Duration kBeginsWithin = Duration::seconds(5);
  static constexpr Duration kLongestWait = Duration::seconds(60);  // of own work, whatever the settings

  // What a hold keeps from beginning is not told by all lines.
  static bool ends_turn(const LifeLine& line) {
    const auto* asked = line.as<journal::Asked>();
    return line.note<StepsDown>() != nullptr || line.as<StopAsked>() != nullptr ||
           (asked != nullptr &&
            sim::reference_request<reference::SetHold>(asked->submission.request) != nullptr);
  }
  void begins(const WorkItem& item) {
    due_.erase(item.event);
    running_.insert(item.event);
  }
  void ends(const WorkDone& done, MonoTime now, Duration wait) {
    running_.erase(done.event);
    const bool over = done.result == WorkResult::done || done.result == WorkResult::duplicate ||
                      done.result == WorkResult::stopped;
    if (over || done.event.run != 0 || !definitions_.known_at(done.event.schedule, done.event.slot) ||
        definitions_.others_deliver(done.event))
      return;
    for (std::uint32_t failed = failures_[done.event]++; failed > 0 && wait < kLongestWait; --failed)
      wait = wait * 2;
    due_[done.event] = now + std::max(std::min(wait, kLongestWait), done.retry_after);
  }
  void put_off(MonoTime now) {
    for (auto& [event, due] : due_) due = std::max(due, now);
  }

  const Definitions& definitions_;
  std::map<reference::EventId, MonoTime> due_;
  std::map<reference::EventId, std::uint32_t> failures_;
  std::set<reference::EventId> running_;
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
