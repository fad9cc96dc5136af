// The reference store's requests and replies in words; the rest of describe.h is in describe.cc.
#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/base/one_of.h"
#include "core/base/readable_text.h"
#include "core/model/describe.h"

namespace tenure {

std::string on_one_line(std::string_view long_text) {
  constexpr std::size_t kShown = 80;
  std::string text;
  for (const char c : long_text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (text.size() <= kShown) return readable_text(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return readable_text(text.substr(0, end)) + "…";
}

std::string in_resource(ResourceId resource) {
  return resource.value == 0 ? std::string{} : fmt::format(" (resource {})", resource.value);
}

std::string describe(const Definition& definition) {
  struct Words {
    std::string operator()(const Interval& it) const {
      return fmt::format("every {} from {}", tenure::describe(it.period), tenure::describe(it.start));
    }
    std::string operator()(const CronRule& it) const {
      return fmt::format("cron `{}` in {}", it.cron->text(), it.zone->name());
    }
    std::string operator()(const Times& it) const {
      return fmt::format("{} times from {}", it.at->size(), tenure::describe(it.at->front()));
    }
  };
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = definition.delivery;
  std::string text = std::visit(Words{}, definition.recurrence) + (definition.paused ? ", paused" : "");
  if (kind == Delivery::Kind::pull) text += ", pulled";
  if (kind == Delivery::Kind::push) text += ", pushed to `" + on_one_line(destination) + "`";
  return text + (strict_order ? " in strict order" : "");
}

namespace reference {
namespace {

std::string hex(std::uint64_t number) { return fmt::format("{:x}", number); }
std::string quoted(std::string_view text) { return "`" + on_one_line(text) + "`"; }
// A part of a sentence that is there if `is`.
std::string_view when(bool is, std::string_view part) { return is ? part : ""; }
std::string after_colon(const std::string& why) { return why.empty() ? "" : ": " + on_one_line(why); }
std::string by(const std::string& actor, const std::string& why = {}) {
  return (actor.empty() ? "" : " by " + on_one_line(actor)) + after_colon(why);
}

// A sentence is said part by part, and each part has its words here.
struct Sentences {
  NodeNames names = NodeNames::from_one;

  template <class... Parts>
  std::string say(const Parts&... parts) const {
    std::string text;
    (text.append(words(parts)), ...);
    return text;
  }

  std::string_view words(std::string_view text) const { return text; }
  std::string words(std::integral auto number) const { return std::to_string(number); }
  std::string words(ScheduleId schedule) const { return std::to_string(schedule.value); }
  std::string words(NodeId node) const { return std::to_string(node.value); }
  std::string words(ResourceId resource) const { return in_resource(resource); }
  std::string words(Incarnation holder) const { return describe(holder, names); }
  template <class Enum>
    requires std::is_enum_v<Enum> std::string_view words(Enum value)
  const { return name_of(value); }
  template <class T>
    requires kIsOneOf<T, Token, Duration, StoreTime, Definition, EventId> std::string words(const T& it)
  const { return describe(it); }
  std::string_view words(LogAction it) const {
    constexpr std::string_view kNames[] = {"put", "paused", "resumed", "deleted"};
    return kNames[static_cast<std::size_t>(it)];
  }
  template <class T>
  std::string words(const std::vector<T>& items) const {
    std::string text = "[";
    for (const T& item : items) text.append(text.size() > 1 ? "; " : "").append(words(item));
    return text + "]";
  }

  std::string words(const Segment& it) const {
    return say("schedule ", it.schedule, " v", it.version, " at ", it.cursor) +
           (it.end != StoreTime::max() ? say(" ending ", it.end) : "");
  }
  std::string words(const LedgerRow& it) const {
    return say("schedule ", it.schedule, " v", it.version, " ", it.what, " [", it.from, ", ", it.to, ")") +
           (it.slots != 1 ? say(" ", it.slots, " slots") : "");
  }
  std::string words(const std::optional<Hold>& it) const {
    return it ? say("held since ", it->since, " for a jump of ", it->jump) : "no hold";
  }
  std::string words(const OutboxEvent& it) const { return say(it.seq, ": ", it.id); }
  std::string words(const DeliveredEvent& it) const {
    return say(it.id, when(!it.to.empty(), " to "), it.to);
  }
  std::string words(const DeadEvent& it) const {
    return (it.seq != 0 ? say(it.seq, ": ") : "") + say(it.id, ", ", it.attempts, " attempts") +
           (it.seq != 0 ? say(", since ", it.since) : "") + after_colon(it.why);
  }
  std::string words(const Change& it) const {
    return say(it.seq, ": ", it.segment, " ") + (it.deleted      ? "deleted"
                                                 : it.unreadable ? "unreadable"
                                                                 : describe(it.definition));
  }
  // Of a payload, what it is and no more of it.
  std::string words(const Payload& it) const {
    return say("payload of ", it.data.size(), " bytes (", hex(hash_text(it.data)), ") for topic ",
               quoted(it.topic));
  }
  std::string words(const Edition& it) const { return say(it.schedule, ".", it.version); }
  std::string words(const NamedSchedule& it) const {
    return say(it.name, " ", it.edition, " ", it.unreadable ? "unreadable" : describe(it.definition), ", ",
               it.payload, ", covered until ", it.covered);
  }
  std::string words(const EventPayload& it) const {
    return say(it.event, ": ", it.found ? say(it.name, " v", it.version, ", ", it.payload) : "not here");
  }
  std::string words(const LogEntry& it) const {
    return say(it.seq, ": ", it.name, " ", it.edition, " ", it.what, by(it.actor, it.why));
  }
  std::string words(const ExecutionToken& it) const {
    return say(it.event, " attempt ", it.attempt, " nonce ", hex(it.nonce));
  }
  std::string words(const ExecutionEnd& it) const {
    return say(it.token, it.failed ? " failed" : " completed", after_colon(it.why));
  }
  std::string words(const Execution& it) const {
    return say(it.seq, ": ", it.token, " v", it.version, " until ", it.until);
  }
  std::string words(const ExecutionState& it) const {
    return say(it.standing) + (it.until == StoreTime{} ? "" : say(" until ", it.until));
  }
  std::string words(const WaitingEvent& it) const {
    const char* const state = it.claimed ? " claimed until " : " over, waits until ";
    return say(it.seq, ": ", it.id, " v", it.version, " for ", quoted(it.name)) +
           (it.attempt != 0 ? say(", attempt ", it.attempt, state, it.until) : "");
  }
  std::string words(const HistoryRow& it) const {
    return say(it.seq, ": schedule ", it.schedule, " v", it.version, " ", it.what) +
           (it.slot != StoreTime{} ? say(" ", it.slot) : "") + (it.run != 0 ? say(" run ", it.run) : "") +
           (it.slots > 1 ? say(" for ", it.slots, " slots") : "");
  }
  std::string words(const RegisteredNode& it) const {
    return say(it.node, " ", quoted(it.name), ", seen ", it.seen);
  }
  std::string words(const Depth& it) const {
    return it.events == 0 ? "none" : say(it.events, " since ", it.oldest);
  }

  // ---- requests ------------------------------------------------------------------------------------------------

  std::string operator()(const Acquire& it) const {
    return say("acquire as ", it.holder, ", epoch seen ", it.epoch_seen, ", nonce ", hex(it.nonce), ", for ",
               it.duration, it.resource);
  }
  std::string operator()(const Renew& it) const {
    return say("renew as ", it.holder, ", ", it.token, ", for ", it.duration, it.resource);
  }
  std::string operator()(const Release& it) const {
    return say("release as ", it.holder, ", ", it.token, it.resource);
  }
  std::string operator()(const PutSchedule& it) const {
    return say("put schedule ", it.schedule, " over version ", it.expected_version, ": ", it.definition,
               it.resource);
  }
  std::string operator()(const DeleteSchedule& it) const {
    return say("delete schedule ", it.schedule, " at version ", it.expected_version, it.resource);
  }
  std::string operator()(const TriggerSchedule& it) const {
    return say("trigger schedule ", it.schedule, " run ", it.run, " of ", it.at, it.resource);
  }
  std::string operator()(const BackfillSchedule& it) const {
    return say("backfill schedule ", it.schedule, " run ", it.run, ", ", it.slots.size(), " slots",
               it.resource);
  }
  std::string operator()(const ReadDue& it) const {
    return say("read due before ", it.horizon, ", at most ", it.limit,
               it.after ? say(", after ", *it.after) : "", it.resource);
  }
  std::string operator()(const CommitFires& it) const {
    return say("commit fires as ", it.holder, ", ", it.token, ": ", it.rows, it.resource);
  }
  std::string operator()(const ReadOutbox& it) const {
    return say("read outbox after ", it.after, ", at most ", it.limit, it.resource);
  }
  std::string operator()(const AckEvents& it) const { return say("acknowledge ", it.events, it.resource); }
  std::string operator()(const GiveUpEvents& it) const {
    return say("give up as ", it.holder, ", ", it.token, ": ", it.events, it.resource);
  }
  std::string operator()(const ReadDead& it) const {
    return say("read ", it.discarded ? "discarded" : "dead", " events after ", it.after, ", at most ",
               it.limit, it.resource);
  }
  std::string operator()(const DiscardDead& it) const {
    return say("discard ", it.events, it.actor.empty() ? "" : " as " + quoted(it.actor), it.resource);
  }
  std::string operator()(const Redrive& it) const { return say("redrive ", it.events, it.resource); }
  std::string operator()(const ChangesSince& it) const {
    return say("changes since ", it.seq, ", at most ", it.limit, it.resource);
  }
  std::string operator()(const SetHold& it) const {
    return say("set hold as ", it.holder, ", ", it.token, ", jump ", it.jump, it.resource);
  }
  std::string operator()(const ClearHold& it) const {
    return say("clear hold as ", it.holder, ", ", it.token, it.resource);
  }
  std::string operator()(const Prune& it) const {
    return say("prune before ", it.before, ", at most ", it.limit, it.resource);
  }
  std::string operator()(const PutNamed& it) const {
    return say("put schedule `", it.name, "` ", it.expected ? say("over ", *it.expected) : "which is new",
               ": ", it.definition, ", ", it.payload, by(it.actor), it.resource);
  }
  std::string operator()(const DeleteNamed& it) const {
    return say("delete schedule `", it.name, "` at ", it.expected, by(it.actor), it.resource);
  }
  std::string operator()(const PauseNamed& it) const {
    return say(it.paused ? "pause" : "resume", " schedule `", it.name, "`", it.resource,
               by(it.actor, it.why));
  }
  std::string operator()(const ReadNamed& it) const {
    return say("read schedule `", it.name, "`", it.resource);
  }
  std::string operator()(const ListNamed& it) const {
    return say("list schedules after `", it.after, "`, at most ", it.limit, it.resource);
  }
  std::string operator()(const ReadPayloads& it) const {
    return say("read payloads of ", it.events, it.resource);
  }
  std::string operator()(const ReadLog& it) const {
    return say("read log after ", it.after, ", at most ", it.limit, it.resource);
  }
  std::string operator()(const ReadHistory& it) const {
    return say("read history", it.schedule ? say(" of schedule ", *it.schedule) : "",
               it.newest_first ? " before " : " after ", it.after, ", at most ", it.limit, it.resource);
  }
  std::string operator()(const ReadWaiting& it) const {
    return say("read what waits for ", it.kind, it.name ? " of " + quoted(*it.name) : "", " after ", it.after,
               ", at most ", it.limit, it.resource);
  }
  std::string operator()(const ReadDepths& it) const {
    return say("read how much waits", when(it.ahead, ", and what is ahead"), it.resource);
  }
  std::string operator()(const ClaimExecutions& it) const {
    return say("claim at most ", it.max, " of ", quoted(it.topic), " for ", it.duration, " as ",
               quoted(it.worker), ", nonce ", hex(it.nonce), it.resource);
  }
  std::string operator()(const ExtendExecutions& it) const {
    return say("extend for ", it.duration == Duration{} ? "as long as before" : describe(it.duration), ": ",
               it.executions, it.resource);
  }
  std::string operator()(const EndExecutions& it) const { return say("end ", it.ends, it.resource); }
  std::string operator()(const ReleaseExecutions& it) const {
    return say("release ", it.executions, it.resource);
  }
  std::string operator()(const RegisterNode& it) const {
    return say("register instance ", quoted(it.name), it.resource);
  }
  std::string operator()(const ReadNodes& it) const { return say("read instances", it.resource); }

  // ---- replies -------------------------------------------------------------------------------------------------

  std::string operator()(const Granted& it) const { return say("granted ", it.token, " for ", it.duration); }
  std::string operator()(const Refused& it) const {
    return say("refused: ", it.why, ", held by ", it.holder, ", epoch ", it.epoch, ", ", it.remaining,
               " left");
  }
  std::string operator()(const Released&) const { return "released"; }
  std::string operator()(const Edited& it) const {
    return say("edited: version ", it.version, ", change ", it.change_seq,
               it.first_at ? say(", first asked for at ", *it.first_at) : "");
  }
  std::string operator()(const EditRefused& it) const {
    return say("edit refused: ", it.why, ", version ", it.version);
  }
  std::string operator()(const Due& it) const {
    return say("due ", it.segments, when(it.more, " and more"), ", changes up to ", it.change_seq, ", ",
               it.hold);
  }
  std::string operator()(const Committed& it) const { return say("committed ", it.rows); }
  std::string operator()(const CommitRefused& it) const {
    return say("commit refused: ", it.held ? "held" : name_of(it.why));
  }
  std::string operator()(const Outbox& it) const {
    return say("outbox ", it.events, when(it.more, " and more"),
               when(it.push_waits, ", events for destinations wait"));
  }
  std::string operator()(const Acknowledged& it) const {
    return say("acknowledged", it.claimed == 0 ? "" : say(", but for ", it.claimed, " that are claimed"));
  }
  std::string operator()(const GivenUp&) const { return "given up"; }
  std::string operator()(const Dead& it) const {
    return say(it.discards.empty() ? "dead " : "discarded ", it.events, when(it.more, " and more"));
  }
  std::string operator()(const Discarded& it) const { return say("discarded: ", it.events, " events"); }
  std::string operator()(const Redriven& it) const { return say("redriven: ", it.events, " events"); }
  std::string operator()(const Changes& it) const {
    return say("changes ", it.changes, when(it.more, " and more"), " up to ", it.seq, ", ", it.hold);
  }
  std::string operator()(const HoldSet& it) const { return say(it.hold); }
  std::string operator()(const Pruned& it) const { return say("pruned ", it.rows, " rows"); }
  std::string operator()(const NamedEdited& it) const {
    return say("edited: ", it.edition, ", change ", it.change_seq);
  }
  std::string operator()(const NamedRefused& it) const {
    return say("edit refused: ", it.why, ", ",
               it.edition.version == 0 ? "no schedule has the name" : say("it is ", it.edition));
  }
  std::string operator()(const NamedSchedules& it) const {
    return say("schedules ", it.schedules, when(it.more, " and more"));
  }
  std::string operator()(const Payloads& it) const { return say("payloads ", it.events); }
  std::string operator()(const Log& it) const { return say("log ", it.entries, when(it.more, " and more")); }
  std::string operator()(const HistoryPage& it) const {
    return say("history ", it.rows, when(it.more, " and more"), " up to ", it.last);
  }
  std::string operator()(const WaitingEvents& it) const {
    return say("waiting ", it.events, when(it.more, " and more"));
  }
  std::string operator()(const Depths& it) const {
    return say("waiting: work ", it.work, ", pull ", it.pull, ", push ", it.push, ", dead ", it.dead,
               it.ahead > 0 ? say("; ", it.ahead, " ahead until ", it.ahead_until) : "");
  }
  std::string operator()(const ClaimedExecutions& it) const { return say("claimed ", it.executions); }
  std::string operator()(const ExecutionStates& it) const { return say("executions ", it.executions); }
  std::string operator()(const NodeRegistered& it) const { return say("registered as ", it.node); }
  std::string operator()(const RegisteredNodes& it) const { return say("instances ", it.nodes); }
};

}  // namespace
}  // namespace reference

namespace {

template <class Family, class Message>
std::string describe_any(const Message& message) {
  const auto* open = std::get_if<OpenMessage>(&message);
  return open != nullptr ? open->describe() : std::visit(reference::Sentences{}, std::get<Family>(message));
}

}  // namespace

std::string describe(const Request& request) { return describe_any<reference::Request>(request); }
std::string describe(const Reply& reply) { return describe_any<reference::Reply>(reply); }
std::string describe(const reference::Request& request, NodeNames names) {
  return std::visit(reference::Sentences{names}, request);
}
std::string describe(const reference::Reply& reply, NodeNames names) {
  return std::visit(reference::Sentences{names}, reply);
}

}  // namespace tenure
