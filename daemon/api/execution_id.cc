#include "daemon/api/execution_id.h"

#include <fmt/format.h>

#include <cstdint>

#include "daemon/api/number_parts.h"

namespace tenure::daemon {

std::string id_of(const reference::ExecutionToken& token) {
  return fmt::format("{}.{}.{}.{}.{}", token.event.schedule.value, token.event.slot.ns() / 1'000,
                     token.event.run, token.attempt, token.nonce);
}

std::optional<reference::ExecutionToken> read_execution_id(std::string_view text) {
  reference::ExecutionToken token;
  std::int64_t micros = 0;
  std::string_view rest = text;
  const auto take = [&rest](auto& number) { return take_number(rest, number, '.'); };
  const bool read = take(token.event.schedule.value) && take(micros) && take(token.event.run) &&
                    take(token.attempt) && take(token.nonce);
  if (!read || micros > INT64_MAX / 1'000 || micros < INT64_MIN / 1'000) return std::nullopt;
  token.event.slot = StoreTime{} + Duration::micros(micros);
  // No other spelling of it, and no number that a store has no room for.
  const bool fits = token.event.run <= INT64_MAX && token.nonce <= INT64_MAX && token.attempt <= INT32_MAX;
  if (!fits || id_of(token) != text) return std::nullopt;
  return token;
}

}  // namespace tenure::daemon
