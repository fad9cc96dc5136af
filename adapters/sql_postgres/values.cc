#include "adapters/sql_postgres/values.h"

#include <date/date.h>
#include <fmt/format.h>
#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "core/base/int128.h"

namespace tenure::sql_postgres {
namespace {

using statements::Null;
using statements::Value;

constexpr std::int64_t kNanosPerMicro = 1'000;
constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMicrosPerDay = kSecondsPerDay * kMicrosPerSecond;
constexpr std::int64_t kPostgresEpoch = 946'684'800 * kMicrosPerSecond;  // 2000-01-01, in Unix time
constexpr std::int64_t kMostMicros = std::numeric_limits<std::int64_t>::max() / kNanosPerMicro;

// pg_type.h of Postgres 15; its numbers never change.
enum TypeNumber : Oid {
  kBool = 16,
  kName = 19,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kText = 25,
  kUnknown = 705,
  kBpchar = 1042,
  kVarchar = 1043,
  kTimestamptz = 1184,
  kInterval = 1186,
  kVoid = 2278,
  kUuid = 2950,
};

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  const std::size_t unused = 64 - 8 * bytes.size();
  return static_cast<std::int64_t>(number << unused) >> unused;
}

std::string uuid_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        static_cast<unsigned char>(bytes[i]));
  return text;
}

std::variant<Value, std::string> timestamp_of(std::string_view bytes) {
  const std::int64_t since_2000 = big_endian(bytes);
  if (since_2000 > kMostMicros - kPostgresEpoch || since_2000 < -kMostMicros)
    return std::string("a time beyond 1677 to 2262");
  return Value{StoreTime{} + Duration::micros(since_2000 + kPostgresEpoch)};
}

std::variant<Value, std::string> interval_of(std::string_view bytes) {
  const std::int64_t micros = big_endian(bytes.substr(0, 8));
  const std::int64_t days = big_endian(bytes.substr(8, 4));
  if (big_endian(bytes.substr(12, 4)) != 0) return std::string("an interval with months has no fixed length");
  const int128 whole = int128{days} * kMicrosPerDay + micros;
  if (whole > kMostMicros || whole < -kMostMicros) return std::string("an interval of more than 292 years");
  return Value{Duration::micros(static_cast<std::int64_t>(whole))};
}

std::variant<Value, std::string> value_of(Oid type, std::string_view bytes) {
  switch (type) {
    case kBool: return Value{bytes.front() != 0};
    case kInt2:
    case kInt4:
    case kInt8: return Value{big_endian(bytes)};
    case kName:
    case kText:
    case kUnknown:
    case kBpchar:
    case kVarchar: return Value{std::string(bytes)};
    case kUuid: return Value{uuid_text(bytes)};
    case kTimestamptz: return timestamp_of(bytes);
    case kInterval: return interval_of(bytes);
    case kVoid: return Value{Null{}};
    default:
      return fmt::format(
          "its type (number {}) is none that a design can have: cast it, as in x::bigint or x::text", type);
  }
}

std::string interval_text(Duration length) {
  const std::int64_t micros = length.ns() / kNanosPerMicro;
  const std::uint64_t size =
      micros < 0 ? -static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  constexpr std::uint64_t kMicros = kMicrosPerSecond;
  const std::uint64_t seconds = size / kMicros;
  return fmt::format("{}{}:{:02}:{:02}.{:06}", micros < 0 ? "-" : "", seconds / 3'600, seconds / 60 % 60,
                     seconds % 60, size % kMicros);
}

std::string time_text(StoreTime time) {
  const date::sys_time<std::chrono::microseconds> micros{
      std::chrono::microseconds(time.ns() / kNanosPerMicro)};
  const auto days = date::floor<date::days>(micros);
  const date::year_month_day day{days};
  const std::int64_t rest = (micros - days).count();
  const std::int64_t seconds = rest / kMicrosPerSecond;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}+00", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), seconds / 3'600,
                     seconds / 60 % 60, seconds % 60, rest % kMicrosPerSecond);
}

}  // namespace

std::optional<std::string> parameter_text(const Value& value) {
  struct Write {
    std::optional<std::string> operator()(Null) const { return std::nullopt; }
    std::optional<std::string> operator()(bool it) const { return it ? "true" : "false"; }
    std::optional<std::string> operator()(std::int64_t it) const { return std::to_string(it); }
    std::optional<std::string> operator()(const std::string& it) const { return it; }
    std::optional<std::string> operator()(StoreTime it) const { return time_text(it); }
    std::optional<std::string> operator()(Duration it) const { return interval_text(it); }
  };
  return std::visit(Write{}, value);
}

std::variant<statements::SqlRows, std::string> rows_of(const PGresult* result) {
  statements::SqlRows rows;
  const int columns = PQnfields(result);
  for (int column = 0; column < columns; ++column) rows.columns.emplace_back(PQfname(result, column));
  for (int row = 0; row < PQntuples(result); ++row) {
    std::vector<Value>& values = rows.rows.emplace_back();
    for (int column = 0; column < columns; ++column) {
      if (PQgetisnull(result, row, column) == 1) {
        values.emplace_back(Null{});
        continue;
      }
      const std::string_view bytes(PQgetvalue(result, row, column),
                                   static_cast<std::size_t>(PQgetlength(result, row, column)));
      std::variant<Value, std::string> value = value_of(PQftype(result, column), bytes);
      if (const auto* why = std::get_if<std::string>(&value))
        return fmt::format("column {}: {}", PQfname(result, column), *why);
      values.push_back(std::get<Value>(std::move(value)));
    }
  }
  const std::string_view count = PQcmdTuples(const_cast<PGresult*>(result));
  rows.count = count.empty() ? 0 : std::strtoll(count.data(), nullptr, 10);
  return rows;
}

}  // namespace tenure::sql_postgres
