#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/client/answer_text.h"
#include "cli/client/api_client.h"
#include "cli/commands/commands.h"
#include "format/syntax/diagnostic.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kWidestReason = 80;
constexpr std::size_t kKeysAtOnce = 1'000;  // the server takes no more

// At most `most` dead events, the earliest first.
Json dead_events(const EventCommandOptions& options, const ApiClient& api, std::size_t most) {
  Json found = Json::array();
  for (std::string after = "0";;) {
    const Json page = api.get("/v1/events/dead?limit=1000&after=" + url_escaped(after) +
                              (options.discarded ? "&discarded=true" : ""));
    for (const Json& event : part_at(page, "events")) {
      if (!options.schedule.empty() && text_at(event, "schedule") != options.schedule) continue;
      if (found.size() < most) found.push_back(event);
    }
    const std::string next = text_at(page, "next");
    if (found.size() == most || part_at(page, "more") != true || next == after) return found;
    after = next;
  }
}

void show_dead(const EventCommandOptions& options, const ApiClient& api, Streams& streams) {
  const Json found = dead_events(options, api, options.count);
  if (options.format == Format::json) {
    streams.out << Json{{"events", found}}.dump(2) << "\n";
    return;
  }
  if (found.empty()) {
    streams.out << (options.discarded ? "no discarded events\n" : "no dead events\n");
    return;
  }
  std::vector<ListRow> rows = {{"SINCE", "SCHEDULE", "KEY", "ATTEMPTS", "WHY"}};
  for (const Json& each : found) {
    std::string why = format::printable(text_at(each, "why"), kWidestReason);
    if (const Json& by = part_at(each, "discarded"); !by.is_null())
      why = fmt::format("{} (discarded by {})", why, text_at(by, "by"));
    rows.push_back({short_time(text_at(each, "since")), text_at(each, "schedule"), text_at(each, "key"),
                    text_at(each, "attempts"), why});
  }
  streams.out << table_of(rows);
}

// How many of the events were replayed, or discarded: what is not dead any more is left as it is.
void act(const EventCommandOptions& options, const ApiClient& api, Streams& streams) {
  std::vector<std::string> keys;
  for (const std::string& key : options.keys)
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  if (options.all)
    for (const Json& event : dead_events(options, api, std::size_t(-1)))
      keys.push_back(text_at(event, "key"));
  const bool replays = options.action == EventAction::replay;
  const std::string done = replays ? "replayed" : "discarded";
  std::uint64_t count = 0;
  for (std::size_t from = 0; from < keys.size(); from += kKeysAtOnce) {
    const std::size_t to = std::min(from + kKeysAtOnce, keys.size());
    Json body = {{"keys", Json::array()}};
    for (std::size_t i = from; i < to; ++i) body["keys"].push_back(keys[i]);
    try {
      const Json answer =
          api.ask({"POST", replays ? "/v1/events:replay" : "/v1/events:discard", body.dump(), {}}).json;
      if (const Json& said = part_at(answer, done); said.is_number_unsigned())
        count += said.get<std::uint64_t>();
    } catch (const ClientError& error) {
      if (count == 0) throw;
      throw ClientError(error.code(), fmt::format("{}\n  {} were {} before that", error.what(), count, done),
                        error.status());
    }
  }
  if (options.format == Format::json)
    streams.out << Json{{done, count}}.dump(2) << "\n";
  else if (count == keys.size())
    streams.out << fmt::format("{} {}\n", count, done);
  else
    streams.out << fmt::format("{} of {} {}; the others are not dead{}\n", count, keys.size(), done,
                               replays ? "" : ", or were discarded before");
}

}  // namespace

ExitCode event_command(const EventCommandOptions& options, Streams& streams) {
  try {
    const ApiClient api(options.server);
    if (options.action == EventAction::dead)
      show_dead(options, api, streams);
    else
      act(options, api, streams);
    return ExitCode::pass;
  } catch (const ClientError& error) {
    print_error(streams, error.what());
    return error.code();
  }
}

}  // namespace tenure::cli
