// Runs that people ask for: one now, or one for each of some past slots. And pauses.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/api/body_reader.h"
#include "daemon/api/event_json.h"
#include "daemon/api/handlers.h"
#include "daemon/api/idempotency.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/quotas.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/times.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::size_t kMostSlots = 1'000;

reference::NamedSchedule read_named(Call& call, StoreTime& now) {
  const std::string& name = call.schedule_name();
  const Answer answer = call.store->ask(reference::ReadNamed{call.context.resource, name});
  const auto& found = expect<reference::NamedSchedules>(answer).schedules;
  if (found.empty()) throw no_such_schedule(name);
  now = answer.store_time;
  return found.front();
}

HttpResponse set_paused(Call& call, bool paused) {
  const std::string& name = call.schedule_name();
  const std::string why = read_body(
      call, [](BodyReader& reader) { return reader.kept_text("why", reference::kTextBytes).value_or(""); });
  const reference::PauseNamed asked{call.context.resource, name, paused, call.caller.actor, why};
  check(problem_of(asked));
  const Answer answer = call.store->ask(asked);
  const auto* refused = std::get_if<reference::NamedRefused>(&answer.reply);
  if (refused != nullptr && refused->why == reference::EditDenial::no_such_schedule)
    throw no_such_schedule(name);
  expect_edited(answer, name);
  StoreTime now;
  const reference::NamedSchedule schedule = read_named(call, now);
  HttpResponse response = json_response(json_of(schedule, now, {}));
  response.fields.push_back({"ETag", etag_of(schedule.edition)});
  return response;
}

// The slots of a backfill: those named, or those in [from, to).
std::vector<StoreTime> slots_of(BodyReader& reader, const reference::NamedSchedule& schedule, StoreTime now) {
  const auto from = reader.instant("from");
  const auto to = reader.instant("to");
  auto named = reader.instants("slots", kMostSlots);
  const bool range = reader.has("from") || reader.has("to");
  if (range == reader.has("slots")) {
    reader.complain("slots", "a backfill needs `from` and `to`, or `slots`");
    return {};
  }
  if (named) {
    if (named->back() >= now) reader.complain("slots", "has slots that have not come yet");
    return *std::move(named);
  }
  if (!range) return {};
  if (!reader.has("from") || !reader.has("to"))
    reader.complain(reader.has("from") ? "to" : "from", "`from` and `to` belong together");
  if (!from || !to) return {};
  if (schedule.unreadable) {
    reader.complain("from", unreadable(schedule.name), "name the `slots`");
    return {};
  }
  std::vector<StoreTime> slots;
  const StoreTime end = std::min(*to, now);
  if (count_slots(schedule.definition, *from, end) > static_cast<std::int64_t>(kMostSlots)) {
    reader.complain("to", fmt::format("there are more than {} slots between", kMostSlots),
                    "take it in parts");
    return {};
  }
  for (auto slot = slot_at_or_after(schedule.definition, *from); slot && *slot < end;
       slot = slot_after(schedule.definition, *slot))
    slots.push_back(*slot);
  if (slots.empty())
    reader.complain("from", "the schedule has no slot between `from` and `to` that has come");
  return slots;
}

// When the run was first asked for: the store has it from then.
StoreTime first_asked(const Answer& answer, StoreTime at, const std::string& name) {
  if (answer.outcome == RequestOutcome::applied)
    if (const auto* refused = std::get_if<reference::EditRefused>(&answer.reply)) {
      if (refused->why == reference::EditDenial::other_request) throw idempotency_mismatch();
      if (refused->why == reference::EditDenial::in_future)
        throw invalid("some of these slots have not come yet");
      throw no_such_schedule(name);
    }
  return expect<reference::Edited>(answer).first_at.value_or(at);
}

}  // namespace

HttpResponse pause_schedule(Call& call) { return set_paused(call, true); }
HttpResponse resume_schedule(Call& call) { return set_paused(call, false); }

HttpResponse trigger_schedule(Call& call) {
  const auto at = read_body(call, [](BodyReader& reader) { return reader.instant("at"); });
  StoreTime now;
  const reference::NamedSchedule schedule = read_named(call, now);
  check_runs(call, 1);
  const NamedRun run = named_run(call, schedule.edition.schedule);
  const reference::TriggerSchedule asked{call.context.resource, schedule.edition.schedule, run.number,
                                         at.value_or(now), run.digest};
  const Answer answer = call.store->ask(asked);
  check_known(answer, run);
  const StoreTime slot = first_asked(answer, asked.at, schedule.name);
  return json_response({{"event", json_of(reference::EventId{asked.schedule, slot, run.number}, call)}}, 202);
}

HttpResponse backfill_schedule(Call& call) {
  StoreTime now;
  const reference::NamedSchedule schedule = read_named(call, now);
  auto [dry, slots] = read_body(call, [&](BodyReader& reader) {
    return std::pair{reader.flag("dry_run").value_or(false), slots_of(reader, schedule, now)};
  });

  Json answered = {{"slots", Json::array()}, {"dry_run", dry}};
  if (!dry) {
    check_runs(call, static_cast<std::int64_t>(slots.size()));
    const NamedRun run = named_run(call, schedule.edition.schedule);
    const reference::BackfillSchedule asked{
        call.context.resource, schedule.edition.schedule, run.number, slots, now, run.digest};
    const Answer answer = call.store->ask(asked);
    check_known(answer, run);
    const StoreTime first = first_asked(answer, now, schedule.name);
    // Of a repetition: slots that have come since then are no part of it.
    std::erase_if(slots, [first](StoreTime slot) { return slot >= first; });
    answered["run"] = fmt::format("{}", run.number);
  }
  for (const StoreTime slot : slots) answered["slots"].push_back(print_utc(slot));
  return json_response(answered, dry ? 200 : 202);
}

HttpResponse next_slots(Call& call) {
  const std::int64_t count = call.number_parameter("count", 1, 1'000).value_or(10);
  StoreTime now;
  const reference::NamedSchedule schedule = read_named(call, now);
  if (schedule.unreadable) throw not_possible(unreadable(schedule.name));
  StoreTime from =
      std::max(now, schedule.covered);  // what fires by itself; from a time that is named: all slots
  if (const auto text = call.parameter("from")) {
    const Json wrapped = {{"from", *text}};
    std::vector<FieldError> errors;
    BodyReader reader(wrapped, "", errors);
    const auto read = reader.instant("from");
    if (!read) throw invalid("the parameter `from` is no time", std::move(errors));
    from = *read;
  }
  const auto* rule = std::get_if<CronRule>(&schedule.definition.recurrence);
  const TimeZone& zone = rule != nullptr ? *rule->zone : *TimeZone::utc();
  Json slots = Json::array();
  auto slot = slot_at_or_after(schedule.definition, from);
  for (std::int64_t i = 0; slot && i < count; ++i, slot = slot_after(schedule.definition, *slot))
    slots.push_back({{"slot", print_utc(*slot)},
                     {"local", print_local(*slot, zone)},
                     {"due", print_utc(due_time(schedule.definition, schedule.edition.schedule, *slot))}});
  return json_response({{"slots", std::move(slots)}, {"end", !slot}});
}

}  // namespace tenure::daemon::handlers
