#include "lab/audit/send_evidence.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "core/model/describe.h"
#include "lab/audit/delivery_evidence.h"

namespace tenure::sim {
namespace {

constexpr Duration kSendsWithin = Duration::seconds(15);
// A life that writes nothing for so long may have stood still.
constexpr Duration kLongestPause = Duration::seconds(5);

class SendsOfLife {
 public:
  SendsOfLife(const LifeHistory& life, const std::set<reference::EventId>& sent,
              const Definitions& definitions)
      : sent_(sent), definitions_(definitions) {
    std::map<RequestId, const JournalCall*> calls;
    for (const JournalCall& call : life.calls) calls[call.asked->id] = &call;
    for (const LifeLine& line : life.lines) {
      const MonoTime now = line.line->now.mono;
      if (now - last_ > kLongestPause) begin_anew(now);
      last_ = now;
      const journal::JournalEvent& event = line.line->event;
      if (const auto* answered = std::get_if<journal::Answered>(&event)) {
        const auto call = calls.find(answered->id);
        if (call != calls.end()) take_answer(*call->second, now);
      }
      if (const auto* item = std::get_if<WorkItem>(&event)) acts(item->event, true, now);
      if (const auto* done = std::get_if<WorkDone>(&event)) acts(done->event, false, now);
      if (const auto* note = std::get_if<Note>(&event);
          note != nullptr && std::holds_alternative<StepsDown>(*note))
        waiting_.clear();
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
      if (delivery.kind != Delivery::Kind::push || sent_.contains({each.row.schedule, each.row.slot, 0}))
        continue;
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
  MonoTime last_ = MonoTime::min();
  std::map<std::string, MonoTime> waiting_;  // since when it waits, and nothing is sent
  std::map<std::string, std::set<reference::EventId>> running_;
  std::set<std::string> silent_;
};

}  // namespace

void compare_sends(const JournalHistory& history, const Definitions& definitions, const Names& names,
                   AuditFindings& findings) {
  if (clients_may_take(history)) return;
  std::set<reference::EventId> sent;
  for (const auto& [who, life] : history.lives)
    for (const LifeLine& line : life.lines)
      if (const auto* item = std::get_if<WorkItem>(&line.line->event)) sent.insert(item->event);
  for (const auto& [who, life] : history.lives) {
    const SendsOfLife sends(life, sent, definitions);
    for (const std::string& destination : sends.silent())
      findings.lacks(
          fmt::format("{} committed events for {}, went on for {}, and sent nothing there: lines are missing",
                      names.who(who), destination, describe(kSendsWithin)));
  }
}

}  // namespace tenure::sim
