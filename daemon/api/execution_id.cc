#include "daemon/api/execution_id.h"

#include <fmt/format.h>

#include <charconv>

namespace tenure::daemon {
namespace {

// Takes a decimal number from the front, and the dot after it, if there is one.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return true;
}

}  // namespace

std::string id_of(const reference::ExecutionToken& token) {
  return fmt::format("{}.{}.{}.{}.{}", token.event.schedule.value, token.event.slot.ns() / 1'000,
                     token.event.run, token.attempt, token.nonce);
}

std::optional<reference::ExecutionToken> read_execution_id(std::string_view text) {
  reference::ExecutionToken token;
  std::int64_t micros = 0;
  std::string_view rest = text;
  const bool read = take(rest, token.event.schedule.value) && take(rest, micros) &&
                    take(rest, token.event.run) && take(rest, token.attempt) && take(rest, token.nonce);
  if (!read || micros > INT64_MAX / 1'000 || micros < INT64_MIN / 1'000) return std::nullopt;
  token.event.slot = StoreTime{} + Duration::micros(micros);
  // No other spelling of it, and no number that a store has no room for.
  const bool fits = token.event.run <= INT64_MAX && token.nonce <= INT64_MAX && token.attempt <= INT32_MAX;
  if (!fits || id_of(token) != text) return std::nullopt;
  return token;
}

}  // namespace tenure::daemon
