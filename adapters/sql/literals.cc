#include "adapters/sql/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/sql/statement_errors.h"

namespace tenure::sql {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string trimmed_lower(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), small_letter);
  return lower;
}

[[noreturn]] void invalid(std::string_view text, Type type, const char* sqlstate = "22P02") {
  throw FailedError{sqlstate, fmt::format("invalid input syntax for type {}: \"{}\"", name_of(type), text)};
}

// A prefix of `word`, long enough to mean nothing else.
bool begins(const std::string& text, std::string_view word, std::size_t least) {
  return text.size() >= least && word.starts_with(text);
}

}  // namespace

std::string_view name_of(Type type) {
  switch (type) {
    case Type::unknown: return "unknown";
    case Type::boolean: return "boolean";
    case Type::int2: return "smallint";
    case Type::int4: return "integer";
    case Type::int8: return "bigint";
    case Type::numeric: return "numeric";
    case Type::float8: return "double precision";
    case Type::text: return "text";
    case Type::uuid: return "uuid";
    case Type::timestamptz: return "timestamp with time zone";
    case Type::interval: return "interval";
  }
  return "";
}

bool read_boolean(std::string_view text) {
  const std::string word = trimmed_lower(text);
  if (begins(word, "true", 1) || begins(word, "yes", 1) || word == "on" || word == "1") return true;
  if (begins(word, "false", 1) || begins(word, "no", 1) || begins(word, "off", 2) || word == "0")
    return false;
  invalid(text, Type::boolean);
}

void check_range(std::int64_t value, Type type) {
  const bool fits = type == Type::int2   ? value == static_cast<std::int16_t>(value)
                    : type == Type::int4 ? value == static_cast<std::int32_t>(value)
                                         : true;
  if (!fits) throw FailedError{"22003", fmt::format("{} out of range", name_of(type))};
}

std::int64_t read_integer(std::string_view text, Type type) {
  std::string digits = trimmed_lower(text);
  if (digits.starts_with("+") && digits.size() > 1 && digits[1] != '-') digits.erase(0, 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (error == std::errc::invalid_argument || !whole) invalid(text, type);
  const bool fits = error == std::errc() &&
                    (type != Type::int4 || value == static_cast<std::int32_t>(value)) &&
                    (type != Type::int2 || value == static_cast<std::int16_t>(value));
  if (!fits)
    throw FailedError{"22003", fmt::format("value \"{}\" is out of range for type {}", text, name_of(type))};
  return value;
}

std::string read_uuid(std::string_view text) {
  std::string_view rest = text;
  const bool braces = rest.starts_with("{");
  if (braces && !rest.ends_with("}")) invalid(text, Type::uuid);
  if (braces) rest = rest.substr(1, rest.size() - 2);
  // Hyphens may stand behind any group of four digits.
  std::string digits;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = small_letter(rest[i]);
    const bool hyphen =
        c == '-' && i > 0 && rest[i - 1] != '-' && i + 1 < rest.size() && digits.size() % 4 == 0;
    if (hyphen) continue;
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) invalid(text, Type::uuid);
    digits += c;
  }
  if (digits.size() != 32) invalid(text, Type::uuid);
  for (const std::size_t at : {20U, 16U, 12U, 8U}) digits.insert(at, "-");
  return digits;
}

}  // namespace tenure::sql
