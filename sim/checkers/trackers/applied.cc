#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

ResourceId resource_of(const Request& request) {
  return std::visit(
      [](const auto& family) {
        return std::visit(
            [](const auto& asked) -> ResourceId {
              if constexpr (requires { asked.resource; }) return asked.resource;
              return {};
            },
            family);
      },
      request);
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
  if (const auto* table = std::get_if<lease_table::Reply>(&applied.reply))
    return std::holds_alternative<lease_table::Locked>(*table);
  const auto* record = std::get_if<record::Reply>(&applied.reply);
  return record != nullptr && std::holds_alternative<record::Stored>(*record);
}

}  // namespace tenure::sim
