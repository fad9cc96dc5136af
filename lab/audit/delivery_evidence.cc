#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "core/journal/kinds.h"
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

// What is dead, and what may have been put back since. A client's line says that it did, and not which events.
struct DeadEvents {
  std::map<reference::EventId, const JournalCall*> first;  // of each event, the request that gave it up first
  std::map<reference::EventId, const JournalCall*> for_good;  // of those that nobody can have put back
  std::set<reference::EventId> committed;  // here, so that it was not dead before these journals
};
// The requests that gave an event up under a number of its own first. Those that repeat it may have taken nothing.
class FirstGiveUps {
 public:
  explicit FirstGiveUps(const JournalHistory& history) {
    history.for_each_call([&](const JournalCall& call) {
      const auto* given_up = call.request<reference::GiveUpEvents>();
      if (given_up == nullptr) return;
      for (const reference::DeadEvent& event : given_up->events) {
        const auto [known, fresh] = first_.try_emplace(name_of(*given_up, event), &call);
        if (!fresh && call.sent < known->second->sent) known->second = &call;
      }
    });
  }
  bool is_first(const JournalCall& call, const reference::DeadEvent& event) const {
    const auto* given_up = call.request<reference::GiveUpEvents>();
    return event.seq == 0 || first_.at(name_of(*given_up, event)) == &call;
  }

 private:
  using Name = std::tuple<reference::EventId, std::uint32_t, std::uint64_t>;
  static Name name_of(const reference::GiveUpEvents& given_up, const reference::DeadEvent& event) {
    return {event.id, given_up.token.branch, event.seq};
  }
  std::map<Name, const JournalCall*> first_;
};
// Whether a client may have put back what this request gave up.
bool may_be_put_back(const JournalHistory& history, const JournalCall& given_up) {
  bool may = !history.tells_of_clients();
  history.for_each_client_change(given_up.resource(), [&](const JournalClientChange& one) {
    may = may || (journal::kRequestKinds.at(one.change->kind) == "redrive" &&
                  (!one.change->done || one.change->done->position > given_up.answered->position));
  });
  return may;
}
DeadEvents dead_events(const JournalHistory& history, bool failed_over) {
  DeadEvents dead;
  const FirstGiveUps first_give_ups(history);
  history.for_each_call([&](const JournalCall& call) {
    for (const JournalRow& each : rows_of(call))
      if (each.row.what == reference::Disposition::fired && !failed_over)
        dead.committed.insert({each.row.schedule, each.row.slot, 0});
    const auto* given_up = call.request<reference::GiveUpEvents>();
    if (given_up == nullptr) return;
    const bool for_good =
        call.reply<reference::GivenUp>() != nullptr && !failed_over && !may_be_put_back(history, call);
    for (const reference::DeadEvent& event : given_up->events) {
      const auto [known, fresh] = dead.first.try_emplace(event.id, &call);
      if (!fresh && call.sent < known->second->sent) known->second = &call;
      if (for_good && first_give_ups.is_first(call, event)) dead.for_good.try_emplace(event.id, &call);
    }
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
  const DeadEvents& dead;

  GivingUp(const LifeHistory& life, const Definitions& definitions, const DeadEvents& dead_events)
      : dead(dead_events) {
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
        for (const reference::DeadEvent& dead : given_up->events) judge_dead(at, now, *asked, dead);
    }
  }

  void judge_beginning(sim::TrueTime at, const WorkItem& item) {
    const auto dead = giving_up_.dead.for_good.find(item.event);
    if (dead == giving_up_.dead.for_good.end()) return;
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
  // Of what was dead before, and was put back, the attempts go on.
  void judge_dead(sim::TrueTime at, MonoTime now, const journal::Asked& asked,
                  const reference::DeadEvent& dead) {
    const JournaledWork* const work = find(dead.id);
    const bool again = giving_up_.dead.first.at(dead.id)->asked != &asked;
    if (!knows_all_ || work == nullptr || again) return;
    const std::string as = fmt::format("as dead after {} attempts", dead.attempts);
    if (work->failures < dead.attempts)
      return violate(at, dead.id, as, fmt::format("of which {} had failed", work->failures));
    const auto known = giving_up_.allowed.find(dead.id.schedule);
    if (known == giving_up_.allowed.end()) return;
    const auto [least, most] = known->second;
    const bool too_early = dead.attempts < least && !giving_up_.may_be_too_old(dead.id.schedule, *work, now);
    const bool too_late = dead.attempts > most && giving_up_.dead.committed.contains(dead.id);
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

}  // namespace

void compare_deliveries(const Evidence& evidence) {
  const JournalHistory& history = evidence.history_;
  // A failover takes back what was given up, too.
  const DeadEvents dead = dead_events(history, evidence.definitions_.failed_over);
  for (const auto& [who, life] : history.lives) {
    const GivingUp giving_up(life, evidence.definitions_, dead);
    Acknowledgements{evidence, who, life, giving_up};
  }
}

}  // namespace tenure::lab
