#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kWorkWasDone = "work-was-done";

bool is_over(WorkResult result) {
  return result == WorkResult::done || result == WorkResult::stopped || result == WorkResult::duplicate;
}

struct JournaledWork {
  std::optional<WorkResult> result;  // nullopt: nothing has come back
  std::uint32_t failures = 0;
  Duration wish = {};                  // how long its destination asked it to wait
  std::optional<MonoTime> first = {};  // when the life began it for the first time
};
const JournaledWork kNeverAskedFor{};

// By which request each event was given up, if nobody puts dead events back.
using DeadForGood = std::map<reference::EventId, const JournalCall*>;
DeadForGood dead_for_good(const JournalHistory& history, bool may_be_replayed) {
  DeadForGood dead;
  if (may_be_replayed) return dead;
  history.for_each_call([&](const JournalCall& call) {
    const auto* given_up = call.request<reference::GiveUpEvents>();
    if (given_up == nullptr || call.reply<reference::GivenUp>() == nullptr) return;
    for (const reference::DeadEvent& event : given_up->events) dead.try_emplace(event.id, &call);
  });
  return dead;
}

// After how many failures a life may give an event up, and after what age.
struct GivingUp {
  struct Attempts {
    std::uint32_t least;
    std::uint32_t most;
  };
  std::map<ScheduleId, Attempts> allowed;  // by what is known of the schedules' versions
  std::set<ScheduleId> own;                // work that never becomes too old
  std::optional<Duration> age;
  bool may_be_replayed;  // attempts go on, or begin anew
  const DeadForGood& dead;
  const std::set<reference::EventId>& again;  // given up before, and replayed

  GivingUp(const LifeHistory& life, const Definitions& definitions, bool replayed,
           const DeadForGood& given_up, const std::set<reference::EventId>& given_up_again)
      : may_be_replayed(replayed), dead(given_up), again(given_up_again) {
    if (const auto told = life.setting("scheduling.destination_age")) age = Duration::nanos(*told);
    const auto of_own = life.setting("scheduling.work_attempts");
    for (const auto& [schedule, versions] : definitions.versions)
      for (const reference::Change& version : versions) {
        const Delivery& delivery = version.definition.delivery;
        const bool is_own = delivery.kind == Delivery::Kind::work;
        const auto attempts = is_own ? static_cast<std::uint32_t>(of_own.value_or(0)) : delivery.attempts;
        const auto [known, fresh] = allowed.try_emplace(schedule, Attempts{attempts, attempts});
        known->second.least = std::min(known->second.least, attempts);
        known->second.most = std::max(known->second.most, attempts);
        if (fresh && is_own) own.insert(schedule);
        if (!is_own) own.erase(schedule);
      }
  }
  bool may_be_too_old(ScheduleId schedule, const JournaledWork& work, MonoTime now) const {
    if (own.contains(schedule)) return false;
    return !age || !work.first || now - *work.first + work.wish >= *age;
  }
};

// The acknowledgements of one process.
class Acknowledgements : Evidence {
 public:
  Acknowledgements(const Evidence& evidence, Incarnation who, const LifeHistory& life,
                   const GivingUp& giving_up)
      : Evidence(evidence),
        life_(who),
        who_(sim::who_text(who, NodeNames::by_id)),
        giving_up_(giving_up),
        knows_all_(life.begins()) {
    for (const LifeLine& line : life.lines) see(line);
  }

 private:
  void see(const LifeLine& line) {
    const sim::TrueTime at = line.at;
    const MonoTime now = line.mono();
    if (const auto* item = line.as<WorkItem>()) {
      JournaledWork& work = works_[item->event];
      judge_beginning(at, *item);
      if (!work.first) work.first = now;
      work.result.reset();
    } else if (const auto* done = line.as<WorkDone>()) {
      JournaledWork& work = works_[done->event];
      work.result = done->result;
      work.wish = std::min(done->retry_after, kLongestAsked);
      if (done->result == WorkResult::failed) ++work.failures;
    } else if (const auto* asked = line.as<journal::Asked>()) {
      const Request& request = asked->submission.request;
      if (const auto* ack = sim::reference_request<reference::AckEvents>(request))
        for (const reference::DeliveredEvent& had : ack->events) judge_delivered(at, had.id);
      if (const auto* given_up = sim::reference_request<reference::GiveUpEvents>(request))
        for (const reference::DeadEvent& dead : given_up->events) judge_dead(at, now, dead);
    }
  }

  void judge_beginning(sim::TrueTime at, const WorkItem& item) {
    const auto dead = giving_up_.dead.find(item.event);
    if (dead == giving_up_.dead.end()) return;
    const JournalCall& call = *dead->second;
    const bool later = item.token && call.request<reference::GiveUpEvents>()->token.older_than(*item.token);
    if (!later && (call.who() != life_ || call.heard >= at)) return;
    findings_.violate(kWorkWasDone, at,
                      fmt::format("{} began {} at {}, although it is dead, and nobody replayed it", who_,
                                  names_.event(item.event), sim::time_text(at)));
  }
  void judge_delivered(sim::TrueTime at, const reference::EventId& id) {
    const JournaledWork* const work = find(id);
    if (work == nullptr || (work->result && is_over(*work->result))) return;
    violate(at, id, "as delivered",
            !work->result ? "although its work had not come back"
                          : fmt::format("although its work had come back as {}", name_of(*work->result)));
  }
  void judge_dead(sim::TrueTime at, MonoTime now, const reference::DeadEvent& dead) {
    const JournaledWork* const work = find(dead.id);
    if (!knows_all_ || work == nullptr || giving_up_.again.contains(dead.id)) return;
    const std::string as = fmt::format("as dead after {} attempts", dead.attempts);
    if (work->failures < dead.attempts)
      return violate(at, dead.id, as, fmt::format("of which {} had failed", work->failures));
    const auto known = giving_up_.allowed.find(dead.id.schedule);
    if (known == giving_up_.allowed.end()) return;
    const auto [least, most] = known->second;
    const bool too_early = dead.attempts < least && !giving_up_.may_be_too_old(dead.id.schedule, *work, now);
    const bool too_late = dead.attempts > most && !giving_up_.may_be_replayed;
    if (too_early || too_late)
      violate(at, dead.id, as, fmt::format("and its schedule allows {}", too_early ? least : most));
  }
  // null: it may have been asked for before its journal begins.
  const JournaledWork* find(const reference::EventId& id) {
    const auto work = works_.find(id);
    if (work == works_.end() && !knows_all_) return nullptr;
    findings_.examined(kWorkWasDone);
    return work != works_.end() ? &work->second : &kNeverAskedFor;
  }
  void violate(sim::TrueTime at, const reference::EventId& id, const std::string& as,
               const std::string& why) {
    findings_.violate(
        kWorkWasDone, at,
        fmt::format("{} acknowledged {} {} at {}, {}", who_, names_.event(id), as, sim::time_text(at), why));
  }

  Incarnation life_;
  std::string who_;
  const GivingUp& giving_up_;
  bool knows_all_;  // its journal has its beginning
  std::map<reference::EventId, JournaledWork> works_;
};

std::set<reference::EventId> given_up_again(const JournalHistory& history) {
  std::set<reference::EventId> once;
  std::set<reference::EventId> again;
  history.for_each_call([&](const JournalCall& call) {
    if (const auto* given_up = call.request<reference::GiveUpEvents>())
      for (const reference::DeadEvent& dead : given_up->events)
        if (!once.insert(dead.id).second) again.insert(dead.id);
  });
  return again;
}

}  // namespace

void compare_deliveries(const Evidence& evidence) {
  const JournalHistory& history = evidence.history_;
  const std::set<reference::EventId> again = given_up_again(history);
  // A failover takes back what was given up, too.
  const bool may_be_replayed = history.has_client_change("redrive") || !history.tells_of_clients() ||
                               evidence.definitions_.failed_over;
  const DeadForGood dead = dead_for_good(history, may_be_replayed);
  for (const auto& [who, life] : history.lives) {
    const GivingUp giving_up(life, evidence.definitions_, may_be_replayed, dead, again);
    Acknowledgements{evidence, who, life, giving_up};
  }
}

}  // namespace tenure::lab
