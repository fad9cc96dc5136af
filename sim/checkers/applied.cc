#include "sim/checkers/applied.h"

namespace tenure::sim {

ResourceId resource_of(const Request& request) {
  return std::visit(
      [](const auto& family) { return std::visit([](const auto& asked) { return asked.resource; }, family); },
      request);
}

std::optional<Token> token_shown(const Request& request) {
  const auto* house = std::get_if<house::Request>(&request);
  if (house == nullptr) return std::nullopt;
  return std::visit(
      [](const auto& asked) -> std::optional<Token> {
        if constexpr (requires { asked.token; }) return asked.token;
        return std::nullopt;
      },
      *house);
}

}  // namespace tenure::sim
