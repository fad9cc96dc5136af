#include "adapters/store/public_names.h"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <charconv>

namespace tenure {
namespace {

// The whole text as one decimal number, as it would be written: no sign, no zero in front.
std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return value;
}

// From 32 hexadecimal digits. nullopt: it is something else.
std::optional<boost::uuids::uuid> read_identity(std::string_view text) {
  boost::uuids::uuid uuid{};
  if (text.size() != 2 * uuid.size()) return std::nullopt;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, uuid.data[i], 16).ptr != digits + 2) return std::nullopt;
  }
  return uuid;
}

}  // namespace

std::optional<std::string> event_uuid(std::string_view identity, ResourceId resource,
                                      const reference::EventId& event) {
  const auto space = read_identity(identity);
  if (!space) return std::nullopt;
  const auto& [schedule, slot, run] = event;
  const std::string name = fmt::format("{}/{}/{}/{}", resource.value, schedule.value, slot.ns() / 1'000, run);
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(*space)(name));
}

std::string text_of(const reference::Edition& edition) {
  return fmt::format("{}.{}", edition.schedule.value, edition.version);
}

std::optional<reference::Edition> read_edition(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto schedule = number(text.substr(0, dot));
  const auto version = number(text.substr(dot + 1));
  if (!schedule || !version || *version == 0) return std::nullopt;
  return reference::Edition{{*schedule}, *version};
}

}  // namespace tenure
