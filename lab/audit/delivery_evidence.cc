#include "lab/audit/delivery_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/journal/kinds.h"
#include "core/model/describe.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kWorkWasDone = "work-was-done";
constexpr std::string_view kWaitsAsAsked = "waits-as-asked";
constexpr Duration kLongestAsked = Duration::hours(24);  // a longer wait counts as this (decision 63)

bool is_over(WorkResult result) {
  return result == WorkResult::done || result == WorkResult::stopped || result == WorkResult::duplicate;
}

struct JournaledWork {
  std::optional<WorkResult> result;  // nullopt: nothing has come back
  std::uint32_t failures = 0;
  std::optional<MonoTime> not_before = {};  // its destination asked for that
  Duration wish = {};                       // likewise, how long it was to wait
  std::optional<Token> token = {};
  std::optional<MonoTime> first = {};  // when the life began it for the first time
};
const JournaledWork kNeverAskedFor{};

// After how many failures a life may give an event up, and after what age.
struct GivingUp {
  std::map<ScheduleId, std::uint32_t> least;  // by what is known of the schedules' versions
  std::set<ScheduleId> own;                   // work that never becomes too old
  std::optional<Duration> age;
  const std::set<reference::EventId>& again;  // given up before, and replayed: attempts go on, or begin anew

  GivingUp(const LifeHistory& life, const Definitions& definitions,
           const std::set<reference::EventId>& given_up_again)
      : again(given_up_again) {
    const auto* began = std::get_if<journal::LifeBegan>(&life.lines.front().line->event);
    if (began == nullptr) return;
    const auto setting = [&](const char* name) -> std::optional<std::int64_t> {
      const auto known = began->settings.find(name);
      return known != began->settings.end() ? std::optional(known->second) : std::nullopt;
    };
    if (const auto told = setting("scheduling.destination_age")) age = Duration::nanos(*told);
    const auto of_own = setting("scheduling.work_attempts");
    for (const auto& [schedule, versions] : definitions.versions)
      for (const reference::Change& version : versions) {
        const Delivery& delivery = version.definition.delivery;
        const bool is_own = delivery.kind == Delivery::Kind::work;
        const auto attempts = is_own ? static_cast<std::uint32_t>(of_own.value_or(0)) : delivery.attempts;
        const auto [known, fresh] = least.try_emplace(schedule, attempts);
        if (!fresh) known->second = std::min(known->second, attempts);
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
class Acknowledgements {
 public:
  Acknowledgements(Incarnation who, const LifeHistory& life, const GivingUp& giving_up, bool knows_all,
                   const Names& names, AuditFindings& findings)
      : who_(who_text(who, NodeNames::by_id)),
        giving_up_(giving_up),
        knows_all_(knows_all),
        names_(names),
        findings_(findings) {
    for (const LifeLine& line : life.lines) see(line.at, line.line->now.mono, line.line->event);
  }

 private:
  void see(TrueTime at, MonoTime now, const journal::JournalEvent& event) {
    if (const auto* item = std::get_if<WorkItem>(&event)) {
      JournaledWork& work = works_[item->event];
      if (work.token == item->token) judge_wait(at, now, item->event, work);
      if (!work.first) work.first = now;
      work.token = item->token;
      work.result.reset();
      work.not_before.reset();
    } else if (const auto* done = std::get_if<WorkDone>(&event)) {
      JournaledWork& work = works_[done->event];
      work.result = done->result;
      work.wish = std::min(done->retry_after, kLongestAsked);
      if (work.wish > Duration{}) work.not_before = now + work.wish;
      if (done->result == WorkResult::failed) ++work.failures;
    } else if (const auto* asked = std::get_if<journal::Asked>(&event)) {
      const Request& request = asked->submission.request;
      // An operator may have what is dead sent again, at once.
      for_each_taken(request, [&](const reference::EventId& id) {
        if (const auto work = works_.find(id); work != works_.end()) work->second.not_before.reset();
      });
      if (const auto* ack = reference_request<reference::AckEvents>(request))
        for (const reference::EventId& id : ack->events) judge_delivered(at, id);
      if (const auto* given_up = reference_request<reference::GiveUpEvents>(request))
        for (const reference::DeadEvent& dead : given_up->events) judge_dead(at, now, dead);
    } else if (const auto* note = std::get_if<Note>(&event); note != nullptr && ends_leadership(*note)) {
      for (auto& work : works_) work.second.not_before.reset();  // the next one has not heard of it
    }
  }
  static bool ends_leadership(const Note& note) { return std::holds_alternative<StepsDown>(note); }

  void judge_wait(TrueTime at, MonoTime now, const reference::EventId& id, const JournaledWork& work) {
    if (!work.not_before) return;
    findings_.examined(kWaitsAsAsked);
    if (now >= *work.not_before) return;
    findings_.violate(
        kWaitsAsAsked, at,
        fmt::format("{} sent {} again at {}, {} before the time that its destination had asked for", who_,
                    names_.event(id), time_text(at), describe(*work.not_before - now)));
  }

  void judge_delivered(TrueTime at, const reference::EventId& id) {
    const JournaledWork* const work = find(id);
    if (work == nullptr || (work->result && is_over(*work->result))) return;
    violate(at, id, "as delivered",
            !work->result ? "although its work had not come back"
                          : fmt::format("although its work had come back as {}", name_of(*work->result)));
  }
  void judge_dead(TrueTime at, MonoTime now, const reference::DeadEvent& dead) {
    const JournaledWork* const work = find(dead.id);
    if (!knows_all_ || work == nullptr || giving_up_.again.contains(dead.id)) return;
    const std::string as = fmt::format("as dead after {} attempts", dead.attempts);
    if (work->failures < dead.attempts)
      return violate(at, dead.id, as, fmt::format("of which {} had failed", work->failures));
    const auto least = giving_up_.least.find(dead.id.schedule);
    if (least == giving_up_.least.end() || dead.attempts >= least->second) return;
    if (!giving_up_.may_be_too_old(dead.id.schedule, *work, now))
      violate(at, dead.id, as, fmt::format("and its schedule allows {}", least->second));
  }
  // null: it may have been asked for before its journal begins.
  const JournaledWork* find(const reference::EventId& id) {
    const auto work = works_.find(id);
    if (work == works_.end() && !knows_all_) return nullptr;
    findings_.examined(kWorkWasDone);
    return work != works_.end() ? &work->second : &kNeverAskedFor;
  }
  void violate(TrueTime at, const reference::EventId& id, const std::string& as, const std::string& why) {
    findings_.violate(
        kWorkWasDone, at,
        fmt::format("{} acknowledged {} {} at {}, {}", who_, names_.event(id), as, time_text(at), why));
  }

  std::string who_;
  const GivingUp& giving_up_;
  bool knows_all_;  // its journal has its beginning
  const Names& names_;
  AuditFindings& findings_;
  std::map<reference::EventId, JournaledWork> works_;
};

std::set<reference::EventId> given_up_again(const JournalHistory& history) {
  std::set<reference::EventId> once;
  std::set<reference::EventId> again;
  for (const auto& [who, life] : history.lives)
    for (const JournalCall& call : life.calls)
      if (const auto* given_up = reference_request<reference::GiveUpEvents>(call.asked->submission.request))
        for (const reference::DeadEvent& dead : given_up->events)
          if (!once.insert(dead.id).second) again.insert(dead.id);
  return again;
}

// Fires that were refused as done before, though by these journals nobody began them.
void say_what_began_nowhere(const JournalHistory& history, AuditFindings& findings) {
  std::set<reference::EventId> begun;
  std::set<reference::EventId> refused;
  for (const auto& [who, life] : history.lives) {
    std::set<reference::EventId> open;
    for (const LifeLine& line : life.lines) {
      if (const auto* item = std::get_if<WorkItem>(&line.line->event);
          item != nullptr && !is_of_a_term(*item))
        open.insert(item->event);
      const auto* done = std::get_if<WorkDone>(&line.line->event);
      if (done == nullptr || open.erase(done->event) == 0) continue;
      if (done->result == WorkResult::duplicate) refused.insert(done->event);
      const bool began = done->result == WorkResult::done || done->result == WorkResult::stopped ||
                         done->result == WorkResult::failed;
      if (began) begun.insert(done->event);
    }
    begun.insert(open.begin(), open.end());
  }
  const auto nowhere = std::count_if(refused.begin(), refused.end(),
                                     [&](const reference::EventId& event) { return !begun.contains(event); });
  if (nowhere > 0)
    findings.lacks(
        fmt::format("{} pieces of work were refused as done before, and began in no journal here: a "
                    "journal is missing, or nobody did them",
                    nowhere));
}

}  // namespace

bool clients_may_take(const JournalHistory& history) {
  const auto takes = [](const JournalClientChange& one) {
    return journal::kRequestKinds.at(one.change->kind) == "ack-events";
  };
  return std::any_of(history.lives.begin(), history.lives.end(), [&](const auto& known) {
    const std::vector<JournalClientChange>& changes = known.second.client_changes;
    return std::any_of(changes.begin(), changes.end(), takes);
  });
}

void compare_deliveries(const JournalHistory& history, const Definitions& definitions, const Names& names,
                        AuditFindings& findings) {
  const std::set<reference::EventId> again = given_up_again(history);
  bool all = true;
  for (const auto& [who, life] : history.lives) {
    const bool from_the_beginning = life.begins();
    if (life.lines.empty()) continue;
    const GivingUp giving_up(life, definitions, again);
    Acknowledgements{who, life, giving_up, from_the_beginning, names, findings};
    all = all && from_the_beginning;
  }
  if (all && !clients_may_take(history)) say_what_began_nowhere(history, findings);
}

}  // namespace tenure::sim
