// This store's messages: in words, and for core.
#include <fmt/format.h>

#include "core/base/readable_text.h"
#include "core/model/describe.h"
#include "sim/stores/message_kind.h"
#include "sim/stores/statements/requests.h"

namespace tenure::statements {
// Not in a namespace without a name: message_kind.h finds them by their arguments.

static std::string describe_value(const statements::Value& value) {
  if (std::holds_alternative<statements::Null>(value)) return "null";
  return describe_field(value);
}

static std::string describe_statements(const std::vector<statements::SqlStatement>& all) {
  std::string text;
  for (const statements::SqlStatement& statement : all) {
    const auto& [sql, parameters] = statement;
    text += (text.empty() ? "" : "; ") + on_one_line(sql);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      text += fmt::format("{}${} = {}", i == 0 ? " with " : ", ", i + 1, describe_value(parameters[i]));
  }
  return text;
}

static std::string in_words(const Execute& it) {
  const auto& [resource, all] = it;
  return describe_statements(all) + in_resource(resource);
}
static std::string in_words(const EditSchedule& it) {
  const auto& [resource, schedule, definition, from, all] = it;
  return fmt::format("{} schedule {} from {} on{}: {}{}", definition ? "put" : "delete", schedule.value,
                     tenure::describe(from), definition ? ": " + describe(*definition) : "",
                     describe_statements(all), in_resource(resource));
}
static std::string in_words(const Executed& it) {
  const auto& [results] = it;
  std::string text;
  for (const statements::SqlRows& result : results) {
    const auto& [columns, rows, count] = result;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", count, count == 1 ? "row" : "rows");
    for (std::size_t i = 0; i < columns.size() && !rows.empty(); ++i)
      text += fmt::format("{}{} = {}", i == 0 ? ": " : ", ", columns[i], describe_value(rows.front()[i]));
  }
  return text;
}
static std::string in_words(const SqlFailed& it) {
  const auto& [sqlstate, message] = it;
  return fmt::format("error {}: {}", sqlstate, readable_text(message));
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 4>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 4>; }

}  // namespace tenure::statements
