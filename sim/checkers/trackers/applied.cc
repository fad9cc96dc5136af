#include "sim/checkers/trackers/applied.h"

#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"

namespace tenure::sim {

ResourceId resource_of(const Request& request) {
  if (const auto* open = std::get_if<OpenMessage>(&request)) return open->resource();
  return std::visit([](const auto& asked) { return asked.resource; }, std::get<reference::Request>(request));
}

std::optional<Token> token_shown(const Request& request) {
  const auto* reference = std::get_if<reference::Request>(&request);
  if (reference == nullptr) return std::nullopt;
  return std::visit(
      [](const auto& asked) -> std::optional<Token> {
        if constexpr (requires { asked.token; }) return asked.token;
        return std::nullopt;
      },
      *reference);
}

bool grants_leadership(const Applied& applied) {
  if (reference_reply<reference::Granted>(applied.reply) != nullptr) return true;
  if (const auto* table = message_as<lease_table::Reply>(applied.reply))
    return std::holds_alternative<lease_table::Locked>(*table);
  const auto* record = message_as<record::Reply>(applied.reply);
  return record != nullptr && std::holds_alternative<record::Stored>(*record);
}

}  // namespace tenure::sim
