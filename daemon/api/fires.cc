// What became of slots and manual runs: as a page, the latest first, and as a stream, in the order of commits.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "daemon/api/event_json.h"
#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/schedule_names.h"
#include "daemon/api/streams.h"
#include "daemon/api/times.h"

namespace tenure::daemon::handlers {
namespace {

using reference::Disposition;

constexpr std::uint32_t kMostFires = 1'000;
// What one request looks at, at most: few rows may have the outcome that is asked for.
constexpr std::size_t kMostLookedAt = 20'000;
constexpr std::uint32_t kStreamedFires = 500;
// What rows say. Slots that were coalesced are in the row of the one that fired for them.
constexpr Disposition kOutcomes[] = {Disposition::fired,      Disposition::missed,  Disposition::paused,
                                     Disposition::overlapped, Disposition::deleted, Disposition::replaced};

struct FireFilter {
  std::optional<ScheduleId> schedule;
  std::optional<Disposition> outcome;
  std::size_t limit = 100;
};

struct FoundFires {
  std::vector<reference::HistoryRow> rows;
  std::uint64_t last = 0;  // the last number that was looked at
  bool more = false;
  StreamBounds bounds;
};

using Names = std::map<ScheduleId, std::string>;

StreamBounds bounds_of(const reference::HistoryPage& page) {
  return {.branch = page.branch, .last = page.last, .forgotten = page.forgotten};
}

std::optional<Disposition> outcome_of(const Call& call) {
  const auto text = call.parameter("outcome");
  if (!text) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Disposition one : kOutcomes) {
    names.push_back(tenure::name_of(one));
    if (names.back() == *text) return one;
  }
  throw invalid(fmt::format("the parameter `outcome` must be one of {}", fmt::join(names, ", ")));
}

Names names_in(const std::vector<reference::HistoryRow>& rows, std::uint32_t branch, PooledStore& store,
               const ApiContext& context) {
  std::set<ScheduleId> numbers;
  for (const reference::HistoryRow& row : rows) numbers.insert(row.schedule);
  return context.names.names_of(numbers, branch, store, context.resource);
}

FoundFires find_fires(Call& call, const FireFilter& filter) {
  FoundFires found;
  found.last = static_cast<std::uint64_t>(call.number_parameter("after", 0, INT64_MAX).value_or(0));
  const bool narrowed = filter.outcome || !call.caller.prefix.empty();
  const auto page_size = narrowed ? kMostFires : static_cast<std::uint32_t>(filter.limit);
  for (std::size_t looked_at = 0;;) {
    const Answer answer = call.store->ask(reference::ReadHistory{.resource = call.context.resource,
                                                                 .schedule = filter.schedule,
                                                                 .after = found.last,
                                                                 .limit = page_size,
                                                                 .newest_first = true});
    const auto& page = expect<reference::HistoryPage>(answer);
    if (looked_at == 0) found.bounds = bounds_of(page);
    found.more = page.more;
    const Names names =
        call.caller.prefix.empty() ? Names{} : names_in(page.rows, page.branch, *call.store, call.context);
    for (const reference::HistoryRow& row : page.rows) {
      found.last = row.seq;
      if (filter.outcome && row.what != *filter.outcome) continue;
      if (!names.empty() && !call.caller.may_touch(names.at(row.schedule))) continue;
      found.rows.push_back(row);
      if (found.rows.size() < filter.limit) continue;
      found.more = page.more || &row != &page.rows.back();
      return found;
    }
    looked_at += page.rows.size();
    if (!page.more || page.rows.empty() || looked_at >= kMostLookedAt) return found;
  }
}

Json fire_json(const reference::HistoryRow& row, const std::string& name, const PooledStore& store,
               ResourceId resource) {
  Json json = {{"seq", row.seq},
               {"schedule", name},
               {"uid", row.schedule.value},
               {"version", row.version},
               {"outcome", tenure::name_of(row.what)},
               {"at", print_utc(row.at)},
               {"from", print_utc(row.from)},
               {"to", print_utc(row.to)},
               {"slots", row.slots}};
  // Of a row without an event neither the slot nor the run means anything.
  if (row.what == Disposition::fired || row.what == Disposition::replaced)
    json["event"] = json_of({row.schedule, row.slot, row.run}, store.identity(), resource);
  return json;
}

HttpResponse show(Call& call, const FoundFires& found) {
  const Names names = names_in(found.rows, found.bounds.branch, *call.store, call.context);
  Json json = {{"fires", Json::array()}};
  for (const reference::HistoryRow& row : found.rows)
    json["fires"].push_back(fire_json(row, names.at(row.schedule), *call.store, call.context.resource));
  json["next"] = fmt::format("{}", found.last);
  json["more"] = found.more;
  json["forgotten"] = fmt::format("{}", found.bounds.forgotten);
  json["position"] = text_of(StreamPosition{found.bounds.branch, found.bounds.last});
  return json_response(json);
}

// The schedule that has the path's name now.
std::optional<ScheduleId> schedule_in_path(const Call& call) {
  const Answer answer = call.store->ask(reference::ReadNamed{call.context.resource, call.schedule_name()});
  const auto& found = expect<reference::NamedSchedules>(answer).schedules;
  if (found.empty()) return std::nullopt;
  return found.front().edition.schedule;
}

// What follows a position, of the schedule and with the outcome that are asked for.
StreamPage read_fires(const Call& call, const FireFilter& filter, const StreamPosition& after) {
  // Looked up before the rows are read: so all that became of the schedule until it was deleted is among them.
  const bool deleted = filter.schedule && schedule_in_path(call) != filter.schedule;
  const ResourceId resource = call.context.resource;
  const Answer answer = call.store->ask(reference::ReadHistory{.resource = resource,
                                                               .schedule = filter.schedule,
                                                               .after = after.seq,
                                                               .limit = kStreamedFires,
                                                               .newest_first = false});
  const auto& history = expect<reference::HistoryPage>(answer);
  check_position(after, bounds_of(history));
  // The last number was read with the rows: what is not among them is not asked for.
  StreamPage page{{}, {history.branch, history.last}, history.more};
  if (history.more) page.end.seq = history.rows.back().seq;
  const Names names = filter.schedule ? Names{{*filter.schedule, call.schedule_name()}}
                                      : names_in(history.rows, history.branch, *call.store, call.context);
  for (const reference::HistoryRow& row : history.rows) {
    const std::string& name = names.at(row.schedule);
    if ((filter.outcome && row.what != *filter.outcome) || !call.caller.may_touch(name)) continue;
    page.events +=
        event_text({history.branch, row.seq}, "fire", dump(fire_json(row, name, *call.store, resource)));
  }
  // What is left of it is told first. The name may be another schedule's by now.
  if (deleted && page.events.empty() && !page.more) throw gone("the schedule was deleted");
  return page;
}

HttpResponse follow_fires(Call& call, const FireFilter& filter) {
  const Answer answer =
      call.store->ask(reference::ReadHistory{.resource = call.context.resource, .limit = 1});
  const StreamBounds bounds = bounds_of(expect<reference::HistoryPage>(answer));
  const auto read = [filter](const Call& again, const StreamPosition& after) {
    return read_fires(again, filter, after);
  };
  return call.context.streams.follow(call, read, first_position(asked_position(call), bounds));
}

HttpResponse tell(Call& call, const FireFilter& filter) {
  return wants_stream(call) ? follow_fires(call, filter) : show(call, find_fires(call, filter));
}

FireFilter fire_filter_of(const Call& call) {
  FireFilter filter;
  filter.outcome = outcome_of(call);
  filter.limit = static_cast<std::size_t>(call.number_parameter("limit", 1, kMostFires).value_or(100));
  return filter;
}

}  // namespace

HttpResponse list_fires(Call& call) { return tell(call, fire_filter_of(call)); }

HttpResponse list_fires_of_schedule(Call& call) {
  FireFilter filter = fire_filter_of(call);
  filter.schedule = schedule_in_path(call);
  if (!filter.schedule) throw no_such_schedule(call.schedule_name());
  return tell(call, filter);
}

}  // namespace tenure::daemon::handlers
