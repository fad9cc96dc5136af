// Texts as values, as Postgres' input functions read them: '5 seconds' as an interval, '2026-01-01' as a time.
//
// Throws FailedError for what Postgres refuses (22P02, 22003, 22007, 22008), and RefusedError for what Postgres reads
// and this engine does not: months, 'infinity', other ways to write a time. Their `at` is left to whoever knows the
// place.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/sql/value.h"

namespace tenure::sql {

// Times and intervals of the engine: whole microseconds, so far from zero as StoreTime and Duration reach.
inline constexpr std::int64_t kMostMicros = INT64_MAX / 1'000;
inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;

bool read_boolean(std::string_view text);
std::int64_t read_integer(std::string_view text, Type type);
// Microseconds since the epoch. Without an offset: UTC, the zone of every session here.
std::int64_t read_timestamptz(std::string_view text);
// Microseconds.
std::int64_t read_interval(std::string_view text);
// In Postgres' own form: small letters, with hyphens.
std::string read_uuid(std::string_view text);

// Is the value one of the type? Throws FailedError 22003 ("integer out of range") if not.
void check_range(std::int64_t value, Type type);

}  // namespace tenure::sql
