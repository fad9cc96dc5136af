// The stores' requests and replies in words; the rest of describe.h is in describe.cc.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/model/describe.h"

namespace tenure {
namespace {

std::string of(ResourceId resource) {
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
  return std::visit(Words{}, definition.recurrence) + (definition.paused ? ", paused" : "");
}

std::string describe(const reference::Segment& it) {
  std::string text =
      fmt::format("schedule {} v{} at {}", it.schedule.value, it.version, tenure::describe(it.cursor));
  if (it.end != StoreTime::max()) text += " ending " + tenure::describe(it.end);
  return text;
}

std::string describe(const reference::LedgerRow& it) {
  std::string text = fmt::format("schedule {} v{} {} [{}, {})", it.schedule.value, it.version,
                                 name_of(it.what), tenure::describe(it.from), tenure::describe(it.to));
  if (it.slots != 1) text += fmt::format(" {} slots", it.slots);
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

struct ReferenceRequest {
  NodeNames names = NodeNames::from_one;

  std::string operator()(const reference::Acquire& it) const {
    return fmt::format("acquire as {}, epoch seen {}, nonce {:x}, for {}{}",
                       tenure::describe(it.holder, names), it.epoch_seen, it.nonce,
                       tenure::describe(it.duration), of(it.resource));
  }
  std::string operator()(const reference::Renew& it) const {
    return fmt::format("renew as {}, {}, for {}{}", tenure::describe(it.holder, names),
                       tenure::describe(it.token), tenure::describe(it.duration), of(it.resource));
  }
  std::string operator()(const reference::Release& it) const {
    return fmt::format("release as {}, {}{}", tenure::describe(it.holder, names), tenure::describe(it.token),
                       of(it.resource));
  }
  std::string operator()(const reference::PutSchedule& it) const {
    return fmt::format("put schedule {} over version {}: {}{}", it.schedule.value, it.expected_version,
                       describe(it.definition), of(it.resource));
  }
  std::string operator()(const reference::DeleteSchedule& it) const {
    return fmt::format("delete schedule {} at version {}{}", it.schedule.value, it.expected_version,
                       of(it.resource));
  }
  std::string operator()(const reference::TriggerSchedule& it) const {
    return fmt::format("trigger schedule {} run {} of {}{}", it.schedule.value, it.run,
                       tenure::describe(it.at), of(it.resource));
  }
  std::string operator()(const reference::BackfillSchedule& it) const {
    return fmt::format("backfill schedule {} run {}, {} slots{}", it.schedule.value, it.run, it.slots.size(),
                       of(it.resource));
  }
  std::string operator()(const reference::ReadDue& it) const {
    return fmt::format("read due before {}, at most {}{}{}", tenure::describe(it.horizon), it.limit,
                       it.after ? ", after " + describe(*it.after) : "", of(it.resource));
  }
  std::string operator()(const reference::CommitFires& it) const {
    return fmt::format("commit fires as {}, {}: {}{}", tenure::describe(it.holder, names),
                       tenure::describe(it.token), list(it.rows), of(it.resource));
  }
  std::string operator()(const reference::ReadOutbox& it) const {
    return fmt::format("read outbox after {}, at most {}{}", it.after, it.limit, of(it.resource));
  }
  std::string operator()(const reference::AckEvents& it) const {
    std::string text = "acknowledge [";
    for (const reference::EventId& event : it.events)
      text += (text.back() == '[' ? "" : "; ") + tenure::describe(event);
    return text + "]" + of(it.resource);
  }
  std::string operator()(const reference::ChangesSince& it) const {
    return fmt::format("changes since {}, at most {}{}", it.seq, it.limit, of(it.resource));
  }
  std::string operator()(const reference::SetHold& it) const {
    return fmt::format("set hold as {}, {}, jump {}{}", tenure::describe(it.holder, names),
                       tenure::describe(it.token), tenure::describe(it.jump), of(it.resource));
  }
  std::string operator()(const reference::ClearHold& it) const {
    return fmt::format("clear hold as {}, {}{}", tenure::describe(it.holder, names),
                       tenure::describe(it.token), of(it.resource));
  }
  std::string operator()(const reference::Prune& it) const {
    return fmt::format("prune before {}, at most {}{}", tenure::describe(it.before), it.limit,
                       of(it.resource));
  }
};

struct ReferenceReply {
  NodeNames names = NodeNames::from_one;

  std::string operator()(const reference::Granted& it) const {
    return fmt::format("granted {} for {}", tenure::describe(it.token), tenure::describe(it.duration));
  }
  std::string operator()(const reference::Refused& it) const {
    return fmt::format("refused: {}, held by {}, epoch {}, {} left", name_of(it.why),
                       tenure::describe(it.holder, names), it.epoch, tenure::describe(it.remaining));
  }
  std::string operator()(const reference::Released&) const { return "released"; }
  std::string operator()(const reference::Edited& it) const {
    return fmt::format("edited: version {}, change {}", it.version, it.change_seq);
  }
  std::string operator()(const reference::EditRefused& it) const {
    constexpr std::string_view kWhy[] = {"no such schedule", "deleted", "version conflict", "in the future"};
    return fmt::format("edit refused: {}, version {}", kWhy[static_cast<std::size_t>(it.why)], it.version);
  }
  std::string operator()(const reference::Due& it) const {
    return fmt::format("due {}{}, changes up to {}, {}", list(it.segments), it.more ? " and more" : "",
                       it.change_seq, describe_hold(it.hold));
  }
  std::string operator()(const reference::Committed& it) const {
    std::string text = "committed [";
    for (const reference::RowResult result : it.rows)
      (text += text.back() == '[' ? "" : "; ").append(name_of(result));
    return text + "]";
  }
  std::string operator()(const reference::CommitRefused& it) const {
    return it.held ? "commit refused: held" : fmt::format("commit refused: {}", name_of(it.why));
  }
  std::string operator()(const reference::Outbox& it) const {
    std::string text = "outbox [";
    for (const reference::OutboxEvent& event : it.events)
      text += fmt::format("{}{}: {}", text.back() == '[' ? "" : "; ", event.seq, tenure::describe(event.id));
    return text + (it.more ? "] and more" : "]");
  }
  std::string operator()(const reference::Acknowledged&) const { return "acknowledged"; }
  std::string operator()(const reference::Changes& it) const {
    std::string text = "changes [";
    for (const reference::Change& change : it.changes)
      text += fmt::format("{}{}: {} {}", text.back() == '[' ? "" : "; ", change.seq, describe(change.segment),
                          change.deleted      ? "deleted"
                          : change.unreadable ? "unreadable"
                                              : describe(change.definition));
    return fmt::format("{}]{} up to {}, {}", text, it.more ? " and more" : "", it.seq,
                       describe_hold(it.hold));
  }
  std::string operator()(const reference::HoldSet& it) const { return describe_hold(it.hold); }
  std::string operator()(const reference::Pruned& it) const { return fmt::format("pruned {} rows", it.rows); }
};

// A time in a record, in UTC.
std::string whole_second(WallTime time) { return tenure::describe(StoreTime::from_ns(time.ns())); }

struct OtherRequest {
  std::string operator()(const lease_table::TryLock& it) const {
    return fmt::format("try lock as {} for {}{}", tenure::describe(it.holder), tenure::describe(it.duration),
                       of(it.resource));
  }
  std::string operator()(const lease_table::Beat& it) const {
    return fmt::format("beat as {} at {} over what is older than {}{}", tenure::describe(it.holder),
                       tenure::describe(it.heartbeat), tenure::describe(it.stale_before), of(it.resource));
  }
  std::string operator()(const record::Get& it) const { return "get record" + of(it.resource); }
  std::string operator()(const record::Put& it) const {
    return fmt::format("put record over version {}: held by {} for {}, transition {}, renewed at {}{}",
                       it.version, tenure::describe(it.record.holder), tenure::describe(it.record.duration),
                       it.record.transitions, whole_second(it.record.renewed), of(it.resource));
  }
  std::string operator()(const schedule_table::ReadRuns& it) const {
    return fmt::format("read runs, at most {}{}", it.limit, of(it.resource));
  }
  std::string operator()(const schedule_table::SetNextRun& it) const {
    return fmt::format("set next run of schedule {} to {}{}", it.schedule.value,
                       tenure::describe(it.next_run), of(it.resource));
  }
  std::string operator()(const schedule_table::PutRow& it) const {
    return fmt::format("put schedule {}: {}{}", it.schedule.value, describe(it.definition), of(it.resource));
  }
  std::string operator()(const schedule_table::DeleteRow& it) const {
    return fmt::format("delete schedule {}{}", it.schedule.value, of(it.resource));
  }
};

struct OtherReply {
  std::string operator()(const lease_table::Locked& it) const {
    return "locked until " + tenure::describe(it.expires_at);
  }
  std::string operator()(const lease_table::NoRow&) const { return "no row"; }
  std::string operator()(const record::Found& it) const {
    return fmt::format("found version {}: held by {} for {}, transition {}, renewed at {}", it.version,
                       tenure::describe(it.record.holder), tenure::describe(it.record.duration),
                       it.record.transitions, whole_second(it.record.renewed));
  }
  std::string operator()(const record::NotFound&) const { return "not found"; }
  std::string operator()(const record::Stored& it) const {
    return fmt::format("stored version {}", it.version);
  }
  std::string operator()(const record::Conflict&) const { return "conflict"; }
  std::string operator()(const schedule_table::Runs& it) const {
    std::string text = "runs [";
    for (const schedule_table::ScheduleRow& row : it.rows)
      text += fmt::format("{}schedule {} at {}", text.back() == '[' ? "" : "; ", row.schedule.value,
                          tenure::describe(row.next_run));
    return text + "]";
  }
  std::string operator()(const schedule_table::Written& it) const {
    return it.found ? "written" : "no such row";
  }
};

// Dispatches on the family, then on the request or reply in it.
template <class Reference, class Other>
struct ByFamily {
  template <class... Alternatives>
  std::string operator()(const std::variant<Alternatives...>& family) const {
    return std::visit(
        [](const auto& one) -> std::string {
          if constexpr (requires { Reference{}(one); })
            return Reference{}(one);
          else
            return Other{}(one);
        },
        family);
  }
};

}  // namespace

std::string describe(const Request& request) {
  return std::visit(ByFamily<ReferenceRequest, OtherRequest>{}, request);
}
std::string describe(const Reply& reply) { return std::visit(ByFamily<ReferenceReply, OtherReply>{}, reply); }
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
  }
  return "?";
}

std::string_view name_of(reference::RowResult result) {
  switch (result) {
    case reference::RowResult::covered: return "covered";
    case reference::RowResult::moved: return "moved";
    case reference::RowResult::not_due: return "not due";
    case reference::RowResult::no_segment: return "no segment";
  }
  return "?";
}

}  // namespace tenure
