// A time zone as plain data: each offset from UTC, and the time from which it holds.
//
// The core reads no files. adapters/tzdb reads them and hands zones in, each complete up to the end of StoreTime, with
// the version of its database. Two machines with different databases may disagree on a slot, so a zone is its name and
// its version.
//
// Thread rule: a TimeZone is immutable and shared. TimeZones::find may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {

class TimeZone {
 public:
  // From `begin` on (in seconds since the epoch, UTC), local time is UTC + offset (seconds, east is positive).
  struct Period {
    std::int64_t begin = 0;
    std::int32_t offset = 0;
    bool operator==(const Period&) const = default;
  };
  static constexpr std::int64_t kAlways = INT64_MIN / 4;  // the begin of the first period
  static constexpr std::int64_t kNever = INT64_MAX / 4;   // the end of the last one

  // REQUIRES: periods is not empty, begins with kAlways, and goes up.
  TimeZone(std::string name, std::string tzdb_version, std::vector<Period> periods);
  static const std::shared_ptr<const TimeZone>& utc();

  const std::string& name() const { return name_; }
  // The version of the zone's database; empty for utc().
  const std::string& tzdb_version() const { return tzdb_version_; }

  std::span<const Period> periods() const { return periods_; }
  // The index of the period that holds at `utc` (in seconds since the epoch).
  std::size_t period_at(std::int64_t utc) const;
  // Where period `index` ends; kNever for the last.
  std::int64_t end_of(std::size_t index) const {
    return index + 1 < periods_.size() ? periods_[index + 1].begin : kNever;
  }

  // Zones are equal if their names and the versions of their databases are equal.
  bool operator==(const TimeZone& other) const {
    return name_ == other.name_ && tzdb_version_ == other.tzdb_version_;
  }

 private:
  std::string name_;
  std::string tzdb_version_;
  std::vector<Period> periods_;
};

// A source of zones.
class TimeZones {
 public:
  virtual ~TimeZones() = default;
  // nullptr when there is no zone of that name. "UTC" always exists.
  virtual std::shared_ptr<const TimeZone> find(std::string_view name) const = 0;
  // The version of the whole database: "2025b".
  virtual const std::string& version() const = 0;
  // All names, sorted, for suggestions.
  virtual std::vector<std::string> names() const = 0;
};

// Without a time zone database there is only UTC, of version kNoTzdb.
inline constexpr std::string_view kNoTzdb = "none";
const TimeZones& only_utc();

}  // namespace tenure
