#include "lab/session/trace_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "core/model/describe.h"
#include "sim/world/record.h"

namespace tenure::lab {

void begin_line(sim::TrueTime at, std::string_view kind, JsonWriter& json) {
  json.begin_object().field("at_seconds", at - sim::TrueTime{}).field("kind", kind);
}

void write_who(Incarnation who, JsonWriter& json) {
  json.field("node", who.node == sim::kClientNode ? std::string("client")
                     : sim::is_worker(who.node)
                         ? fmt::format("worker {}", who.node.value - sim::kFirstWorkerNode.value + 1)
                         : describe(who.node));
  json.field("incarnation", who.number);
}

void write_token(const std::optional<Token>& token, JsonWriter& json) {
  json.key("token");
  if (!token) {
    json.null();
    return;
  }
  json.begin_object().field("branch", token->branch).field("epoch", token->epoch);
  json.field("nonce", fmt::format("{:016x}", token->nonce)).end_object();
}

void write_work(const WorkItem& item, const sim::Names& names, JsonWriter& json) {
  json.field("resource", item.resource.value).field("schedule", names.schedule(item.event.schedule));
  json.field("slot", describe(item.event.slot)).field("run", item.event.run);
  write_token(item.token, json);
  json.field("once", item.once);
}

std::optional<Duration> since_start(const std::optional<sim::TrueTime>& time) {
  if (!time || *time == sim::TrueTime::max()) return std::nullopt;
  return *time - sim::TrueTime{};
}

// Texts speak of schedules by their ids; "schedule 3" becomes "schedule 3 (billing)".
std::string with_names(std::string_view text, const sim::Names& names) {
  constexpr std::string_view kWord = "schedule ";
  std::string result;
  while (true) {
    const std::size_t at = text.find(kWord);
    if (at == std::string_view::npos) return result.append(text);
    std::size_t end = at + kWord.size();
    std::uint32_t id = 0;
    const auto number = std::from_chars(text.data() + end, text.data() + text.size(), id);
    end = static_cast<std::size_t>(number.ptr - text.data());
    result.append(text.substr(0, end));
    if (number.ec == std::errc{}) result += " (" + names.schedule(ScheduleId{id}) + ")";
    text.remove_prefix(end);
  }
}

}  // namespace tenure::lab
