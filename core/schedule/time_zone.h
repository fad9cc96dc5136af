// A time zone as plain data: which offset from UTC holds from when on.
//
// The core reads no files. Whoever does (adapters/tzdb) hands zones in, each complete up to the end of StoreTime,
// with the version of the database that it comes from: two machines with different databases may disagree on a
// slot, so a zone is its name and its version.
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
  // Of the time zone database that the zone was read from; empty for utc().
  const std::string& tzdb_version() const { return tzdb_version_; }

  std::span<const Period> periods() const { return periods_; }
  // The place of the period that holds at `utc` (in seconds since the epoch).
  std::size_t period_at(std::int64_t utc) const;
  // Where period `index` ends; kNever for the last.
  std::int64_t end_of(std::size_t index) const {
    return index + 1 < periods_.size() ? periods_[index + 1].begin : kNever;
  }

  // Zones are the same when they go by the same name and come from the same database.
  bool operator==(const TimeZone& other) const {
    return name_ == other.name_ && tzdb_version_ == other.tzdb_version_;
  }

 private:
  std::string name_;
  std::string tzdb_version_;
  std::vector<Period> periods_;
};

// Where zones come from.
class TimeZones {
 public:
  virtual ~TimeZones() = default;
  // nullptr when there is none of that name. "UTC" always is.
  virtual std::shared_ptr<const TimeZone> find(std::string_view name) const = 0;
  // Of the database as a whole: "2025b".
  virtual const std::string& version() const = 0;
  // All names, sorted, to suggest one from.
  virtual std::vector<std::string> names() const = 0;
};

// Where there is no database of time zones: UTC alone, of version kNoTzdb.
inline constexpr std::string_view kNoTzdb = "none";
const TimeZones& only_utc();

}  // namespace tenure
