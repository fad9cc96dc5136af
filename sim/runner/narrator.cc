#include "sim/runner/narrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"

namespace tenure::sim {
namespace {

std::string quoted_token(const std::optional<Token>& token) {
  return token ? " (" + describe(*token) + ")" : "";
}

NarratedEvent about(TrueTime now, Incarnation who, StoryKind kind, std::string text) {
  return {{now, describe(who.node), std::move(text), false}, kind, who.node, {}, false, false};
}

std::string_view in_words(Death how) {
  switch (how) {
    case Death::killed: return "is dead";
    case Death::stopped: return "has stopped";
    case Death::exited: return "exits: no longer leader";
  }
  CHECK(false, "every death has words");
}

NarratedEvent of_fault(TrueTime now, std::string who, std::string text) {
  return {{now, std::move(who), std::move(text), true}, StoryKind::fault, {}, {}, false, false};
}

NarratedEvent of_work(TrueTime now, Incarnation who, const WorkItem& item, std::string text) {
  NarratedEvent told = about(now, who, StoryKind::work, std::move(text));
  told.schedule = item.event.schedule;
  return told;
}

std::string wish(Duration retry_after) {
  return retry_after != Duration{} ? ", and asks for " + describe(retry_after) : "";
}

}  // namespace

std::string_view name_of(StoryKind kind) {
  switch (kind) {
    case StoryKind::leadership: return "leadership";
    case StoryKind::check: return "check";
    case StoryKind::lease: return "lease";
    case StoryKind::process: return "process";
    case StoryKind::work: return "work";
    case StoryKind::fault: return "fault";
    case StoryKind::store: return "store";
    case StoryKind::clock: return "clock";
    case StoryKind::violation: return "violation";
    case StoryKind::remark: break;
  }
  return "remark";
}

std::optional<NarratedEvent> Narrator::tell(TrueTime now, const Record& record) {
  if (const auto* noted = std::get_if<Noted>(&record)) return tell_note(now, *noted);
  if (const auto* applied = std::get_if<Applied>(&record)) return tell_applied(now, *applied);
  if (const auto* landed = std::get_if<WorkArrived>(&record)) return tell_landing(now, *landed);
  if (const auto* landed = std::get_if<DeliveryArrived>(&record)) return tell_delivery(now, *landed);
  if (const auto* ended = std::get_if<DeliveryEnded>(&record)) {
    if (ended->ending != Ending::failed) return std::nullopt;
    const WorkItem& item = ended->item;
    return of_work(now, ended->who, item,
                   item.destination + " fails at " + names_.event(item.event) + wish(ended->retry_after));
  }
  if (const auto* execution = std::get_if<WorkerExecution>(&record)) return tell_execution(now, *execution);
  if (const auto* write = std::get_if<WriteLanded>(&record)) {
    const std::string under = write->item.token ? " under " + describe(*write->item.token) : "";
    NarratedEvent told =
        about(now, write->who, StoryKind::work,
              (write->fenced ? "is fenced off by the resource: a write" : "writes to the resource") + under);
    told.routine = !write->fenced;
    return told;
  }
  if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    if (ended->ending == Ending::stopped)
      return of_work(now, ended->who, ended->item, "stops " + names_.event(ended->item.event));
    if (ended->ending == Ending::failed)
      return of_work(now, ended->who, ended->item, "fails at " + names_.event(ended->item.event));
    return std::nullopt;
  }
  if (const auto* resumed = std::get_if<NodeResumed>(&record))
    return about(now, resumed->who, StoryKind::process, "resumes");
  if (const auto* died = std::get_if<NodeDied>(&record)) {
    std::erase(believing_, died->who);
    return about(now, died->who, StoryKind::process, std::string(in_words(died->how)));
  }
  if (const auto* started = std::get_if<NodeStarted>(&record)) {
    if (started->who.number == 1) return std::nullopt;
    return about(now, started->who, StoryKind::process, "starts again");
  }
  if (const auto* began = std::get_if<FaultBegan>(&record))
    return of_fault(now, "", std::string(began->what));
  if (const auto* over = std::get_if<FaultEnded>(&record))
    return of_fault(now, "", std::string(over->action) + " is over");
  if (const auto* stalled = std::get_if<StoreReplicaStalled>(&record)) {
    replica_holder_ = holder_;
    return of_fault(now, names_.store(stalled->store),
                    "its replica stands still: what is committed from here on may be lost");
  }
  if (const auto* failed = std::get_if<StoreFailedOver>(&record)) {
    holder_ = replica_holder_;
    return of_fault(
        now, names_.store(failed->store),
        fmt::format("fails over to its replica, branch {}: what was committed since it stood still is lost",
                    failed->branch));
  }
  if (std::holds_alternative<Healed>(record))
    return of_fault(now, "", "everything is healed; the tail begins");
  return std::nullopt;
}

std::optional<NarratedEvent> Narrator::tell_note(TrueTime now, const Noted& noted) {
  const auto known = std::find(believing_.begin(), believing_.end(), noted.who);
  if (const auto* believes = std::get_if<Believes>(&noted.note)) {
    if (known != believing_.end()) return std::nullopt;
    believing_.push_back(noted.who);
    NarratedEvent told =
        about(now, noted.who, StoryKind::leadership, "leads" + quoted_token(believes->token));
    told.begins_leadership = true;
    return told;
  }
  if (const auto* down = std::get_if<StepsDown>(&noted.note)) {
    if (known != believing_.end()) believing_.erase(known);
    return about(now, noted.who, StoryKind::leadership, "steps down: " + std::string(down->why));
  }
  if (std::holds_alternative<LeadershipChecked>(noted.note)) {
    NarratedEvent told = about(now, noted.who, StoryKind::check, "makes sure that it leads, and acts on it");
    told.routine = true;
    return told;
  }
  if (const auto* alarm = std::get_if<ClockAlarm>(&noted.note))
    return about(now, noted.who, StoryKind::clock, "sees the store's clock jump by " + describe(alarm->jump));
  return std::nullopt;
}

std::optional<NarratedEvent> Narrator::tell_applied(TrueTime now, const Applied& applied) {
  std::optional<Incarnation> holder;
  std::string token;
  if (const auto* reply = std::get_if<reference::Reply>(&applied.reply)) {
    if (const auto* granted = std::get_if<reference::Granted>(reply)) {
      holder = applied.who;
      token = quoted_token(granted->token);
    } else if (const auto* refused = std::get_if<reference::CommitRefused>(reply)) {
      return about(now, applied.who, StoryKind::store,
                   refused->held ? "is refused: firing is on hold"
                                 : fmt::format("is refused by the store: {}", tenure::name_of(refused->why)));
    } else if (std::holds_alternative<reference::Released>(*reply)) {
      holder_ = {};
      return about(now, applied.who, StoryKind::lease, "releases the lease");
    }
  } else if (const auto* table = message_as<lease_table::Reply>(applied.reply)) {
    if (std::holds_alternative<lease_table::Locked>(*table)) holder = applied.who;
  } else if (const auto* written = message_as<record::Reply>(applied.reply)) {
    if (std::holds_alternative<record::Stored>(*written)) holder = applied.who;
  }
  if (!holder || *holder == holder_) return std::nullopt;
  holder_ = *holder;
  return about(now, applied.who, StoryKind::lease, "is given the lease by the store" + token);
}

NarratedEvent Narrator::tell_landing(TrueTime now, const WorkArrived& landed) const {
  const std::string what = names_.event(landed.item.event);
  const auto told = [&](std::string text) { return of_work(now, landed.who, landed.item, std::move(text)); };
  switch (landed.landing) {
    case DeliveryOutcome::begun: break;
    case DeliveryOutcome::fenced: return told("is fenced off by the resource: " + what);
    case DeliveryOutcome::running: return told("delivers " + what + " again; its work is still running");
    case DeliveryOutcome::duplicate: return told("delivers " + what + " again; it was begun before");
  }
  NarratedEvent begun = told("executes " + what);
  begun.routine = true;
  return begun;
}

// Workers have no line of their own among the nodes.
NarratedEvent Narrator::tell_execution(TrueTime now, const WorkerExecution& execution) const {
  const reference::EventId& event = execution.token.event;
  std::string text = execution.ending ? fmt::format("{}: {}", name_of(*execution.ending), names_.event(event))
                                      : "begins " + names_.event(event);
  if (execution.token.attempt > 1) text += fmt::format(", attempt {}", execution.token.attempt);
  const bool routine = !execution.ending || execution.ending == Ending::done;
  return {{now, names_.who(execution.who), std::move(text), false},
          StoryKind::work,
          {},
          event.schedule,
          false,
          routine};
}

NarratedEvent Narrator::tell_delivery(TrueTime now, const DeliveryArrived& landed) const {
  const WorkItem& item = landed.item;
  const std::string what = names_.event(item.event) + (item.attempt > 1 ? " again" : "");
  const auto told = [&](std::string text) { return of_work(now, landed.who, item, std::move(text)); };
  if (!landed.landing)
    return told("sends " + what + ", which " + item.destination + " does not take" +
                wish(landed.retry_after));
  const std::string sent = "sends " + what + " to " + item.destination;
  switch (*landed.landing) {
    case DeliveryOutcome::begun: break;
    case DeliveryOutcome::fenced: return told("is fenced off by " + item.destination + ": " + what);
    case DeliveryOutcome::running: return told(sent + ", which works on it already");
    case DeliveryOutcome::duplicate: return told(sent + ", which has had it");
  }
  NarratedEvent begun = told(sent);
  begun.routine = true;
  return begun;
}

}  // namespace tenure::sim
