// Who did what to schedules, as a page.
#include "daemon/api/change_feed.h"
#include "daemon/api/handlers.h"

namespace tenure::daemon::handlers {

HttpResponse list_changes(Call& call) {
  call.allow_parameters({"after", "limit"});
  const bool streams = call.request.field("accept").find("text/event-stream") != std::string_view::npos;
  const std::string_view last = call.request.field("last-event-id");
  const auto after = call.parameter("after");
  const std::string position(!last.empty() ? last : after ? std::string_view(*after) : "");
  if (streams) return call.context.changes.follow(call, position);
  const auto limit = static_cast<std::uint32_t>(call.number_parameter("limit", 1, 1'000).value_or(100));
  const ChangePage page =
      read_changes(*call.store, call.context.resource, position.empty() ? "0" : position, limit);
  Json changes = Json::array();
  for (const reference::LogEntry& entry : page.entries)
    if (call.caller.may_touch(entry.name)) changes.push_back(json_of(entry));
  return json_response(
      {{"changes", std::move(changes)}, {"position", text_of(page.end)}, {"more", page.more}});
}

}  // namespace tenure::daemon::handlers
