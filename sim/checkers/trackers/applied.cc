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

std::vector<SaidOfAttempt> said_of_attempts(const Request& request) {
  std::vector<SaidOfAttempt> all;
  if (const auto* asked = reference_request<reference::ExtendExecutions>(request)) {
    for (const reference::ExecutionToken& token : asked->executions) all.push_back({&token, Said::lives});
  } else if (const auto* ends = reference_request<reference::EndExecutions>(request)) {
    for (const auto& end : ends->ends)
      all.push_back({&end.token, end.failed ? Said::failed : Said::completed});
  } else if (const auto* back = reference_request<reference::ReleaseExecutions>(request)) {
    for (const reference::ExecutionToken& token : back->executions) all.push_back({&token, Said::released});
  }
  return all;
}

bool grants_leadership(const Applied& applied) {
  if (reference_reply<reference::Granted>(applied.reply) != nullptr) return true;
  if (const auto* table = message_as<lease_table::Reply>(applied.reply))
    return std::holds_alternative<lease_table::Locked>(*table);
  const auto* record = message_as<record::Reply>(applied.reply);
  return record != nullptr && std::holds_alternative<record::Stored>(*record);
}

}  // namespace tenure::sim
