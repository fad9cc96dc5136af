// Events that wait, and events that were given up.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "daemon/api/body_reader.h"
#include "daemon/api/event_json.h"
#include "daemon/api/handlers.h"
#include "daemon/api/times.h"
#include "daemon/service/webhook_sender.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::int64_t kMostEvents = 1'000;
// How many of the largest a page has.
constexpr std::size_t kLargestInPage = kPageBytes / reference::kDataBytes;

std::vector<reference::EventPayload> payloads_of(Call& call, const std::vector<reference::EventId>& events) {
  if (events.empty()) return {};
  const Answer answer = call.store->ask(reference::ReadPayloads{call.context.resource, events});
  return expect<reference::Payloads>(answer).events;
}

std::size_t bytes_of(const reference::Payload& payload) {
  std::size_t bytes = payload.data.size();
  for (const reference::Label& label : payload.labels) bytes += label.name.size() + label.value.size();
  return bytes;
}

// The payloads of the first events, as many as a page may have. The store is asked for a few, and, as long as there is
// room for a large one, for as many again as are there already: so not much is read for nothing where payloads are
// large, and the requests are few where they are small.
std::vector<reference::EventPayload> payloads_of_page(Call& call,
                                                      const std::vector<reference::EventId>& events) {
  std::vector<reference::EventPayload> page;
  std::size_t bytes = 0;
  while (page.size() < events.size() && bytes + reference::kDataBytes <= kPageBytes) {
    const auto first = events.begin() + static_cast<std::ptrdiff_t>(page.size());
    const std::size_t count = std::min(std::max(kLargestInPage, page.size()), events.size() - page.size());
    for (reference::EventPayload& payload :
         payloads_of(call, {first, first + static_cast<std::ptrdiff_t>(count)})) {
      bytes += bytes_of(payload.payload);
      if (bytes > kPageBytes && !page.empty()) return page;
      page.push_back(std::move(payload));
    }
  }
  return page;
}

std::uint64_t after_of(const Call& call) {
  return static_cast<std::uint64_t>(call.number_parameter("after", 0, INT64_MAX).value_or(0));
}
std::uint32_t limit_of(const Call& call) {
  return static_cast<std::uint32_t>(call.number_parameter("limit", 1, kMostEvents).value_or(100));
}

// `topic`: gets the one that the body names, where it may name one.
std::vector<reference::EventId> keys_in(Call& call, std::string* topic = nullptr) {
  return read_body(call, [topic](BodyReader& reader) {
    const auto keys = reader.texts("keys", kMostEvents);
    if (!reader.has("keys")) reader.complain("keys", "is missing", "the `key` of each event, in a list");
    std::vector<reference::EventId> events;
    for (std::size_t i = 0; keys && i < keys->size(); ++i) {
      if (const auto event = read_key(keys->at(i)))
        events.push_back(*event);
      else
        reader.complain_at(fmt::format("/keys/{}", i), "is no key of an event");
    }
    if (topic != nullptr) *topic = reader.text("topic").value_or("");
    return events;
  });
}

// Which events a client asks for: those that wait for consumers, of all topics or of one, or for destinations.
reference::ReadWaiting asked_by(const Call& call) {
  reference::ReadWaiting asked{
      .resource = call.context.resource, .after = after_of(call), .limit = limit_of(call)};
  const auto topic = call.parameter("topic");
  const auto destination = call.parameter("destination");
  const std::string kind = call.parameter("kind").value_or(destination ? "push" : "pull");
  if (kind != "pull" && kind != "push") throw invalid("the parameter `kind` must be `pull` or `push`");
  if (topic && kind == "push")
    throw invalid("`topic` is of events that wait for consumers, not for destinations");
  if (destination && kind == "pull")
    throw invalid("`destination` is of events that wait for destinations, not for consumers");
  if (kind == "push") asked.kind = Delivery::Kind::push;
  asked.name = topic ? topic : destination;
  return asked;
}

// What an event waits for, since when, and how far it is.
void add_waiting(Json& json, const reference::WaitingEvent& event, Delivery::Kind kind) {
  json["fired"] = print_utc(event.at);
  if (kind == Delivery::Kind::push) json["destination"] = event.name;
  if (event.attempt == 0) return;
  json["attempts"] = event.attempt;
  json["claimed"] = event.claimed;
  if (event.until >= event.at)
    json["until"] = print_utc(event.until);  // after a replay nothing is waited for
  if (!event.worker.empty()) json["worker"] = event.worker;
}

// What a destination said is for admins.
void add_reason(Json& json, const std::string& why, const Caller& caller) {
  const std::size_t said = why.find(kSaid);
  if (!why.empty()) json["why"] = why.substr(0, said);
  if (said != std::string::npos && caller.may(Scope::admin))
    json["response"] = why.substr(said + kSaid.size());
}

// A token for some names only may not touch the events of others. Events that are gone are nobody's. The store says
// whose an event is only together with its payload: so it is asked for a few at a time, and not once it has told the
// name of their schedule.
void check_may_touch(Call& call, const std::vector<reference::EventId>& events) {
  if (call.caller.prefix.empty()) return;
  std::set<ScheduleId> checked;
  for (std::size_t i = 0; i < events.size();) {
    std::vector<reference::EventId> some;
    for (; i < events.size() && some.size() < kLargestInPage; ++i)
      if (!checked.contains(events[i].schedule)) some.push_back(events[i]);
    for (const reference::EventPayload& payload : payloads_of(call, some)) {
      if (!payload.found) continue;
      // Without the name: it is what the caller may not know.
      if (!call.caller.may_touch(payload.name))
        throw HttpProblem{.status = 403,
                          .type = "forbidden",
                          .title = "The token is not for these events",
                          .detail = fmt::format("{} is of a schedule whose name does not begin with `{}`",
                                                key_of(payload.event), call.caller.prefix)};
      checked.insert(payload.event.schedule);
    }
  }
}

// A page of events, each with `more_of` it, without those that are gone meanwhile or are not the caller's.
template <class Event, class MoreOf>
Json page_of(Call& call, const std::vector<Event>& events, bool more, MoreOf more_of) {
  std::vector<reference::EventId> ids;
  for (const Event& event : events) ids.push_back(event.id);
  const std::vector<reference::EventPayload> payloads = payloads_of_page(call, ids);
  Json page = {{"events", Json::array()}};
  std::uint64_t next = after_of(call);
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    next = events[i].seq;
    if (!payloads[i].found || !call.caller.may_touch(payloads[i].name)) continue;
    Json json = {{"seq", events[i].seq}};
    json.update(json_of(events[i].id, call));
    add_payload(json, payloads[i]);
    more_of(json, events[i]);
    page["events"].push_back(std::move(json));
  }
  page["next"] = fmt::format("{}", next);
  page["more"] = more || payloads.size() < events.size();
  return page;
}

}  // namespace

HttpResponse list_events(Call& call) {
  const reference::ReadWaiting asked = asked_by(call);
  const Answer answer = call.store->ask(asked);
  const auto& waiting = expect<reference::WaitingEvents>(answer);
  return json_response(page_of(
      call, waiting.events, waiting.more,
      [&](Json& json, const reference::WaitingEvent& event) { add_waiting(json, event, asked.kind); }));
}

HttpResponse acknowledge_events(Call& call) {
  std::string topic;
  const std::vector<reference::EventId> events = keys_in(call, &topic);
  check_may_touch(call, events);
  if (!events.empty()) {
    reference::AckEvents acknowledged{call.context.resource, {}};
    for (const reference::EventId& event : events)
      acknowledged.events.push_back({event, Delivery::Kind::pull, topic});
    const Answer answer = call.store->ask(std::move(acknowledged));
    if (const std::uint64_t claimed = expect<reference::Acknowledged>(answer).claimed; claimed > 0)
      throw HttpProblem{.status = 409,
                        .type = "conflict",
                        .title = "Workers are at some of the events",
                        .detail = fmt::format(
                            "{} of {} are claimed, and stay: whoever claimed an event ends it. The others "
                            "are acknowledged",
                            claimed, events.size())};
  }
  HttpResponse response;
  response.status = 204;
  return response;
}

HttpResponse list_dead_events(Call& call) {
  const bool discarded = call.flag_parameter("discarded").value_or(false);
  const Answer answer =
      call.store->ask(reference::ReadDead{call.context.resource, limit_of(call), after_of(call), discarded});
  const auto& dead = expect<reference::Dead>(answer);
  return json_response(
      page_of(call, dead.events, dead.more, [&](Json& json, const reference::DeadEvent& event) {
        json["attempts"] = event.attempts;
        json["since"] = print_utc(event.since);
        add_reason(json, event.why, call.caller);
        if (!discarded) return;
        const reference::Discard& discard =
            dead.discards[static_cast<std::size_t>(&event - dead.events.data())];
        json["discarded"] = {{"by", discard.actor}, {"at", print_utc(discard.at)}};
      }));
}

HttpResponse replay_events(Call& call) {
  const std::vector<reference::EventId> events = keys_in(call);
  check_may_touch(call, events);
  std::uint64_t replayed = 0;
  if (!events.empty())
    replayed = expect<reference::Redriven>(call.store->ask(reference::Redrive{call.context.resource, events}))
                   .events;
  if (replayed > 0)
    call.context.log.say(Level::info, "dead events were replayed",
                         {{"events", fmt::format("{}", replayed)}, {"by", call.caller.actor}});
  return json_response({{"replayed", replayed}});
}

HttpResponse discard_events(Call& call) {
  const std::vector<reference::EventId> events = keys_in(call);
  check_may_touch(call, events);
  std::uint64_t discarded = 0;
  if (!events.empty()) {
    const Answer answer =
        call.store->ask(reference::DiscardDead{call.context.resource, events, call.caller.actor});
    discarded = expect<reference::Discarded>(answer).events;
  }
  return json_response({{"discarded", discarded}});
}

}  // namespace tenure::daemon::handlers
