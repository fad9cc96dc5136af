// Who did what to schedules: as a page, and as a stream.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "daemon/api/handlers.h"
#include "daemon/api/streams.h"
#include "daemon/api/times.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::uint32_t kStreamedChanges = 200;

struct ChangePage {
  std::vector<reference::LogEntry> entries;
  StreamPosition end;
  bool more = false;
};

std::string_view name_of(reference::LogAction what) {
  switch (what) {
    case reference::LogAction::put: return "put";
    case reference::LogAction::paused: return "paused";
    case reference::LogAction::resumed: return "resumed";
    case reference::LogAction::deleted: break;
  }
  return "deleted";
}

Json change_json(const reference::LogEntry& entry) {
  Json json = {{"seq", entry.seq},
               {"name", entry.name},
               {"uid", entry.edition.schedule.value},
               {"version", entry.edition.version},
               {"what", name_of(entry.what)},
               {"by", entry.actor}};
  if (!entry.why.empty()) json["why"] = entry.why;
  json["at"] = print_utc(entry.at);
  return json;
}

// What was forgotten of changes lies between those that are kept: it is seen where numbers are missing.
StreamBounds bounds_of(PooledStore& store, ResourceId resource) {
  const Answer answer = store.ask(reference::ReadDue{resource, StoreTime::min(), 1, {}});
  const auto& due = expect<reference::Due>(answer);
  return {.branch = due.branch, .last = due.change_seq, .forgotten = 0};
}

// What follows a position, at most `limit` changes. Numbers up to `past` may be missing: who asked for what is kept knows
// that it is not all. Throws HttpProblem, as check_position.
ChangePage read_changes(PooledStore& store, ResourceId resource, const StreamPosition& after,
                        std::uint32_t limit, std::uint64_t past) {
  const Answer answer = store.ask(reference::ReadLog{resource, after.seq, limit});
  const auto& log = expect<reference::Log>(answer);
  const StreamBounds bounds = bounds_of(store, resource);  // after the page: they hold for it
  check_position(after, bounds);
  ChangePage page{{}, {bounds.branch, after.seq}, log.more};
  for (const reference::LogEntry& entry : log.entries) {
    if (after.branch != 0 && entry.seq > past && entry.seq != page.end.seq + 1) {
      if (page.entries.empty()) throw gone("some were forgotten");
      page.more = true;  // the next page says so
      break;
    }
    page.entries.push_back(entry);
    page.end.seq = entry.seq;
  }
  return page;
}

// Before the oldest change that is kept.
std::uint64_t forgotten(PooledStore& store, ResourceId resource, std::uint64_t last) {
  const Answer answer = store.ask(reference::ReadLog{resource, 0, 1});
  const auto& entries = expect<reference::Log>(answer).entries;
  return entries.empty() ? last : entries.front().seq - 1;
}

HttpResponse follow_changes(Call& call, const std::string& position) {
  const ResourceId resource = call.context.resource;
  const bool from_oldest = position == "0";
  StreamBounds bounds = bounds_of(*call.store, resource);
  if (from_oldest) bounds.forgotten = forgotten(*call.store, resource, bounds.last);
  const StreamPosition from = first_position(position, bounds);
  const std::uint64_t past = from_oldest ? bounds.last : 0;
  read_changes(*call.store, resource, from, 1, past);
  const auto read = [resource, past](const Call& again, const StreamPosition& after) {
    const ChangePage changes = read_changes(*again.store, resource, after, kStreamedChanges, past);
    StreamPage page{{}, changes.end, changes.more};
    for (const reference::LogEntry& entry : changes.entries)
      if (again.caller.may_touch(entry.name))
        page.events += event_text({changes.end.branch, entry.seq}, "change", dump(change_json(entry)));
    return page;
  };
  return call.context.streams.follow(call, read, from);
}

}  // namespace

HttpResponse list_changes(Call& call) {
  const std::string asked = asked_position(call);
  if (wants_stream(call)) return follow_changes(call, asked);
  const auto limit = static_cast<std::uint32_t>(call.number_parameter("limit", 1, 1'000).value_or(100));
  const auto after = read_position(asked.empty() ? "0" : asked);
  if (!after) throw no_position();
  const ChangePage page = read_changes(*call.store, call.context.resource, *after, limit, 0);
  Json changes = Json::array();
  for (const reference::LogEntry& entry : page.entries)
    if (call.caller.may_touch(entry.name)) changes.push_back(change_json(entry));
  return json_response(
      {{"changes", std::move(changes)}, {"position", text_of(page.end)}, {"more", page.more}});
}

}  // namespace tenure::daemon::handlers
