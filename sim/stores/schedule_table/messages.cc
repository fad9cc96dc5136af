// This store's messages: in words, and for core.
#include <fmt/format.h>

#include "core/model/describe.h"
#include "sim/stores/message_kind.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::schedule_table {
// Not in a namespace without a name: message_kind.h finds them by their arguments.

static std::string in_words(const ReadRuns& it) {
  const auto& [resource, limit] = it;
  return fmt::format("read runs, at most {}{}", limit, in_resource(resource));
}
static std::string in_words(const SetNextRun& it) {
  const auto& [resource, schedule, next_run] = it;
  return fmt::format("set next run of schedule {} to {}{}", schedule.value, tenure::describe(next_run),
                     in_resource(resource));
}
static std::string in_words(const PutRow& it) {
  const auto& [resource, schedule, definition] = it;
  return fmt::format("put schedule {}: {}{}", schedule.value, describe(definition), in_resource(resource));
}
static std::string in_words(const DeleteRow& it) {
  const auto& [resource, schedule] = it;
  return fmt::format("delete schedule {}{}", schedule.value, in_resource(resource));
}
static std::string in_words(const Written& it) {
  const auto& [found] = it;
  return found ? "written" : "no such row";
}
static std::string in_words(const Runs& it) {
  const auto& [rows] = it;
  std::string text = "runs [";
  for (const ScheduleRow& row : rows)
    text += fmt::format("{}schedule {} at {}", text.back() == '[' ? "" : "; ", row.schedule.value,
                        tenure::describe(row.next_run));
  return text + "]";
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 3>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 3>; }

}  // namespace tenure::schedule_table
