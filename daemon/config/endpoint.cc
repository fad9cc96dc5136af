#include "daemon/config/endpoint.h"

#include <fmt/format.h>

#include <charconv>

#include "format/syntax/diagnostic.h"

namespace tenure::daemon {

std::string text_of(const Endpoint& endpoint) {
  const bool v6 = endpoint.address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", endpoint.address, v6 ? "]" : "", endpoint.port);
}

std::variant<Endpoint, std::string> read_endpoint(std::string_view text) {
  const std::string none = fmt::format("`{}` is no address with a port", format::printable(text, 60));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return none;
  std::string_view address = text.substr(0, colon);
  const bool v6 = address.starts_with('[') && address.ends_with(']');
  if (v6) address = address.substr(1, address.size() - 2);
  const bool is_address =
      !address.empty() &&
      address.find_first_not_of(v6 ? "0123456789abcdefABCDEF:." : "0123456789.") == std::string_view::npos;
  if (!is_address) return none;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size()) return none;
  return Endpoint{std::string(address), port};
}

}  // namespace tenure::daemon
