#include "core/model/describe_delivery.h"

#include <fmt/format.h>

#include <vector>

#include "core/model/describe.h"
#include "core/model/describe_named.h"
#include "core/schedule/schedule_fields.h"

namespace tenure {

std::string_view name_of(Delivery::Kind kind) {
  return schedule_field("delivery").words[static_cast<std::size_t>(kind)];
}

std::string_view name_of(reference::Standing standing) {
  switch (standing) {
    case reference::Standing::claimed: return "claimed";
    case reference::Standing::cancelled: return "cancelled";
    case reference::Standing::failed: return "failed";
    case reference::Standing::completed: return "completed";
    case reference::Standing::dead: return "dead";
    case reference::Standing::replaced: return "replaced";
    case reference::Standing::reissued: return "reissued";
    case reference::Standing::unknown: return "unknown";
    case reference::Standing::released: return "released";
  }
  return "?";
}

namespace {

std::string words(const reference::EventId& it) { return describe(it); }

std::string words(const reference::ExecutionToken& it) {
  const auto& [event, attempt, nonce] = it;
  return fmt::format("{} attempt {} nonce {:x}", describe(event), attempt, nonce);
}

std::string words(const reference::ExecutionEnd& it) {
  const auto& [token, failed, why] = it;
  return words(token) + (failed ? " failed" : " completed") + (why.empty() ? "" : ": " + on_one_line(why));
}

std::string words(const reference::Execution& it) {
  const auto& [token, seq, version, until] = it;
  return fmt::format("{}: {} v{} until {}", seq, words(token), version, describe(until));
}

std::string words(const reference::ExecutionState& it) {
  const auto& [standing, until] = it;
  return std::string(name_of(standing)) + (until == StoreTime{} ? "" : " until " + describe(until));
}

std::string words(const reference::WaitingEvent& it) {
  const auto& [seq, id, version, name, at, attempt, claimed, until, worker, delivery] = it;
  std::string text = fmt::format("{}: {} v{} for `{}`", seq, describe(id), version, on_one_line(name));
  if (attempt != 0)
    text += fmt::format(", attempt {} {} {}", attempt, claimed ? "claimed until" : "over, waits until",
                        describe(until));
  return text;
}

std::string words(const reference::HistoryRow& it) {
  const auto& [seq, schedule, version, what, slot, run, from, to, slots, at] = it;
  std::string text = fmt::format("{}: schedule {} v{} {}", seq, schedule.value, version, name_of(what));
  if (slot != StoreTime{}) text += " " + describe(slot);
  if (run != 0) text += fmt::format(" run {}", run);
  if (slots > 1) text += fmt::format(" for {} slots", slots);
  return text;
}

std::string words(const reference::RegisteredNode& it) {
  const auto& [node, name, since, seen] = it;
  return fmt::format("{} `{}`, seen {}", node.value, on_one_line(name), describe(seen));
}

std::string words(const reference::Depth& it) {
  const auto& [events, oldest] = it;
  return events == 0 ? "none" : fmt::format("{} since {}", events, describe(oldest));
}

template <class T>
std::string list_of(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) text += (text.size() > 1 ? "; " : "") + words(item);
  return text + "]";
}

}  // namespace

std::string describe_delivery(const reference::ReadHistory& it) {
  const auto& [resource, schedule, after, limit, newest_first] = it;
  return fmt::format("read history{} {} {}, at most {}{}",
                     schedule ? fmt::format(" of schedule {}", schedule->value) : "",
                     newest_first ? "before" : "after", after, limit, in_resource(resource));
}

std::string describe_delivery(const reference::ReadWaiting& it) {
  const auto& [resource, kind, name, after, limit] = it;
  return fmt::format("read what waits for {}{} after {}, at most {}{}", name_of(kind),
                     name ? " of `" + on_one_line(*name) + "`" : "", after, limit, in_resource(resource));
}

std::string describe_delivery(const reference::ReadDepths& it) {
  const auto& [resource, ahead] = it;
  return std::string("read how much waits") + (ahead ? ", and what is ahead" : "") + in_resource(resource);
}

std::string describe_delivery(const reference::ClaimExecutions& it) {
  const auto& [resource, topic, max, duration, worker, nonce] = it;
  return fmt::format("claim at most {} of `{}` for {} as `{}`, nonce {:x}{}", max, on_one_line(topic),
                     describe(duration), on_one_line(worker), nonce, in_resource(resource));
}

std::string describe_delivery(const reference::ExtendExecutions& it) {
  const auto& [resource, duration, executions] = it;
  const std::string length = duration == Duration{} ? "as long as before" : describe(duration);
  return fmt::format("extend for {}: {}{}", length, list_of(executions), in_resource(resource));
}

std::string describe_delivery(const reference::EndExecutions& it) {
  const auto& [resource, ends] = it;
  return "end " + list_of(ends) + in_resource(resource);
}

std::string describe_delivery(const reference::ReleaseExecutions& it) {
  const auto& [resource, executions] = it;
  return "release " + list_of(executions) + in_resource(resource);
}

std::string describe_delivery(const reference::DiscardDead& it) {
  const auto& [resource, events, actor] = it;
  return "discard " + list_of(events) + (actor.empty() ? "" : fmt::format(" as `{}`", on_one_line(actor))) +
         in_resource(resource);
}

std::string describe_delivery(const reference::Discarded& it) {
  const auto& [events] = it;
  return fmt::format("discarded: {} events", events);
}

std::string describe_delivery(const reference::RegisterNode& it) {
  const auto& [resource, key, name] = it;
  return fmt::format("register instance `{}`{}", on_one_line(name), in_resource(resource));
}

std::string describe_delivery(const reference::ReadNodes& it) {
  const auto& [resource] = it;
  return "read instances" + in_resource(resource);
}

std::string describe_delivery(const reference::HistoryPage& it) {
  const auto& [rows, more, forgotten, last, branch] = it;
  return fmt::format("history {}{} up to {}", list_of(rows), more ? " and more" : "", last);
}

std::string describe_delivery(const reference::WaitingEvents& it) {
  const auto& [events, more] = it;
  return "waiting " + list_of(events) + (more ? " and more" : "");
}

std::string describe_delivery(const reference::Depths& it) {
  const auto& [work, pull, push, dead, ahead, ahead_until] = it;
  return fmt::format("waiting: work {}, pull {}, push {}, dead {}{}", words(work), words(pull), words(push),
                     words(dead),
                     ahead > 0 ? fmt::format("; {} ahead until {}", ahead, describe(ahead_until)) : "");
}

std::string describe_delivery(const reference::ClaimedExecutions& it) {
  const auto& [executions] = it;
  return "claimed " + list_of(executions);
}

std::string describe_delivery(const reference::ExecutionStates& it) {
  const auto& [executions] = it;
  return "executions " + list_of(executions);
}

std::string describe_delivery(const reference::NodeRegistered& it) {
  const auto& [node] = it;
  return fmt::format("registered as {}", node.value);
}

std::string describe_delivery(const reference::RegisteredNodes& it) {
  const auto& [nodes] = it;
  return "instances " + list_of(nodes);
}

}  // namespace tenure
