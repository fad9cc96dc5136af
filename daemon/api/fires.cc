// What became of slots and manual runs, the latest first.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/api/event_json.h"
#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/schedule_names.h"
#include "daemon/api/schedule_words.h"
#include "daemon/api/times.h"

namespace tenure::daemon::handlers {
namespace {

using reference::Disposition;

constexpr std::uint32_t kMostFires = 1'000;
// What one request looks at, at most: few rows may have the outcome that is asked for.
constexpr std::size_t kMostLookedAt = 20'000;

struct FireFilter {
  std::optional<ScheduleId> schedule;
  std::optional<Disposition> outcome;
  std::size_t limit = 100;
};

struct FoundFires {
  std::vector<reference::HistoryRow> rows;
  std::uint64_t last = 0;  // the last number that was looked at
  bool more = false;
  std::uint64_t forgotten = 0;
  std::uint32_t branch = 0;
};

std::optional<Disposition> outcome_of(const Call& call) {
  const auto text = call.parameter("outcome");
  if (!text) return std::nullopt;
  const auto found = std::find(std::begin(words::kOutcomes), std::end(words::kOutcomes), *text);
  if (found == std::end(words::kOutcomes))
    throw invalid(
        fmt::format("the parameter `outcome` must be one of {}", fmt::join(words::kOutcomes, ", ")));
  return static_cast<Disposition>(found - std::begin(words::kOutcomes));
}

FoundFires find_fires(Call& call, const FireFilter& filter) {
  FoundFires found;
  found.last = static_cast<std::uint64_t>(call.number_parameter("after", 0, INT64_MAX).value_or(0));
  const auto page_size = filter.outcome ? kMostFires : static_cast<std::uint32_t>(filter.limit);
  for (std::size_t looked_at = 0;;) {
    const Answer answer = call.store->ask(reference::ReadHistory{.resource = call.context.resource,
                                                                 .schedule = filter.schedule,
                                                                 .after = found.last,
                                                                 .limit = page_size,
                                                                 .newest_first = true});
    const auto& page = expect<reference::HistoryPage>(answer);
    found.forgotten = page.forgotten;
    found.branch = page.branch;
    found.more = page.more;
    for (const reference::HistoryRow& row : page.rows) {
      found.last = row.seq;
      if (filter.outcome && row.what != *filter.outcome) continue;
      found.rows.push_back(row);
      if (found.rows.size() < filter.limit) continue;
      found.more = page.more || &row != &page.rows.back();
      return found;
    }
    looked_at += page.rows.size();
    if (!page.more || page.rows.empty() || looked_at >= kMostLookedAt) return found;
  }
}

Json json_of(const reference::HistoryRow& row, const std::string& name, const Call& call) {
  Json json = {{"seq", row.seq},
               {"schedule", name},
               {"uid", row.schedule.value},
               {"version", row.version},
               {"outcome", words::word(words::kOutcomes, row.what)},
               {"at", print_utc(row.at)},
               {"from", print_utc(row.from)},
               {"to", print_utc(row.to)},
               {"slots", row.slots}};
  // Of a row without an event neither the slot nor the run means anything.
  if (row.what == Disposition::fired || row.what == Disposition::replaced)
    json["event"] = daemon::json_of({row.schedule, row.slot, row.run}, call);
  return json;
}

HttpResponse show(Call& call, const FoundFires& found) {
  std::set<ScheduleId> numbers;
  for (const reference::HistoryRow& row : found.rows) numbers.insert(row.schedule);
  const auto names = call.context.names.names_of(numbers, found.branch, *call.store, call.context.resource);
  Json json = {{"fires", Json::array()}};
  for (const reference::HistoryRow& row : found.rows) {
    const std::string& name = names.at(row.schedule);
    if (call.caller.may_touch(name)) json["fires"].push_back(json_of(row, name, call));
  }
  json["next"] = fmt::format("{}", found.last);
  json["more"] = found.more;
  json["forgotten"] = fmt::format("{}", found.forgotten);
  return json_response(json);
}

FireFilter filter_of(const Call& call) {
  call.allow_parameters({"after", "limit", "outcome"});
  FireFilter filter;
  filter.outcome = outcome_of(call);
  filter.limit = static_cast<std::size_t>(call.number_parameter("limit", 1, kMostFires).value_or(100));
  return filter;
}

}  // namespace

HttpResponse list_fires(Call& call) { return show(call, find_fires(call, filter_of(call))); }

HttpResponse list_fires_of_schedule(Call& call) {
  FireFilter filter = filter_of(call);
  const std::string& name = call.schedule_name();
  const Answer answer = call.store->ask(reference::ReadNamed{call.context.resource, name});
  const auto& found = expect<reference::NamedSchedules>(answer).schedules;
  if (found.empty()) throw no_such_schedule(name);
  filter.schedule = found.front().edition.schedule;
  return show(call, find_fires(call, filter));
}

}  // namespace tenure::daemon::handlers
