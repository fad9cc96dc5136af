#include "core/model/describe_named.h"

#include <fmt/format.h>

#include <variant>

#include "core/base/hash.h"
#include "core/model/describe.h"

namespace tenure {

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

std::string_view name_of(reference::EditDenial denial) {
  switch (denial) {
    case reference::EditDenial::no_such_schedule: return "no such schedule";
    case reference::EditDenial::deleted: return "deleted";
    case reference::EditDenial::version_conflict: return "version conflict";
    case reference::EditDenial::in_future: return "in the future";
    case reference::EditDenial::exists: return "it exists already";
    case reference::EditDenial::no_number_left: return "no number is left";
    case reference::EditDenial::unreadable: return "this program cannot read the definition";
    case reference::EditDenial::other_request: return "the run was asked for with another digest";
  }
  return "?";
}

namespace {

// Of a payload, what it is and no more of it.
std::string describe(const reference::Payload& it) {
  const auto& [topic, type, data, labels, text] = it;
  return fmt::format("payload of {} bytes ({:x}) for topic `{}`", data.size(), hash_text(data),
                     on_one_line(topic));
}

// "7.3"
std::string describe(const reference::Edition& it) {
  const auto& [schedule, version] = it;
  return fmt::format("{}.{}", schedule.value, version);
}

std::string by(const std::string& actor, const std::string& why) {
  return (actor.empty() ? "" : " by " + on_one_line(actor)) + (why.empty() ? "" : ": " + on_one_line(why));
}

}  // namespace

std::string describe_named(const reference::PutNamed& it) {
  const auto& [resource, name, expected, definition, payload, actor] = it;
  return fmt::format("put schedule `{}` {}: {}, {}{}{}", name,
                     expected ? "over " + describe(*expected) : "which is new", describe(definition),
                     describe(payload), by(actor, ""), in_resource(resource));
}

std::string describe_named(const reference::DeleteNamed& it) {
  const auto& [resource, name, expected, actor] = it;
  return fmt::format("delete schedule `{}` at {}{}{}", name, describe(expected), by(actor, ""),
                     in_resource(resource));
}

std::string describe_named(const reference::PauseNamed& it) {
  const auto& [resource, name, paused, actor, why] = it;
  return fmt::format("{} schedule `{}`{}{}", paused ? "pause" : "resume", name, in_resource(resource),
                     by(actor, why));
}

std::string describe_named(const reference::ReadNamed& it) {
  const auto& [resource, name] = it;
  return fmt::format("read schedule `{}`{}", name, in_resource(resource));
}

std::string describe_named(const reference::ListNamed& it) {
  const auto& [resource, after, limit] = it;
  return fmt::format("list schedules after `{}`, at most {}{}", after, limit, in_resource(resource));
}

std::string describe_named(const reference::ReadPayloads& it) {
  const auto& [resource, events] = it;
  std::string text = "read payloads of [";
  for (const reference::EventId& event : events)
    text += (text.back() == '[' ? "" : "; ") + tenure::describe(event);
  return text + "]" + in_resource(resource);
}

std::string describe_named(const reference::ReadLog& it) {
  const auto& [resource, after, limit] = it;
  return fmt::format("read log after {}, at most {}{}", after, limit, in_resource(resource));
}

std::string describe_named(const reference::NamedEdited& it) {
  const auto& [edition, change_seq, since] = it;
  return fmt::format("edited: {}, change {}", describe(edition), change_seq);
}

std::string describe_named(const reference::NamedRefused& it) {
  const auto& [why, edition] = it;
  return fmt::format("edit refused: {}, {}", name_of(why),
                     edition.version == 0 ? "no schedule has the name" : "it is " + describe(edition));
}

std::string describe_named(const reference::NamedSchedules& it) {
  const auto& [schedules, more] = it;
  std::string text = "schedules [";
  for (const auto& [name, edition, since, definition, unreadable, payload, pause, covered] : schedules)
    text += fmt::format("{}{} {} {}, {}, covered until {}", text.back() == '[' ? "" : "; ", name,
                        describe(edition), unreadable ? "unreadable" : describe(definition),
                        describe(payload), describe(covered));
  return text + (more ? "] and more" : "]");
}

std::string describe_named(const reference::Payloads& it) {
  const auto& [events] = it;
  std::string text = "payloads [";
  for (const auto& [event, found, version, name, payload] : events)
    text += fmt::format("{}{}: {}", text.back() == '[' ? "" : "; ", tenure::describe(event),
                        found ? fmt::format("{} v{}, {}", name, version, describe(payload)) : "not here");
  return text + "]";
}

std::string describe_named(const reference::Log& it) {
  const auto& [entries, more] = it;
  constexpr std::string_view kWhat[] = {"put", "paused", "resumed", "deleted"};
  std::string text = "log [";
  for (const auto& [seq, name, edition, what, actor, why, at] : entries)
    text += fmt::format("{}{}: {} {} {}{}", text.back() == '[' ? "" : "; ", seq, name, describe(edition),
                        kWhat[static_cast<std::size_t>(what)], by(actor, why));
  return text + (more ? "] and more" : "]");
}

}  // namespace tenure
