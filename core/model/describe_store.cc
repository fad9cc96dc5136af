// The stores' requests and replies in words; the rest of describe.h is in describe.cc.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/readable_text.h"
#include "core/model/describe.h"
#include "core/model/describe_delivery.h"
#include "core/model/describe_named.h"
#include "core/store/reference/fields.h"

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

namespace {

std::string describe(const reference::Segment& it) {
  const auto& [schedule, version, begin, end, cursor] = it;
  std::string text = fmt::format("schedule {} v{} at {}", schedule.value, version, tenure::describe(cursor));
  if (end != StoreTime::max()) text += " ending " + tenure::describe(end);
  return text;
}

std::string describe(const reference::LedgerRow& it) {
  const auto& [schedule, version, from, to, slot, due, what, slots] = it;
  std::string text = fmt::format("schedule {} v{} {} [{}, {})", schedule.value, version, name_of(what),
                                 tenure::describe(from), tenure::describe(to));
  if (slots != 1) text += fmt::format(" {} slots", slots);
  return text;
}

std::string describe_hold(const std::optional<reference::Hold>& hold) {
  if (!hold) return "no hold";
  return fmt::format("held since {} for a jump of {}", tenure::describe(hold->since),
                     tenure::describe(hold->jump));
}

// "[a; b; c]"
template <class T>
std::string list(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) text += (text.size() > 1 ? "; " : "") + describe(item);
  return text + "]";
}

std::string list(std::string_view verb, const std::vector<reference::EventId>& events) {
  std::string text = fmt::format("{} [", verb);
  for (const reference::EventId& event : events)
    text += (text.back() == '[' ? "" : "; ") + tenure::describe(event);
  return text + "]";
}

struct ReferenceRequest {
  NodeNames names = NodeNames::from_one;

  std::string operator()(const reference::Acquire& it) const {
    const auto& [resource, holder, epoch_seen, nonce, duration] = it;
    return fmt::format("acquire as {}, epoch seen {}, nonce {:x}, for {}{}", tenure::describe(holder, names),
                       epoch_seen, nonce, tenure::describe(duration), in_resource(resource));
  }
  std::string operator()(const reference::Renew& it) const {
    const auto& [resource, holder, token, duration] = it;
    return fmt::format("renew as {}, {}, for {}{}", tenure::describe(holder, names), tenure::describe(token),
                       tenure::describe(duration), in_resource(resource));
  }
  std::string operator()(const reference::Release& it) const {
    const auto& [resource, holder, token] = it;
    return fmt::format("release as {}, {}{}", tenure::describe(holder, names), tenure::describe(token),
                       in_resource(resource));
  }
  std::string operator()(const reference::PutSchedule& it) const {
    const auto& [resource, schedule, expected_version, definition] = it;
    return fmt::format("put schedule {} over version {}: {}{}", schedule.value, expected_version,
                       describe(definition), in_resource(resource));
  }
  std::string operator()(const reference::DeleteSchedule& it) const {
    const auto& [resource, schedule, expected_version] = it;
    return fmt::format("delete schedule {} at version {}{}", schedule.value, expected_version,
                       in_resource(resource));
  }
  std::string operator()(const reference::TriggerSchedule& it) const {
    const auto& [resource, schedule, run, at, digest] = it;
    return fmt::format("trigger schedule {} run {} of {}{}", schedule.value, run, tenure::describe(at),
                       in_resource(resource));
  }
  std::string operator()(const reference::BackfillSchedule& it) const {
    const auto& [resource, schedule, run, slots, at, digest] = it;
    return fmt::format("backfill schedule {} run {}, {} slots{}", schedule.value, run, slots.size(),
                       in_resource(resource));
  }
  std::string operator()(const reference::ReadDue& it) const {
    const auto& [resource, horizon, limit, after] = it;
    return fmt::format("read due before {}, at most {}{}{}", tenure::describe(horizon), limit,
                       after ? ", after " + describe(*after) : "", in_resource(resource));
  }
  std::string operator()(const reference::CommitFires& it) const {
    const auto& [resource, holder, token, rows] = it;
    return fmt::format("commit fires as {}, {}: {}{}", tenure::describe(holder, names),
                       tenure::describe(token), list(rows), in_resource(resource));
  }
  std::string operator()(const reference::ReadOutbox& it) const {
    const auto& [resource, limit, after] = it;
    return fmt::format("read outbox after {}, at most {}{}", after, limit, in_resource(resource));
  }
  std::string operator()(const reference::AckEvents& it) const {
    const auto& [resource, events] = it;
    std::string text = "acknowledge [";
    for (const auto& [id, kind, to] : events)
      text += (text.back() == '[' ? "" : "; ") + tenure::describe(id) + (to.empty() ? "" : " to " + to);
    return text + "]" + in_resource(resource);
  }
  std::string operator()(const reference::GiveUpEvents& it) const {
    const auto& [resource, holder, token, events] = it;
    std::string text =
        fmt::format("give up as {}, {}: [", tenure::describe(holder, names), tenure::describe(token));
    for (const auto& [id, attempts, seq, since, why] : events)
      text += fmt::format("{}{}, {} attempts{}", text.back() == '[' ? "" : "; ", tenure::describe(id),
                          attempts, why.empty() ? "" : ": " + on_one_line(why));
    return text + "]" + in_resource(resource);
  }
  std::string operator()(const reference::ReadDead& it) const {
    const auto& [resource, limit, after, discarded] = it;
    return fmt::format("read {} events after {}, at most {}{}", discarded ? "discarded" : "dead", after,
                       limit, in_resource(resource));
  }
  std::string operator()(const reference::Redrive& it) const {
    const auto& [resource, events] = it;
    return list("redrive", events) + in_resource(resource);
  }
  std::string operator()(const reference::ChangesSince& it) const {
    const auto& [resource, seq, limit] = it;
    return fmt::format("changes since {}, at most {}{}", seq, limit, in_resource(resource));
  }
  std::string operator()(const reference::SetHold& it) const {
    const auto& [resource, holder, token, jump] = it;
    return fmt::format("set hold as {}, {}, jump {}{}", tenure::describe(holder, names),
                       tenure::describe(token), tenure::describe(jump), in_resource(resource));
  }
  std::string operator()(const reference::ClearHold& it) const {
    const auto& [resource, holder, token] = it;
    return fmt::format("clear hold as {}, {}{}", tenure::describe(holder, names), tenure::describe(token),
                       in_resource(resource));
  }
  std::string operator()(const reference::Prune& it) const {
    const auto& [resource, before, limit, keep_history] = it;
    return fmt::format("prune before {}, at most {}{}", tenure::describe(before), limit,
                       in_resource(resource));
  }
  template <class Named>
    requires requires(const Named& it) { describe_named(it); }
  std::string operator()(const Named& it) const { return describe_named(it); }
  template <class Delivered>
    requires requires(const Delivered& it) { describe_delivery(it); }
  std::string operator()(const Delivered& it) const { return describe_delivery(it); }
};

struct ReferenceReply {
  NodeNames names = NodeNames::from_one;

  std::string operator()(const reference::Granted& it) const {
    const auto& [token, duration] = it;
    return fmt::format("granted {} for {}", tenure::describe(token), tenure::describe(duration));
  }
  std::string operator()(const reference::Refused& it) const {
    const auto& [why, holder, epoch, remaining] = it;
    return fmt::format("refused: {}, held by {}, epoch {}, {} left", name_of(why),
                       tenure::describe(holder, names), epoch, tenure::describe(remaining));
  }
  std::string operator()(const reference::Released&) const { return "released"; }
  std::string operator()(const reference::Edited& it) const {
    const auto& [version, change_seq, since, first_at] = it;
    return fmt::format("edited: version {}, change {}{}", version, change_seq,
                       first_at ? ", first asked for at " + tenure::describe(*first_at) : "");
  }
  std::string operator()(const reference::EditRefused& it) const {
    const auto& [why, version] = it;
    return fmt::format("edit refused: {}, version {}", name_of(why), version);
  }
  std::string operator()(const reference::Due& it) const {
    const auto& [segments, more, change_seq, hold, branch] = it;
    return fmt::format("due {}{}, changes up to {}, {}", list(segments), more ? " and more" : "", change_seq,
                       describe_hold(hold));
  }
  std::string operator()(const reference::Committed& it) const {
    const auto& [rows] = it;
    std::string text = "committed [";
    for (const reference::RowResult result : rows)
      (text += text.back() == '[' ? "" : "; ").append(name_of(result));
    return text + "]";
  }
  std::string operator()(const reference::CommitRefused& it) const {
    const auto& [why, held] = it;
    return held ? "commit refused: held" : fmt::format("commit refused: {}", name_of(why));
  }
  std::string operator()(const reference::Outbox& it) const {
    const auto& [events, more, push_waits] = it;
    std::string text = "outbox [";
    for (const reference::OutboxEvent& event : events)
      text += fmt::format("{}{}: {}", text.back() == '[' ? "" : "; ", event.seq, tenure::describe(event.id));
    return text + (more ? "] and more" : "]") + (push_waits ? ", events for destinations wait" : "");
  }
  std::string operator()(const reference::Acknowledged& it) const {
    const auto& [claimed] = it;
    return claimed == 0 ? "acknowledged" : fmt::format("acknowledged, but for {} that are claimed", claimed);
  }
  std::string operator()(const reference::GivenUp&) const { return "given up"; }
  std::string operator()(const reference::Dead& it) const {
    const auto& [events, more, discards] = it;
    std::string text = discards.empty() ? "dead [" : "discarded [";
    for (const auto& [id, attempts, seq, since, why] : events)
      text += fmt::format("{}{}: {}, {} attempts, since {}{}", text.back() == '[' ? "" : "; ", seq,
                          tenure::describe(id), attempts, tenure::describe(since),
                          why.empty() ? "" : ": " + on_one_line(why));
    return text + (more ? "] and more" : "]");
  }
  std::string operator()(const reference::Redriven& it) const {
    const auto& [events] = it;
    return fmt::format("redriven: {} events", events);
  }
  std::string operator()(const reference::Changes& it) const {
    const auto& [changes, seq, more, hold, branch] = it;
    std::string text = "changes [";
    for (const reference::Change& change : changes)
      text += fmt::format("{}{}: {} {}", text.back() == '[' ? "" : "; ", change.seq, describe(change.segment),
                          change.deleted      ? "deleted"
                          : change.unreadable ? "unreadable"
                                              : describe(change.definition));
    return fmt::format("{}]{} up to {}, {}", text, more ? " and more" : "", seq, describe_hold(hold));
  }
  std::string operator()(const reference::HoldSet& it) const {
    const auto& [hold] = it;
    return describe_hold(hold);
  }
  std::string operator()(const reference::Pruned& it) const {
    const auto& [rows] = it;
    return fmt::format("pruned {} rows", rows);
  }
  template <class Named>
    requires requires(const Named& it) { describe_named(it); }
  std::string operator()(const Named& it) const { return describe_named(it); }
  template <class Delivered>
    requires requires(const Delivered& it) { describe_delivery(it); }
  std::string operator()(const Delivered& it) const { return describe_delivery(it); }
};

}  // namespace

std::string describe(const Request& request) {
  const auto* open = std::get_if<OpenMessage>(&request);
  return open != nullptr ? open->describe()
                         : describe(std::get<reference::Request>(request), NodeNames::from_one);
}
std::string describe(const Reply& reply) {
  const auto* open = std::get_if<OpenMessage>(&reply);
  return open != nullptr ? open->describe()
                         : describe(std::get<reference::Reply>(reply), NodeNames::from_one);
}
std::string describe(const reference::Request& request, NodeNames names) {
  return std::visit(ReferenceRequest{names}, request);
}
std::string describe(const reference::Reply& reply, NodeNames names) {
  return std::visit(ReferenceReply{names}, reply);
}

std::string_view name_of(reference::Denial denial) {
  switch (denial) {
    case reference::Denial::no_lease: return "no lease";
    case reference::Denial::other_holder: return "other holder";
    case reference::Denial::stale_token: return "stale token";
    case reference::Denial::expired: return "expired";
    case reference::Denial::clock_stepped: return "clock stepped";
    case reference::Denial::other_branch: return "other branch";
    case reference::Denial::stale_view: return "stale view";
  }
  return "?";
}

std::string_view name_of(reference::Disposition disposition) {
  switch (disposition) {
    case reference::Disposition::fired: return "fired";
    case reference::Disposition::coalesced: return "coalesced";
    case reference::Disposition::missed: return "missed";
    case reference::Disposition::paused: return "paused";
    case reference::Disposition::overlapped: return "overlapped";
    case reference::Disposition::deleted: return "deleted";
    case reference::Disposition::replaced: return "replaced";
  }
  return "?";
}

std::string_view name_of(reference::RowResult result) {
  switch (result) {
    case reference::RowResult::covered: return "covered";
    case reference::RowResult::moved: return "moved";
    case reference::RowResult::not_due: return "not due";
    case reference::RowResult::no_segment: return "no segment";
    case reference::RowResult::overlapped: return "overlapped";
  }
  return "?";
}

}  // namespace tenure
